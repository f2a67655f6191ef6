"""Rollouts and residuals as PyTorch functions: autograd and `torch.func` (`grad`, `vmap`) work."""

from __future__ import annotations

import warnings
from collections.abc import Callable

try:
    import torch
except ImportError as error:
    raise ImportError("pithball.torch needs PyTorch: pip install 'pithball[torch]'") from error


def rollout(roll) -> Callable[[torch.Tensor], torch.Tensor]:
    """x(θ) of a Rollout as a PyTorch function (…, P) → (…, T, N, 3), differentiable once; or v(θ) of roll.velocities.

    Rows of a batch and, under `torch.vmap`, motions run side by side on all cores. The engine computes in double
    precision on the CPU; results have the dtype and device of θ. Single precision is warned of, once.
    """
    return _function(roll)


def residual(r) -> Callable[[torch.Tensor], torch.Tensor]:
    """r(θ) of a Residual as a PyTorch function (…, P) → (…, R), differentiable once; as `rollout`."""
    return _function(r)


_warned = False


def _function(differentiable):
    def f(theta):
        global _warned
        theta = torch.as_tensor(theta)
        if theta.dtype != torch.float64 and not _warned:
            _warned = True
            warnings.warn("results are rounded to single precision; write theta.double()", stacklevel=2)
        return _Evaluate.apply(theta, differentiable)

    return f


def _numpy_rows(tensor, shape):
    """A tensor (…, *shape) as doubles (B, *shape) of NumPy."""
    return tensor.detach().to("cpu", torch.float64).reshape(-1, *shape).numpy()


def _like(array, tensor, shape):
    """An array as a tensor of this shape, with the dtype and device of `tensor`."""
    return torch.from_numpy(array).reshape(shape).to(tensor.device, tensor.dtype)


def _in_front(tensor, dimension, size):
    """The batch dimension of a tensor moved to the front; one that has none is repeated."""
    return tensor.expand(size, *tensor.shape) if dimension is None else tensor.movedim(dimension, 0)


class _Evaluate(torch.autograd.Function):
    """θ (…, P) ↦ y (…, shape)."""

    @staticmethod
    def forward(theta, differentiable):
        found = differentiable.map(_numpy_rows(theta, differentiable.theta.shape))
        return _like(found, theta, theta.shape[:-1] + differentiable.shape)

    @staticmethod
    def setup_context(context, inputs, output):
        theta, context.differentiable = inputs
        context.save_for_backward(theta)

    @staticmethod
    def backward(context, gradient):
        return _PullBack.apply(*context.saved_tensors, gradient, context.differentiable), None

    @staticmethod
    def vmap(info, dimensions, theta, differentiable):
        return _Evaluate.apply(_in_front(theta, dimensions[0], info.batch_size), differentiable), 0


class _PullBack(torch.autograd.Function):
    """θ (…, P), g (…, shape) ↦ Jᵀg (…, P); a function of its own, so that `vmap` of a gradient works."""

    @staticmethod
    def forward(theta, gradient, differentiable):
        found = differentiable.map_vjp(
            _numpy_rows(theta, differentiable.theta.shape), _numpy_rows(gradient, differentiable.shape)
        )
        return _like(found, theta, theta.shape)

    @staticmethod
    def setup_context(context, inputs, output):
        pass

    @staticmethod
    def backward(context, gradient):
        raise NotImplementedError("a rollout can be differentiated once: its second derivative is not available")

    @staticmethod
    def vmap(info, dimensions, theta, gradient, differentiable):
        rows = [_in_front(t, d, info.batch_size) for t, d in zip((theta, gradient), dimensions)]
        return _PullBack.apply(*rows, differentiable), 0
