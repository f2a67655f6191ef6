"""
A loss of your own: a ring through a hoop
=========================================

A charged ring is thrown at a hoop and would fall short. An electric field points up, and each ball of the
ring may carry a charge of its own: which charges take the ring through the hoop, upright? No recording is
fitted here. We write the loss ourselves, and Pithball differentiates it through the whole simulation.
"""

import autograd.numpy as anp
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize

import pithball as pb

# %%
# The throw
# ---------
#
# Twelve balls form a ring of 6 cm radius that leans by 30°. Springs join neighbors and opposite balls. The
# ring flies along x at 2 m/s, and the hoop, of 9 cm radius, stands 1 m ahead at the same height.

BALLS, RADIUS, HOOP, HOOP_RADIUS, LEAN = 12, 0.06, np.array([1.0, 0.0, 0.0]), 0.09, np.radians(30)
angle = 2 * np.pi * np.arange(BALLS) / BALLS
upright = RADIUS * np.stack([0 * angle, np.cos(angle), np.sin(angle)], axis=1)
ring = upright @ np.array([[np.cos(LEAN), 0, np.sin(LEAN)], [0, 1, 0], [-np.sin(LEAN), 0, np.cos(LEAN)]])
neighbors = [[i, (i + 1) % BALLS] for i in range(BALLS)]
opposites = [[i, i + BALLS // 2] for i in range(BALLS // 2)]
skips = [[i, (i + 2) % BALLS] for i in range(BALLS)]

throw = pb.load(
    {
        "name": "ring",
        "system": {
            "vertices": ring,
            "velocities": [2, 0, 0],
            "mass": "20 mg",
            "charge": "0.1 nC",
            "springs": {"edges": neighbors + opposites + skips, "stiffness": "5 N/m", "damping": "0.5 mN s/m"},
        },
        "forces": [{"gravity": [0, 0, -9.81]}, {"electric_field": [0, 0, 1e5]}, "coulomb"],
        "simulation": {"time_step": "2 ms", "duration": "0.5 s"},
        "output": {"every": 10},
    }
)

# %%
# The loss
# --------
#
# ``rollout`` is the motion as a function of the free values: here one charge for each ball. At the last
# snapshot the ring should be at the hoop, and upright: every ball at the x of the hoop, and their center on
# its axis. The loss is written with autograd's NumPy, and may be anything that autograd can trace.

roll = throw.rollout(free=[{"charge": {"share": "none"}}])
print(roll)
assert roll.theta.shape == (BALLS,)


def miss(x):
    """Mean square distance [cm²] of the last snapshot from a ring that stands upright in the hoop."""
    last = 100 * (x[-1] - HOOP)
    center = anp.mean(last, axis=0)
    return anp.mean(last[:, 0] ** 2) + center[1] ** 2 + center[2] ** 2


loss_and_gradient = pb.value_and_grad(roll, miss)

# %%
# The gradient costs about as much as two or three runs, however many charges there are. We check it against
# a difference quotient in a random direction:

start = roll.theta
loss, gradient = loss_and_gradient(start)
direction = np.random.default_rng(0).normal(size=BALLS) * 1e-10
step = 1e-3
quotient = (miss(roll(start + step * direction)) - miss(roll(start - step * direction))) / (2 * step)
print(f"loss {loss:.1f} cm², slope {gradient @ direction:.6f}, by differences {quotient:.6f}")
assert abs(gradient @ direction / quotient - 1) < 1e-4

# %%
# The search
# ----------
#
# Any optimizer takes it from here. Charges are of the order of nanocoulombs: L-BFGS sees them in that unit.

NANO = 1e-9
losses = []


def in_nanocoulombs(q):
    loss, gradient = loss_and_gradient(NANO * q)
    losses.append(loss)
    return loss, NANO * gradient


found = minimize(in_nanocoulombs, start / NANO, jac=True, method="L-BFGS-B", options={"maxiter": 60})
charges = NANO * found.x
print(f"from {losses[0]:.1f} to {found.fun:.3f} cm² in {len(losses)} evaluations")
print("charges [nC]:", np.round(found.x, 2))
assert found.fun < 1e-3 * losses[0]

# %%
# The ring as it was thrown falls short; with the charges that were found it goes through. Both are seen
# from the side, the hoop as a red line, at every 0.1 s.


def clearance(x):
    """Distance [m] that the ring's balls keep from the hoop, at the last snapshot; negative: they hit it."""
    return HOOP_RADIUS - np.linalg.norm((x[-1] - HOOP)[:, 1:], axis=1).max()


figure, both = plt.subplots(1, 2, figsize=(10, 5))
for axes, theta, title in zip(both, (start, charges), ("as thrown", "with the charges found")):
    x = roll(theta)
    closed = np.concatenate([x, x[:, :1]], axis=1)
    for snapshot in closed[::5]:
        axes.plot(snapshot[:, 0], snapshot[:, 2], "-", color="tab:blue")
    axes.plot([1, 1], [-HOOP_RADIUS, HOOP_RADIUS], "r", linewidth=4)
    axes.set(xlabel="x [m]", aspect="equal", title=f"{title}: clearance {100 * clearance(x):.1f} cm")
both[0].set(ylabel="z [m]", ylim=(-1.3, 0.15))
both[1].set_ylim(-0.25, 0.25)
figure.tight_layout()

assert clearance(roll(start)) < 0
assert clearance(roll(charges)) > 0.02

# %%
# The charges are not equal: the sum of them carries the weight, and their moment turns the ring upright.

figure, axes = plt.subplots(figsize=(4.5, 4))
dots = axes.scatter(ring[:, 1], ring[:, 2], c=charges / NANO, s=220, cmap="coolwarm")
figure.colorbar(dots, label="charge [nC]")
axes.set(xlabel="y [m]", ylabel="z [m]", aspect="equal", title="The ring from behind")
weight, lift = BALLS * 20e-6 * 9.81, charges.sum() * 1e5
print(f"weight {1e3 * weight:.2f} mN, mean force of the field {1e3 * lift:.2f} mN")
assert 0.7 < lift / weight < 1.3
assert charges.std() > 0.05 * NANO
