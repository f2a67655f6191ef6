import os
from types import SimpleNamespace

os.environ.setdefault("MPLBACKEND", "Agg")

import numpy as np
import pandas as pd
import pytest

import pithball as pb

CHAIN = {
    "name": "chain",
    "system": {
        "vertices": [[0, 0, 0], [0.3, 0, 0], [0.5, 0.1, -0.2], [0.7, 0, 0]],
        "mass": 0.1,
        "charge": "1 uC",
        "pinned": [0],
        "springs": {"edges": [[0, 1], [1, 2], [2, 3]], "stiffness": 10, "damping": 0.1},
    },
    "forces": [{"gravity": [0, 0, -9.81]}, "coulomb"],
    "simulation": {"integrator": "imex_midpoint", "time_step": "10 ms", "duration": "0.2 s"},
}
FREE = ["charge", "stiffness", "damping"]
# For tests over schemes: one or more of each family.
INTEGRATORS = ["imex_midpoint", "imex_euler", "velocity_verlet", "implicit_euler", "rk4"]


def long_table(run, noise, seed):
    """The positions of a run's particles but the first, with Gaussian noise [m], as a long table."""
    random = np.random.default_rng(seed)
    rows = [
        (t, str(m), *(x + noise * random.standard_normal(3)))
        for t, frame in zip(run.t, run.x)
        for m, x in enumerate(frame)
        if m > 0
    ]
    return pd.DataFrame(rows, columns=["time", "marker", "x", "y", "z"])


def too_stiff(size):
    """A dumb-bell of this size [m] that a step of 1 ms does not resolve: its motion is doubtful."""
    return pb.load({
        "name": "stiff",
        "system": {"vertices": [[0, 0, 0], [1.2 * size, 0, 0]], "mass": 0.1, "pinned": [0],
                   "springs": {"edges": [[0, 1]], "stiffness": 1e12, "rest_length": size, "damping": 0.01}},
        "simulation": {"time_step": 1e-3, "duration": 0.1},
    })


@pytest.fixture
def chain():
    return pb.load(CHAIN)


@pytest.fixture
def chain_mapping():
    return CHAIN


@pytest.fixture
def recorded_chain(chain):
    """The chain with a recording of 1 s to be filled in by a table, and that table, of 1 mm noise."""
    fine = {"simulation.duration": "1 s", "simulation.time_step": "2.5 ms"}  # a coarse step makes a fit doubtful
    e = chain.with_changes({"fit.recordings": [{"file": "x.csv", "markers": [1, 2, 3]}], **fine})
    run = chain.with_changes(fine).simulate()
    return e, long_table(SimpleNamespace(t=run.t[::4], x=run.x[::4]), 1e-3, 1)


@pytest.fixture(scope="module")
def fit():
    """A small fit to a table of 1 mm noise."""
    e = pb.load(CHAIN, {"fit.recordings": [{"file": "x.csv", "markers": [1, 2, 3]}]})
    return e.fit(free=FREE, recordings=long_table(pb.load(CHAIN).simulate(), 1e-3, 1))
