# make demo: set up, then the main job.   make test: set up, then every check.
# Both make their own virtual environment in .venv and need only Python (3.11 or newer), make and git.

VENV := .venv
BIN  := $(VENV)/bin
PIP  := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-input

.DEFAULT_GOAL := help
.PHONY: help demo test lint bench docs clean

help:          ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-7s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/installed          ## set up and answer the built-in example
	@$(BIN)/rocscope demo

test: lint          ## set up and run every check: style, types, tests
	@$(BIN)/pytest -q

lint: $(VENV)/installed-dev          ## style (ruff) and types (mypy, strict)
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary

bench: $(VENV)/installed-dev          ## ours beside the peers, in one run, as ratios
	@$(BIN)/python -m benchmarks

docs: $(VENV)/installed-dev          ## write what is generated from the declarations: docs/reference, names.pyi
	@$(BIN)/python tools/docs.py
	@$(BIN)/python tools/names.py

clean:          ## remove the virtual environment, caches and builds
	@rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps: a second run installs nothing unless pyproject.toml has changed since.
$(VENV)/made: tools/setup.sh
	@tools/setup.sh $(VENV)
	@touch $@

$(VENV)/installed: pyproject.toml $(VENV)/made
	@echo "installing rocscope into $(VENV)"
	@$(PIP) --editable .
	@touch $@

$(VENV)/installed-dev: pyproject.toml $(VENV)/made
	@echo "installing rocscope and what its tests need into $(VENV)"
	@$(PIP) --editable ".[dev]"
	@touch $@ $(VENV)/installed
