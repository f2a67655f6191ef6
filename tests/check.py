#!/usr/bin/env python3
"""The inner loop of a developer: builds what a change needs, and runs the quick tests that look at it.

usage: check.py            the files that differ from HEAD, or that are newer than the last check that passed (at first: than the last build)
       check.py TITLE      the tests whose titles begin so, slow ones too; or 'PROGRAM: TITLE', as ctest lists them
       check.py --self-test

A source file SUITE/…/FOLDER/NAME.cpp is looked at by the quick tests of tests/SUITE that have the tag [FOLDER] or [NAME], or, if none
has, by all quick ones; a file of tests by its own tests; pages, viewer and package by theirs. The rules of the repository
(tests/layering) are looked at every time. C++ files must have the layout of clang-format, and changed headers must compile
alone. Needs a folder build/release that CMake has configured (`make check` takes care of that).
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build/release"
STAMP = BUILD / "checked"  # as old as the last check that passed
SUITES = ("sim", "diff", "optim", "datasets", "app", "experiments")  # libraries, each with a test program
READ_BY_PYTHON = ("README.md", "docs/tour.md", "docs/peers.md", "Makefile")  # python/tests/test_pages.py
TITLE = re.compile(r'^(?:TEST_CASE|TEMPLATE_TEST_CASE)\(\s*"((?:[^"\\]|\\.)*)"\s*(?:,\s*"((?:[^"\\]|\\.)*)")?', re.MULTILINE)


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")[:-1]


def changed_files():
    """What differs from HEAD or is newer than the last check that passed, or at first than the last build; and exists."""
    names = set(git("diff", "--name-only", "-z", "HEAD")) | set(git("ls-files", "-z", "--others", "--exclude-standard"))
    done = next((file for file in (STAMP, BUILD / ".ninja_log") if file.exists()), None)
    if done:
        last = done.stat().st_mtime
        names |= {name for name in git("ls-files", "-z") if (ROOT / name).is_file() and (ROOT / name).stat().st_mtime > last}
    return sorted(name for name in names if (ROOT / name).is_file())


def tests_in(folder):
    """(file, title, tags) of every test below a folder of tests."""
    for file in sorted((ROOT / "tests" / folder).rglob("test_*.cpp")):
        for title, tags in TITLE.findall(file.read_text(encoding="utf-8")):
            yield str(file.relative_to(ROOT)), title.replace('\\"', '"').replace("\\\\", "\\"), set(re.findall(r"\[([^]]*)\]", tags))


def is_quick(tags):
    return not {"slow", "nightly", "."} & set(tags)


class Plan:
    """Targets to build, and regular expressions of the tests of ctest to run."""

    def __init__(self):
        self.targets, self.tests = {"test_layering"}, {"^layering:"}

    def add(self, suite, titles):
        self.targets.add(f"test_{suite}")
        # Titles have signs that mean something in ctest's expressions, which may have few groups: a dot stands for each.
        self.tests |= {f"^{suite}: ?{re.sub(r'[^A-Za-z0-9 ]', '.', title)}" for title in titles}

    def add_source(self, suite, path):
        """The tests with the tag of its folder or name; all quick ones if there is none."""
        words = {path.parent.name, path.stem}
        quick = [(title, tags) for _, title, tags in tests_in(suite) if is_quick(tags)]
        near = [title for title, tags in quick if tags & words]
        if near:
            self.add(suite, near)
        else:
            self.targets.add(f"test_{suite}")
            self.tests.add(f"^{suite}:")

    def add_file(self, name):
        path = Path(name)
        top = path.parts[0]
        if top == "tests" and len(path.parts) > 2 and path.suffix in (".cpp", ".hpp"):
            mine = [title for file, title, tags in tests_in(path.parts[1]) if file == name and is_quick(tags)]
            self.add(path.parts[1], mine) if mine else self.add_source(path.parts[1], path)
        elif top in SUITES and path.suffix in (".cpp", ".hpp"):
            self.add_source(top, path)
        elif top == "viewer":
            self.targets |= {"report_page", "pithball"}
            self.tests.add("^viewer:")
        elif top == "python":
            self.targets |= {"pithball_python", "pithball_python_stub"}
            self.tests.add(f"^python: {path.stem.removeprefix('test_')}$" if path.parts[1] == "tests" else "^python:")
        elif top == "fuzz":
            self.targets.add("pithball_fuzz")
            self.tests.add("^fuzz corpus:")
        elif name in READ_BY_PYTHON:
            self.targets |= {"pithball", "pithball_python", "pithball_python_stub", "report_page"}
            self.tests.add("^python: pages$")
        elif path.suffix == ".md":
            self.targets.add("test_docs")
            self.tests.add("^docs:")


def plan_of(files):
    plan = Plan()
    for name in files:
        plan.add_file(name)
    return plan


def plan_of_title(wanted):
    """Every test whose title, alone or behind its program's name, begins so."""
    plan = Plan()
    plan.targets, plan.tests = set(), set()
    for folder in sorted(path.name for path in (ROOT / "tests").iterdir() if path.is_dir()):
        titles = [title for _, title, tags in tests_in(folder)
                  if "." not in tags and (title.startswith(wanted) or f"{folder}: {title}".startswith(wanted))]
        if titles:
            plan.add(folder, titles)
    if not plan.tests:  # of another runner than Catch
        plan.tests.add("^" + re.sub(r"[^A-Za-z0-9 ]", ".", wanted))
    return plan


def run(words, what):
    """Runs a command; ends the check where it fails."""
    begin = time.monotonic()
    status = subprocess.run(words, cwd=ROOT).returncode
    print(f"{what}: {'done' if status == 0 else 'failed'} in {time.monotonic() - begin:.0f} s", flush=True)
    if status:
        sys.exit(status)


def look_at_layout(files):
    sources = [name for name in files if Path(name).suffix in (".cpp", ".hpp")]
    if sources:
        run(["clang-format", "--dry-run", "--Werror", *sources], "layout")
    headers = [name for name in sources if name.endswith(".hpp") and Path(name).parts[0] in SUITES]
    if headers:
        run(["tests/layering/check_headers.py", str(BUILD / "public_headers.json"), *headers], "headers alone")


def build_and_test(plan, quick):
    if plan.targets:
        run(["cmake", "--build", "--preset", "release", "--target", *sorted(plan.targets)], "build")
    chosen = ["--label-exclude", "slow|nightly"] if quick else []
    tests = "|".join(sorted(plan.tests))
    run(["python3", "tests/run_tests.py", "--preset", "release", "--parallel", "3", *chosen, "--tests-regex", tests], "tests")


def self_test():
    """Files of each kind find the tests that look at them."""
    def chosen(name, *titles, target):
        plan = plan_of([name])
        assert target in plan.targets and "test_layering" in plan.targets, (name, plan.targets)
        for title in titles:
            assert any(re.search(test, title) for test in plan.tests), (name, title)
        assert len(plan.tests) > len(titles) or not titles, (name, plan.tests)
        return plan

    force = chosen("sim/force/gravity.cpp", "layering: casts", target="test_sim")
    assert not any(test == "^sim:" for test in force.tests), "sim/force has tests of its own"
    for file, title, tags in tests_in("sim"):
        if file.startswith("tests/sim/force/") and "force" in tags and is_quick(tags):
            assert any(re.search(test, f"sim: {title}") for test in force.tests), title
    assert "^sim:" in chosen("sim/no_such_folder/no_such_file.cpp", target="test_sim").tests
    for name, target in {"optim/fit.cpp": "test_optim", "app/commands/fit.cpp": "test_app", "viewer/src/main.ts": "report_page",
                         "python/pithball/runs.py": "pithball_python", "docs/add_a_force.md": "test_docs",
                         "tests/support/test_skip.cpp": "test_support", "fuzz/mesh.cpp": "pithball_fuzz"}.items():
        chosen(name, target=target)
    chosen("README.md", "python: pages", target="pithball_python")
    one = plan_of_title("run_tests: passed, failed and skipped")
    assert one.targets == {"test_support"} and len(one.tests) == 1, (one.targets, one.tests)
    title = next(title for _, title, tags in tests_in("diff") if "slow" in tags)
    assert any(re.search(test, f"diff: {title} (slow)") for test in plan_of_title(f"diff: {title}").tests), title


def main(words):
    if words == ["--self-test"]:
        self_test()
    elif words:
        build_and_test(plan_of_title(words[0]), quick=False)
    else:
        check(changed_files())


def check(files):
    begin = time.time()
    if not files:
        print("nothing has changed since the last check")
        return
    print("changed: " + ", ".join(files[:12]) + (f" and {len(files) - 12} more" if len(files) > 12 else ""), flush=True)
    look_at_layout(files)
    build_and_test(plan_of(files), quick=True)
    STAMP.touch()
    os.utime(STAMP, (begin, begin))  # what changed meanwhile is looked at next time


if __name__ == "__main__":
    main(sys.argv[1:])
