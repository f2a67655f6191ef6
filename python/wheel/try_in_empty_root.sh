#!/usr/bin/env bash
# Installs a wheel in a root with nothing but Debian 12's minimal system and Python, without a network, runs the demo fit
# there, and compares its results with those of the program here: they must be equal to the last digit.
# usage: try_in_empty_root.sh WHEEL PROGRAM FOLDER       needs root, debootstrap, and a Python 3.11 with pip as $PYTHON
set -euo pipefail
wheel="$(realpath "$1")" program="$(realpath "$2")" folder="$3"
here="$(cd "$(dirname "$0")" && pwd)"
demo="$here/../../experiments/demo"
root="$folder/root"

mkdir -p "$folder"
if [ ! -d "$root" ]; then  # the renaming says that it is whole
  rm -rf "$root.part"
  debootstrap --variant=minbase --include=python3,python3-venv bookworm "$root.part" >"$folder/debootstrap.log"
  mv "$root.part" "$root"
fi
rm -rf "$root/try"
mkdir -p "$root/try"
"${PYTHON:-python3}" -m pip download --quiet --only-binary :all: --dest "$root/try/wheels" "$wheel"
cp -r "$demo" "$here/demo_fit.py" "$root/try"

unshare --mount --net bash -euc '
  mount -t proc proc "$1/proc"
  exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot "$1" /bin/sh -euc "
    cd /try
    python3 -m venv venv
    venv/bin/pip install --quiet --no-index --find-links wheels pithball
    venv/bin/python demo_fit.py demo/charged-net.yaml run"' _ "$root"

"$program" fit "$demo/charged-net.yaml" --out "$folder/run" --overwrite >/dev/null
python3 - "$folder/run/fit.json" "$root/try/run/fit.json" <<'COMPARE'
import json, sys
ours, theirs = (json.load(open(file)) for file in sys.argv[1:])
different = [key for key in ours if "seconds" not in key and ours[key] != theirs.get(key)]
sys.exit(f"fit.json differs from the program's in {different}" if different else 0)
COMPARE
echo "$(basename "$wheel"): the demo fit in an empty root is the program's to the last digit"
