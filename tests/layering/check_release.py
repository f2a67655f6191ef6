#!/usr/bin/env python3
"""Finds what names another version than app/base/version.hpp, where a release writes it, and changelog fragments that
towncrier would leave out.

usage: check_release.py [--self-test] [ROOT]

CITATION.cff and the default of datasets/trajectory/h5md.hpp (which may not include app) name the whole version,
CHANGELOG.md has a heading for it with the date of CITATION.cff, and every `find_package(pithball X.Y` asks for its first
two numbers: other minor versions before 1.0 are not compatible, and CMake refuses them. A file of changelog.d/ is
TOPIC.KIND.md, with one of the kinds of pyproject.toml. Status 1 names what differs.
"""

import re
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ("app/base/version.hpp", r'version = "([0-9.]+)"')
WHOLE = (("CITATION.cff", r"^version: ([0-9.]+)$"), ("datasets/trajectory/h5md.hpp", r'program_version = "([0-9.]+)"'))
CHANGELOG = "CHANGELOG.md"
FRAGMENTS, NO_FRAGMENTS = "changelog.d", ("README.md", "template.jinja")
FINDERS = ("docs/tour.md", "docs/library.md", "examples/CMakeLists.txt", "tests/install/run.cmake", "tests/install/consumer/CMakeLists.txt")


def named(root, file, pattern):
    """Every version that a file names, once each."""
    return sorted(set(re.findall(pattern, (root / file).read_text(encoding="utf-8"), re.MULTILINE)))


def complaints(root):
    version, = named(root, *SOURCE)
    minor = ".".join(version.split(".")[:2])
    for file, pattern in WHOLE:
        if named(root, file, pattern) != [version]:
            yield f"{file} does not name version {version}, as {SOURCE[0]} does"
    heading = re.search(rf"^## \[{re.escape(version)}\](?: - (\S+))?$", (root / CHANGELOG).read_text(encoding="utf-8"), re.MULTILINE)
    if not heading:
        yield f"{CHANGELOG} has no heading for version {version}"
    elif named(root, "CITATION.cff", r"^date-released: (\S+)$") != [date for date in heading.groups() if date]:
        yield f"CITATION.cff has another date-released than {CHANGELOG} for version {version}"
    for file in FINDERS:
        if named(root, file, r"find_package\(pithball ([0-9.]+)") != [minor]:
            yield f"{file} asks for another version than {minor}: find_package(pithball {minor} …)"


    kinds = named(root, "pyproject.toml", r'\{directory = "(\w+)", name = ')
    for file in sorted((root / FRAGMENTS).iterdir()):
        if file.name not in NO_FRAGMENTS and not re.fullmatch(rf"[a-z0-9_-]+\.({'|'.join(kinds)})\.md", file.name):
            yield f"{FRAGMENTS}/{file.name} is no changelog fragment: its name must be TOPIC.KIND.md, KIND one of {', '.join(kinds)}"


def self_test(root):
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        shutil.copytree(root / FRAGMENTS, copy / FRAGMENTS)
        for file in (SOURCE[0], CHANGELOG, "pyproject.toml", *(file for file, _ in WHOLE), *FINDERS):
            (copy / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / file, copy / file)
        assert not list(complaints(copy)), list(complaints(copy))
        for name in ("search.md", "search.new.md", "search.added", "Search.added.md"):
            (copy / FRAGMENTS / name).write_text("Text.\n")
            told = list(complaints(copy))
            assert len(told) == 1 and told[0].startswith(f"{FRAGMENTS}/{name} is no"), (name, told)
            (copy / FRAGMENTS / name).unlink()
        (copy / FRAGMENTS / "search.added.md").write_text("Text.\n")
        assert not list(complaints(copy)), list(complaints(copy))
        citation = copy / "CITATION.cff"
        kept = citation.read_text()
        citation.write_text(re.sub(r"^date-released: .*\n", "", kept, flags=re.MULTILINE) + "date-released: 1999-12-31\n")
        told = list(complaints(copy))
        assert len(told) == 1 and "another date-released" in told[0], told
        citation.write_text(kept)
        source = copy / SOURCE[0]
        source.write_text(re.sub(SOURCE[1], 'version = "99.8.7"', source.read_text()))
        told = list(complaints(copy))
        assert len(told) == len(WHOLE) + 1 + len(FINDERS) and all("99.8" in text for text in told), told
    print("self-test: other versions and names of fragments that are not read are found")


def main(words):
    if words == ["--self-test"]:
        return self_test(ROOT)
    found = list(complaints(Path(words[0]) if words else ROOT))
    print("\n".join(found) if found else "one version is named everywhere, and every changelog fragment has a name that is read")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
