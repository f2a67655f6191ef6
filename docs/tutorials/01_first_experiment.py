"""
Your first experiment
=====================

A string of five charged balls hangs beside a charged ball. We simulate it, look at its energies, and then
pretend that we do not know the charge: a fit finds it again from a noisy recording of the motion.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import pithball as pb

# %%
# The experiment
# --------------
#
# An experiment is a file, or a dictionary with the same keys. Quantities may carry a unit; a plain number
# is in SI units. ``chain`` makes six particles on a line, joined by five springs. Particle 0, the group
# ``top``, is pinned.

string = pb.load(
    {
        "name": "string",
        "system": {
            "mesh": {"chain": {"length": "0.5 m", "segments": 5}},
            "mass": "2 g",
            "charge": "60 nC",
            "pinned": ["top"],
            "springs": {"stiffness": "5 N/m", "damping": "0.01 N s/m"},
        },
        "forces": [
            {"gravity": [0, 0, -9.81]},
            "coulomb",
            {"point_charge": {"charge": "1 uC", "position": [-0.15, 0, -0.4]}},
            {"drag": {"linear": "1 g/s"}},
        ],
        "simulation": {"time_step": "2 ms", "duration": "2 s"},
    }
)

# %%
# The motion
# ----------
#
# A run has positions ``x`` (times, particles, 3), velocities ``v``, times ``t``, and a table of energies.

run = string.simulate()
print(run)
assert run.status == "ok"
assert run.x.shape == (len(run.t), 6, 3)

# %%
# The charged ball at the left pushes the string to the right:

figure, axes = plt.subplots(figsize=(5, 5))
for step, shade in zip(range(0, len(run.t), 100), np.linspace(0.2, 1, 11)):
    axes.plot(run.x[step, :, 0], run.x[step, :, 2], "o-", color=plt.cm.viridis(1 - shade), label=f"{run.t[step]:.1f} s")
axes.plot(-0.15, -0.4, "r+", markersize=14, markeredgewidth=3)
axes.set(xlabel="x [m]", ylabel="z [m]", aspect="equal", title="The string at eleven times")
axes.legend(fontsize=7)
assert run.x[-1, 5, 0] > 0.05  # the lowest ball

# %%
# ``energy`` has one column for each kind of energy, and what damping and drag have taken. Their sum stays
# what it was at the start, up to the error of the time steps, which is the column ``numerical``.

kinds = run.energy.drop(columns="step").loc[:, lambda table: (table != 0).any()]
print(kinds.tail(1).T)
axes = kinds.plot(figsize=(7, 4), xlabel="time [s]", ylabel="energy [J]")
axes.legend(fontsize=7)
assert abs(kinds["numerical"]).max() < 0.01 * kinds["kinetic"].max()

# %%
# A recording
# -----------
#
# Let the simulation play the camera: 50 frames per second, with 2 mm of noise. A recording is a long table,
# one row for each marker in each frame.

random = np.random.default_rng(1)
frames = range(0, len(run.t), 10)
recording = pd.DataFrame(
    [
        (run.t[frame], f"ball{ball}", *(run.x[frame, ball] + random.normal(0, 2e-3, 3)))
        for frame in frames
        for ball in range(1, 6)
    ],
    columns=["time", "marker", "x", "y", "z"],
)
print(recording.head())

# %%
# The fit
# -------
#
# Start from a third of the charge and twice the stiffness. ``markers`` says which particle each marker
# follows.

guess = string.with_changes(
    {
        "system.charge": "20 nC",
        "system.springs.stiffness": "10 N/m",
        "fit": {"recordings": [{"file": "replaced", "markers": [1, 2, 3, 4, 5]}]},
    }
)
fit = guess.fit(free=["charge", "stiffness"], recordings=recording)
print(fit.to_pandas())

# %%
# The status is ``converged``: the model fits the recording within its noise. Each interval contains the
# true value, which we know here.

table = fit.to_pandas()
truth = {"charge": 60e-9, "stiffness": 5.0}
assert fit.status == "converged"
for name, value in truth.items():
    assert abs(fit[name] - value) < 4 * table.loc[name, "standard_error"]
    assert abs(fit[name] / value - 1) < 0.01

figure, axes = plt.subplots(1, 2, figsize=(9, 3.5))
ball = fit.residuals[fit.residuals["marker"] == "ball5"]
axes[0].plot(ball["time"], ball["recorded_x"], ".", label="recorded")
axes[0].plot(ball["time"], ball["model_x"], "-", label="fitted")
axes[0].set(xlabel="time [s]", ylabel="x of ball 5 [m]")
axes[0].legend()
axes[1].plot(ball["time"], 1000 * ball["residual_x"], ".")
axes[1].axhspan(-4, 4, alpha=0.15)
axes[1].set(xlabel="time [s]", ylabel="residual [mm]", title="±2σ shaded")
figure.tight_layout()
