# make demo: set up, then the main job.   make test: set up, then every check.
# Both make their own virtual environment in .venv and need only Python (3.11 or newer), make and git.

VENV := .venv
BIN  := $(VENV)/bin
PIP  := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-input

# Tests start Python hundreds of times: compiled modules are kept, even where the machine says not to.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo test lint bench bench-scale bench-start bench-growth bench-engines coverage oracles page firefox page-moves docs site engines ray types bare container lowest peer-checks clean versions release

help:          ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/installed          ## set up and answer the built-in example
	@$(BIN)/rocscope demo

test: lint          ## set up and run every check: style, types, tests
	@tools/setup_tests.sh
	@$(BIN)/pytest -q -n auto --dist loadfile

lint: $(VENV)/installed-dev          ## style (ruff) and types (mypy, strict)
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary

.PHONY: fuzz mutants faults load fuzz-calls

fuzz: $(VENV)/installed-dev          ## one hour: random tables with faults through every reader and engine, compared
	@PYTHONPATH=tests $(BIN)/python tests/differential.py --minutes 60

faults: $(VENV)/installed-dev          ## every kind of work stopped 100 times by each signal: outputs whole, nothing left (an hour)
	@PYTHONPATH=tests OPENBLAS_NUM_THREADS=1 $(BIN)/python tests/faults.py --each 100

fuzz-calls: $(VENV)/installed-dev          ## 100,000 command lines and calls that make no sense: never a traceback (half an hour)
	@PYTHONPATH=tests $(BIN)/python tests/fuzz_calls.py

load: $(VENV)/installed-dev          ## a server on this machine, 200 clients for a minute: slow, huge, malformed, and none gets a fault
	@PYTHONPATH=tests $(BIN)/python tests/load.py

mutants: $(VENV)/installed-dev          ## 300 faults planted in the core, one at a time: which do the tests see? (an hour; it can be continued)
	@$(BIN)/python tools/mutants.py --sample 300

bench: $(VENV)/installed-dev          ## ours beside the peers, in one run, as ratios
	@$(BIN)/python -m benchmarks
	@$(BIN)/python -m benchmarks.validation

bench-scale: $(VENV)/installed-dev          ## 1e8 rows: tables beside the engines, whole commands and their memory (minutes, 5 GB of disk)
	@$(BIN)/python -m benchmarks.scale

bench-engines: $(VENV)/installed-dev          ## what slices cost on Spark, dask and DuckDB, and what travels (minutes)
	@$(BIN)/python -m benchmarks.engines

bench-start: $(VENV)/installed-dev          ## what short commands and a results document cost, as ratios (a minute)
	@$(BIN)/python -m benchmarks.start

bench-growth: $(VENV)/installed-dev          ## how time and memory grow with rows, models, slices and classes (minutes)
	@$(BIN)/python -m benchmarks.axes

coverage: $(VENV)/installed-dev          ## how often intervals hold and tests err, by simulation (minutes)
	@$(BIN)/python -m benchmarks.coverage
	@$(BIN)/python -m benchmarks.validation_size

# Reference values from other software, frozen with the scripts that made them. Needs Java, and R with pROC, epiR and
# ROCR: Debian's r-base-core, r-cran-proc, r-cran-epir, r-cran-rocr. Weka comes with python-weka-wrapper3.
oracles: $(VENV)/installed-dev          ## remake the frozen reference values (needs R)
	@for script in proc base epir migration classes; do TZ=UTC Rscript --vanilla tests/oracles/$$script.R || exit 1; done
	@$(BIN)/python tests/oracles/make_pycm.py
	@python3 -m venv .venv-oracles
	@.venv-oracles/bin/pip install --quiet statsmodels==0.15.0 mlxtend==0.25.0 scikit-posthocs==0.17.1 baycomp==1.0.3
	@.venv-oracles/bin/python tests/oracles/peers.py
	@.venv-oracles/bin/pip install --quiet torchmetrics==1.9.0 Orange3==3.40.0
	@.venv-oracles/bin/pip download --quiet --no-deps --no-build-isolation --dest .venv-oracles python-weka-wrapper3==0.3.3
	@tar --extract --gzip --directory .venv-oracles --file .venv-oracles/python_weka_wrapper3-0.3.3.tar.gz
	@.venv-oracles/bin/python tests/oracles/migration.py .venv-oracles/python_weka_wrapper3-0.3.3/python/weka/lib

page:          ## build the page of the report anew (needs node and npm)
	@npm ci --prefix page --no-audit --no-fund --silent
	@npm run --prefix page --silent build

page-moves: $(VENV)/installed-dev          ## 1,000 random moves on the page and 50 on every other kind of report, held against Python (minutes)
	@MOVES=1000 $(BIN)/pytest -q tests/page/test_page_random.py tests/page/test_page_random_kinds.py

firefox: $(VENV)/installed-dev          ## the moves of the page in Firefox, as in Chromium (installs Debian's firefox-esr)
	@tools/setup_firefox.sh
	@npm ci --prefix page/firefox --no-audit --no-fund --silent
	@BROWSER=firefox MOVES=$${MOVES:-1000} $(BIN)/pytest -q tests/page/test_page_random.py tests/page/test_page_random_kinds.py tests/page/test_page_kinds.py

docs: $(VENV)/installed-dev          ## write anew what is generated: stubs, schema, reference, consoles, picture
	@for tool in names schema openapi docs consoles picture figures page_cells page_documents; do $(BIN)/python tools/$$tool.py || exit 1; done

peer-checks: $(VENV)/installed-dev   ## scikit-learn's own tests of displays and checks of estimators, all of them, on ours
	@PYTHONPATH=src $(BIN)/python tests/peer/estimators.py
	@PYTHONPATH=src:tests/peer MPLBACKEND=Agg $(BIN)/pytest -p plugin -p no:cacheprovider -q -W ignore --pyargs \
		$(foreach topic,roc_curve precision_recall det_curve confusion_matrix common_curve,sklearn.metrics._plot.tests.test_$(topic)_display)

site: $(VENV)/installed-dev          ## build the documentation site into site/, every link checked
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

engines: $(VENV)/installed-dev          ## tensors, datasets and trackers tried for real (installs gigabytes)
	@$(PIP) --editable ".[engines]"
	@$(BIN)/pytest -q tests/integrations

ray: $(VENV)/installed-dev          ## the recipe for Ray Data on a local cluster of two workers (installs Ray)
	@$(PIP) --editable ".[dev,ray]"
	@$(BIN)/pytest -q tests/integrations/test_ray.py

types: $(VENV)/installed-dev          ## pyright and mypy on scripts as users write them
	@$(PIP) pyright
	@$(BIN)/python tests/test_user_scripts.py build/pages
	@$(BIN)/pyright --pythonpath $(BIN)/python tests/typing build/pages
	@$(BIN)/mypy --strict tests/typing build/pages

bare:          ## the wheel alone in an empty environment: every command works or names the extra it needs
	@tools/bare.sh

container:          ## the steps of the Containerfile in an empty environment, and its service asked (no image is built)
	@python3 tools/container_steps.py $(PYTHON)

lowest:          ## the lowest versions that pyproject.toml promises, tried for real
	@tools/lowest.sh

versions: $(VENV)/installed-dev          ## the dependencies resolved as wheels for Python 3.11 to 3.14
	@tools/python_versions.sh

release: $(VENV)/installed-dev          ## build wheel and sdist twice, check them, bill of materials, hashes; TAG=1 tags (docs/release.md)
	@$(BIN)/python tools/release.py $(if $(PROJECT_URL),--url $(PROJECT_URL)) $(if $(TAG),--tag)

clean:          ## remove the virtual environment, caches and builds
	@rm -rf $(VENV) .venv-oracles .venv-bare .venv-lowest build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
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
