#!/usr/bin/env python3
"""Runs what takes too long for every change, one part after the other, and leaves one summary of all.

usage: nightly.py [--only PART...] [--list] [--self-test]

Parts: sanitizers (all libraries), compiler (a second one, with the quick tests), slow (slow tests, the site), nightly
(tests of minutes each), headers
(every public one alone), benches (each ends with status 1 where a claim is missed), fuzz, torture. Each is a target of the Makefile; its
output goes to build/nightly/PART.log. A part that fails does not keep the others from running. build/nightly/summary.txt
has a line for each: passed or failed, minutes, the last line that it printed. The exit status is 1 if one failed.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "nightly"
PARTS = {
    "slow": ["make", "test-slow"],
    "nightly": ["make", "test-nightly"],
    "headers": ["make", "headers"],
    "sanitizers": ["make", "sanitize"],
    "compiler": ["make", "test-clang"],
    "benches": ["make", "--keep-going", "bench"],
    "fuzz": ["make", "fuzz", "SECONDS=1800"],
    "torture": ["make", "torture"],
}


def last_line(log):
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    return lines[-1] if lines else "(no output)"


def run(part, command, folder):
    """The line of the summary, and whether the part passed."""
    log = folder / f"{part}.log"
    begin = time.monotonic()
    with log.open("w") as output:
        passed = subprocess.run(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT).returncode == 0
    minutes = (time.monotonic() - begin) / 60
    return f"{part:<11} {'passed' if passed else 'failed'} {minutes:6.1f} min  {last_line(log)}", passed


def run_all(parts, folder):
    """Whether all passed; the summary grows with each, so that one that is cut off says what it did."""
    folder.mkdir(parents=True, exist_ok=True)
    lines, all_passed = [], True
    for part, command in parts.items():
        line, passed = run(part, command, folder)
        print(line, flush=True)
        lines.append(line)
        all_passed = all_passed and passed
        (folder / "summary.txt").write_text("\n".join(lines) + "\n")
    return all_passed


def self_test():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts = {"good": ["sh", "-c", "echo 3 passed"], "bad": ["sh", "-c", "echo 1 failed; exit 1"], "silent": ["true"]}
        assert not run_all(parts, folder), "a part that fails must fail the whole"
        words = [line.split() for line in (folder / "summary.txt").read_text().splitlines()]
        assert [line[:2] for line in words] == [["good", "passed"], ["bad", "failed"], ["silent", "passed"]], words
        assert words[0][-2:] == ["3", "passed"] and words[1][-2:] == ["1", "failed"], words
        assert run_all({"good": ["true"]}, folder)
    print("nightly: its summary says what failed")


def main():
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART", help="these parts")
    asked.add_argument("--list", action="store_true", help="print the parts and their commands")
    asked.add_argument("--self-test", action="store_true", help="check this script")
    options = asked.parse_args()
    if options.self_test:
        return self_test()
    chosen = {part: PARTS[part] for part in PARTS if part in options.only}
    if options.list:
        for part, command in chosen.items():
            print(f"{part:<11} {' '.join(command)}")
        return None
    return 0 if run_all(chosen, FOLDER) else 1


if __name__ == "__main__":
    sys.exit(main())
