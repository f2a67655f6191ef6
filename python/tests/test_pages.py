"""README.md and docs/tour.md: their commands and their Python run, and print what the pages say that they print; of commands that draw
in a browser, only the options are looked up.

Times differ from run to run and are masked; the last digit of a number with decimals may differ by one, as machines round differently.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("PITHBALL_PROGRAM", ROOT / "build/release/pithball"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
TOUR = (ROOT / "docs/tour.md").read_text(encoding="utf-8")

# Commands that take 5 s of processor time or more.
SLOW = ("pithball check-gradient", "pithball diagnose", "pithball-lab")
# All of it takes ten minutes; what the tests run of it takes one.
SHORTER = {"pithball-lab cases": "pithball-lab cases --quick"}

COMMAND = re.compile(r"(pithball|pithball-lab|make) ")
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?")
TIME = re.compile(r"(?<= in )[\d.]+ (?:ms|s|min)\b")
ROW_OF_COMPARE = re.compile(r"^((?:imex_euler|imex_midpoint|velocity_verlet)(?:\s+\S+){6}\s+)\S+")  # then its seconds


def blocks(page):
    """[command, lines that it prints] of every command in indented code; what a line says behind two columns is not part of it."""
    found = []
    for line in re.sub(r"(?ms)^```.*?^```$", "", page).splitlines():
        if not line.startswith("    "):
            continue
        if COMMAND.match(line[4:]):
            found.append([re.split(r"\s{3,}", line.strip())[0], []])
        elif found:
            found[-1][1].append(line[4:].rstrip())
    return found


def python_of(page):
    """The page's Python, and what it prints by the page: the lines of the next block without a language, if that follows."""
    code, text = re.search(r"(?ms)^```python\n(.*?)^```$(?:\n+It prints\n+```\n(.*?)^```$)?", page).groups()
    return code, (text or "").splitlines()


def masked(line):
    return ROW_OF_COMPARE.sub(r"\1TIME", TIME.sub("TIME", line))


def agrees(shown, printed):
    """Whether two lines are equal, up to spaces, times, and one unit in the last digit of numbers with decimals."""
    one, other = (" ".join(masked(line).split()) for line in (shown, printed))
    if NUMBER.split(one) != NUMBER.split(other):
        return False
    for a, b in zip(NUMBER.findall(one), NUMBER.findall(other)):
        mantissa, _, power = a.partition("e")
        decimals = len(mantissa.partition(".")[2])
        unit = 10.0 ** (int(power or 0) - decimals) if decimals else 0
        if a != b and abs(float(a) - float(b)) > 1.001 * unit:
            return False
    return True


def require_printed(shown, printed):
    """Every line that a page shows is printed, in this order."""
    rest = iter(printed.splitlines())
    for line in filter(str.strip, shown):
        assert any(agrees(line, candidate) for candidate in rest), f"not printed, or not in this order: {line}\nprinted:\n{printed}"


def run(command, place):
    environment = {**os.environ, "PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, cwd=place, env=environment, shell=isinstance(command, str), capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with what the pages name of a clone."""
    folder = tmp_path_factory.mktemp("clone")
    for name in ("experiments", "datasets"):
        (folder / name).symlink_to(ROOT / name)
    return folder


IN_TOUR = blocks(TOUR)


def run_of_tour(number, place):
    """Runs a command of the tour, after the earlier ones that make the run folders it works on."""
    command = IN_TOUR[number][0]
    for folder in re.findall(r"(?<!--out )runs/\w+", command):
        makers = [k for k, (earlier, _) in enumerate(IN_TOUR[:number]) if f"--out {folder}" in earlier]
        if not (place / folder).exists():
            run_of_tour(makers[-1], place)
    return run(SHORTER.get(command, command), place)


def marked(number, command):
    return pytest.param(number, id=command, marks=[pytest.mark.slow] if command.startswith(SLOW) else [])


@pytest.mark.parametrize("number", [marked(number, command) for number, (command, _) in enumerate(IN_TOUR)])
def test_tour(number, place):
    command, shown = IN_TOUR[number]
    if {"--png", "--mp4"} & set(shlex.split(command)):  # a browser draws for minutes: tests/app/test_pictures.cpp makes shorter ones
        known = run("pithball report --help", place)
        assert all(word in known for word in shlex.split(command) if word.startswith("--"))
        return
    require_printed(shown, run_of_tour(number, place))


def test_the_tour_is_found():
    assert len(IN_TOUR) > 20 and all(command.startswith("pithball") for command, _ in IN_TOUR)
    assert sum(bool(shown) for _, shown in IN_TOUR) == 2


@pytest.mark.parametrize("page", [README, TOUR], ids=["README", "tour"])
def test_python(page, place):
    code, shown = python_of(page)
    assert shown or page is TOUR
    require_printed(shown, run([sys.executable, "-W", "error", "-c", code], place))


def test_demo_of_readme(place):
    """`make demo` ends with a fit that prints what the README shows; `make -n` says which."""
    [shown] = [lines for command, lines in blocks(README) if lines]
    recipe = run(["make", "--dry-run", "--no-print-directory", "-C", str(ROOT), "demo", "DEPS="], place)
    [fit] = [line for line in recipe.splitlines() if re.match(r"\S*/pithball fit ", line)]
    printed = run(fit.removeprefix("build/release/"), place)
    assert agrees(shown[0], printed.splitlines()[0])
    require_printed(shown, printed)


def test_targets_of_make():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:`|^    )make ([a-z-]+)", README + TOUR, re.MULTILINE))
    assert {"demo", "test"} <= named <= targets


def test_figures_of_peers():
    """Each time in the README's table is one of the table of docs/peers.md, with the peer's name, version and ratio."""
    peers = (ROOT / "docs/peers.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in peers[peers.index("## Results"):].splitlines() if line.startswith("|")]
    measured = {(peer, ours, theirs): ratio for _, peer, _, _, ours, theirs, ratio, _ in rows[2:]}
    figures = re.findall(r"^\|[^|]*\| ([\d.]+) s \| ([^:,|]+)[^:|]*: ([\d.]+) s, ([\d.]+) times", README, re.MULTILINE)
    assert len(figures) == 5
    for ours, peer, theirs, ratio in figures:
        assert f"{float(measured[peer, ours, theirs]):.2g}" == ratio, peer


def test_readme_is_short_and_its_picture_moves():
    assert len(README.split()) <= 900
    [picture] = re.findall(r"!\[.*?\]\((.*?)\)", README)
    head = (ROOT / picture).read_bytes()[:64]
    assert head[:4] == b"RIFF" and head[8:12] == b"WEBP" and b"ANIM" in head


def test_what_differs_is_found():
    assert agrees("a  in 0.94 s, 1.2e-10 (12)", "a in 12.3 ms, 1.3e-10 (12)")
    for other in ("b in 1 s, 1.2e-10 (12)", "a in 1 s, 1.4e-10 (12)", "a in 1 s, 1.2e-10 (13)", "a in 1 s, 1.2e-11 (12)"):
        assert not agrees("a in 0.94 s, 1.2e-10 (12)", other)
    with pytest.raises(AssertionError):
        require_printed(["2", "1"], "1\n2\n")
