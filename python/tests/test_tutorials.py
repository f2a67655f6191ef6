"""The first tutorial runs to its end; tutorials assert what they claim. `make site` runs all of them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

TUTORIALS = sorted((Path(__file__).resolve().parents[2] / "docs/tutorials").glob("*.py"))


def test_there_are_seven():
    assert len(TUTORIALS) == 7


def test_each_is_python():
    for tutorial in TUTORIALS:
        compile(tutorial.read_text(encoding="utf-8"), tutorial.name, "exec")


def test_the_first(tmp_path):
    command = [sys.executable, "-W", "error::UserWarning", str(TUTORIALS[0])]
    run = subprocess.run(command, cwd=tmp_path, env={**os.environ, "MPLBACKEND": "Agg"}, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
