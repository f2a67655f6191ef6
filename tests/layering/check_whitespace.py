#!/usr/bin/env python3
"""Finds white space at the ends of lines, and text files whose last line does not end.

usage: check_whitespace.py [--self-test] [FILE...]

Without FILE it reads every file that git tracks. Files with a zero byte are no text. Recordings are as their authors
made them, and the inputs of fuzz/ are as odd as they must be: both are left out. Status 1 names file and line.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
AS_THEY_ARE = ("datasets/recordings/", "fuzz/seeds/", "fuzz/corpus/")


def tracked():
    # A checkout that belongs to another user (a container's mount) is read all the same.
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    return listed.stdout.split("\0")[:-1]


def complaints(name, content):
    if b"\0" in content or name.startswith(AS_THEY_ARE) and not name.endswith("README.md"):
        return
    for number, line in enumerate(content.split(b"\n"), 1):
        if line != line.rstrip(b" \t\r"):
            yield f"{name}:{number}: white space at the end of the line"
    if content and not content.endswith(b"\n"):
        yield f"{name}: the last line does not end"


def self_test():
    def found(name, content):
        return [text.removeprefix(name) for text in complaints(name, content)]

    assert found("a.md", b"one\n\n two\n") == [] and found("a.md", b"") == []
    at_end = ": white space at the end of the line"
    assert found("a.md", b"one \ntwo\t\nthree\r\n") == [f":{line}{at_end}" for line in (1, 2, 3)]
    assert found("a.md", b"one\ntwo") == [": the last line does not end"]
    assert found("a.npz", b"\0 \n") == [] and found("fuzz/seeds/table/a.csv", b"1 \n") == []
    assert found("datasets/recordings/a/a.csv", b"1\r\n") == [] and found("datasets/recordings/a/README.md", b"1 \n") == [f":1{at_end}"]
    print("self-test: white space at the ends of lines is found")


def main(words):
    if words == ["--self-test"]:
        return self_test()
    names = [str(Path(word).resolve().relative_to(ROOT)) for word in words] or tracked()
    if not names:
        print("skipped: not a git checkout")
        return 77
    found = [text for name in names if (ROOT / name).is_file() for text in complaints(name, (ROOT / name).read_bytes())]
    print("\n".join(found) if found else "no line ends with white space, and every last line ends")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
