"""Rollouts and residuals as JAX functions: `jit`, `grad` and `vmap` work; JAX calls back into the compiled engine."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from .errors import InvalidArgument

try:
    import jax
    import jax.numpy as jnp
except ImportError as error:
    raise ImportError("pithball.jax needs JAX: pip install 'pithball[jax]'") from error


def rollout(roll) -> Callable[[jax.Array], jax.Array]:
    """x(θ) of a Rollout as a JAX function (P,) → (T, N, 3), differentiable in reverse mode; or v(θ) of roll.velocities.

    Under `vmap`, motions run side by side on all cores. An error in a run arrives as JAX's JaxRuntimeError with the same
    text. The engine computes in double precision; with JAX's default of single precision results are rounded, and a
    warning is printed: enable x64 by `jax.config.update("jax_enable_x64", True)`.
    """
    return _function(roll)


def residual(r) -> Callable[[jax.Array], jax.Array]:
    """r(θ) of a Residual as a JAX function (P,) → (R,), differentiable in reverse mode; as `rollout`."""
    return _function(r)


def _function(differentiable):
    if not jax.config.jax_enable_x64:
        warnings.warn("results are rounded to float32; write jax.config.update('jax_enable_x64', True)", stacklevel=3)
    dtype = jnp.zeros(0).dtype
    shape = differentiable.shape
    result = jax.ShapeDtypeStruct(shape, dtype)
    values = jax.ShapeDtypeStruct(differentiable.theta.shape, dtype)

    def run(theta):
        rows = np.asarray(theta, dtype=float)
        flat = rows.reshape(-1, rows.shape[-1])
        return differentiable.map(flat).reshape(rows.shape[:-1] + shape).astype(dtype)

    def pull_back(theta, gradient):
        thetas, gradients = np.asarray(theta, dtype=float), np.asarray(gradient, dtype=float)
        found = differentiable.map_vjp(thetas.reshape(-1, thetas.shape[-1]), gradients.reshape((-1,) + shape))
        return found.reshape(thetas.shape).astype(dtype)

    @jax.custom_vjp
    def f(theta):
        return jax.pure_callback(run, result, theta, vmap_method="broadcast_all")

    def forward(theta):
        return f(theta), theta

    def backward(theta, gradient):
        return (jax.pure_callback(pull_back, values, theta, gradient, vmap_method="broadcast_all"),)

    f.defvjp(forward, backward)

    def checked(theta):
        if np.shape(theta) != values.shape:
            raise InvalidArgument.of("theta", f"must have the shape {values.shape}", str(np.shape(theta)),
                                     "several rows go through jax.vmap")
        return f(theta)

    return checked
