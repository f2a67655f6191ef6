"""Random small experiments, one for each seed: the files of a folder and the commands that use them."""

import json
import random

INTEGRATORS = ("imex_midpoint", "imex_euler", "imex_bdf2", "velocity_verlet", "leapfrog", "rk4", "symplectic_euler", "implicit_euler")


def number(draw, low, high):
    """Uniform on a logarithmic scale, with four digits, as people write them."""
    return float(f"{low * (high / low) ** draw.random():.4g}")


def body(draw):
    """A chain that hangs, a small net, or some points without springs."""
    kind = draw.choice(("chain", "grid", "points"))
    if kind == "points":
        count = draw.randint(2, 5)
        return {"vertices": [[round(0.1 * k, 3), round(0.03 * draw.random(), 4), round(0.05 * draw.random(), 4)] for k in range(count)],
                "springs": "none", "mass": number(draw, 1e-3, 1e-2), "charge": number(draw, 1e-9, 1e-8)}
    mesh = {"chain": {"length": number(draw, 0.2, 0.6), "segments": draw.randint(2, 5)}}
    if kind == "grid":
        mesh = {"grid": {"size": [0.2, 0.2], "segments": [2, 2]}}
    return {"mesh": mesh, "mass": number(draw, 1e-3, 5e-3), "pinned": ["top"] if kind == "chain" else [0],
            "charge": number(draw, 5e-9, 5e-8),
            "springs": {"stiffness": number(draw, 5, 50), "damping": number(draw, 1e-3, 2e-2)}}


def forces(draw):
    """Gravity more often than not, and some others."""
    possible = [
        "coulomb",
        {"drag": {"linear": number(draw, 1e-4, 2e-3)}},
        {"drag": {"linear": number(draw, 1e-4, 2e-3), "quadratic": number(draw, 1e-4, 2e-3)}},
        {"electric_field": {"uniform": [number(draw, 1e3, 1e4), 0, number(draw, 1e2, 1e3)]}},
        {"electric_field": {"expression": ["1e3*sin(5*t)", "0", "200*x"]}},
        {"point_charge": {"charge": number(draw, 1e-8, 1e-6), "position": [0.3, 0.2, -0.1]}},
        {"magnetic_field": {"uniform": [0, 0, number(draw, 0.1, 1)]}},
        {"dry_friction": {"friction_force": number(draw, 1e-5, 1e-4), "stiction_velocity": 0.01}},
    ]
    chosen = draw.sample(possible, draw.randint(1, 3))
    names = [next(iter(one)) if isinstance(one, dict) else one for one in chosen]
    chosen = [one for k, one in enumerate(chosen) if names[k] not in names[:k]]
    return ([{"gravity": [0, 0, -9.81]}] if draw.random() < 0.7 else []) + chosen


def experiment(draw):
    integrator = draw.choice(INTEGRATORS)
    step = 2e-3 if integrator.startswith("i") else 5e-4
    return {"name": "random", "system": body(draw), "forces": forces(draw),
            "simulation": {"integrator": integrator, "time_step": step, "duration": round(draw.uniform(0.1, 0.3), 2)}}


def fit_section(draw, one, planned):
    names = [next(iter(force)) if isinstance(force, dict) else force for force in one["forces"]]
    parameters = ["charge"] if {"electric_field", "point_charge", "coulomb"} & set(names) else []
    if "springs" in one["system"] and one["system"]["springs"] != "none":
        parameters.append("stiffness")
    if "drag" in names:
        parameters.append("linear_drag")
    source = {"planned": {"rate": 50, "duration": 0.2}, "name": "film"} if planned else {"file": "tracks.csv"}
    return {"recordings": [source], "residual": {"sigma": 1e-3}, "max_iterations": 15, "parameters": parameters or ["mass"]}


def misspelled(draw, text):
    """One letter of the text lost, another one, or a number that is none: something is wrong, and the error says what."""
    at = draw.randrange(len(text))
    return text[:at] + draw.choice(("", "q", "-", "{", "1e")) + text[at + 1:]


def write(value):
    """JSON is YAML."""
    return json.dumps(value, indent=1)


def make(seed):
    """(files by name, commands) of this seed; every command of the program has its turn."""
    draw = random.Random(seed)
    one = experiment(draw)
    files, run = {"run.yaml": write(one)}, ["simulate", "run.yaml", "--out", "out"]
    record = ["record", "run.yaml", "--rate", "50", "--noise", "1 mm", "--seed", str(seed), "--out", "tracks.csv"]
    files["fit.yaml"] = write({**one, "simulation": {**one["simulation"], "time_step": one["simulation"]["time_step"]},
                               "fit": fit_section(draw, one, planned=False)})
    files["plan.yaml"] = write({**one, "fit": fit_section(draw, one, planned=True)})
    fit = ["fit", "fit.yaml", "--out", "fitted"]
    turns = {
        "simulate": [run],
        "fit": [record, fit],
        "identify": [record, ["identify", "fit.yaml", "--json"]],
        "diagnose": [record, fit, ["diagnose", "fitted", "--json"]],
        "check-gradient": [record, ["check-gradient", "fit.yaml", "--steps", "5", "--json"]],
        "plan": [["plan", "plan.yaml", "--json"]],
        "compare": [["compare", "run.yaml", "--out", "compared", "--quiet", "--set", "compare.integrators=[velocity_verlet, rk4]"]],
        "scan": [["scan", "run.yaml", "--out", "scanned", "--quiet", "--set", "scan.over={simulation.duration: [0.1, 0.2]}", "--set",
                  "compare.integrators=[velocity_verlet]"]],
        "sweep": [["sweep", "run.yaml", "--out", "swept", "--set", "sweep.grid={simulation.duration: [0.05, 0.1]}"],
                  ["run", "swept", "--local", "1"], ["collect", "swept"]],
        "field": [["field", "run.yaml", "--line", "0.5,0,0,1,0.2,0.1", "--samples", "7", "--total", "--out", "field.csv"]],
        "export": [run, ["export", "out", "--format", draw.choice(("csv", "npz", "vtk", "lammps"))]],
        "report": [record, fit, ["report", "fitted", "--json"]],
        "data": [record, ["data", "show", "tracks.csv", "--json"]],
        "error": [["simulate", "wrong.yaml", "--out", "out"], ["fit", "wrong.yaml", "--out", "fitted"]],
    }
    name = list(turns)[seed % len(turns)]
    if name == "error":
        files["wrong.yaml"] = misspelled(draw, files["fit.yaml"])
    return name, files, turns[name]
