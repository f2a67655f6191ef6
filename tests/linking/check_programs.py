#!/usr/bin/env python3
"""Holds what compiler and linker left in programs against what the house wants of them.

usage: check_programs.py [--hardened] PROGRAM...
       check_programs.py --self-test

Of every program: it looks for shared libraries in no folder that depends on where it is run. With --hardened also: its
code is loaded anywhere (PIE), its tables of functions are read-only and complete from the start (RELRO, BIND_NOW), its
stack holds no code, and stack, sizes and indices are guarded (stack protector, _FORTIFY_SOURCE, _GLIBCXX_ASSERTIONS).
Programs that have not been built are left out.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

SKIPPED = 77  # as in tests/support/skip.hpp


def readelf(*words):
    return subprocess.run(["readelf", "--wide", *words], capture_output=True, text=True, check=True).stdout


def wandering_run_paths(dynamic):
    """Of `readelf -d`: the elements of RPATH and RUNPATH that mean another folder wherever the program is run."""
    paths = re.findall(r"\((?:RPATH|RUNPATH)\)\s+Library (?:rpath|runpath): \[(.*)\]", dynamic)
    elements = [element for path in paths for element in path.split(":")]
    return [element for element in elements if not re.match(r"/|\$ORIGIN|\$\{ORIGIN\}", element)]


def lacking(header, segments, dynamic, symbols):
    """Of `readelf -h`, `-l`, `-d` and `--dyn-syms`: which guards a program lacks."""
    stack = re.search(r"GNU_STACK.*", segments)
    names = set(re.findall(r" UND (\w+)", symbols))
    guards = {
        "PIE": re.search(r"Type:\s+DYN", header) and "INTERP" in segments,
        "RELRO": "GNU_RELRO" in segments,
        "BIND_NOW": re.search(r"BIND_NOW|FLAGS_1.*NOW", dynamic),
        "a stack without code": stack and "RWE" not in stack[0],
        "the stack protector": "__stack_chk_fail" in names,
        "_FORTIFY_SOURCE": any(re.fullmatch(r"__(mem|str|read|sn|vsn|f)\w*_chk", name) for name in names),
        "_GLIBCXX_ASSERTIONS": any("__glibcxx_assert_fail" in name for name in names),
    }
    return [name for name, there in guards.items() if not there]


def complaints(program, hardened):
    dynamic = readelf("-d", program)
    found = [f"looks for libraries in '{path}'" for path in wandering_run_paths(dynamic)]
    if hardened:
        missing = lacking(readelf("-h", program), readelf("-l", program), dynamic, readelf("--dyn-syms", program))
        found += [f"lacks {guard}" for guard in missing]
    return [f"{program} {what}" for what in found]


def self_test():
    """What must be found is found."""
    def entry(kind, path):
        return f" 0x000000000000001d ({kind})            Library {kind.lower()}: [{path}]\n"

    assert wandering_run_paths(" 0x0000000000000001 (NEEDED)  Shared library: [libhwy.so.1]\n") == []
    assert wandering_run_paths(entry("RUNPATH", "/usr/lib/hdf5:$ORIGIN/../lib:${ORIGIN}")) == []
    assert wandering_run_paths(entry("RUNPATH", "/usr/lib/hdf5/serial:")) == [""]
    assert wandering_run_paths(entry("RPATH", "/usr/lib::/opt")) == [""]
    assert wandering_run_paths(entry("RUNPATH", "lib:/opt:../lib")) == ["lib", "../lib"]
    assert wandering_run_paths(entry("RUNPATH", "")) == [""]

    header, segments = "  Type:  DYN (Position-Independent Executable file)\n", "INTERP\nGNU_RELRO R\nGNU_STACK 0x0 RW 0x10\n"
    dynamic = " 0x000000006ffffffb (FLAGS_1)  Flags: NOW PIE\n"
    symbols = "".join(f" 1: 0 0 FUNC GLOBAL DEFAULT UND {name}@GLIBC_2.4 (3)\n" for name in
                      ["__stack_chk_fail", "__memcpy_chk", "_ZSt21__glibcxx_assert_failPKciS0_S0_"])
    assert lacking(header, segments, dynamic, symbols) == []
    assert lacking("  Type: EXEC (Executable file)\n", segments, dynamic, symbols) == ["PIE"]
    assert lacking(header, segments.replace("RW ", "RWE "), dynamic, symbols) == ["a stack without code"]
    assert lacking(header, "INTERP\nGNU_STACK 0x0 RW 0x10\n", "", " UND memcpy@GLIBC_2.14\n") == [
        "RELRO", "BIND_NOW", "the stack protector", "_FORTIFY_SOURCE", "_GLIBCXX_ASSERTIONS"]
    return 0


def main(words):
    if words == ["--self-test"]:
        return self_test()
    if not shutil.which("readelf"):
        print("skipped: no program readelf: `third_party/install_packages.sh build` installs it")
        return SKIPPED
    programs = [word for word in words if word != "--hardened" and Path(word).exists()]
    if not programs:
        print("none of these programs is there: " + ", ".join(words))
        return 1
    found = [line for program in programs for line in complaints(program, "--hardened" in words)]
    print("\n".join(found or [f"{len(programs)} programs are as they should be"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
