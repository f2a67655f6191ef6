#!/usr/bin/env python3
"""Puts faults (mutants) into a copy of the sources, and asks which of them the quick tests find.

usage: mutation.py [--mutants N] [--seed S] [--jobs J] [--folders F...] [--list] [--self-test]

One line of the sources gets one fault: a sign changed, a factor of two, a condition negated, the last pass of a loop or a
statement left out, a constant doubled. N of all places are drawn with a fixed seed, as many for each kind of fault as far as
there are places. One build (build/mutation) holds them all, and an environment variable chooses one. Each test says first
which mutants it comes by; a mutant is then tried against these tests alone, quick ones first, until one fails, crashes or
takes ten times as long (at least ten seconds more). build/mutation/summary.txt lists every mutant with the test that killed
it; survivors stand first, and are printed. The exit status is 1 if fewer than 90 % are killed.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "mutation"
FOLDERS = ["sim/force", "sim/integrator", "diff/step", "optim/uncertainty"]
LIBRARIES = ["sim", "diff", "optim"]
GOAL = 0.9
SPARE = 0.5  # mutants beyond those wanted, for places that the compiler refuses

OPERAND_BEFORE = r"(?<=[\w)\]]) "
MUTATIONS = {
    "sign": (re.compile(OPERAND_BEFORE + r"([+-]) (?=[\w(\-])"), r" \1 pithball::mutation::sign({k}) * "),
    "factor": (re.compile(OPERAND_BEFORE + r"([*/]) (?=[\w(\-])"), r" \1 pithball::mutation::factor({k}) \1 "),
    "last pass": (re.compile(r"(?<=; )([\w.]+) < (?=[^;]+; )"), r"\1 + pithball::mutation::left_out({k}) < "),
    "constant": (re.compile(r"(?<![\w.])(?!0\.0*(?![\d.e]))(\d+\.\d*(?:e[+-]?\d+)?)(?![\w.])"), r"(pithball::mutation::factor({k}) * \1)"),
    "statement": (re.compile(r"^(\s+)([a-z_]\w*(?:[.\[(]|->| [+\-*/]?= ).*;)$"), r"\1{ if (!pithball::mutation::at_work({k})) \2 }"),
}
CONDITION = re.compile(r"(?<![\w])if \(")
# Texts, declarations and what only the compiler sees.
LEFT_ALONE = re.compile(r'"|\'|^\s*#|^\s*//|\bconstexpr\b|\bstatic_assert\b|\btemplate\b|\boperator\b|\busing\b|\benum\b|\breject|\bthrow\b')


def without_comment(line):
    return line.split("//")[0].rstrip()


def closing(line, at):
    """Where the parenthesis that opens at `at` closes, or -1."""
    depth = 0
    for i in range(at, len(line)):
        depth += {"(": 1, ")": -1}.get(line[i], 0)
        if depth == 0:
            return i
    return -1


def mutated(line, kind, match, k):
    """The line with fault k in place of the match."""
    if kind == "condition":
        opens = match.end() - 1
        inside = line[opens + 1 : closing(line, opens)]
        return f"{line[: opens + 1]}pithball::mutation::at_work({k}) != static_cast<bool>({inside}){line[closing(line, opens):]}"
    return line[: match.start()] + match.expand(MUTATIONS[kind][1].replace("{k}", str(k))) + line[match.end() :]


def places_of(line):
    """Kind and match of every fault that a line can have."""
    code = without_comment(line)
    if not code or LEFT_ALONE.search(code):
        return
    for kind, (pattern, _) in MUTATIONS.items():
        for match in pattern.finditer(code):
            yield kind, match
    for match in CONDITION.finditer(code):
        end = closing(code, match.end() - 1)
        inside = code[match.end() : end]
        if end > 0 and ";" not in inside and not re.search(r"(?<![=!<>])=(?!=)", inside):
            yield "condition", match


def all_places(folders):
    """(kind, file, line number from 0, match) of every place."""
    pages = "".join(page.read_text() for page in (ROOT / "docs").glob("add_a*.md"))
    found = []
    for folder in folders:
        for file in sorted([*(ROOT / folder).rglob("*.cpp"), *(ROOT / folder).rglob("*.hpp")]):
            if str(file.relative_to(ROOT)) in pages:  # pages show their files as they are, which the build checks
                continue
            is_open = False  # within a declaration with default arguments or a comment of several lines
            for number, line in enumerate(file.read_text().splitlines()):
                is_open = (is_open or line.lstrip().startswith("/*")) and "*/" not in line
                if not is_open:
                    found += [(kind, file.relative_to(ROOT), number, match) for kind, match in places_of(line)]
    return found


def draw(folders, count, seed):
    """Places in the order in which they are wanted: kinds take turns, and no line comes twice."""
    rng = random.Random(seed)
    by_kind = {}
    for place in all_places(folders):
        by_kind.setdefault(place[0], []).append(place)
    for places in by_kind.values():
        rng.shuffle(places)
    drawn, lines = [], set()
    while len(drawn) < count and any(by_kind.values()):
        for kind in sorted(by_kind):
            while by_kind[kind]:
                place = by_kind[kind].pop()
                if place[1:3] not in lines:
                    lines.add(place[1:3])
                    drawn.append(place)
                    break
    return drawn[:count]


def copy_sources(target, mutated):
    """The sources under version control or about to be, but for the mutated folders, which `write_mutants` writes. Only
    what changed is written, so that builds stay short."""
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in filter(None, files):
        source, copy = ROOT / name, target / name
        if copy.exists() and str(Path(name).parent) in mutated:
            continue
        if source.is_file() and not (copy.exists() and copy.read_bytes() == source.read_bytes()):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, copy)
    for copy in [path for path in target.rglob("*") if path.is_file()]:
        name = copy.relative_to(target)
        if name.parts[0] != "build" and str(name) not in files:  # gone since the last time
            copy.unlink()


def write_mutants(target, mutants):
    """mutants: number → place. Every file of the mutated folders is written as the original with its mutants."""
    by_file = {}
    for k, place in mutants.items():
        by_file.setdefault(place[1], []).append((k, place))
    for folder in {str(place[1].parent) for place in mutants.values()}:
        for copy in (target / folder).glob("*.?pp"):
            lines = (ROOT / folder / copy.name).read_text().split("\n")
            for k, (kind, _, number, match) in by_file.get(Path(folder) / copy.name, []):
                lines[number] = mutated(lines[number], kind, match, k)
            text = "\n".join(lines)
            if copy.read_text() != text:
                copy.write_text(text)


def refused(output, target, mutants):
    """The mutants on lines that the compiler names, as an error or as what asked for the code with the error."""
    named = set()
    for name, line in re.findall(r"([\w./-]+\.[ch]pp):(\d+):", output):
        path = (target / "build" / "mutation" / name).resolve() if not name.startswith("/") else Path(name)
        if path.is_relative_to(target):
            named.add((path.relative_to(target), int(line) - 1))
    return {k for k, place in mutants.items() if place[1:3] in named}


def build(target, mutants):
    """Builds the test programs with as many of the mutants as the compiler takes; the numbers of these."""
    left = dict(mutants)
    place = target / "build" / "mutation"
    subprocess.run(
        ["cmake", "-S", target, "-B", place, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON",
         f"-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG -w -include {target}/tests/mutation/mutant.hpp"],
        check=True, stdout=subprocess.DEVNULL)
    for _ in range(8):
        write_mutants(target, left)
        compiled = subprocess.run(["ninja", "-C", place, "-k", "0", *(f"test_{library}" for library in LIBRARIES)],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if compiled.returncode == 0:
            return left
        wrong = refused(compiled.stdout, target, left)
        if not wrong:
            break
        print(f"{len(wrong)} places refused by the compiler", flush=True)
        left = {k: place for k, place in left.items() if k not in wrong}
    (FOLDER / "build.log").write_text(compiled.stdout)
    sys.exit(f"mutation.py: the copy does not compile: see {FOLDER}/build.log")


def quick_tests(target):
    """Name and command of each quick test of the libraries."""
    shown = subprocess.run(["ctest", "--show-only=json-v1", "-L", "quick"], cwd=target / "build" / "mutation", capture_output=True, text=True, check=True).stdout
    starts = tuple(f"{library}:" for library in LIBRARIES)
    return {test["name"]: test["command"] for test in json.loads(shown)["tests"] if test["name"].startswith(starts)}


def run_test(command, folder, limit=None, **variables):
    """Exit status (None: took longer than the limit) and seconds."""
    begin = time.monotonic()
    try:
        done = subprocess.run(command, cwd=folder, env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **variables}, timeout=limit,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return done.returncode, time.monotonic() - begin
    except subprocess.TimeoutExpired:
        return None, time.monotonic() - begin


def reach(tests, folder, jobs):
    """For each test that passes without a mutant: its seconds, and the mutants that it comes by."""
    def one(numbered):
        number, (name, command) = numbered
        trace = FOLDER / f"reached_{number}"
        status, seconds = run_test(command, folder, PITHBALL_MUTANTS_REACHED=str(trace))
        numbers = {int(k) for k in trace.read_text().split()} if trace.exists() else set()
        trace.unlink(missing_ok=True)
        return name, status, seconds, numbers

    with ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(one, enumerate(tests.items())))
    for name, status, _, _ in found:
        if status != 0:
            print(f"left out, since it does not pass without a mutant (status {status}): {name}", flush=True)
    return {name: (seconds, numbers) for name, status, seconds, numbers in found if status == 0}


def try_mutant(k, tests, reached, folder):
    """The test that kills mutant k and how; neither if it survives."""
    by_time = sorted((seconds, name) for name, (seconds, numbers) in reached.items() if k in numbers)
    for seconds, name in by_time:
        status, _ = run_test(tests[name], folder, limit=10 * seconds + 10, PITHBALL_MUTANT=str(k))
        if status != 0:
            return name, "too slow" if status is None else "failed" if status > 0 else "crashed", len(by_time)
    return None, "survived" if by_time else "not reached", len(by_time)


def description(place):
    kind, file, number, match = place
    line = (ROOT / file).read_text().split("\n")[number].strip()
    return f"{file}:{number + 1}: {kind} at '{match.group().strip()}': {line}"


def campaign(arguments):
    FOLDER.mkdir(parents=True, exist_ok=True)
    target = FOLDER / "source"
    drawn = draw(arguments.folders, round(arguments.mutants * (1 + SPARE)), arguments.seed)
    copy_sources(target, {str(place[1].parent) for place in drawn})
    built = build(target, dict(enumerate(drawn)))
    mutants = dict(list(built.items())[: arguments.mutants])
    tests = quick_tests(target)
    print(f"{len(mutants)} mutants, {len(tests)} tests; which comes by which", flush=True)
    folder = target / "build" / "mutation"
    reached = reach(tests, folder, arguments.jobs)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        fates = dict(zip(mutants, pool.map(lambda k: try_mutant(k, tests, reached, folder), mutants)))
    killed = sum(name is not None for name, _, _ in fates.values())
    lines = []
    for k in sorted(mutants, key=lambda k: (fates[k][0] is not None, k)):
        name, how, count = fates[k]
        lines.append(f"{k} {how} ({count} tests come by it): {description(mutants[k])}" + (f"\n      by {name}" if name else ""))
    lines.append(f"{killed} of {len(mutants)} mutants killed ({100 * killed / max(len(mutants), 1):.1f} %)")
    (FOLDER / "summary.txt").write_text("\n".join(lines) + "\n")
    survivors = len(mutants) - killed
    print("\n".join([*lines[:survivors], lines[-1]]))
    return 0 if killed >= GOAL * len(mutants) else 1


def self_test():
    def first(line, kind):
        return next((mutated(line, kind, match, 7) for found, match in places_of(line) if found == kind), None)

    assert first("  f = a + b * c;", "sign") == "  f = a + pithball::mutation::sign(7) * b * c;"
    assert first("  f = a / (b + c);", "factor") == "  f = a / pithball::mutation::factor(7) / (b + c);"
    assert first("  for (Index i = 0; i < n; ++i)", "last pass") == "  for (Index i = 0; i + pithball::mutation::left_out(7) < n; ++i)"
    assert first("  if (f(x) > 0) return;", "condition") == "  if (pithball::mutation::at_work(7) != static_cast<bool>(f(x) > 0)) return;"
    assert first("  if (auto x = f(); x > 0) return;", "condition") is None
    assert first("  x += f(y);", "statement") == "  { if (!pithball::mutation::at_work(7)) x += f(y); }"
    assert first("  const double x = f(y);", "statement") is None
    assert first("  Vector x = f(y);", "statement") is None
    assert first("  y = 0.5 * x;", "constant") == "  y = (pithball::mutation::factor(7) * 0.5) * x;"
    assert not list(places_of('  throw Error("a + b");')) and not list(places_of("  // a + b"))
    assert not list(places_of("constexpr double half = 1.0 / 2.0;"))
    assert first("  y = std::max(0.0, x);", "constant") is None  # twice 0 is 0
    once, again = draw(FOLDERS, 50, 1), draw(FOLDERS, 50, 1)
    assert [p[:3] for p in once] == [p[:3] for p in again] and len({p[1:3] for p in once}) == 50
    place = ("sign", Path("sim/force/a.cpp"), 4, None)
    assert refused(f"{Path('/copy')}/sim/force/a.cpp:5:12: error: no", Path("/copy"), {3: place}) == {3}
    assert refused("/copy/sim/force/a.cpp:6:12: error: no", Path("/copy"), {3: place}) == set()
    print("mutation.py: its own tests passed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--folders", nargs="+", default=FOLDERS)
    parser.add_argument("--list", action="store_true", help="print the places drawn and stop")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        self_test()
    elif arguments.list:
        print("\n".join(description(place) for place in draw(arguments.folders, arguments.mutants, arguments.seed)))
    else:
        sys.exit(campaign(arguments))


if __name__ == "__main__":
    main()
