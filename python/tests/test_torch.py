import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch, which make test-torch installs")

from conftest import INTEGRATORS, too_stiff

import pithball as pb
from pithball.torch import residual, rollout


def unit(function, differentiable):
    """Of values near 1, as differences want them."""
    return lambda u: function(u * torch.from_numpy(differentiable.theta))


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_gradients(chain, integrator):
    roll = chain.with_changes({"simulation.integrator": integrator}).rollout(free=["charge", "stiffness"])
    f = unit(rollout(roll), roll)
    u = torch.tensor([1.1, 0.9], dtype=torch.float64, requires_grad=True)
    # All 252 outputs against differences; their rounding of 1e-16/1e-6 is the absolute tolerance.
    assert torch.autograd.gradcheck(f, (u,), eps=1e-5, atol=1e-8, rtol=1e-5)
    assert torch.autograd.gradcheck(unit(rollout(roll.velocities), roll), (u,), eps=1e-5, atol=1e-7, rtol=1e-5)


def test_residual(recorded_chain):
    e, table = recorded_chain
    r = e.residual(free=["charge", "stiffness"], recordings=table)
    u = torch.tensor([1.1, 0.9], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(unit(residual(r), r), (u,), eps=1e-6, atol=1e-4, rtol=1e-5, fast_mode=True)


def test_batches_grad_and_vmap_are_the_engine(chain):
    roll = chain.rollout(free=["charge", "stiffness"])
    f = rollout(roll)
    thetas = roll.theta * np.array([[1.0, 1.0], [1.2, 0.8], [0.7, 1.3]])
    rows = torch.from_numpy(thetas)
    assert (f(rows[0]).numpy() == roll(thetas[0])).all()
    assert (f(rows).numpy() == pb.map(roll, thetas)).all()
    assert (torch.vmap(f)(rows).numpy() == pb.map(roll, thetas)).all()
    loss = lambda theta: (f(theta)[-1] ** 2).sum()
    each = torch.vmap(torch.func.grad(loss))(rows)
    for theta, gradient in zip(thetas, each):
        expected = pb.value_and_grad(roll, lambda x: (x[-1] ** 2).sum())(theta)[1]
        assert gradient.numpy() == pytest.approx(expected, rel=1e-12)


def test_second_derivatives_are_refused(chain):
    roll = chain.rollout(free=["stiffness"])
    theta = torch.from_numpy(roll.theta).requires_grad_()
    (gradient,) = torch.autograd.grad((rollout(roll)(theta) ** 2).sum(), theta, create_graph=True)
    with pytest.raises(NotImplementedError, match="once"):
        gradient.sum().backward()


def test_single_precision_warns_once(chain):
    roll = chain.rollout(free=["stiffness"])
    f = rollout(roll)
    with pytest.warns(UserWarning, match="single precision"):
        assert f(torch.tensor(roll.theta, dtype=torch.float32)).dtype == torch.float32
    f(torch.tensor(roll.theta, dtype=torch.float32))


def test_doubtful_motions_and_gradients_that_are_not_finite(chain):
    f = rollout(too_stiff(1.0).rollout(free=["stiffness"]))
    theta = torch.tensor([1e12], dtype=torch.float64, requires_grad=True)
    with pytest.warns(pb.PithballWarning, match="doubtful: .* integration error") as found:
        (f(theta) ** 2).sum().backward()
    assert len(found) == 1
    roll = chain.rollout(free=["stiffness"])
    theta = torch.from_numpy(roll.theta).requires_grad_()
    distance = ((rollout(roll)(theta)[-1] - torch.from_numpy(roll()[-1])) ** 2).sum().sqrt()
    with pytest.raises(pb.InvalidArgument, match="must be finite"):
        distance.backward()
