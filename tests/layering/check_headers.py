#!/usr/bin/env python3
"""Compiles every public header alone, and names those that need another include before them.

usage: check_headers.py [--self-test] LIST [HEADER...]

LIST is public_headers.json of a build folder: the compiler and, for each library, its headers and the flags that its users
get; HEADER is one of them, and all are checked where none is named. A header that passed is compiled again when it, a header of ours under it, the flags or the compiler change.

Most of the time goes into a few headers that many include. A header that includes one of these, itself or through others,
is compiled after the same one precompiled; a header that does not is compiled without it. So a use without an include is
found: in the header itself, or in the one under it that stands before the include.
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Of other libraries, and ours that include many; each stands before those that include it.
LARGE = ("Eigen/Core", "Eigen/SparseCore", "filesystem", "nlohmann/json.hpp", "sim/core/settings.hpp",
         "sim/model/model.hpp", "diff/rollout/rollout.hpp", "optim/observation/observation.hpp", "app/experiment/experiment.hpp")
FEWEST = 4  # headers for which precompiling pays: it takes as long as a few of them


class Tree:
    """The headers below a folder and what each includes, itself and through others."""

    def __init__(self, root):
        self.root = root
        self.texts = {}

    def text(self, name):
        if name not in self.texts:
            path = self.root / name
            self.texts[name] = path.read_text(encoding="utf-8") if path.is_file() else ""
        return self.texts[name]

    def under(self, name):
        """The header and ours that it includes, in order of name; and the large ones that it includes."""
        ours, others, waiting = set(), set(), [name]
        while waiting:
            header = waiting.pop()
            if header not in ours:
                ours.add(header)
                waiting += re.findall(r'^#include "([^"]+)"', self.text(header), re.MULTILINE)
                others.update(re.findall(r"^#include <([^>]+)>", self.text(header), re.MULTILINE))
        return sorted(ours), tuple(large for large in LARGE if large in ours | others and large != name)


def compile_alone(command, includes, output=None):
    """What the compiler says of a source that only includes these headers; nothing if it is content."""
    source = "".join(f"#include {header}\n" for header in includes)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / ("alone.hpp" if output else "alone.cpp")
        file.write_text(source)
        kind = ["-x", "c++-header", "-o", str(output)] if output else ["-fsyntax-only"]
        done = subprocess.run([*command, *kind, str(file)], capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def precompile(command, large, folder):
    """Flags that read these headers precompiled, or none where the compiler cannot."""
    header = Path(folder) / (hashlib.sha256(repr((command, large)).encode()).hexdigest()[:16] + ".hpp")
    header.write_text("".join(f"#include <{name}>\n" for name in large))
    return ["-include", str(header)] if not compile_alone(command, [f"<{name}>" for name in large], f"{header}.gch") else []


class Check:
    """One header: what it is compiled with, and a digest of all that decides whether it passes."""

    def __init__(self, tree, name, command, version):
        ours, self.large = tree.under(name)
        self.name, self.command = name, tuple(command)
        texts = "".join(tree.text(header) for header in ours)
        self.digest = hashlib.sha256(repr((ours, texts, self.command, version)).encode()).hexdigest()


def failures(checks):
    """The names of headers that do not compile alone, each with the compiler's words."""
    groups = Counter((check.command, check.large) for check in checks if check.large)
    worthwhile = [group for group, headers in groups.items() if headers >= FEWEST]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        flags = dict(zip(worthwhile, pool.map(lambda group: precompile(*group, folder), worthwhile)))

        def words(check):
            fitting = [group for group in worthwhile if group[0] == check.command and set(group[1]) <= set(check.large)]
            most = max(fitting, key=lambda group: len(group[1]), default=None)
            return compile_alone([*check.command, *flags.get(most, [])], [f'"{check.name}"'])

        return [(check.name, said) for check, said in zip(checks, pool.map(words, checks)) if said]


def run(listing, only=()):
    """Checks what changed since it last passed, or of that only some; returns the failures and how many headers there are."""
    document = json.loads(listing.read_text(encoding="utf-8"))
    compiler = [*shlex.split(document["compiler"]), "-std=c++20"]
    version = subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=True).stdout
    tree = Tree(Path(document["root"]))
    checks = [Check(tree, header, [*compiler, *library["flags"]], version) for library in document["libraries"]
              for header in library["headers"] if not only or header in only]
    stored = listing.with_suffix(".passed")
    passed = set(stored.read_text(encoding="utf-8").split()) if stored.exists() else set()
    found = failures([check for check in checks if check.digest not in passed])
    failed = {name for name, _ in found}
    passed_now = [check.digest for check in checks if check.name not in failed]
    if only:
        passed_now = [*passed, *passed_now]
    stored.write_text("".join(digest + "\n" for digest in dict.fromkeys(passed_now)), encoding="utf-8")
    return found, len(checks)


def self_test(document):
    """Headers that lack an include are found, also where others that include it are compiled after a precompiled one."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        sources = {"whole.hpp": "#include <Eigen/Core>\ninline Eigen::Vector3d a;\n",
                   "lacking.hpp": "inline Eigen::Vector3d b;\n",
                   "late.hpp": '#include "lacking.hpp"\n#include "whole.hpp"\n',
                   "bare.hpp": "inline std::string c;\n"}
        headers = [*sources, *(f"more_{k}.hpp" for k in range(FEWEST))]  # enough for a precompiled header
        for name in headers:
            (root / name).write_text("#pragma once\n" + sources.get(name, '#include "whole.hpp"\n'))
        flags = ["-I", folder, *document["libraries"][0]["flags"]]
        listing = root / "public_headers.json"
        listing.write_text(json.dumps({"compiler": document["compiler"], "root": folder,
                                       "libraries": [{"flags": flags, "headers": headers}]}))
        for _ in range(2):  # what failed is not taken for passed the next time
            found, count = run(listing)
            names = {name for name, _ in found} - {"late.hpp"}  # it fails, too, where nothing can be precompiled
            if count != len(headers) or names != {"lacking.hpp", "bare.hpp"}:
                sys.exit(f"self-test failed: of {count} headers {names} were found")
    print("self-test: headers that lack an include are found")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=Path)
    parser.add_argument("header", nargs="*")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test(json.loads(arguments.list.read_text(encoding="utf-8")))
    found, count = run(arguments.list, arguments.header)
    for name, words in found:
        print(f"{name} does not compile alone:\n{words}", file=sys.stderr)
    print(f"{count - len(found)} of {count} public headers compile alone")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
