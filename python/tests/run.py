#!/usr/bin/env python3
"""Runs test files with pytest for ctest: ends with status SKIP, and says why, where nothing could run.

usage: run.py SKIP FILE...
"""

import sys

import pytest


class Outcomes:
    def __init__(self):
        self.passed, self.reasons = 0, []

    def pytest_runtest_logreport(self, report):
        self.passed += report.when == "call" and report.passed
        if report.skipped:
            self.reasons.append(report.longrepr[2])

    def pytest_collectreport(self, report):
        if report.skipped:
            self.reasons.append(report.longrepr[2])


def main(skip_status, *files):
    outcomes = Outcomes()
    status = pytest.main(["--quiet", "-p", "no:cacheprovider", *files], plugins=[outcomes])
    if outcomes.reasons and not outcomes.passed and status in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        print("skipped: " + outcomes.reasons[0].removeprefix("Skipped: "))
        return int(skip_status)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
