"""The gradient of a loss of charges' motion with respect to all charges, by JAX alone.

L(q) = ½ Σ_i |x_i|² after all steps of velocity Verlet; in float64, jitted, by reverse accumulation. Of several ways to
write it this one is the fastest on a processor: the sum over j of w_ij (x_i − x_j) as a product of matrices, and what
lies within a step computed again (jax.checkpoint) instead of kept.
"""

from turns import introduce, read_input, take_turns

(jax,) = introduce("jax", "jax")
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")
jnp = jax.numpy

given = read_input()
body, h = given["body"], given["time_step"]
x0, v0, mass, charge = (jnp.asarray(body[key]) for key in ("x", "v", "mass", "charge"))


itself = jnp.eye(len(charge), dtype=bool)


def acceleration(x, q):
    r = [x[:, None, a] - x[None, :, a] for a in range(3)]
    square = jnp.where(itself, 1.0, r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    inverse = jnp.where(itself, 0.0, jax.lax.rsqrt(square))
    weight = q[None, :] * inverse * inverse * inverse
    field = body["coulomb_constant"] * (x * jnp.sum(weight, axis=1)[:, None] - weight @ x)
    return (q / mass)[:, None] * field


def loss(q):
    def step(state, _):
        x, v, a = state
        v = v + h / 2 * a
        x = x + h * v
        a = acceleration(x, q)
        return (x, v + h / 2 * a, a), None

    x, _, _ = jax.lax.scan(jax.checkpoint(step), (x0, v0, acceleration(x0, q)), None, length=given["steps"])[0]
    return jnp.sum(x * x) / 2


differentiate = jax.jit(jax.value_and_grad(loss))


def gradient():
    value, derivative = jax.block_until_ready(differentiate(charge))
    return lambda: {"loss": float(value), "gradient": derivative.tolist()}


take_turns(gradient)
