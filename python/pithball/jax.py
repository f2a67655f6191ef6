"""A rollout as a JAX function: `jit`, `grad` and `vmap` work; JAX calls back into the compiled engine."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

try:
    import jax
    import jax.numpy as jnp
except ImportError as error:
    raise ImportError("pithball.jax needs JAX: pip install 'pithball[jax]'") from error

from . import _pithball
from . import rollout as _rollout


def rollout(roll):
    """x(θ) of a Rollout as a JAX function (P,) → (T, N, 3), differentiable in reverse mode.

    Under `vmap`, motions run side by side on all cores. The engine computes in double precision; with JAX's default
    of single precision results are rounded, and a warning is printed: enable x64 by
    `jax.config.update("jax_enable_x64", True)`.
    """
    if not jax.config.jax_enable_x64:
        warnings.warn("results are rounded to float32; write jax.config.update('jax_enable_x64', True)", stacklevel=2)
    dtype = jnp.zeros(0).dtype
    motion = jax.ShapeDtypeStruct(roll.shape, dtype)
    values = jax.ShapeDtypeStruct(roll.theta.shape, dtype)

    def run(theta):
        rows = np.asarray(theta, dtype=float)
        flat = rows.reshape(-1, rows.shape[-1])
        return _rollout.map(roll, flat).reshape(rows.shape[:-1] + roll.shape).astype(dtype)

    def pull_back(theta, gradient):
        thetas, gradients = np.asarray(theta, dtype=float), np.asarray(gradient, dtype=float)
        flat = thetas.reshape(-1, thetas.shape[-1])
        each = zip(flat, gradients.reshape((-1,) + roll.shape))
        with ThreadPoolExecutor(_pithball.max_threads()) as threads:  # the engine releases the GIL
            found = list(threads.map(lambda pair: roll.vjp(pair[0])[1](pair[1]), each))
        return np.reshape(found, thetas.shape).astype(dtype)

    @jax.custom_vjp
    def f(theta):
        return jax.pure_callback(run, motion, theta, vmap_method="broadcast_all")

    def forward(theta):
        return f(theta), theta

    def backward(theta, gradient):
        return (jax.pure_callback(pull_back, values, theta, gradient, vmap_method="broadcast_all"),)

    f.defvjp(forward, backward)
    return f
