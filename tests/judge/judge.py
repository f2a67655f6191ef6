#!/usr/bin/env python3
"""Runs two builds of the program on the same inputs and compares every number, key and sentence that they leave.

usage: judge.py BEFORE AFTER [INPUTS]... [--seeds N] [--only WORD] [--minutes M] [--keep FOLDER] [--json FILE]
       judge.py --self-test

  BEFORE, AFTER   build folders, each with the program `pithball` (build/release of two clones)
  INPUTS          folders of inputs, with all below them: every experiment in them is simulated or fitted, every recording
                  and mesh is shown
  --seeds N       random experiments with the seeds 1 to N (default 200)
  --only WORD     the tasks whose names contain it
  --minutes M     tasks that have not begun by then are skipped (default 15)
  --keep FOLDER   work there and leave the results (default: a temporary folder that is removed)
  --json FILE     also write the counts and all differences

Besides INPUTS and random experiments, the demo and the shipped experiments are run, shortened. For a task, both programs
get a copy of the same folder under the same name; then status, output, errors and all files are compared: JSON by key,
HDF5 and NumPy arrays by data set, to the last bit, other texts line by line. What may differ between any two runs
(MASKED), and what was mended on purpose (MENDED), is listed here and counted. Pages, images and films are not compared.
What takes more processor time than a limit is not compared, since what a killed program leaves depends on the machine; it is
printed.
The exit status is 1 if anything else differs. Run it with the Python of build/python, which has NumPy and h5py.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import random_experiments  # noqa: E402  (beside this file)

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 120  # [s] of processor time: longest command
LIMIT_OF_INPUTS = 12  # [s]: of a folder given by argument
WAITS = 20  # times the limit by the clock, for what waits instead of computing
NOT_COMPARED = {".html", ".png", ".mp4", ".webm", ".bin", ".lock", ".vti", ".vtu", ".zip"}

# Keys whose values two runs of one program do not share, wherever they stand.
MASKED_KEYS = re.compile(r"(^|[./_])(seconds|seconds_.*|.*_seconds|started|ended|finished|date|host|threads|build|version|program|"
                         r"command_line|cost|processor|memory|folder|run|path|bytes|peak_.*|time_of_.*|commit|compiler)(\[\d+\])*($|[.])")
# The same in texts.
MASKED_TEXT = [(re.compile(pattern), word) for pattern, word in (
    (r"\bin \d[\d.e+-]* (ms|s|min|h)\b", "in SECONDS"), (r"/[\w./+-]*/(before|after)/", "FOLDER/"), (r"/[\w./+-]*/datasets/", "DATASETS/"), (r"\b\d{4}-\d\d-\d\d[T ][\d:.]+Z?", "DATE"),
    (r"version [\w.+-]+", "VERSION"), (r"\bpithball \d[\w.+-]*", "PROGRAM"), (r"(?<![.\w])(?=\d*[a-f])[0-9a-f]{12,64}\b", "HASH"))]
# Differences that a change makes on purpose: (task, key or file, reason), as regular expressions.
MENDED = [
    ("", r"\d field: output |^f(ield)?\.csv line ", "field: names of the forces, all of those on a test charge"),
    ("", r"\d report: output sections\[Misfit\]", "pages of fits: a table with the misfit of each recording"),
    ("by_angle|angle_prediction|angfit|wrapped_angles", r"\d fit: output line 1", "headlines: angles in degrees"),
    ("angle_prediction_doubtful", r"\d fit: output line 4| why$", "doubts: angles in degrees"),
    ("camera_swap|velocity_swap", r"\d fit: (output line 14|errors line 1)|fit.json notes", "swapped markers: units of the kind"),
]


def masked(text):
    for pattern, word in MASKED_TEXT:
        text = pattern.sub(word, text)
    return text


def flat(value, key=""):
    """{key: number, text, …} of a JSON value, with keys such as parameters[2].estimate."""
    if isinstance(value, dict):
        entries = [(f"{key}.{name}" if key else name, one) for name, one in value.items()]
    elif isinstance(value, list):
        titles = [one.get("title") if isinstance(one, dict) else None for one in value]
        named = len(set(titles)) == len(titles) and None not in titles  # sections of a page, one of which may be new
        entries = [(f"{key}[{titles[k] if named else k}]", one) for k, one in enumerate(value)]
    else:
        return {key: value}
    found = {} if entries else {key: type(value).__name__ + " without entries"}
    for name, one in entries:
        found.update(flat(one, name))
    return {masked(name): masked(one) if isinstance(one, str) else one for name, one in found.items() if not MASKED_KEYS.search(name)}


def table(text):
    """{row.column: cell} of lines of cells below a header; lines of remarks keep their number."""
    found, header = {}, None
    for k, line in enumerate(text.splitlines(), 1):
        cells = line.split(",")
        if line.startswith("#"):
            found[f"line {k}"] = masked(line)
        elif header is None:
            header = cells
        else:
            found.update({f"{k}.{name}": masked(cell) for name, cell in zip(header, cells) if not MASKED_KEYS.search(name)})
    return found


def hdf5_arrays(file):
    import h5py

    found = {}
    try:
        with h5py.File(file) as stored:
            stored.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    except OSError:
        return {"": "cannot be opened"}  # of an interrupted run
    return found


def numpy_arrays(file):
    import numpy

    loaded = numpy.load(file)
    return {name: loaded[name] for name in loaded.files} if hasattr(loaded, "files") else {"": loaded}


def arrays_as_texts(arrays):
    """Equal texts are equal bits; of a large array, shape and checksum."""
    import hashlib
    import numpy

    found = {}
    for name, array in arrays.items():
        array = numpy.asarray(array)
        if MASKED_KEYS.search(name):
            continue
        if array.dtype.kind in "OSU":
            found[name] = masked(str(array.tolist()))
            continue
        found[name] = f"{array.dtype} {array.shape} {hashlib.sha256(numpy.ascontiguousarray(array).tobytes()).hexdigest()[:16]}"
    return found


def read(file):
    """What a file says, by key, and how many numbers that are."""
    if file.suffix == ".json":
        found = flat(json.loads(file.read_text()))
        return found, sum(isinstance(one, (int, float)) for one in found.values())
    if file.suffix == ".csv":
        text = re.sub(r"^#.*\n", "", file.read_text(errors="replace"), flags=re.MULTILINE)  # units and origins, in words
        return table(text), len(re.findall(r"\d[\d.e+-]*", text))
    if file.suffix in (".h5", ".hdf5"):
        arrays = hdf5_arrays(file)
    elif file.suffix in (".npz", ".npy"):
        arrays = numpy_arrays(file)
    else:
        text = masked(file.read_text(errors="replace"))
        return {f"line {k + 1}": line for k, line in enumerate(text.splitlines())}, len(re.findall(r"\d[\d.e+-]*", text))
    return arrays_as_texts(arrays), sum(getattr(one, "size", 1) for one in arrays.values())


def keys_of_output(text):
    """Output of --json by key, other output by line."""
    try:
        return flat(json.loads(text))
    except ValueError:
        return {f"line {k + 1}": line for k, line in enumerate(masked(text).splitlines())}


class TooLong(Exception):
    """A command took longer than its limit."""


class Outcome:
    """What one program leaves of a task: {place: {key: value}}, and the number of numbers in files. Raises TooLong."""

    def __init__(self, program, folder, commands, limit):
        self.places, self.numbers = {}, 0
        given = {file for file in folder.rglob("*") if file.is_file()}
        for k, words in enumerate(commands):
            quiet = ["--threads", "1"] if words[0] in ("simulate", "fit", "record", "identify", "compare", "scan", "diagnose") else []
            limited = ["sh", "-c", f'ulimit -t {limit}; exec "$@"', "sh"]
            try:
                done = subprocess.run([*limited, program, *words, *quiet], cwd=folder, capture_output=True, text=True, errors="replace",
                                      timeout=WAITS * limit, env={**os.environ, "LANG": "C.UTF-8"}, stdin=subprocess.DEVNULL)
                status, out, err = done.returncode, done.stdout, done.stderr
            except subprocess.TimeoutExpired:
                status = -signal.SIGXCPU
            if status in (-signal.SIGXCPU, -signal.SIGKILL):
                raise TooLong(f"`{words[0]}` of the program {folder.parent.name} takes more than {limit} s")
            where = f"{k + 1} {words[0]}"
            self.places[f"{where}: status"] = {"": status}
            self.places[f"{where}: output"] = keys_of_output(out)
            self.places[f"{where}: errors"] = keys_of_output(err)
        for file in sorted(folder.rglob("*")):
            if file.is_file() and file not in given and file.suffix not in NOT_COMPARED and not file.name.startswith("journal"):
                self.places[str(file.relative_to(folder))], count = read(file)
                self.numbers += count


def differences(before, after):
    """[(place, key, value before, value after)] of two {place: {key: value}}; None where there is none."""
    found = []
    for place in sorted(set(before) | set(after)):
        old, new = before.get(place, {}), after.get(place, {})
        for key in sorted(set(old) | set(new)):
            one, other = old.get(key), new.get(key)
            if repr(one) != repr(other):  # NaN equals itself, 0.0 is not −0.0
                found.append((place, key, one, other))
    return found


def is_mended(task, difference):
    place, key = difference[:2]
    return any(re.search(name, task) and re.search(where, f"{place} {key}") for name, where, _ in MENDED)


class Task:
    """Commands in a folder of inputs: a copy of `source`, and `files` by name. Each may take `limit` seconds."""

    def __init__(self, name, commands, source=None, files=None, limit=LIMIT):
        self.name, self.commands, self.source, self.files, self.limit = name, commands, source, files or {}, limit

    def prepare(self, folder):
        if self.source:
            shutil.copytree(self.source, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("runs"))
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in self.files.items():
            (folder / name).write_text(text)

    def judge(self, programs, place, deadline):
        """(number of places and of numbers compared, differences). Raises TooLong, also after the deadline."""
        if time.monotonic() > deadline:
            raise TooLong("no time is left")
        outcomes = []
        for side, program in programs.items():
            folder = place / side / re.sub(r"\W+", "_", self.name)
            self.prepare(folder)
            outcomes.append(Outcome(program, folder, self.commands, self.limit))
        before, after = outcomes
        return len(before.places), before.numbers, differences(before.places, after.places)


def random_tasks(count):
    for seed in range(1, count + 1):
        name, files, commands = random_experiments.make(seed)
        yield Task(f"random {seed} {name}", commands, files=files)


def shipped_tasks():
    """The demo's fit with few iterations, and the shipped experiments over a few steps."""
    demo = ROOT / "experiments/demo"
    yield Task("demo fit", [["fit", "charged-net.yaml", "--out", "out", "--set", "fit.max_iterations=4"]], demo)
    yield Task("demo identify", [["identify", "charged-net.yaml", "--json"]], demo)
    for file in sorted((ROOT / "experiments/configs").glob("*.yaml")):
        short = ["simulate", file.name, "--out", "out", "--set", "simulation.duration=0.05"]
        yield Task(f"shipped {file.stem}", [short, ["field", file.name, "--line", "0,0,0,1,1,1", "--samples", "5", "--out", "f.csv"]], file.parent)
    for file in sorted((ROOT / "experiments/captured").glob("*/*.yaml")):
        if file.name != "claims.yaml":
            yield Task(f"captured {file.stem}", [["fit", file.name, "--out", "out", "--set", "fit.max_iterations=2"]], file.parent)


def tasks_of(folder):
    """A task for every experiment, recording and mesh below a folder of inputs."""
    for file in sorted(Path(folder).rglob("*")):
        name = f"{Path(folder).name}/{file.relative_to(folder)}"
        if file.suffix == ".yaml":
            has_fit = re.search(r"^fit:", file.read_text(errors="replace"), re.MULTILINE)
            command = "fit" if has_fit else "simulate"
            yield Task(name, [[command, file.name, "--out", "judged"]], file.parent, limit=LIMIT_OF_INPUTS)
        elif file.suffix in (".obj", ".ply", ".stl", ".off"):
            yield Task(name, [["mesh", file.name]], file.parent, limit=LIMIT_OF_INPUTS)
        elif file.suffix in (".csv", ".tsv", ".txt", ".trc", ".c3d", ".h5", ".npz"):
            yield Task(name, [["data", "show", file.name, "--json"], ["data", "show", file.name, "--rate", "10", "--json"]], file.parent, limit=LIMIT_OF_INPUTS)


def judge(programs, tasks, place, minutes):
    """Runs all tasks, prints a line for each that differs or is skipped, and returns the counts."""
    began, counts = time.monotonic(), {"tasks": 0, "places": 0, "numbers": 0, "mended": 0, "skipped": [], "differences": []}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {pool.submit(task.judge, programs, place, began + 60 * minutes): task for task in tasks}
        for done in concurrent.futures.as_completed(running):
            task = running[done]
            try:
                places, numbers, found = done.result()
            except TooLong as reason:
                counts["skipped"].append((task.name, str(reason)))
                print(f"{task.name}: skipped, {reason}", flush=True)
                continue
            counts["tasks"] += 1
            counts["places"] += places
            counts["numbers"] += numbers
            own = [one for one in found if not is_mended(task.name, one)]
            counts["mended"] += len(found) - len(own)
            counts["differences"] += [(task.name, *one) for one in own]
            for where, key, one, other in own[:5]:
                print(f"{task.name}: {where}: {key}\n  before {one!r}\n  after  {other!r}", flush=True)
            if len(own) > 5:
                print(f"{task.name}: {len(own) - 5} more", flush=True)
    counts["seconds"] = round(time.monotonic() - began)
    return counts


def self_test():
    """Differences are found, masks hide what they should and nothing else, and random experiments do not change."""
    old = {"out.json": flat({"a": [1, 2.0, float("nan")], "seconds": 3, "text": "at 3 s, done in 1.5 s"})}
    assert differences(old, {"out.json": flat({"a": [1, 2.0, float("nan")], "seconds": 4, "text": "at 3 s, done in 2 s"})}) == []
    assert differences(old, {"out.json": flat({"a": [1, 2.0000000000000004, float("nan")], "text": "at 3 s, done in 2 s"})}) == [
        ("out.json", "a[1]", 2.0, 2.0000000000000004)]
    assert differences(old, {})[0][3] is None
    assert differences({"e": {"": 0}}, {"e": {"": 1}}) and differences({"e": {"": 0.0}}, {"e": {"": -0.0}})
    assert table("t,seconds,x\n0,3,1.25\n") == {"2.t": "0", "2.x": "1.25"} and masked("0.123456789012345e-05") == "0.123456789012345e-05"
    assert masked("sum 0123456789abcdef") == "sum HASH"
    assert keys_of_output("x\n3 mm\n") == {"line 1": "x", "line 2": "3 mm"}
    made = [random_experiments.make(seed) for seed in range(1, 41)]
    assert made == [random_experiments.make(seed) for seed in range(1, 41)]
    assert len({name for name, _, _ in made}) == 14
    print("judge: differences are found")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("inputs", nargs="*")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--only", default="")
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--keep")
    parser.add_argument("--json")
    wanted = parser.parse_intermixed_args()
    programs = {side: str((Path(folder) / "pithball").resolve()) for side, folder in (("before", wanted.before), ("after", wanted.after))}
    for program in programs.values():
        if not os.access(program, os.X_OK):
            sys.exit(f"judge: {program} must be a program, build it first")
    tasks = [*shipped_tasks(), *random_tasks(wanted.seeds), *(task for folder in wanted.inputs for task in tasks_of(folder))]
    place = Path(wanted.keep or tempfile.mkdtemp(prefix="judge-"))
    try:
        counts = judge(programs, [task for task in tasks if wanted.only in task.name], place, wanted.minutes)
    finally:
        if not wanted.keep:
            shutil.rmtree(place, ignore_errors=True)
    if wanted.json:
        Path(wanted.json).write_text(json.dumps(counts, indent=1))
    print(f"{counts['tasks']} tasks, {counts['places']} outputs and files, {counts['numbers']} numbers in files: "
          f"{len(counts['differences'])} differences, {counts['mended']} mended on purpose, {len(counts['skipped'])} tasks skipped, "
          f"{counts['seconds']} s")
    return 1 if counts["differences"] else 0


if __name__ == "__main__":
    sys.exit(main())
