"""What the package carries."""

import inspect
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pithball as pb
from pithball import _package


def test_licences_hold_our_own_and_the_page_about_libraries():
    texts = pb.licences()
    assert "Apache License" in texts["pithball-LICENSE"]
    assert "CHOLMOD" in texts["pithball-LICENSES"]


def test_a_package_without_licence_texts_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(_package, "folder", tmp_path)
    with pytest.raises(FileNotFoundError, match="licence texts"):
        pb.licences()


def test_the_package_starts_no_threads_of_a_library():
    code = """
import os, autograd.numpy, numpy, pandas
threads = lambda: len(os.listdir("/proc/self/task"))
before = threads()
import pithball as pb
print(threads() - before, os.environ.get("OPENBLAS_NUM_THREADS"))
"""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert ended.stdout.split() == ["0", "None"], ended.stderr


@pytest.mark.parametrize("name", ["de_DE", "tr_TR"])
def test_numbers_are_read_and_written_in_any_locale_of_the_process_around(tmp_path, name):
    if not shutil.which("localedef"):
        pytest.skip("localedef is missing")
    made = subprocess.run(["localedef", "-i", name, "-f", "UTF-8", str(tmp_path / f"{name}.UTF-8")], capture_output=True)
    if made.returncode != 0 or not Path("/usr/share/i18n/locales", name).exists():
        pytest.skip(f"no source of the locale {name}")
    code = f"""
import locale, sys, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, {str(Path(__file__).parent)!r})
import pithball as pb
if sys.argv[1:] == ["there"]:
    locale.setlocale(locale.LC_ALL, "{name}.UTF-8")
    assert locale.localeconv()["decimal_point"] == ","
import conftest
changes = {{"system.mass": "750.5 g", "forces": [{{"electric_field": {{"expression": ["100.5*sin(3.25*t)", "0.125", "0"]}}}}]}}
run = pb.load(conftest.CHAIN, changes).simulate(progress=False)
print(run.x[-1].tolist(), run.mass.tolist(), run.energy.iloc[-1].tolist(), run.t.tolist())
demo = pb.load({str(Path(__file__).parents[2] / "experiments/demo/charged-net.yaml")!r}, {{"fit.max_iterations": 1}})
print(demo.residual(free=["charge"])([3.1e-8]).tolist()[:20], demo.fit(free=["charge"], progress=False).to_pandas().to_csv())
"""
    words = [sys.executable, "-c", code]
    here = subprocess.run(words, capture_output=True, text=True)
    there = subprocess.run([*words, "there"], capture_output=True, text=True, env=os.environ | {"LOCPATH": str(tmp_path)})
    assert here.returncode == 0, here.stderr
    assert there.stdout == here.stdout, there.stderr


def test_every_public_call_says_what_it_returns():
    """For editors and type checkers, to which the package says by py.typed that it has types."""
    without = []
    for name in pb.__all__:
        one = getattr(pb, name)
        members = {f"{name}.{key}": getattr(value, "fget", None) or getattr(value, "func", None) or value
                   for part in one.__mro__ if part.__module__.startswith("pithball") for key, value in vars(part).items()
                   if not key.startswith("_")} if inspect.isclass(one) else {name: one}
        without += [key for key, value in members.items() if inspect.isfunction(value) and "return" not in value.__annotations__]
    assert without == []
