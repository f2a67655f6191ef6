#!/usr/bin/env python3
"""Kills, starves and races the program, and holds it to docs/run_folders.md: nothing kept is lost, and what was resumed
is, to the last bit, what an uninterrupted run makes.

usage: torture.py PROGRAM [--kills N] [--quick] [--seed N] [--only PART...] [--commands NAME...]

Parts: kills (random SIGKILLs, up to five in a row, of every command that can be resumed), disk (a full one), rivals (two
programs, one folder), soak (memory over 10^7 steps), threads (results do not depend on their number), calls (SIGKILL at
the n-th of each system call that changes the disk; needs strace), errors (the n-th of such calls fails, once and from
then on, in every command that writes; needs strace), allocations (the n-th allocation fails, once and from then on, in
every command that writes; needs a C compiler). Each closes with a line; status 1 if a promise was broken. By hand: it takes
hours, with --quick minutes. Trajectories are compared by h5py.
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

try:
    import h5py
except ImportError:  # Debian's package is of Debian's own Python
    debian = "/usr/bin/python3"
    if not Path(debian).exists() or sys.executable == debian:
        print("skipped: h5py is missing (apt-get install python3-h5py)")
        sys.exit(77)
    os.execv(debian, [debian, *sys.argv])

ROOT = Path(__file__).resolve().parents[2]

# What depends on the machine, its load, or on which part of the run made it.
PASSING = {"seconds", "compile_seconds", "folder", "resumed_from_step", "cost", "kept", "page", "threads", "evaluations"}

# What may stand in a finished folder and says nothing of the result: what was kept for resuming, and pages, which tell
# times.
PASSING_FILES = ("ledger.bin", "journal.bin", "report.html")

SWARM = """name: swarm
system:
  mesh: {lattice: {spacing: 0.2, min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5]}}
  mass: 1 g
  charge: 10 nC
forces: [coulomb, {drag: {linear: 1e-3}}]
simulation: {integrator: velocity_verlet, time_step: 1 ms, duration: 8}
output: {every: 4}
"""

FOUNTAIN = """name: fountain
system: {vertices: [[0, 0, 0]], mass: 1 g, pinned: [0]}
forces: [{gravity: [0, 0, -9.81]}, {drag: {linear: 1e-4}}]
population:
  seed: 1
  attributes: {temperature: 283}
  emitters:
    - disc: {center: [0, 0, 0], normal: [0, 0, 1], radius: 3 cm, rate: 300, velocity: [0, 0, 6], velocity_spread: 0.25}
  sinks: [{plane: {normal: [0, 0, 1]}}]
simulation: {integrator: velocity_verlet, time_step: 1 ms, duration: 4}
output: {every: 2}
"""

VERSUS = """name: versus
system:
  mesh: {torus: {major_radius: 4, minor_radius: 1.5, segments: [9, 4]}}
  mass: 0.1
  charge: 6 uC
  springs: {stiffness: 10}
forces: [coulomb]
simulation: {time_step: 0.15, duration: 15}
compare:
  integrators: [imex_euler, imex_midpoint, velocity_verlet, rk4]
  time_steps: [0.15, 0.075, 0.03]
  reference: {time_step: 0.0015}
scan: {over: {system.springs.stiffness: [5, 10], system.charge: [3 uC, 6 uC]}}
"""

CLOTH = """name: cloth
system:
  mesh: {grid: {size: [1, 1], segments: [40, 40]}}
  mass: {total: 0.2}
  charge: 1 nC
  pinned: [top_left, top_right]
  springs: {stiffness: 200, damping: 0.1}
forces: [{gravity: [0, 0, -9.81]}, {coulomb: {method: METHOD}}]
simulation: {integrator: INTEGRATOR, time_step: 5 ms, duration: 0.1}
"""

PAIR = """name: pair
system: {vertices: [[0, 0, 0], [1, 0, 0]], mass: 1, springs: {edges: [[0, 1]], stiffness: 1}, velocities: [[0, 0, 0], [0, 0.1, 0]]}
simulation: {integrator: velocity_verlet, time_step: 1 ms, duration: DURATION}
output: {every: 100000}
"""


# A list of items for `paper`, small ones, so that hundreds of kills take minutes.
PAPER = """items:
  - name: swarm
    title: "Swarm"
    about: A cloud of equal charges flies apart.
    runs:
      - {name: whole, simulate: swarm.yaml, set: [simulation.duration=2], show: [Energy]}
      - {name: half, simulate: swarm.yaml, set: [simulation.duration=1], show: [Motion]}
    claims: [{says: steps, find: whole/steps, over: half/steps, about: 2, within: 1e-9, why: twice the time}]
  - name: fountain
    title: "Fountain"
    about: Drops go up and come down.
    runs: [{name: run, simulate: fountain.yaml, set: [simulation.duration=1], show: [Energy]}]
    claims: [{says: its end, find: run/status, is: ok, why: nothing is stiff}]
  - name: versus
    title: "Versus"
    about: Methods against each other.
    runs: [{name: run, compare: versus.yaml}]
    claims: [{says: steps, find: run/reference/steps, not_stated: true, why: only looked at}]
"""


SMALL = """name: small
system:
  vertices: [[0, 0, 0], [1.1, 0, 0], [0, 1, 0]]
  mass: 0.7
  charge: 1e-7
  springs: {edges: [[0, 1], [1, 2]], stiffness: 7, rest_length: 1}
forces: [{coulomb: {method: direct}}, {gravity: [0, 0, -9.81]}]
simulation: {integrator: imex_midpoint, time_step: 0.01, duration: 2}
sweep: {grid: {system.charge: [1e-7, 2e-7]}}
"""

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"

# Calls that change the disk, and how they may fail.
ERRORS = {"write": ("EIO", "ENOSPC"), "pwrite64": ("EIO", "ENOSPC"), "openat": ("EMFILE", "EACCES"), "fsync": ("EIO",),
          "rename": ("EIO",), "renameat2": ("EIO",), "flock": ("ENOLCK",), "ftruncate": ("EIO",)}


class Violation(Exception):
    """A promise that was broken, in a sentence."""


def can_trace():
    """Whether strace is there and may trace: containers can forbid it."""
    return bool(shutil.which("strace")) and subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True).returncode == 0


def require(holds, promise):
    if not holds:
        raise Violation(promise)


# --- results ----------------------------------------------------------------------------------------------------------

def lasting(document):
    """A JSON document without what may differ between equal runs."""
    if isinstance(document, dict):
        return {key: lasting(value) for key, value in document.items() if key not in PASSING}
    return [lasting(value) for value in document] if isinstance(document, list) else document


def content(file):
    """A file's part of the result."""
    if file.suffix == ".h5":
        numbers = {}
        with h5py.File(file, "r") as trajectory:
            trajectory.visititems(lambda name, item: numbers.update({name: item[()].tobytes()})
                                  if isinstance(item, h5py.Dataset) else None)
        return numbers
    if file.suffix == ".json":
        return lasting(json.loads(file.read_text()))
    return file.read_bytes()


def result_of(out):
    """All that a finished run holds, by the names of its files."""
    if out.is_file():
        return {out.name: out.read_bytes()}
    parts = {}
    for file in sorted(out.rglob("*")):
        name = str(file.relative_to(out))
        # A kill in the last write of all leaves a draft beside a finished record, until the next run of that name.
        passing = name.endswith(PASSING_FILES) or re.fullmatch(r"\.record\.json\.\w{6}", file.name)
        if file.is_file() and not passing and file.name not in ("run.yaml", "record.json", "summary.json"):
            parts[name] = content(file)
        if file.name == "summary.json":
            parts[name] = json.loads(file.read_text())["status"]
    return parts


def records_in(ledger):
    """How many records of a ledger hold."""
    if not ledger.exists():
        return 0
    data, at, count = ledger.read_bytes(), 8, 0
    while at + 24 <= len(data):
        question, answer, checksum = struct.unpack_from("<QQQ", data, at)
        end = at + 24 + question + answer
        if end > len(data) or zlib.crc32(data[at:at + 16] + data[at + 24:end]) != checksum:
            break
        at, count = end, count + 1
    return count


# --- commands ---------------------------------------------------------------------------------------------------------

class Command:
    """A command of the program in a folder of its own. `kept` counts what an interrupted run has finished."""

    def __init__(self, program, name, words, files, kept, out="run", partial="run.partial", copies=()):
        self.program, self.name, self.words, self.files, self.kept_in = program, name, words, files, kept
        self.out, self.partial_name, self.copies = out, partial, copies
        self.reference, self.duration = None, 0

    def prepare(self, place):
        place.mkdir(parents=True)
        for name, text in self.files.items():
            (place / name).write_text(text)
        for file in self.copies:
            shutil.copy(file, place)

    def line(self, *more):
        return [str(self.program), *self.words, "--quiet", "--threads", "1", "--out", self.out, *more]

    def run(self, place, *more, **how):
        return subprocess.run(self.line(*more), cwd=place, capture_output=True, text=True, errors="replace", **how)

    def measure(self, place):
        """The uninterrupted run: its result and how long it takes."""
        self.prepare(place)
        start = time.monotonic()
        ended = self.run(place)
        self.duration = time.monotonic() - start
        require(ended.returncode == 0, f"{self.name}: the uninterrupted run ends with {ended.returncode}: {ended.stderr}")
        self.reference = result_of(place / self.out)
        self.names = self.listing(place)
        return ended

    def listing(self, place):
        return sorted(entry.name for entry in place.iterdir())

    def finished(self, place):
        record = place / self.out / "record.json"
        if (place / self.out).is_file():
            return True
        return record.exists() and json.loads(record.read_text())["complete"]

    def kept(self, place):
        return sys.maxsize if self.finished(place) else self.kept_in(self, place / self.partial_name)

    def look(self, place):
        """What `report` makes of what a killed program left: 'page', or 'nothing' where it says that no run has begun."""
        folder = next((f for f in (place / self.out, place / self.partial_name) if f.is_dir()), None)
        if folder is None or self.out.endswith(".csv"):
            return "nothing"
        with tempfile.TemporaryDirectory() as elsewhere:  # the disk of the run may be full
            shown = subprocess.run([str(self.program), "report", folder.name, "--quiet", "--out", f"{elsewhere}/page.html"],
                                   cwd=place, capture_output=True, text=True, errors="replace")
        if shown.returncode == 0:
            return "page"
        lines = shown.stderr.strip().splitlines()
        require(shown.returncode == 2 and len(lines) == 1 and "must contain a run.yaml" in lines[0],
                f"{self.name}: report of a killed run ends with {shown.returncode}: {shown.stderr[:500]!r}")
        return "nothing"

    def complete(self, place):
        """Resumes what was killed, as often as not finished, and holds the result to that of the uninterrupted run."""
        if not self.finished(place):
            ended = self.run(place, "--resume")
            require(ended.returncode == 0, f"{self.name}: --resume ends with {ended.returncode}: {ended.stderr[:500]!r}")
        self.compare(place)

    def compare(self, place):
        made = result_of(place / self.out)
        different = sorted(name for name in made.keys() | self.reference.keys()
                           if made.get(name) != self.reference.get(name))
        require(not different, f"{self.name}: differs from the uninterrupted run: {', '.join(different)}")
        # A film is named before its frames are removed: between the two they are left, for the next `record` to remove.
        allowed = {self.partial_name} if (place / self.out).is_file() else set()
        extra = sorted(set(self.listing(place)) - set(self.names) - allowed)
        require(not extra, f"{self.name}: left beside the run: {', '.join(extra)}")


class Once(Command):
    """A command that is repeated, not resumed; it makes `out` from a run or a plan that is there."""

    def __init__(self, program, name, words, made_by, out):
        super().__init__(program, name, words, {"a.yaml": SMALL}, None, out)
        self.made_by = made_by

    def prepare(self, place):
        super().prepare(place)
        for words in self.made_by:
            made = subprocess.run([str(self.program), *words, "--quiet"], cwd=place, capture_output=True, text=True)
            require(made.returncode == 0, f"{self.name}: cannot prepare: {made.stderr}")
        self.grows = (place / self.out).exists()  # what is there gets more, instead of its name when it is whole

    def line(self, *more):
        return [str(self.program), *self.words, "--quiet"]

    def finished(self, place):
        """Only a whole result gets its name, also where what follows the naming fails."""
        return not self.grows and (place / self.out).exists()

    def compare(self, place):
        made = result_of(place / self.out)
        require(made == self.reference, f"{self.name}: differs from the undisturbed one")


def writers(program):
    """Every command that writes, on something small."""
    run, plan = ["simulate", "a.yaml", "--out", "run"], ["sweep", "a.yaml", "--out", "plan"]
    tasks = ["run", "plan"]
    once = [Once(program, f"export {form}", ["export", "run", "--format", form, "--out", "made"], [run], "made")
            for form in ("h5md", "csv", "npz", "vtk")]
    once += [Once(program, "field", ["field", "run", "--out", "made.vti"], [run], "made.vti"),
             Once(program, "mesh", ["mesh", "a.obj", "--to", "made.ply"], [], "made.ply"),
             Once(program, "collect", ["collect", "plan"], [plan, tasks], "plan/table.csv"),
             Once(program, "run", tasks, [plan], "plan/results")]
    for command in once:
        if command.name == "mesh":
            command.files = {"a.obj": TRIANGLE}
    small = Command(program, "simulate (small)", ["simulate", "a.yaml"], {"a.yaml": SMALL}, kept_states)
    return [small, *(c for c in commands(program) if c.name in ("fit", "compare", "record")), *once]


def kept_states(command, folder):
    """How many states the trajectory in a folder holds, as the program reads it."""
    if not (folder / "trajectory.h5").exists():
        return 0
    shown = subprocess.run([str(command.program), "data", "show", str(folder / "trajectory.h5"), "--json"],
                           capture_output=True, text=True, errors="replace")
    return json.loads(shown.stdout)["frames"] if shown.returncode == 0 else 0


def kept_items(command, folder):
    return len(list(folder.glob("*/item.json")))


def commands(program):
    demo = ROOT / "experiments/demo"
    film = (demo / "make-recording.yaml").read_text()
    return [
        Command(program, "simulate", ["simulate", "a.yaml"], {"a.yaml": SWARM}, kept_states),
        Command(program, "simulate (population)", ["simulate", "a.yaml"], {"a.yaml": FOUNTAIN}, kept_states),
        Command(program, "fit", ["fit", "charged-net.yaml"], {}, lambda _, folder: records_in(folder / "journal.bin"),
                copies=[demo / "charged-net.yaml", demo / "tracks.csv"]),
        Command(program, "scan", ["scan", "a.yaml"], {"a.yaml": VERSUS}, lambda _, folder: records_in(folder / "ledger.bin")),
        Command(program, "compare", ["compare", "a.yaml"], {"a.yaml": VERSUS},
                lambda _, folder: records_in(folder / "ledger.bin")),
        Command(program, "record", ["record", "a.yaml", "--rate", "100", "--noise", "1 mm", "--gap", "0.1 s"],
                {"a.yaml": film}, kept_states, out="a.csv", partial="a.csv.record.partial"),
        Command(program, "paper", ["paper", "--list", "list.yaml"],
                {"list.yaml": PAPER, "swarm.yaml": SWARM, "fountain.yaml": FOUNTAIN, "versus.yaml": VERSUS}, kept_items),
    ]


# --- parts ------------------------------------------------------------------------------------------------------------

class Torture:
    def __init__(self, options):
        self.options = options
        self.work = Path(tempfile.mkdtemp(prefix="pithball-torture-"))
        self.random = random.Random(options.seed)
        self.violations = []
        self.places = 0

    def place(self):
        self.places += 1
        return self.work / str(self.places)

    def attempt(self, what, work):
        """Does the work in a fresh folder, which stays if a promise is broken in it."""
        place = self.place()
        try:
            outcome = work(place)
        except Violation as violation:
            self.violations.append(f"{what}: {violation} ({place})")
            print(f"  VIOLATION {self.violations[-1]}", flush=True)
            return None
        shutil.rmtree(place, ignore_errors=True)
        return outcome

    def measured(self):
        for command in commands(self.options.program):
            if self.options.commands and command.name.split()[0] not in self.options.commands:
                continue
            place = self.place()
            command.measure(place)
            shutil.rmtree(place)
            yield command

    # Random kills.

    def kills(self):
        for command in self.measured():
            counts = {"sequences": 0, "kills": 0, "page": 0, "nothing": 0}
            before = len(self.violations)
            for number in range(self.options.kills):
                self.attempt(f"kills {number}", lambda place: self.kill_sequence(command, place, counts))
            self.say("kills", f"{command.name}: {counts['sequences']} sequences, {counts['kills']} kills; reports: "
                     f"{counts['page']} pages, {counts['nothing']} had nothing to show yet", before)

    def kill_sequence(self, command, place, counts):
        command.prepare(place)
        counts["sequences"] += 1
        kept, more = 0, self.random.choice([[], ["--resume"]])
        for _ in range(self.random.randint(1, 5)):
            start = time.monotonic()
            with subprocess.Popen(command.line(*more), cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  text=True, errors="replace") as program:
                try:
                    said = program.communicate(timeout=self.random.uniform(0, command.duration))[1]
                    require(program.returncode == 0, f"{command.name}: ends with {program.returncode}: {said[:500]!r}")
                    if more != ["--resume"]:  # a whole run: the machine may have been busier when it was measured
                        command.duration = min(command.duration, time.monotonic() - start)
                except subprocess.TimeoutExpired:
                    program.kill()
                    program.communicate()
                    counts["kills"] += 1
            more = ["--resume"]
            now = command.kept(place)
            require(now >= kept, f"{command.name}: kept {kept} before and {now} after the next kill")
            kept = now
            counts[command.look(place)] += 1
            if command.finished(place):
                break
        command.complete(place)

    # A SIGKILL at the n-th of each call that changes the disk.

    def calls(self):
        if not can_trace():
            print("calls: skipped, strace is missing or cannot trace here")
            return
        most = 5 if self.options.quick else 40
        for command in self.measured():
            before, kills = len(self.violations), 0
            for call in ("rename", "renameat2", "unlink", "unlinkat", "write", "pwrite64", "ftruncate", "fsync", "mkdir"):
                for n in range(1, most + 1):
                    if self.attempt(f"{call} {n}", lambda place: self.kill_at_call(command, place, call, n)) == "ended":
                        break
                    kills += 1
            self.say("calls", f"{command.name}: {kills} kills", before)

    def kill_at_call(self, command, place, call, n):
        command.prepare(place)
        trace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                 f"inject={call}:signal=KILL:when={n}"]
        ended = subprocess.run(trace + command.line(), cwd=place, capture_output=True, text=True, errors="replace")
        if ended.returncode != 0:
            command.look(place)
        command.complete(place)
        return "ended" if ended.returncode == 0 else "killed"

    # Calls that fail, once and from then on.

    def errors(self):
        if not can_trace():
            print("skipped: strace is missing or cannot trace here")
            sys.exit(77)
        numbers = (1, 2, 3, 5, 8) if self.options.quick else range(1, 61)
        for command in self.chosen_writers():
            command.measure(self.place())
            before, faults = len(self.violations), {"silent": 0, "told": 0, "loader": 0}
            for call, errors in ERRORS.items():
                for error, n, how in ((e, n, how) for e in errors for n in numbers for how in ("", "+")):
                    end = self.attempt(f"{error} of {call} {n}{how}",
                                       lambda place: self.fail_call(command, place, call, f"error={error}:when={n}{how}"))
                    faults[end or "told"] += 1
            self.say("errors", f"{command.name}: {sum(faults.values())} faults, {faults['told']} told, {faults['silent']} "
                     f"without effect, {faults['loader']} before the program began", before)

    def chosen_writers(self):
        quick = ("simulate (small)", "export h5md")  # by the writer of HDF5 files, and one of one run
        for command in writers(self.options.program):
            if self.options.commands:
                chosen = command.name.split()[0] in self.options.commands
            else:
                chosen = not self.options.quick or command.name in quick
            if chosen:
                yield command

    def fail_call(self, command, place, call, fault):
        command.prepare(place)
        trace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:{fault}"]
        try:
            ended = subprocess.run(trace + command.line(), cwd=place, capture_output=True, text=True, errors="replace",
                                   timeout=120)
        except subprocess.TimeoutExpired as error:
            raise Violation(f"{command.name}: does not end") from error
        if ended.returncode == 127 or "error while loading shared libraries" in ended.stderr:
            return "loader"
        if ended.returncode == 0:
            command.compare(place)
            return "silent"
        require(call != "flock", f"{command.name}: needs locks: {ended.stderr[:500]!r}")  # not every file system has them
        lines = ended.stderr.strip().splitlines()
        heard = 0 if call == "write" else 1  # the message itself may be what cannot be written
        require(ended.returncode in (1, 2) and heard <= len(lines) <= 1,
                f"{command.name}: ends with {ended.returncode}: {ended.stderr[:500]!r}")
        command.complete(place)
        return "told"

    # Allocations that fail, once and from then on.

    def allocations(self):
        if not shutil.which("cc"):
            print("skipped: there is no C compiler")
            sys.exit(77)
        library = self.work / "failing_allocation.so"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, Path(__file__).with_name("failing_allocation.c")], check=True)
        for command in self.chosen_writers():
            command.measure(self.place())
            total = self.count_allocations(command, self.place(), library)
            before, ends = len(self.violations), {"silent": 0, "said": 0, "in a library": 0}
            for number in range(40 if self.options.quick else 400):
                at = int(total ** self.random.random()) if number % 2 else self.random.randint(1, total)
                times = self.random.choice((1, total))
                end = self.attempt(f"allocation {at}, {times} times",
                                   lambda place: self.fail_allocation(command, place, library, at, times))
                ends[end or "said"] += 1
            self.say("allocations", f"{command.name}: {sum(ends.values())} of {total} fail, {ends['said']} said, "
                     f"{ends['silent']} without effect, {ends['in a library']} crash in a library", before)

    @staticmethod
    def count_allocations(command, place, library):
        command.prepare(place)
        log = place.with_suffix(".count")
        command.run(place, env={**os.environ, "LD_PRELOAD": str(library), "ALLOCATIONS": str(log)})
        return int(log.read_text())

    def fail_allocation(self, command, place, library, at, times):
        command.prepare(place)
        try:
            ended = command.run(place, timeout=120, env={**os.environ, "LD_PRELOAD": str(library), "FAIL_AT": str(at),
                                                         "FAIL_COUNT": str(times)})
        except subprocess.TimeoutExpired as error:
            raise Violation(f"{command.name}: does not end") from error
        if ended.returncode == 0:
            command.compare(place)
            return "silent"
        by_library = ended.returncode == -signal.SIGSEGV or "ut_" in ended.stderr  # HDF5 and UDUNITS look at no allocation
        require(by_library or (ended.returncode in (1, 2) and len(ended.stderr.strip().splitlines()) == 1),
                f"{command.name}: ends with {ended.returncode}: {ended.stderr[:500]!r}")
        command.complete(place)
        return "in a library" if by_library else "said"

    # A full disk: a limit of the size of files, and where we are root a small file system.

    def disk(self):
        for command in self.measured():
            before = len(self.violations)
            sizes = (0.02, 0.2, 0.5, 0.9)
            for share in sizes:
                self.attempt(f"files limited to {share:g}", lambda place: self.limited_files(command, place, share))
            mounted = "no file system of its own (not root)"
            if os.geteuid() == 0 and shutil.which("mount"):
                for share in sizes:
                    self.attempt(f"disk of {share:g}", lambda place: self.small_disk(command, place, share))
                mounted = f"{len(sizes)} small file systems"
            self.say("disk", f"{command.name}: {len(sizes)} limits of the size of files, {mounted}", before)

    @staticmethod
    def largest(reference):
        sizes = [sum(map(len, part.values())) if isinstance(part, dict) and all(isinstance(v, bytes) for v in part.values())
                 else len(part) if isinstance(part, bytes) else len(json.dumps(part)) for part in reference.values()]
        return max(sizes), sum(sizes)

    def starve(self, command, place, limit=None):
        ended = command.run(place, preexec_fn=limit, restore_signals=False)
        if ended.returncode == 0:
            return
        lines = ended.stderr.strip().splitlines()
        require(ended.returncode == 1, f"{command.name}: ends with {ended.returncode}: {ended.stderr[:500]!r}")
        require(len(lines) == 1 and "HDF5-DIAG" not in lines[0],
                f"{command.name}: says {len(lines)} lines: {ended.stderr[:500]!r}")
        command.look(place)

    def limited_files(self, command, place, share):
        command.prepare(place)
        bytes_ = max(4096, int(share * self.largest(command.reference)[0]))

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

        self.starve(command, place, limit)
        command.complete(place)

    def small_disk(self, command, place, share):
        place.mkdir()
        room = max(64, int(share * self.largest(command.reference)[1] / 1024))
        disk = place / "disk"
        disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={room}k", "tmpfs", str(disk)], check=True)
        try:
            command.prepare(disk / "runs")
            self.starve(command, disk / "runs")
            subprocess.run(["mount", "-o", "remount,size=1g", str(disk)], check=True)
            command.complete(disk / "runs")
        except OSError as error:
            raise Violation(f"{command.name}: {error}") from error
        finally:
            subprocess.run(["umount", "-l", str(disk)], check=True)

    # Two programs, one folder.

    def rivals(self):
        for command in self.measured():
            before, ends = len(self.violations), 5 if self.options.quick else 40
            for number in range(ends):
                self.attempt(f"rivals {number}", lambda place: self.race(command, place))
            self.say("rivals", f"{command.name}: {ends} races", before)

    def race(self, command, place):
        command.prepare(place)
        pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True, "errors": "replace"}
        first = subprocess.Popen(command.line(), cwd=place, **pipes)
        time.sleep(self.random.choice([0, self.random.uniform(0, 0.5 * command.duration)]))
        second = subprocess.Popen(command.line(*self.random.choice([[], ["--resume"]])), cwd=place, **pipes)
        said = [program.communicate()[1] for program in (first, second)]
        statuses = sorted(program.returncode for program in (first, second))
        require(statuses == [0, 2], f"{command.name}: two programs end with {statuses}: {said}")
        command.compare(place)

    # Memory does not grow with steps.

    def soak(self):
        self.attempt("soak", self.soak_steps)

    def soak_steps(self, place):
        place.mkdir()
        peaks = {}
        most = 10 ** 6 if self.options.quick else 10 ** 7
        for steps in (10 ** 5, most):
            (place / "a.yaml").write_text(PAIR.replace("DURATION", str(steps // 1000)))
            program = subprocess.Popen([str(self.options.program), "simulate", "a.yaml", "--quiet", "--out", str(steps)],
                                       cwd=place)
            _, status, used = os.wait4(program.pid, 0)
            program.returncode = os.waitstatus_to_exitcode(status)
            require(program.returncode == 0, f"{steps} steps end with {program.returncode}")
            peaks[steps] = used.ru_maxrss / 1024
        before = len(self.violations)
        require(peaks[most] - peaks[10 ** 5] < 20, f"peak memory in MB of steps: {peaks}")
        self.say("soak", f"peak memory {peaks[10 ** 5]:.0f} MB after 1e5 steps, {peaks[most]:.0f} MB after {most:.0e}", before)

    # Results do not depend on the number of threads.

    def threads(self):
        cloths = [CLOTH.replace("METHOD", method).replace("INTEGRATOR", integrator)
                  for method in ("direct", "fmm") for integrator in ("imex_euler", "imex_midpoint")]
        cases = [Command(self.options.program, "simulate", ["simulate", "a.yaml"], {"a.yaml": text}, None) for text in cloths]
        cases += [c for c in commands(self.options.program) if c.name in ("fit", "compare")]
        before, compared = len(self.violations), 0
        for command in cases:
            compared += self.attempt(f"threads of {command.name}", lambda place: self.count_threads(command, place)) or 0
        self.say("threads", f"{compared} comparisons with 1 thread", before)

    @staticmethod
    def count_threads(command, place):
        command.prepare(place)
        results = {}
        for threads in (1, 2, 3, 8):
            words = [str(command.program), *command.words, "--quiet", "--threads", str(threads), "--out", str(threads)]
            ended = subprocess.run(words, cwd=place, capture_output=True, text=True, errors="replace")
            require(ended.returncode == 0, f"ends with {ended.returncode}: {ended.stderr[:500]!r}")
            results[threads] = result_of(place / str(threads))
            require(results[threads] == results[1], f"{threads} threads give another result than 1")
        return len(results) - 1

    def say(self, part, text, violations_before):
        broken = len(self.violations) - violations_before
        print(f"{part}: {text}; {broken} violations", flush=True)


def main():
    parts = ["kills", "disk", "rivals", "soak", "threads", "calls", "errors", "allocations"]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--kills", type=int, default=200, help="sequences for each command")
    parser.add_argument("--quick", action="store_true", help="a few of everything")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=parts, default=parts)
    parser.add_argument("--commands", nargs="+", help="only these commands")
    options = parser.parse_args()
    options.program = options.program.resolve()
    if options.quick:
        options.kills = min(options.kills, 8)
    torture = Torture(options)
    start = time.monotonic()
    for part in options.only:
        getattr(torture, part)()
    print(f"{len(torture.violations)} violations in {time.monotonic() - start:.0f} s")
    if torture.violations:
        print(f"what they left lies in {torture.work}")
        return 1
    shutil.rmtree(torture.work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
