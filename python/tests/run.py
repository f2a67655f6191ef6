#!/usr/bin/env python3
"""Runs test files with pytest for ctest: ends with status SKIP, and says why, where nothing could run. Prints the processor
time of the test that took most of it, for tests/run_tests.py.

usage: run.py [--slow] SKIP FILE...     the tests that are marked as slow, or without --slow the others
"""

import resource
import sys

import pytest


def processor_seconds():
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


class Outcomes:
    def __init__(self):
        self.passed, self.reasons, self.longest = 0, [], 0.0

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item):
        begin = processor_seconds()
        yield
        self.longest = max(self.longest, processor_seconds() - begin)

    def pytest_runtest_logreport(self, report):
        self.passed += report.when == "call" and report.passed
        if report.skipped:
            self.reasons.append(report.longrepr[2])

    def pytest_collectreport(self, report):
        if report.skipped:
            self.reasons.append(report.longrepr[2])


def main(skip_status, *files, slow=False):
    outcomes = Outcomes()
    chosen = ["-m", "slow" if slow else "not slow"]
    status = pytest.main(["--quiet", "-p", "no:cacheprovider", *chosen, *files], plugins=[outcomes])
    print(f"\nprocessor time: {outcomes.longest:.1f} s")
    if outcomes.reasons and not outcomes.passed and status in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        print("skipped: " + outcomes.reasons[0].removeprefix("Skipped: "))
        return int(skip_status)
    return status


if __name__ == "__main__":
    words = sys.argv[1:]
    slow = words[:1] == ["--slow"]
    sys.exit(main(*words[slow:], slow=slow))
