#!/usr/bin/env python3
"""Runs ctest and closes with the skipped tests of each reason and one line `N passed, N failed, N skipped`.

usage: run_tests.py [--results FILE] [--skipped-of FILE]... CTEST_ARGUMENT...

  --results FILE     keep the results there, as JUnit XML
  --skipped-of FILE  run only what lacked recordings in the runs that left these results

A test that cannot run prints `skipped: REASON` (tests/support/skip.hpp, tests/viewer/support/needs.mjs), and ctest
reports it as skipped. A test program prints the processor time that it took (`processor time: 1.2 s`); quick tests that
took more than a quick test may are listed, since they should be slow ones with a quick form. The exit status is that of
ctest. Where CI=true, tests may be skipped only for want of recordings outside the clone, of PyTorch, whose tests
`make test-torch` runs, or of the peers that `make peers` installs: any other reason ends with status 1.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

QUICK = 5  # [s]: processor time of a test that `make test` runs
RECORDINGS = "recordings outside the clone"
MAY_LACK = (RECORDINGS, "PyTorch", "peers of the benchmark")  # where CI=true


def outcome(test):
    """Of a <testcase>: 'passed', 'failed' or 'skipped'. A program that ctest could not start has failed."""
    skipped = test.find("skipped")
    if skipped is not None and skipped.get("message", "").startswith("SKIP_"):
        return "skipped"
    return "passed" if test.get("status") == "run" else "failed"


def reason(test):
    said = re.search(r"^skipped: (.+)$", test.findtext("system-out", ""), re.MULTILINE)
    return said.group(1).strip() if said else "no reason given"


def read(results):
    """The number of tests of each outcome, and the names of the skipped ones by reason."""
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    skipped = {}
    for test in xml.parse(results).iter("testcase"):
        counts[outcome(test)] += 1
        if outcome(test) == "skipped":
            skipped.setdefault(reason(test), []).append(test.get("name"))
    return counts, skipped


def too_slow(results):
    """(seconds, name) of the quick tests, whose names end with neither (slow) nor (nightly), that took more than they may."""
    for test in xml.parse(results).iter("testcase"):
        took = re.search(r"^processor time: ([0-9.]+) s$", test.findtext("system-out", ""), re.MULTILINE)
        if took and float(took[1]) > QUICK and not test.get("name").endswith(("(slow)", "(nightly)")):
            yield float(took[1]), test.get("name")


def lacked_recordings(runs):
    """A regular expression of CMake for the tests that were skipped for want of recordings; empty if none was."""
    names = [name for results in runs for why, tests in read(results)[1].items() if why.startswith(RECORDINGS) for name in tests]
    quoted = [re.sub(r"([][.*+?()|^$\\])", r"\\\1", name) for name in names]
    return "^(" + "|".join(quoted) + ")$" if names else ""


def close(results):
    """Prints the closing lines; returns whether all that was skipped may be skipped."""
    counts, skipped = read(results)
    print()
    for why, names in sorted(skipped.items()):
        print(f"skipped ({why}): " + "; ".join(names))
    for seconds, name in sorted(too_slow(results), reverse=True):
        print(f"not quick ({seconds:.1f} s of processor time): {name}")
    unwarranted = [why for why in sorted(skipped) if os.environ.get("CI") == "true" and not why.startswith(MAY_LACK)]
    for why in unwarranted:
        print(f"CI=true: only {', '.join(MAY_LACK)} may be missing, got: {why}")
    print(", ".join(f"{count} {word}" for word, count in counts.items()), flush=True)
    return not unwarranted


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False, add_help=False)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--skipped-of", type=Path, action="append")
    mine, arguments = parser.parse_known_args()
    if mine.skipped_of:
        chosen = lacked_recordings(mine.skipped_of)
        if not chosen:
            return 0 if all([close(results) for results in mine.skipped_of]) else 1
        arguments += ["--tests-regex", chosen]
    with tempfile.TemporaryDirectory() as folder:
        results = (mine.results or Path(folder) / "results.xml").absolute()
        results.unlink(missing_ok=True)
        status = subprocess.run(["ctest", *arguments, "--test-output-truncation", "head", "--output-junit", str(results)]).returncode
        allowed = close(results) if results.exists() else True
    return status or (0 if allowed else 1)


if __name__ == "__main__":
    sys.exit(main())
