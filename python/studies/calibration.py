#!/usr/bin/env python3
"""Simulation-based calibration of `fit.sample()` (Talts et al. 2018, arXiv:1804.06788).

usage: calibration.py [--posteriors 320] [--processes 2]

Values are drawn from their priors, a recording is simulated at them with noise, and the posterior is sampled. If the
sampler and the density are right, the rank of the true value among thinned draws is uniform. Prints, for each value, the
p-value of a χ² test with 16 bins, and ends with status 1 where the smallest, times the number of values, is below 0.01.
"""

import argparse
import multiprocessing
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pandas as pd

import pithball as pb

DRAWS, THINNING, BINS = 63, 10, 16
NOISE = 2e-3  # m
PRIORS = [  # wide enough that the recordings say more than the priors, and not all
    {"charge": {"prior": {"gaussian": {"mean": 1e-6, "standard_deviation": 2e-7}}}},
    {"stiffness": {"prior": {"lognormal": {"median": 10, "standard_deviation": 0.3}}}},
    {"damping": {"prior": {"lognormal": {"median": 0.1, "standard_deviation": 0.5}}}},
]
NAMES = ["charge", "stiffness", "damping"]
EXPERIMENT = {
    "name": "calibration",
    "system": {
        "vertices": [[0, 0, 0], [0.3, 0, 0], [0.5, 0.1, -0.2], [0.7, 0, 0]],
        "mass": 0.1,
        "charge": 1e-6,
        "pinned": [0],
        "springs": {"edges": [[0, 1], [1, 2], [2, 3]], "stiffness": 10, "damping": 0.1},
    },
    # The field tells the sign of the charge.
    "forces": [{"gravity": [0, 0, -9.81]}, "coulomb", {"electric_field": {"uniform": [0, 1e5, 0]}}],
    "simulation": {"integrator": "imex_midpoint", "time_step": 0.02, "duration": 0.4},
    "fit": {
        "parameters": PRIORS,
        "residual": {"sigma": NOISE, "absolute_sigma": True},
        "recordings": [{"file": "x.csv", "markers": [3]}],
    },
}


def draw_values(random):
    return np.array([random.normal(1e-6, 2e-7), 10 * np.exp(0.3 * random.normal()), 0.1 * np.exp(0.5 * random.normal())])


def record(x, times, random):
    rows = [(t, "3", *(frame[3] + NOISE * random.normal(size=3))) for t, frame in zip(times, x)]
    return pd.DataFrame(rows, columns=["time", "marker", "x", "y", "z"])


def ranks(seed):
    """How many of the thinned draws lie below the truth, for each value."""
    pb.set_max_threads(1)
    random = np.random.default_rng(seed)
    e = pb.load(EXPERIMENT)
    roll = e.rollout(NAMES)
    theta = draw_values(random)
    table = record(roll(theta), roll.times, random)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of time steps and few draws: here the model is the truth
        fit = e.fit(recordings=table)
        data = fit.sample(draws=DRAWS * THINNING, tune=300, chains=1, seed=seed, progress=False)
    draws = {name: data.posterior[name].values[0][::THINNING] for name in NAMES}
    return [int((draws[name] < value).sum()) for name, value in zip(NAMES, theta)]


def main():
    import scipy.stats

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--posteriors", type=int, default=320)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    begin = time.time()
    with ProcessPoolExecutor(options.processes, multiprocessing.get_context("spawn")) as pool:
        found = np.array(list(pool.map(ranks, range(options.posteriors))))
    p = []
    for name, column in zip(NAMES, found.T):
        counts = np.bincount(column * BINS // (DRAWS + 1), minlength=BINS)
        p.append(scipy.stats.chisquare(counts).pvalue)
        print(f"{name:10} p = {p[-1]:.3f}  ranks {counts}")
    smallest = min(p) * len(p)
    print(f"{options.posteriors} posteriors in {time.time() - begin:.0f} s; smallest p times {len(p)}: {smallest:.3f}")
    return int(smallest < 0.01)


if __name__ == "__main__":
    sys.exit(main())
