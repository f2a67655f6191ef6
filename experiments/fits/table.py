#!/usr/bin/env python3
"""Makes docs/what_can_be_fitted.md, or checks that it is current: the fits of its rows, with a program of yours.

usage: table.py PROGRAM [--check] [--only WORD]

Without --check the page is written anew. With --check every row is fitted and compared with the page: the status must be
the same, estimates within a tenth of their standard error, and standard errors within 5 % (other processors round
otherwise, and searches end elsewhere within their tolerance). Status 1 if a row differs.
"""

import argparse
import json
import math
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "what_can_be_fitted.md"


@dataclass(frozen=True)
class Value:
    """A fitted parameter as the page shows it: `name` in fit.json, and the unit that the number is divided by."""

    name: str
    title: str
    unit: str = ""
    size: float = 1.0
    known: str = "–"


@dataclass(frozen=True)
class Row:
    recorded: str
    file: str
    values: tuple
    limit: str
    real: bool = False


ROWS = (
    Row("film of one phone, its pose unknown", "experiments/demo/cameras/one-camera.yaml",
        (Value("charge", "charge", "nC", 1e-9, "60"), Value("stiffness", "stiffness", "N/m", 1, "10")),
        "The size of the body must be known: twice the size at twice the distance gives the same pixels."),
    Row("films of two phones, with their poses, one lens, clocks and the start unknown", "experiments/demo/phones/two-phones.yaml",
        (Value("stiffness", "stiffness", "N/m", 1, "9"), Value("linear_drag", "drag", "g/s", 1e-3, "10")),
        "A range for the clock of the second phone must be known: here they were started within 80 ms of each other."),
    Row("angle of an encoder", "experiments/fits/encoder.yaml",
        (Value("gravity.z", "gravity", "m/s²", 1, "−9.81"),),
        "An angle determines gravity over length alone: either the owner's length is 0.3 % too short, or friction is not all that is left out.", real=True),
    Row("accelerometer in a weight on a rubber band", "experiments/fits/accelerometer.yaml",
        (Value("stiffness", "stiffness", "N/m", 1, "25"), Value("damping", "damping", "g/s", 1e-3, "30")),
        "The axes of the sensor must not turn, or their turning must be in the model; a start that is not known (`initial_state: free`) doubles the errors."),
    Row("load cell above a charged ball that is not seen", "experiments/fits/load_cell.yaml",
        (Value("charge", "charge", "nC", 1e-9, "150"), Value("stiffness", "stiffness", "N/m", 1, "12")),
        "Charge and weight pull alike: an error of 1 % in the mass moves the charge by 25 standard errors."),
    Row("water drops in a field", "experiments/captured/charged_drops/charged_drops.yaml",
        (Value("charge[05706]", "charge of drop 05706", "pC", 1e-12, "−1.79, by a formula that lacks a factor of two"),),
        "Charge and drag bend a path alike where it bends little.", real=True),
    Row("oil drop between plates whose voltage is switched by hand, its film", "experiments/fits/switched_drop.yaml",
        (Value("charge", "charge", "aC", 1e-18, "0.801"), Value("hydrodynamic_radius", "radius", "nm", 1e-9, "600")),
        "Brownian motion, not the camera: a longer film helps, a sharper one does not."),
    Row("two grains at rest in a trap", "experiments/fits/grains.yaml",
        (Value("charge[0]", "charge of the right grain", "10⁻¹³ C", 1e-13), Value("charge[1]", "of the left one", "10⁻¹³ C", 1e-13)),
        "The potential was computed, not measured; its smoothing moves the charges by 2 to 5 %.", real=True),
    Row("six pieces of tape on a rope", "experiments/fits/rope.yaml",
        (Value("chain_bending_stiffness", "bending stiffness", "10⁻³ N m²", 1e-3, "2"), Value("linear_drag", "drag of a piece", "g/s", 1e-3, "0.4")),
        "The rope must bend sharply somewhere: what hangs straight says nothing of bending."),
    Row("cloth, all vertices", "experiments/captured/tshirt_obj_sequence/tshirt_obj_sequence.yaml",
        (Value("wind_y", "wind along y", "", 1, "0.0566"), Value("wind_z", "wind along z", "", 1, "0.0597")),
        "A net of springs is another model than the one that made the motion: its error, not the noise, limits the stiffness.", real=True),
    Row("film of a double pendulum", "experiments/captured/double_pendulum_ibm/double_pendulum_ibm.yaml",
        (Value("mass", "mass of the end over that of the joint"),),
        "The motion is chaotic: an error doubles every 0.08 s, so windows of 0.2 s are fitted.", real=True),
)

HEAD = """# What can be fitted from what

Each row is a file that ships with the program. `pithball fit FILE` prints its values; copy the file and change names to fit a recording of your own.
The number in parentheses is the standard error, in units of the last digits. *Known* is what the recording was simulated with, or what the owner
of a real recording states. The table is made by `experiments/fits/table.py`, and a test keeps it true.

| recorded | file | value | known | status | what limits it |
|---|---|---|---|---|---|
"""

FOOT = """
Rows with ● are measurements, or in the case of the cloth the result of another program; their pages below
[experiments/captured](../experiments/captured/README.md) say what is left open. The others were simulated by `pithball record` with the noise that such
an instrument has; the file `make-….yaml` beside each has the true values. To see what your own recording would determine before you make it, write
`planned` in place of `file` and run `pithball identify` ([identifiability](identify.md)).

Status is the word of the fit's first line. `doubtful` says that something in the recording contradicts the model, and what; the interval then need not
hold the true value ([fit quality](fit_quality.md)).
"""


def shown(value, error):
    """59.95(7): the error with one digit, with two if that is a 1."""
    if not error > 0:
        return f"{value:.4g}"
    digits = -math.floor(math.log10(error)) + (f"{error:e}"[0] == "1")
    digits = max(digits, 0)
    return f"{value:.{digits}f}({round(error * 10**digits)})".replace("-", "−")


def fit(program, row):
    """fit.json of a row."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, "fit", row.file, "--out", f"{folder}/run", "--quiet"], cwd=ROOT, capture_output=True, text=True)
        if done.returncode not in (0, 1) or not Path(folder, "run", "fit.json").exists():
            sys.exit(f"table.py: {row.file}: {done.stderr}")
        return json.loads(Path(folder, "run", "fit.json").read_text())


def numbers(row, result):
    by_name = {each["name"]: each for each in result["parameters"]}
    for value in row.values:
        if value.name not in by_name:
            sys.exit(f"table.py: {row.file}: no parameter {value.name}, known are {', '.join(by_name)}")
        yield value, by_name[value.name]["estimate"] / value.size, (by_name[value.name]["standard_error"] or 0) / value.size


def line_of(row, result):
    found = "; ".join(f"{v.title} {shown(x, e)} {v.unit}".rstrip() for v, x, e in numbers(row, result))
    known = "; ".join(f"{v.known} {v.unit if v.known[-1].isdigit() else ''}".rstrip() for v in row.values)
    link = f"[{Path(row.file).name}](../{row.file})"
    return f"| {row.recorded}{' ●' if row.real else ''} | {link} | {found} | {known} | {result['status']} | {row.limit} |"


def read_shown(text):
    """All numbers with errors in a cell, as (value, error)."""
    found = []
    for whole, error in re.findall(r"(−?\d+(?:\.\d+)?)\((\d+)\)", text):
        digits = len(whole.partition(".")[2])
        found.append((float(whole.replace("−", "-")), int(error) / 10**digits))
    return found


def differences(row, result, page):
    """What is not as on the page, a sentence each."""
    lines = [line for line in page.splitlines() if f"](../{row.file})" in line]
    if len(lines) != 1:
        return [f"{row.file}: {len(lines)} rows on the page"]
    cells = [cell.strip() for cell in lines[0].strip("|").split("|")]
    wrong = [] if cells[4] == result["status"] else [f"{row.file}: status {result['status']}, on the page {cells[4]}"]
    for (value, x, e), (printed, error) in zip(numbers(row, result), read_shown(cells[2]), strict=True):
        rounding = 0.5 * 10 ** -len(shown(x, e).partition(".")[2].partition("(")[0])
        if abs(x - printed) > 0.1 * e + rounding or abs(e - error) > 0.05 * e + rounding:
            wrong.append(f"{row.file}: {value.title} {shown(x, e)}, on the page {printed} ± {error}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda name: str(Path(name).resolve()))
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", default="", help="rows whose file has this in its name")
    arguments = parser.parse_args()
    rows = [row for row in ROWS if arguments.only in row.file]
    results = [fit(arguments.program, row) for row in rows]
    if arguments.check:
        wrong = [text for row, result in zip(rows, results) for text in differences(row, result, PAGE.read_text())]
        print("\n".join(wrong) or f"{len(rows)} rows are as on the page")
        sys.exit(1 if wrong else 0)
    lines = [line_of(row, result) for row, result in zip(rows, results)]
    print("\n".join(lines))
    if not arguments.only:
        PAGE.write_text(HEAD + "\n".join(lines) + "\n" + FOOT)


if __name__ == "__main__":
    main()
