"""
Planning the next recording
===========================

Before a camera is set up, one can ask what its recording would determine. ``identify`` computes the
standard errors that a fit would have, from a simulation and its derivatives, without a fit. We compare
frame rates, markers and fields for a net of charged balls.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import pithball as pb

# %%
# A planned recording
# -------------------
#
# A planned recording has a rate and a duration in place of a file, and the noise that we expect of the
# camera. The values in the experiment are our best guess.

plan = pb.load(
    {
        "name": "net",
        "system": {
            "mesh": {"grid": {"size": ["0.3 m", "0.3 m"], "segments": [4, 4]}},
            "mass": "2 g",
            "charge": "30 nC",
            "pinned": ["top"],
            "springs": {"stiffness": "10 N/m", "damping": "0.02 N s/m"},
        },
        "forces": [
            {"gravity": [0, -9.81, 0]},
            "coulomb",
            {"point_charge": {"charge": "1 uC", "position": [0.05, -0.15, 0.15]}},
            {"drag": {"linear": "1 g/s"}},
        ],
        "simulation": {"time_step": "5 ms"},
        "fit": {
            "recordings": [
                {"planned": {"rate": 25, "duration": "1 s"}, "markers": [{"group": "bottom"}], "sigma": "5 mm"}
            ],
            "parameters": ["charge", "stiffness", "linear_drag"],
        },
    }
)
print(plan.identify().to_pandas()[["standard_error", "unit", "determination"]])

# %%
# Four alternatives
# -----------------
#
# Each changes some keys of the plan: twice the frame rate, twice the duration, four markers at single balls
# in place of one at the middle of the lower edge, or a stronger charge behind the net.

alternatives = {
    "as planned": {},
    "twice the rate": {"fit.recordings.0.planned.rate": 50},
    "twice the duration": {"fit.recordings.0.planned.duration": "2 s"},
    "four markers": {"fit.recordings.0.markers": [0, 4, 7, 12]},
    "stronger charge": {"forces.point_charge.charge": "2 uC"},
}
errors = pd.DataFrame(
    {
        name: plan.with_changes(changes).identify().to_pandas()["standard_error"].astype(float)
        for name, changes in alternatives.items()
    }
).T
truth = {"charge": 30e-9, "stiffness": 10.0, "linear_drag": 1e-3}
percent = 100 * errors / pd.Series(truth)
print(percent.round(2))

axes = percent.plot.barh(figsize=(8, 4), logx=True)
axes.set(xlabel="predicted standard error [% of the value]")
axes.invert_yaxis()
axes.figure.tight_layout()

# %%
# Twice as many frames make the errors smaller by √2, since noise of different frames is independent. For
# the rest there is no such rule: more markers help the stiffness most, a longer recording the drag, and a
# stronger charge the charge. These factors are how many times smaller the errors become:

gain = errors.loc["as planned"] / errors
print(gain.round(2))
assert np.allclose(gain.loc["twice the rate"], np.sqrt(2), rtol=0.05)
best = gain.idxmax()
assert best["stiffness"] == "four markers"
assert best["linear_drag"] == "twice the duration"
assert best["charge"] == "stronger charge"

# %%
# What no recording of the motion can tell
# ----------------------------------------
#
# Ask for the mass as well, and for the charge beside the net. If all masses, stiffnesses, dampers and drags
# are doubled, and all charges multiplied by √2, the motion is the same: ``identify`` finds this combination
# of parameters and says so.

everything = ["charge", "stiffness", "linear_drag", "mass", "damping", "point_charge"]
prediction = plan.identify(free=everything)
print(prediction.to_pandas()[["standard_error", "determination"]])
for note in prediction.result["notes"]:
    print("note:", note)
assert (prediction.to_pandas()["determination"] == "none").all()
assert any("multiplied by one factor" in note for note in prediction.result["notes"])

# %%
# Weigh the net, and every combination is determined, though some only poorly: the forces between net and
# ball depend on the product of their charges, and only the weaker ones within the net tell the two apart.
# With a known charge of the ball, the charge of the net is determined.

weighed = plan.identify(free=["charge", "stiffness", "linear_drag", "damping", "point_charge"])
print(weighed.to_pandas()[["standard_error", "determination"]])
assert (weighed.to_pandas()["determination"] != "none").all()
assert weighed.to_pandas().loc["charge", "determination"] == "poor"

known_ball = plan.identify(free=["charge", "stiffness", "linear_drag", "damping"])
print(known_ball.to_pandas()[["standard_error", "determination"]])
assert known_ball.to_pandas().loc["charge", "determination"] == "determined"
