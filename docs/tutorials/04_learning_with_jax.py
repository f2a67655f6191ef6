"""
Learning with JAX
=================

Two charged balls hang from a thread in a horizontal electric field. Which field takes the lower ball to a
wanted place, at a given time? A small neural network learns to answer this for any place at once. It is
trained *through* the simulation: no examples of right answers are needed, because the loss says how far the
ball is from where it should be.
"""

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

import pithball as pb

jax.config.update("jax_enable_x64", True)  # the engine computes in double precision

from pithball.jax import rollout  # noqa: E402

# %%
# The simulation as a JAX function
# --------------------------------
#
# The field has three components; ``components: xy`` frees two of them. ``rollout`` makes the motion a JAX
# function of these two numbers, with ``jit``, ``grad`` and ``vmap``.

pendulum = pb.load(
    {
        "name": "pendulum",
        "system": {
            "mesh": {"chain": {"length": "0.3 m", "segments": 2}},
            "mass": "2 g",
            "charge": "50 nC",
            "pinned": ["top"],
            "springs": {"stiffness": "20 N/m", "damping": "0.02 N s/m"},
        },
        "forces": [{"gravity": [0, 0, -9.81]}, {"electric_field": [1, 1, 0]}, {"drag": {"linear": "2 g/s"}}],
        "simulation": {"integrator": "velocity_verlet", "time_step": "5 ms", "duration": "0.4 s"},
        "output": {"every": 8},
    }
)
roll = pendulum.rollout(free=[{"electric_field": {"components": "xy"}}])
print(roll.names, roll.units)
motion = rollout(roll)  # (2,) → (snapshots, particles, 3)


def end_of(field):
    """Horizontal place [m] of the lower ball at the last snapshot."""
    return motion(field)[-1, -1, :2]


# %%
# The network
# -----------
#
# Two numbers in (the wanted place), sixteen hidden units, two numbers out (the field, in units of 100
# kV/m).


def initial_network(key):
    first, second = jax.random.split(key)
    return {
        "in": jax.random.normal(first, (16, 2)),
        "shift": jnp.zeros(16),
        "out": 0.1 * jax.random.normal(second, (2, 16)),
    }


def field_for(network, place):
    return 1e5 * network["out"] @ jnp.tanh(network["in"] @ (place / 0.1) + network["shift"])


def loss(network, places):
    """Mean square distance [cm²] between the wanted places and the reached ones."""
    reached = jax.vmap(lambda place: end_of(field_for(network, place)))(places)  # runs side by side
    return 1e4 * jnp.mean(jnp.sum((reached - places) ** 2, axis=1))


# %%
# Training
# --------
#
# Adam with fresh random places in each step. Each step runs sixteen simulations and their derivatives.


def places_in_disc(key, count, radius=0.12):
    angle, r = jax.random.uniform(key, (2, count)) * jnp.array([[2 * jnp.pi], [1.0]])
    return radius * jnp.sqrt(r)[:, None] * jnp.stack([jnp.cos(angle), jnp.sin(angle)], axis=1)


@jax.jit
def train_step(network, mean, square, count, key):
    value, gradient = jax.value_and_grad(loss)(network, places_in_disc(key, 16))
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
    square = jax.tree.map(lambda s, g: 0.99 * s + 0.01 * g * g, square, gradient)
    rate = 0.02 * jnp.sqrt(1 - 0.99**count) / (1 - 0.9**count)
    network = jax.tree.map(lambda w, m, s: w - rate * m / (jnp.sqrt(s) + 1e-8), network, mean, square)
    return network, mean, square, value


network = untrained = initial_network(jax.random.key(0))
mean = square = jax.tree.map(jnp.zeros_like, network)
history = []
for count in range(1, 151):
    network, mean, square, value = train_step(network, mean, square, count, jax.random.key(count))
    history.append(float(value))
print(f"loss: {history[0]:.1f} cm² at first, {np.mean(history[-10:]):.3f} cm² at last")

# %%
# Places that it has not seen
# ---------------------------
#
# The loss of new places tells whether the network has learned the task rather than its examples.

new = places_in_disc(jax.random.key(1000), 40)
before, after = float(loss(untrained, new)), float(loss(network, new))
print(f"new places: {before:.1f} cm² untrained, {after:.3f} cm² trained; RMS distance {np.sqrt(after):.2f} cm")
assert after < 0.01 * before
assert np.sqrt(after) < 1  # cm, of places up to 12 cm away

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
left.semilogy(history)
left.set(xlabel="training step", ylabel="loss [cm²]")
reached = np.asarray(jax.vmap(lambda place: end_of(field_for(network, place)))(new))
right.plot(*(100 * np.asarray(new).T), "o", markerfacecolor="none", markersize=9, label="wanted")
right.plot(*(100 * reached.T), ".", label="reached")
right.set(xlabel="x [cm]", ylabel="y [cm]", aspect="equal", title="Lower ball after 0.4 s")
right.legend()
figure.tight_layout()
