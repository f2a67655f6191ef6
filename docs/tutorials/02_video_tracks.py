"""
Video tracks to charge and stiffness
====================================

A camera filmed the string of the first tutorial from the side, and a tracking program wrote the places of
the balls in pixels. This tutorial turns such a table into estimates of charge and stiffness. The first fit
is bad; its residuals say why.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import pithball as pb

# %%
# The tracks
# ----------
#
# We have no camera here, so a simulation writes the tracks: 50 frames per second, half a pixel of noise,
# and one sample in ten is missing. Pixels are counted to the right (``u``) and down (``v``). For your own
# video, read the table of your program instead: ``pd.read_csv("tracks.csv")``.

body = {
    "mesh": {"chain": {"length": "0.5 m", "segments": 5}},
    "mass": "2 g",
    "charge": "60 nC",
    "pinned": ["top"],
    "springs": {"stiffness": "5 N/m", "damping": "0.01 N s/m"},
}
charge_beside = {"point_charge": {"charge": "1 uC", "position": [-0.15, 0, -0.4]}}
air = {"drag": {"linear": "1 g/s"}}
truth = pb.load(
    {
        "name": "truth",
        "system": body,
        "forces": [{"gravity": [0, 0, -9.81]}, "coulomb", charge_beside, air],
        "simulation": {"time_step": "0.5 ms", "duration": "1.5 s"},
        "output": {"every": 40},
    }
).simulate()

random = np.random.default_rng(7)
PIXELS_PER_METER, CENTER_U, CENTER_V = 800.0, 640.0, 100.0  # v = 100: the height of the pinned ball
tracks = pd.DataFrame(
    [
        {
            "time": t,
            "track": ball,
            "u": CENTER_U + PIXELS_PER_METER * x + random.normal(0, 0.5),
            "v": CENTER_V - PIXELS_PER_METER * z + random.normal(0, 0.5),
        }
        for t, snapshot in zip(truth.t[:-1], truth.x)
        for ball, (x, _, z) in enumerate(snapshot)
        if ball > 0 and random.random() > 0.1
    ]
)
print(tracks.head())

# %%
# From pixels to meters
# ---------------------
#
# The scale comes from something of known length in the picture, here 400 pixels for the string of 0.5 m at
# rest. (A camera that looks from an angle, or close by, needs a model of the camera: see
# :doc:`/docs/measurements`.) Only x and z were seen: the table has no column ``y``, and the fit uses what
# there is. Markers that are called by numbers are in the order of these numbers, all others in the order in
# which they first appear.

recording = pd.DataFrame(
    {
        "time": tracks["time"],
        "marker": tracks["track"],
        "x": (tracks["u"] - CENTER_U) / PIXELS_PER_METER,
        "z": (CENTER_V - tracks["v"]) / PIXELS_PER_METER,
    }
)

# %%
# A first fit
# -----------
#
# The model has gravity, the forces between the charges and the charged ball beside the string. It has no
# air.

model = {
    "name": "string",
    "system": body | {"charge": "20 nC"} | {"springs": {"stiffness": "10 N/m", "damping": "0.01 N s/m"}},
    "forces": [{"gravity": [0, 0, -9.81]}, "coulomb", charge_beside],
    "simulation": {"time_step": "2 ms"},
    "fit": {"recordings": [{"file": "replaced", "markers": [1, 2, 3, 4, 5]}]},
}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    airless = pb.load(model).fit(free=["charge", "stiffness"], recordings=recording)
print(airless.status)
for warning in caught:
    print(warning.message)
assert airless.status == "does not fit"

# %%
# What the residuals say
# ----------------------
#
# Noise is different in each frame. These residuals (model − recorded) are not: they swing with the string,
# and they grow with time. The recorded string loses energy and the model does not: a force is missing.


def lag_one(values):
    """Correlation of each residual with the next."""
    return np.corrcoef(values[:-1], values[1:])[0, 1]


def draw_residuals(fit, title):
    figure, axes = plt.subplots(figsize=(8, 3))
    for marker, rows in fit.residuals.groupby("marker"):
        axes.plot(rows["time"], 1000 * rows["residual_x"], ".-", linewidth=0.5, label=f"ball {marker}")
    axes.axhspan(-1.25, 1.25, alpha=0.2)  # two standard deviations of half a pixel
    axes.set(xlabel="time [s]", ylabel="residual of x [mm]", title=title)
    axes.legend(fontsize=7, ncols=5)
    figure.tight_layout()


draw_residuals(airless, "without air: does not fit")
lowest = airless.residuals.query("marker == 5")["residual_x"].dropna().to_numpy()
assert lag_one(lowest) > 0.8
early, late = np.array_split(np.abs(lowest), 2)
assert late.mean() > 1.5 * early.mean()

# %%
# The missing force
# -----------------
#
# With the drag of the air as a third unknown the model fits: the status is ``converged``, and the residuals
# are noise.

with_air = dict(model, forces=[*model["forces"], {"drag": {"linear": "0.2 g/s"}}])
fit = pb.load(with_air).fit(free=["charge", "stiffness", "linear_drag"], recordings=recording)
print(fit.to_pandas()[["estimate", "standard_error", "unit"]])
draw_residuals(fit, "with air: converged")

assert fit.status == "converged"
lowest = fit.residuals.query("marker == 5")["residual_x"].dropna().to_numpy()
assert abs(lag_one(lowest)) < 0.35
errors = fit.to_pandas()["standard_error"]
for name, value in {"charge": 60e-9, "stiffness": 5.0, "linear_drag": 1e-3}.items():
    assert abs(fit[name] - value) < 4 * errors[name]

# %%
# How far off was the bad fit? It took the lost energy for a weaker charge. Its interval is wide, because it
# allows for the correlation of the residuals; that of the good fit is more than fifty times narrower.

for name, one in {"without air": airless, "with air": fit}.items():
    error = one.to_pandas().loc["charge", "standard_error"]
    print(f"{name}: charge {1e9 * one['charge']:.2f} nC, standard error {1e9 * error:.2g} nC")
assert airless["charge"] < 0.95 * 60e-9
assert airless.to_pandas().loc["charge", "standard_error"] > 50 * errors["charge"]
