#!/usr/bin/env python3
"""Makes the reference of the C++ headers with Doxygen; ends with status 1 where one of these has no comment: a class, or a
function or a type outside of classes.

usage: reference.py FOLDER
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = re.compile(r": warning: (Compound .* is not documented|Member .* of namespace pithball(::\w+)* is not documented)")


def main(folder):
    settings = (ROOT / "docs/site/Doxyfile").read_text() + f"\nOUTPUT_DIRECTORY = {folder}\n"
    folder.mkdir(parents=True, exist_ok=True)
    run = subprocess.run(["doxygen", "-"], cwd=ROOT, input=settings, capture_output=True, text=True, check=True)
    undocumented = [line for line in run.stderr.splitlines() if PUBLIC.search(line)]
    print("\n".join(undocumented), end="\n" if undocumented else "")
    return 1 if undocumented else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
