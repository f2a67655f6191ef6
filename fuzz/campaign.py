#!/usr/bin/env python3
"""Feeds every reader with what libFuzzer thinks of, for a given time in all, and prints a line for each.

usage: campaign.py [--build FOLDER] [--seconds S] [--jobs N] [--found FOLDER] [TARGET...]

Inputs that end a target, take more than ten seconds or more than 2 GB stay in fuzz/found/TARGET/, and status 1 says that
there are some. What libFuzzer learned stays in the build folder, where the next campaign begins with it.

A crash whose innermost function lies in HDF5, and a leak of any other library, is a defect of that library (SECURITY.md)
and counted apart.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIMITS = ["-timeout=10", "-rss_limit_mb=2048"]
HDF5 = {"h5md", "trajectory", "hdf5_layout"}  # which leaks what it was reading when it fails
EXPERIMENTS = {"yaml", "experiment", "fit", "plan", "compare", "scan"}
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
COLUMNS = "{:<26} {:>11} {:>9} {:>7} {:>8} {:>10} {:>11}"


def keys_of_experiments():
    """The words of docs/keys.md, as a dictionary for libFuzzer."""
    words = set()
    for line in (HERE.parent / "docs/keys.md").read_text().splitlines():
        if cells := re.match(r"\| `([^`]+)` \| ([^|]+) \|", line):
            words |= set(re.findall(r"[a-z][a-z_0-9]+", cells[1] + " " + cells[2]))
    return "".join(f'"{word}"\n' for word in sorted(words))


def is_of_others(defect):
    return defect[1].startswith("lib")


class Target:
    """One reader: what was done to it and what came of it."""

    def __init__(self, line, options):
        self.name, *self.inputs = line.rstrip("\n").split("\t")
        self.options = options
        self.found = options.found / self.name
        self.learned = options.build / "fuzz/learned" / self.name
        self.log = options.build / "fuzz/logs" / f"{self.name}.txt"
        self.tried = self.slowest = self.memory = 0
        self.defects = []  # (file, what it is)

    def libfuzzer(self, arguments):
        """Runs the target; returns its status and what it says."""
        with tempfile.TemporaryDirectory(dir=MEMORY) as scratch:  # which a target that crashes cannot remove
            environment = os.environ | {"PITHBALL_FUZZ_TARGET": self.name, "TMPDIR": scratch, "OPENBLAS_NUM_THREADS": "1",
                                        "ASAN_SYMBOLIZER_PATH": shutil.which("llvm-symbolizer") or ""}
            program = [self.options.build / "pithball_fuzz", *LIMITS, *arguments]
            ended = subprocess.run(program, env=environment, capture_output=True, text=True, errors="replace")
            return ended.returncode, ended.stderr

    def campaign(self, seconds):
        """libFuzzer ends at the first defect; it is started again until the time is over."""
        for folder in (self.found, self.learned, self.log.parent):
            folder.mkdir(parents=True, exist_ok=True)
        end = time.monotonic() + seconds
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as seeds, open(self.log, "w") as log:
            seeds.write(",".join(self.inputs))
            seeds.flush()
            while (left := end - time.monotonic()) >= 1:
                before = set(self.found.iterdir())
                status, text = self.libfuzzer([f"-max_total_time={int(left)}", "-print_final_stats=1", "-reload=0",
                                               f"-artifact_prefix={self.found}/", f"-seed_inputs=@{seeds.name}",
                                               *([f"-dict={self.options.build}/fuzz/keys.dict"]
                                                 if self.name in EXPERIMENTS else []),
                                               *(["-detect_leaks=0"] if self.name in HDF5 else []), str(self.learned)])
                log.write(text)
                self.note(text)
                new = sorted(set(self.found.iterdir()) - before)
                self.defects += [(file, self.kind_of(file, text)) for file in new if "slow-unit" not in file.name]
                if status != 0 and not new:
                    self.defects.append((self.log, "ended without an input: see there"))
                    break
        return self

    def note(self, text):
        numbers = {name: int(n) for name, n in re.findall(r"stat::(\w+):\s+(\d+)", text)}
        self.tried += numbers.get("number_of_executed_units", 0)
        self.slowest = max(self.slowest, numbers.get("slowest_unit_time_sec", 0))
        self.memory = max(self.memory, numbers.get("peak_rss_mb", 0))

    @staticmethod
    def kind_of(file, text):
        """The innermost function of a crash that is neither a sanitizer's nor the C library's, with its place; of one in
        another library that library's name."""
        for place in re.findall(r"^\s+#\d+ 0x[0-9a-f]+ (.*)$", text, re.MULTILINE):
            library = re.search(r"\(/\S*/(lib(?!c\.so|stdc)\S+\.so\S*)\+0x", place)
            if library and ("hdf5" in library[1] or file.name.startswith("leak")):
                return library[1]
            if not re.search(r"compiler-rt|libc\.so|libstdc\+\+|fuzzer::|__sanitizer|__asan|__interceptor|/bits/|/nptl/|raise|abort"
                             r"|^in (malloc|calloc|realloc|operator new)", place):
                return place
        return file.name.split("-")[0]

    def line(self):
        own = [defect for defect in self.defects if not is_of_others(defect)]
        return COLUMNS.format(self.name, self.tried, len(own), len(self.defects) - len(own),
                              sum(file.name.startswith("timeout") for file, _ in own), f"{self.slowest} s",
                              f"{self.memory} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=HERE.parent / "build/fuzz")
    parser.add_argument("--found", type=Path, default=HERE / "found")
    parser.add_argument("--seconds", type=float, default=600, help="of all targets together")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="targets at the same time")
    parser.add_argument("targets", nargs="*", help="only these")
    options = parser.parse_args()
    options.build, options.found = options.build.resolve(), options.found.resolve()
    targets = [Target(line, options) for line in open(options.build / "fuzz/targets.txt")]
    if unknown := set(options.targets) - {target.name for target in targets}:
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    targets = [target for target in targets if not options.targets or target.name in options.targets]
    (options.build / "fuzz/keys.dict").write_text(keys_of_experiments())
    share = options.seconds * options.jobs / max(len(targets), 1)
    print(f"{len(targets)} targets, {share:.0f} s each, {options.jobs} at the same time")
    print(COLUMNS.format("target", "inputs", "defects", "others'", "hangs", "slowest", "memory"), flush=True)
    with ThreadPoolExecutor(options.jobs) as pool:
        for target in pool.map(lambda t: t.campaign(share), targets):
            print(target.line(), flush=True)
    own = [(t, file, kind) for t in targets for file, kind in t.defects if not is_of_others((file, kind))]
    print(f"{sum(t.tried for t in targets)} inputs, {len(own)} defects, "
          f"{sum(len(t.defects) for t in targets) - len(own)} of other libraries")
    for target, file, kind in own:
        print(f"  {target.name}: {file}: {kind}")
    return 1 if own else 0


if __name__ == "__main__":
    sys.exit(main())
