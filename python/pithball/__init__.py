"""Differentiable simulation and system identification of masses, springs and charges.

    import pithball as pb
    e = pb.load("charged-net.yaml", {"system.charge": "40 nC", "simulation.duration": "2 s"})
    run = e.simulate()
    fit = e.fit(free=["charge", "stiffness"])
    roll = e.rollout(free=["charge"])
    loss, gradient = pb.value_and_grad(roll, lambda x: (x[-1] ** 2).sum())(roll.theta)
"""

from ._package import licences
from ._pithball import __version__
from .common_unit import CommonUnit, common_unit, quantogram
from .errors import InvalidArgument, PithballWarning, SimulationFailed
from .experiment import Experiment, load
from .film import track
from .residual import Residual
from .rollout import Rollout, map, value_and_grad
from .runs import Diagnosis, Fit, Plan, Prediction, Simulation
from .sweeps import collect, sweep
from .threads import max_threads, set_max_threads

__all__ = [
    "CommonUnit",
    "Diagnosis",
    "Experiment",
    "Fit",
    "InvalidArgument",
    "PithballWarning",
    "Plan",
    "Prediction",
    "Residual",
    "Rollout",
    "Simulation",
    "SimulationFailed",
    "__version__",
    "collect",
    "common_unit",
    "licences",
    "load",
    "map",
    "max_threads",
    "quantogram",
    "set_max_threads",
    "sweep",
    "track",
    "value_and_grad",
]
