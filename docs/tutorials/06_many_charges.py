"""
Many charges
============

Every charge acts on every other: a direct sum over all pairs costs n² operations. The fast multipole method
replaces distant groups of charges by expansions; its cost grows like n, and its error stays below a
tolerance that we choose.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import pithball as pb

# %%
# A cloud that flies apart
# ------------------------
#
# Particles at random places in a cube, all with the same charge, start at rest. The charge of the whole
# cloud does not depend on how many there are.


def cloud(count, coulomb):
    return pb.load(
        {
            "name": "cloud",
            "system": {
                "mesh": {"random_cloud": {"count": count, "min": [-0.5, -0.5, -0.5], "max": [0.5, 0.5, 0.5]}},
                "mass": {"total": "1 kg"},
                "charge": {"total": "20 uC"},
            },
            "forces": [{"coulomb": coulomb | {"softening": "1 mm"}}],
            "simulation": {"integrator": "velocity_verlet", "time_step": "20 ms", "duration": "1 s"},
            "output": {"every": 10},
        }
    )


run = cloud(2000, {"method": "fmm", "tolerance": 1e-4}).simulate()
print(run)

figure, both = plt.subplots(1, 2, figsize=(9, 4.4), sharex=True, sharey=True)
for axes, snapshot in zip(both, (0, -1)):
    axes.scatter(run.x[snapshot, :, 0], run.x[snapshot, :, 2], s=2)
    axes.set(xlabel="x [m]", aspect="equal", title=f"t = {run.t[snapshot]:.1f} s")
both[0].set_ylabel("z [m]")

# %%
# The cloud falls outward, slowly at its center and fast at its surface. Energy goes from the charges to the
# motion, and their sum stays:

energy = run.energy[["coulomb", "kinetic", "total"]]
axes = energy.plot(figsize=(6, 3.5), xlabel="time [s]", ylabel="energy [J]")
axes.figure.tight_layout()
radius = np.linalg.norm(run.x, axis=2)
print(f"mean distance from the center: {radius[0].mean():.2f} m, then {radius[-1].mean():.2f} m")
assert radius[-1].mean() > 1.2 * radius[0].mean()
drift = (energy["total"] - energy["total"].iloc[0]).abs().max()
assert drift < 1e-2 * energy["kinetic"].iloc[-1]

# %%
# The tolerance is kept
# ---------------------
#
# The same cloud by the direct sum is the reference. After one second, the displacements by the fast method
# differ from it by less than the tolerance, at each of three tolerances.


def displacement(run):
    return run.x[-1] - run.x[0]


exact = displacement(cloud(2000, {"method": "direct"}).simulate())
tolerances = [1e-2, 1e-3, 1e-4]
found = []
for tolerance in tolerances:
    fast = displacement(cloud(2000, {"method": "fmm", "tolerance": tolerance}).simulate())
    found.append(np.linalg.norm(fast - exact) / np.linalg.norm(exact))
    print(f"tolerance {tolerance:g}: relative error of the displacements {found[-1]:.1e}")
    assert found[-1] < tolerance

# %%
# The cost
# --------
#
# Seconds for five steps, for more and more charges, on the machine that made this page, at a tolerance of
# 1e-4. Twice as many charges take the direct sum four times as long, and the fast method twice. ``method:
# auto``, the default, chooses by the number of charges.

METHODS = {"direct": {"method": "direct"}, "fmm": {"method": "fmm", "tolerance": 1e-4}}
counts = [2000, 4000, 8000, 16000]
seconds = {}
for method, settings in METHODS.items():
    for count in counts:
        e = cloud(count, settings).with_changes({"simulation.duration": "0.1 s"})
        start = time.perf_counter()
        e.simulate()
        seconds[method, count] = time.perf_counter() - start

figure, axes = plt.subplots(figsize=(6, 4))
for method in METHODS:
    axes.loglog(counts, [seconds[method, count] for count in counts], "o-", label=method)
axes.set(xlabel="charges", ylabel="seconds for five steps")
axes.legend()
figure.tight_layout()
