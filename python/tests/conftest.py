import os

os.environ.setdefault("MPLBACKEND", "Agg")

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


@pytest.fixture
def chain():
    return pb.load(CHAIN)


@pytest.fixture
def chain_mapping():
    return CHAIN
