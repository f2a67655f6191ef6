#!/usr/bin/env python3
"""What Python adds to a gradient, and what a second core gives to a batch; prints JSON.

usage: overhead.py [--repetitions 20]

The gradient is that of a torus of 145 charged vertices over 100 steps, with respect to every charge. Times are medians of
runs that take turns.
"""

import argparse
import json
import time
from statistics import median

import numpy as np

import pithball as pb

TORUS = {
    "name": "torus",
    "system": {
        "mesh": {"torus": {"major_radius": 4, "minor_radius": 1.5, "segments": [29, 5]}},
        "mass": 0.1,
        "charge": "6 uC",
        "springs": {"stiffness": 10},
    },
    "forces": ["coulomb"],
    "simulation": {"integrator": "imex_midpoint", "time_step": 0.01, "duration": 1},
}
FREE = [{"charge": {"share": "none"}}]


def seconds(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def gradient_times(roll, repetitions):
    """Medians [s] of a gradient in C++ alone and from Python."""
    theta, g = roll.theta, np.random.default_rng(1).standard_normal(roll.shape)
    inside, outside = [], []
    for _ in range(repetitions + 1):
        inside.append(roll._compiled.time_vjp(theta, g))
        outside.append(seconds(lambda: roll.vjp(theta)[1](g)))
    return median(inside[1:]), median(outside[1:])


def batch_ratio(roll, size, repetitions):
    """Time of a batch on one thread over that on all."""
    thetas = np.tile(roll.theta, (size, 1))
    most = pb.max_threads()
    ratios = []
    for _ in range(repetitions):
        times = []
        for threads in (1, most):
            pb.set_max_threads(threads)
            times.append(seconds(lambda: pb.map(roll, thetas)))
        ratios.append(times[0] / times[1])
    pb.set_max_threads(most)
    return median(ratios)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=20)
    repetitions = parser.parse_args().repetitions
    torus = pb.load(TORUS)
    inside, outside = gradient_times(torus.rollout(FREE), repetitions)
    tiny = torus.with_changes({"simulation.duration": 0.01, "system.mesh.torus.segments": [4, 3]}).rollout(["charge"])
    tiny_inside, tiny_outside = gradient_times(tiny, 50 * repetitions)
    print(json.dumps({
        "gradient_c++_seconds": inside,
        "gradient_python_seconds": outside,
        "gradient_ratio": outside / inside,
        "call_overhead_milliseconds": 1e3 * (tiny_outside - tiny_inside),
        "threads": pb.max_threads(),
        "map_64_one_thread_over_all": batch_ratio(torus.rollout(["charge"]), 64, max(1, repetitions // 4)),
    }, indent=2))


if __name__ == "__main__":
    main()
