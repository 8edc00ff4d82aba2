"""The steps of the Containerfile without an image: what it copies, builds and installs, and the service of api.md.

container_steps.py [python]: the interpreter of the image, 3.13, where it is at hand. Only the base image and its users
are not tried.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.request import Request, urlopen

ROOT = Path(__file__).parent.parent


def steps(text: str) -> tuple[list[tuple[list[str], str]], list[str], list[str]]:
    """What is copied (sources, target), what is run, and the entry point."""
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    copied = [line.split()[1:] for line in lines if line.startswith("COPY ") and "--from" not in line]
    run = [line.removeprefix("RUN ") for line in lines if line.startswith("RUN ")]
    (entry,) = [json.loads(line.removeprefix("ENTRYPOINT ")) for line in lines if line.startswith("ENTRYPOINT ")]
    return [(parts[:-1], parts[-1]) for parts in copied], run, entry


def service(page: str) -> list[str]:
    """The arguments after the name of the image in the `podman run` of the page."""
    command = re.search(r"^podman run .*?(?=^```)", page, re.MULTILINE | re.DOTALL)
    assert command is not None
    words = shlex.split(command[0].replace("\\\n", " "))
    return words[words.index("rocscope") + 1 :]


def build(folder: Path, python: str) -> Path:
    """The environment that the image would have."""
    copied, run, entry = steps((ROOT / "Containerfile").read_text("utf-8"))
    source, wheels, venv = folder / "source", folder / "wheels", folder / "venv"
    source.mkdir()
    for names, target in copied:
        for name in names:
            place = source / (Path(target) if target != "./" else name)
            (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, place)
    subprocess.run([python, "-m", "venv", str(venv)], check=True)
    for command in run:
        here = command.split("&& useradd")[0].replace("/wheels", str(wheels))
        here = re.sub(r"\bpython -m", f"{venv / 'bin' / 'python'} -m", here)
        subprocess.run(["bash", "-c", f"set -eu; {here}"], cwd=source, check=True)
    return venv / "bin" / str(entry[0])


def ask(program: Path, folder: Path) -> str:
    """Start the service of the page and ask for its health and for one answer; the version it says."""
    (folder / "token").write_text("a-secret-of-the-tests-0123456789\n")
    (folder / "predictions.csv").write_text("y,p\n" + "".join(f"{i % 2},{(i * 7 % 10) / 10}\n" for i in range(40)))
    here = {"predictions.parquet": "predictions.csv", "0.0.0.0": "127.0.0.1"}
    said = {**here, "/run/secrets/token": str(folder / "token")}
    words = [said.get(word, word) for word in service((ROOT / "docs" / "howto" / "api.md").read_text("utf-8"))]
    command = [str(program), *(word for word in words if word != "--open-to-network"), "--port", "0"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            lines: list[str] = []
            for line in process.stderr:
                lines.append(line)
                if "running on" in line:
                    break
            else:
                raise SystemExit(f"{shlex.join(command)} ended with exit {process.wait()}:\n{''.join(lines)}")
            link = lines[-1].split()[-1].split("#")[0]
            with urlopen(f"{link}health", timeout=60) as answer:
                health = json.load(answer)
            body = json.dumps({"file": "predictions.csv", "label": "y", "score": "p"}).encode()
            headers = {"Authorization": "Bearer a-secret-of-the-tests-0123456789", "Content-Type": "application/json"}
            with urlopen(Request(f"{link}api/evaluate", body, headers), timeout=60) as answer:
                assert json.load(answer)["schema"] == "rocscope/1"
        finally:
            process.terminate()
    return str(health)


def image_python() -> str:
    """The interpreter of the image where it runs here, else this one: a shim of pyenv may be there and not run."""
    found = shutil.which("python3.13")
    runs = found and subprocess.run([found, "-c", ""], check=False, capture_output=True).returncode == 0
    return found if found and runs else sys.executable


def main() -> None:
    """Build, install and ask, in a temporary folder."""
    python = sys.argv[1] if len(sys.argv) > 1 else image_python()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = build(folder, python)
        print(f"{program.name} installed as in the image; /health: {ask(program, folder)}")


if __name__ == "__main__":
    main()
