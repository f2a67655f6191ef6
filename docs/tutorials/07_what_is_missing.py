"""
What the model lacks
====================

A fit says which values reproduce a recording best. It may still miss something: a force that nobody wrote
down, or a part that differs from the others. ``diagnose`` says what, and where, without another fit.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import pithball as pb

# %%
# A net beside a wall
# -------------------
#
# A charged net hangs beside a grounded metal wall, whose image charges pull it. One of its springs is tired: it
# has two fifths of the stiffness of the others. We film 20 balls, with 1 mm of noise, and know nothing of
# either fault.

system = {
    "mesh": {
        "grid": {"size": [0.5, 0.5], "segments": [5, 5], "bend": False},
        "rotate": {"axis": [1, 0, 0], "angle": "90 degrees"},
    },
    "mass": "1.5 g",
    "charge": "30 nC",
    "pinned": ["top"],
    "springs": {"stiffness": 12, "damping": 0.1},
}
forces = [
    {"gravity": [0, 0, -9.81]},
    "coulomb",
    {"point_charge": {"charge": "2 uC", "position": [0.1, 0.35, -0.1]}},
    {"drag": {"linear": "0.3 g/s"}},
]
wall = {"image_plane": {"point": [0, -0.35, 0], "normal": [0, 1, 0]}}


def net(name, forces, **more):
    """The experiment with these forces."""
    simulation = {"time_step": "4 ms", "duration": "2 s"}
    return pb.load({"name": name, "system": system, "forces": forces, "simulation": simulation, "output": {"every": 5}, **more})


springs = net("net", forces).simulate().springs
TIRED = 30
stiffness = [4.0 if k == TIRED else 12.0 for k in range(len(springs))]
truth = net("truth", forces + [wall]).with_changes({"system.springs.stiffness": stiffness}).simulate()

random = np.random.default_rng(3)
markers = list(range(6, 36, 2)) + [7, 15, 21, 29, 35]
tracks = pd.DataFrame(
    [
        {"time": t, "marker": particle, **dict(zip("xyz", snapshot[particle] + random.normal(0, 1e-3, 3)))}
        for t, snapshot in zip(truth.t, truth.x)
        for particle in markers
    ]
)

# %%
# A fit that is not good
# ----------------------
#
# We fit charge and stiffness. The estimates look plausible, but the residuals are several times the noise.

fit_section = {
    "recordings": [{"file": "replaced", "markers": sorted(markers)}],
    "parameters": ["charge", "stiffness"],
    "accept_misfit": True,
}
with warnings.catch_warnings():
    warnings.simplefilter("ignore", pb.PithballWarning)  # "does not fit": that is why we are here
    fit = net("without the wall", forces, fit=fit_section).fit(recordings=tracks)
print(fit.to_pandas()[["estimate", "standard_error", "unit"]])
quality = fit.result["quality"]
print(f"reduced chi-square {quality['reduced_chi_square']:.1f}")

# %%
# What is missing
# ---------------
#
# ``diagnose`` tests more than a hundred things that the model does not have: drag, fields, a wall on each side of the
# net, and the mass, charge, stiffness and rest length of every ball and spring. It names what would improve the fit
# most.

diagnosis = fit.diagnose()
print(diagnosis.verdict)
assert diagnosis.lacking[0].startswith("image_plane_strength")

# %%
# A wall below the net. We add it where it was found, and fit its strength, which is 1 for a conductor and less for
# an insulator.

with_wall = forces + [{"image_plane": {**wall["image_plane"], "strength": 0.5}}]
fit_section["parameters"] = ["charge", "stiffness", "image_plane_strength"]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    second = net("with the wall", with_wall, fit=fit_section).fit(recordings=tracks)
print(caught[0].message)
assert second.status == "doubtful" and f"stiffness[{TIRED}]" in str(caught[0].message)
print(second.to_pandas()[["estimate", "standard_error", "unit"]])

# %%
# And then?
# ---------
#
# The residuals are as small as the noise now, and still the fit is ``doubtful``: something is missing, the tired
# spring. A diagnosis has the whole table. Its neighbors are significant as well, for a soft spring looks much like
# longer or softer ones beside it; the verdict names the one that explains them.

rest = second.diagnose()
print(rest.verdict)
assert rest.lacking[0] == f"stiffness[{TIRED}]"

table = rest.to_pandas()
stiff = table[table.index.str.startswith("stiffness[")]
numbers = stiff.index.str.extract(r"(\d+)", expand=False).astype(int)
evidence = np.zeros(len(springs))
evidence[numbers] = -np.log10(stiff["p"].astype(float))
figure, axes = plt.subplots(figsize=(6, 5))
shape = truth.x[0]
for (i, j), strength in zip(springs, evidence):
    share = strength / evidence.max()
    axes.plot(*shape[[i, j]][:, [0, 2]].T, color=plt.cm.magma_r(share), linewidth=1 + 5 * share)
axes.plot(*shape[markers][:, [0, 2]].T, "o", color="tab:blue", label="markers")
axes.set(xlabel="x [m]", ylabel="z [m]", title="evidence against the stiffness of each spring")
axes.set_aspect("equal")
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
figure.tight_layout()
plt.show()

# %%
# ``pithball diagnose RUN --report`` draws the same on the body, and ``--refit`` fits again with the first thing that is
# missing. :doc:`/docs/diagnose` says how the tests work and what they cannot see.
