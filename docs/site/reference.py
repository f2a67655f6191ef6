#!/usr/bin/env python3
"""Makes the reference of the C++ headers with Doxygen; lists every public name without a comment, and then ends with
status 1. Public names are namespaces, classes, functions, types and constants, and the public and protected members of
classes. An override may share the comment of what it overrides, and the values of an enumeration that of the enumeration.

usage: reference.py FOLDER
       reference.py --self-test
"""

import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

SKIPPED = 77  # as in tests/support/skip.hpp
ROOT = Path(__file__).resolve().parents[2]
UNDOCUMENTED = re.compile(r": warning: (?:Compound|Member) .* is not documented")


def undocumented_namespaces(folder):
    """From Doxygen's XML. It looks at no member of these, and does not say so. What no header fills is not ours."""
    for file in sorted(folder.glob("namespace*.xml")):
        namespace = ElementTree.parse(file).getroot().find("compounddef")
        text = "".join(namespace.find("briefdescription").itertext()).strip()
        if not text and (namespace.find("sectiondef") or namespace.find("innerclass") is not None):
            yield f"{namespace.find('location').get('file')}: Namespace {namespace.findtext('compoundname')} is not documented."


def undocumented_names(root, settings):
    """Runs Doxygen in a folder: a line for each public name without a comment."""
    with tempfile.TemporaryDirectory() as folder:
        settings += f"\nGENERATE_XML = YES\nXML_PROGRAMLISTING = NO\nXML_OUTPUT = {folder}\n"
        run = subprocess.run(["doxygen", "-"], cwd=root, input=settings, capture_output=True, text=True, check=True)
        lines = [line for line in run.stderr.splitlines() if UNDOCUMENTED.search(line)] + [*undocumented_namespaces(Path(folder))]
        return list(dict.fromkeys(lines))  # members that a class inherits are found twice


HEADER_WITH_GAPS = """/// With a comment.
namespace described {
/// A class.
struct A {
  virtual void known();  ///< its comment
  virtual void unknown();
  int first,  ///< its comment
      second;
  using Type = int;
 private:
  int hidden;
};
/// Another, whose override needs no comment.
struct B : A {
  void known() override;
};
/// Values that need no comment.
enum class Values { one, two };
struct C { int inside; };
void function();
constexpr int constant = 1;
}
namespace bare {
void unseen();
}
"""


def self_test():
    """Every kind of name is found."""
    if not shutil.which("doxygen"):
        print("skipped: no program doxygen: `third_party/install_packages.sh site` installs it")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "header.hpp").write_text(HEADER_WITH_GAPS)
        found = undocumented_names(folder, "INPUT = header.hpp\nQUIET = YES\nGENERATE_LATEX = NO\nGENERATE_HTML = NO\n")
    lacking = {re.search(r"(?:Compound|Member|Namespace) (?:\w+::)*(\w+)", line).group(1) for line in found}
    assert lacking == {"unknown", "second", "Type", "C", "inside", "function", "constant", "bare"}, found
    assert len(found) == len(lacking), found
    return 0


def main(words):
    if words == ["--self-test"]:
        return self_test()
    folder = Path(words[0]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    undocumented = undocumented_names(ROOT, (ROOT / "docs/site/Doxyfile").read_text() + f"\nOUTPUT_DIRECTORY = {folder}\n")
    print("\n".join(undocumented), end="\n" if undocumented else "")
    return 1 if undocumented else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
