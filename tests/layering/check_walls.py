#!/usr/bin/env python3
"""Holds every function to 70 lines and 6 parameters, every struct or class to 12 members, and every source file to 400
lines, and every folder to 40 source files.

usage: check_walls.py [--self-test] [--count] [ROOT]

Reads sim, diff, optim, datasets, app and experiments below ROOT with Universal Ctags. Status 1 names whatever is larger.
--count prints the number of lines and functions of each folder; --self-test makes sources that are too large, and
expects to find them.
"""

import argparse
import collections
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDERS = ("sim", "diff", "optim", "datasets", "app", "experiments")
MOST_LINES, MOST_PARAMETERS, MOST_MEMBERS, MOST_FILE_LINES, MOST_FILES = 70, 6, 12, 400, 40

# Inner loops over plain numbers and arrays, which a struct would only hide.
KERNELS = (
    "sim/kernel/",
    "sim/coulomb/fmm/harmonics_kernel.",
    "experiments/bench/coulomb_native_loop.",
)


# Folders with one file, or a pair, for each entry of a list: forces, sections of a report, recording formats.
LISTS = ("sim/force", "app/report", "datasets/capture")


def sources(root):
    for folder in FOLDERS:
        yield from sorted(path for path in (root / folder).rglob("*") if path.suffix in (".hpp", ".cpp"))


def tags_of(root, kinds):
    """Ctags' record of everything of these kinds."""
    options = ["--languages=C++", "--langmap=C++:+.hpp", f"--c++-kinds={kinds}", "--fields=+neSk",
               "--fields-c++=+{properties}", "--output-format=json"]
    names = "\n".join(str(path.relative_to(root)) for path in sources(root))
    tags = subprocess.run(["ctags", *options, "-f", "-", "-L", "-"], cwd=root, input=names, capture_output=True, text=True,
                          check=True)
    for line in tags.stdout.splitlines():
        tag = json.loads(line)
        if tag.get("_type") == "tag":
            yield tag


def functions(root):
    """Each function that has a body, and each declaration."""
    return tags_of(root, "fp")


def members(root):
    """Names of the non-static data members of each struct and class, by file and full name."""
    found = {}
    for tag in tags_of(root, "m"):
        if "static" not in tag.get("properties", ""):
            found.setdefault((tag["path"], tag["scope"]), []).append(tag["name"])
    return found


def parameters(signature):
    """How many a signature has; commas inside brackets of any kind part none."""
    inside = signature[signature.find("(") + 1:signature.rfind(")")]
    inside = re.sub(r"->", "", inside)
    depth, count = 0, 1 if inside.strip() not in ("", "void") else 0
    for character in inside:
        depth += (character in "(<[{") - (character in ")>]}")
        count += character == "," and depth == 0
    return count


def complaints(root):
    for tag in functions(root):
        place = f"{tag['path']}:{tag['line']}: {tag['name']}"
        if tag["path"].startswith(KERNELS):
            continue
        lines = tag.get("end", tag["line"]) - tag["line"] + 1
        if tag["kind"] == "function" and lines > MOST_LINES:
            yield f"{place} has {lines} lines, more than {MOST_LINES}: split it along its stages"
        count = parameters(tag.get("signature", "()"))
        if count > MOST_PARAMETERS:
            yield f"{place} has {count} parameters, more than {MOST_PARAMETERS}: name what belongs together in a struct"
    for (path, scope), names in members(root).items():
        if len(names) > MOST_MEMBERS:
            yield (f"{path}: {scope.split('::')[-1]} has {len(names)} members, more than {MOST_MEMBERS}: nest what a "
                   "function takes alone, or make values one from another")
    for path in sources(root):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > MOST_FILE_LINES:
            yield f"{path.relative_to(root)} has {lines} lines, more than {MOST_FILE_LINES}: split it"
    for folder, files in collections.Counter(path.parent.relative_to(root).as_posix() for path in sources(root)).items():
        if files > MOST_FILES and folder not in LISTS:
            yield f"{folder} has {files} source files, more than {MOST_FILES}: join what is one idea, or part the folder"


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "sim" / "kernel").mkdir(parents=True)
        body = "  f();\n"
        long = "void too_long() {\n" + body * (MOST_LINES - 1) + "}\n"
        wide = "int too_wide(int a, std::map<int, int> b, int c, int d, int e, int g, int h) { return a; }\n"
        fitting = "int fits(int a, std::map<int, int> b, int c, int d, int e, int g) {\n" + body * (MOST_LINES - 2) + "}\n"
        (root / "sim" / "a.cpp").write_text(long + wide + fitting)
        (root / "sim" / "kernel" / "a.hpp").write_text(wide)
        fields = "".join(f"  int f{k};\n" for k in range(MOST_MEMBERS))
        (root / "sim" / "c.hpp").write_text("struct Crowded {\n" + fields + "  int g, h;\n};\n")
        (root / "sim" / "d.hpp").write_text("struct Full {\n" + fields + "  static constexpr int g = 0;\n};\n")
        (root / "sim" / "b.cpp").write_text("\n" * (MOST_FILE_LINES + 1))
        for folder in ("diff", LISTS[0]):
            (root / folder).mkdir()
            for k in range(MOST_FILES + 1):
                (root / folder / f"f{k}.cpp").write_text("")
        found = list(complaints(root))
        wanted = ("too_long has 71 lines", "too_wide has 7 parameters", "Crowded has 14 members", "b.cpp has 401 lines",
                  "diff has 41 source files")
        if len(found) != len(wanted) or not all(part in text for part, text in zip(wanted, found)):
            sys.exit("self-test failed: " + "; ".join(found))
        print("self-test: what is too large is found")


def count(root):
    bodies = [tag for tag in functions(root) if tag["kind"] == "function"]
    for folder in FOLDERS:
        mine = [tag for tag in bodies if tag["path"].startswith(folder + "/")]
        lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in sources(root)
                    if path.relative_to(root).parts[0] == folder)
        longest = max((tag.get("end", tag["line"]) - tag["line"] + 1 for tag in mine), default=0)
        print(f"{folder}: {lines} lines, {len(mine)} functions, the longest {longest} lines")


def main():
    if not shutil.which("ctags"):
        print("skipped: no Universal Ctags")
        sys.exit(77)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--count", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    if arguments.count:
        return count(arguments.root)
    found = list(complaints(arguments.root))
    print("\n".join(found) if found else "every function, class and file keeps to its walls")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
