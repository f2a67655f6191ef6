"""Every tutorial runs to its end; the tutorials assert what they claim."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

TUTORIALS = sorted((Path(__file__).resolve().parents[2] / "docs/tutorials").glob("*.py"))
NEEDED = {"04_learning_with_jax.py": "jax", "03_through_a_hoop.py": "scipy"}


def test_there_are_seven():
    assert len(TUTORIALS) == 7


@pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda file: file.stem)
def test_tutorial(tutorial, tmp_path):
    if tutorial.name in NEEDED:
        pytest.importorskip(NEEDED[tutorial.name])
    command = [sys.executable, "-W", "error::UserWarning", str(tutorial)]
    run = subprocess.run(command, cwd=tmp_path, env={**os.environ, "MPLBACKEND": "Agg"}, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
