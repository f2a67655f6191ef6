#!/usr/bin/env python3
"""Writes switched_drop.csv: the film of a charged drop of oil in air, simulated from the exact solution.

A drop of 600 nm and five elementary charges falls, is lifted between 4.13 s and 8.25 s by a field that is switched at
once, and falls again. It follows the terminal velocity at any time, because it forgets its velocity in 5 us, and is in
Brownian motion. 125 frames, ten per second, with noise of 0.5 um.
"""

import math
import random
from pathlib import Path

GRAVITY = 9.81  # [m/s^2]
OIL, AIR = 886.0, 1.2  # densities [kg/m^3]
VISCOSITY = 18.1e-6  # [Pa s]
SLIP_LENGTH = 81.2e-9  # b/p for b = 8.226e-3 Pa m at 101.3 kPa [m]
HEAT = 1.380649e-23 * 293  # k_B T [J]
FIELD = 20e3  # [V/m]
CHARGE, RADIUS, TIMES = 0.801e-18, 600e-9, (4.13, 8.25)  # [C], [m], [s]
FRAMES, INTERVAL, SIGMA = 125, 0.1, 0.5e-6  # interval [s], sigma [m]

drag = 6 * math.pi * VISCOSITY * RADIUS / (1 + SLIP_LENGTH / RADIUS)
fall = (OIL - AIR) * 4 / 3 * math.pi * RADIUS**3 * GRAVITY / drag
lift = CHARGE * FIELD / drag
step = math.sqrt(2 * HEAT / drag * INTERVAL)

draw = random.Random(9)
walk = [0.0, 0.0]
lines = [
    "# Simulated, not measured: written by make_switched_drop.py.",
    "# Oil drop of 600 nm and 0.801 aC; field of 20 kV/m from 4.13 s to 8.25 s; Brownian motion at 293 K; noise 0.5 um.",
    "t (s),x (um),z (um)",
]
for frame in range(FRAMES):
    t = frame * INTERVAL
    if frame > 0:
        walk = [w + step * draw.gauss(0, 1) for w in walk]
    z = -fall * t + lift * min(max(t - TIMES[0], 0.0), TIMES[1] - TIMES[0])
    seen = [1e6 * (place + w + SIGMA * draw.gauss(0, 1)) for place, w in zip((0.0, z), walk)]
    lines.append(f"{t:.1f},{seen[0]:.3f},{seen[1]:.3f}")
Path(__file__).with_name("switched_drop.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
