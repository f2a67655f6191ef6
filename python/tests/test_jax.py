import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp
from jax.test_util import check_grads

import pithball as pb

jax.config.update("jax_enable_x64", True)
from conftest import FREE, INTEGRATORS, too_stiff



def unit_rollout(chain, integrator):
    """Of values near 1, as differences want them."""
    from pithball.jax import rollout

    roll = chain.with_changes({"simulation.integrator": integrator}).rollout(free=["charge", "stiffness"])
    f = rollout(roll)
    return roll, lambda u: f(u * roll.theta)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_gradients(chain, integrator):
    roll, f = unit_rollout(chain, integrator)
    check_grads(f, (jnp.array([1.1, 0.9]),), order=1, modes=("rev",))


def test_jit_grad_and_vmap_are_the_engine(chain):
    roll, f = unit_rollout(chain, "imex_midpoint")
    u = jnp.array([1.0, 1.0])
    assert (np.asarray(jax.jit(f)(u)) == roll()).all()
    loss = lambda u: (f(u)[-1] ** 2).sum()
    expected = pb.value_and_grad(roll, lambda x: (x[-1] ** 2).sum())(roll.theta)[1] * roll.theta
    assert np.asarray(jax.jit(jax.grad(loss))(u)) == pytest.approx(expected, rel=1e-12)
    batch = jnp.array([[1.0, 1.0], [1.2, 0.8], [0.7, 1.3]])
    assert (np.asarray(jax.vmap(f)(batch)) == pb.map(roll, np.asarray(batch) * roll.theta)).all()
    each = jax.vmap(jax.grad(loss))(batch)
    for row, gradient in zip(batch, each):
        assert np.asarray(gradient) == pytest.approx(np.asarray(jax.grad(loss)(row)), rel=1e-12)


def test_velocities_and_residuals(chain, recorded_chain):
    from pithball.jax import residual, rollout

    roll = chain.rollout(free=["charge", "stiffness"])
    v = rollout(roll.velocities)
    check_grads(lambda u: v(u * roll.theta), (jnp.array([1.1, 0.9]),), order=1, modes=("rev",))
    e, table = recorded_chain
    r = e.residual(free=["charge", "stiffness"], recordings=table)
    f = residual(r)
    # The residuals are far from 0: at the start nearly all of a loss would cancel in a difference.
    check_grads(lambda u: f(u * r.theta), (jnp.array([1.1, 0.9]),), order=1, modes=("rev",), rtol=1e-5)
    assert (np.asarray(jax.jit(f)(r.theta)) == r()).all()


def test_doubtful_motions_and_gradients_that_are_not_finite(chain):
    from pithball.jax import rollout

    f = rollout(too_stiff(1.0).rollout(free=["stiffness"]))
    with pytest.warns(pb.PithballWarning, match="doubtful: .* integration error") as found:
        jax.block_until_ready(jax.jit(jax.grad(lambda theta: (f(theta) ** 2).sum()))(jnp.array([1e12])))
    assert len(found) == 1
    roll = chain.rollout(free=["stiffness"])
    g, target = rollout(roll), roll()[-1]
    with pytest.raises(Exception, match="must be finite, got nan at"):
        jax.block_until_ready(jax.grad(lambda theta: jnp.sqrt(((g(theta)[-1] - target) ** 2).sum()))(roll.theta))


def test_another_shape_of_theta_is_refused_before_the_engine_is_called(chain):
    from pithball.jax import rollout

    f = rollout(chain.rollout(free=FREE))
    for theta in (np.ones(2), 1.0, np.ones((4, 3))):
        with pytest.raises(pb.InvalidArgument, match=r"theta: must have the shape \(3,\)"):
            jax.jit(f)(theta)
