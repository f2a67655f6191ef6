"""The same gradient as jax_gradient.py, by the steps of JAX MD: the ones that Pithball's backend of that name takes."""

import sys
from pathlib import Path

from turns import introduce, read_input, take_turns

introduce("jax-md", "jax_md")
sys.path.append(str(Path(__file__).parents[1] / "jax_md"))
from serve import Body, Motion, jax, jnp  # noqa: E402  (where the backend's script is)

given = read_input()
motion = Motion(Body(**given["body"]), given["time_step"])


def loss(q):
    return jnp.sum(motion.final(q, given["steps"]) ** 2) / 2


differentiate = jax.jit(jax.value_and_grad(loss))


def gradient():
    value, derivative = jax.block_until_ready(differentiate(motion.charge))
    return lambda: {"loss": float(value), "gradient": derivative.tolist()}


take_turns(gradient)
