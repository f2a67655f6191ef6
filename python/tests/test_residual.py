import numpy as np
import pytest
import scipy.optimize
from conftest import FREE

import pithball as pb

PRIORS = [
    {"charge": {"prior": {"gaussian": {"mean": "1.2 uC", "standard_deviation": "0.5 uC"}}}},
    {"stiffness": {"prior": {"lognormal": {"median": 12, "standard_deviation": 0.3}}}},
    "damping",
]


@pytest.fixture
def residual(recorded_chain):
    e, table = recorded_chain
    return e.residual(free=PRIORS, recordings=table)


def difference(f, theta, k, h=1e-5):
    step = np.zeros_like(theta)
    step[k] = h * theta[k]
    return (f(theta + step) - f(theta - step)) / (2 * step[k])


def test_names_bounds_and_rows(residual):
    assert residual.names == FREE and residual.units == ["C", "N/m", "N s/m"]
    assert residual.theta == pytest.approx([1e-6, 10, 0.1])
    assert residual.lower.tolist() == [-np.inf, 0, 0] and residual.upper.tolist() == [np.inf] * 3
    assert residual.shape == residual().shape == (residual.data_rows + 2,)
    assert residual.data_rows == 101 * 9


def test_derivatives_agree_with_differences(residual):
    theta = 1.1 * residual.theta
    jacobian = residual.jacobian(theta)
    for k in range(3):
        expected = difference(residual, theta, k)
        assert np.abs(jacobian[:, k] - expected).max() < 1e-6 * np.abs(expected).max()
    g = np.random.default_rng(1).standard_normal(residual.shape)
    r, pull_back = residual.vjp(theta)
    assert (r == residual(theta)).all()
    assert pull_back(g) == pytest.approx(jacobian.T @ g, rel=1e-9)
    d = residual.theta * [0.3, -1, 2]
    assert residual.jtj_product(theta, d) == pytest.approx(jacobian.T @ (jacobian @ d), rel=1e-9)


@pytest.mark.parametrize("absolute", [False, True])
def test_densities(recorded_chain, absolute):
    e, table = recorded_chain
    e = e.with_changes({"fit.residual.absolute_sigma": absolute})
    residual = e.residual(free=PRIORS, recordings=table)
    theta = 1.1 * residual.theta
    square, n = (residual(theta)[: residual.data_rows] ** 2).sum(), residual.data_rows
    likelihood, _ = residual.log_likelihood_and_grad(theta)
    assert likelihood == pytest.approx(-square / 2 if absolute else -n / 2 * np.log(square), rel=1e-12)
    # scipy's own densities, up to a constant: the difference between two values
    import scipy.stats

    def prior(theta):
        return scipy.stats.norm(1.2e-6, 0.5e-6).logpdf(theta[0]) + scipy.stats.lognorm(0.3, scale=12).logpdf(theta[1])

    ours = residual.log_prior_and_grad(theta)[0] - residual.log_prior_and_grad(residual.theta)[0]
    assert ours == pytest.approx(prior(theta) - prior(residual.theta), rel=1e-10)
    for density in (residual.log_likelihood_and_grad, residual.log_prior_and_grad, residual.log_posterior_and_grad):
        gradient = density(theta)[1]
        for k in range(3):
            expected = difference(lambda theta: density(theta)[0], theta, k)
            assert gradient[k] == pytest.approx(expected, rel=1e-6)


def test_scipy_finds_what_the_fit_finds(recorded_chain):
    e, table = recorded_chain
    residual = e.residual(free=FREE, recordings=table)
    found = scipy.optimize.least_squares(
        residual, 1.3 * residual.theta, residual.jacobian, bounds=(residual.lower, residual.upper), x_scale="jac"
    )
    fit = e.fit(free=FREE, recordings=table)
    frame = fit.to_pandas()
    assert (np.abs(found.x - frame.estimate) < 0.01 * frame.standard_error).all()


def test_one_experiment_takes_many_tables(recorded_chain):
    e, table = recorded_chain
    first, second = e.fit(["stiffness"], table), e.fit(["stiffness"], table)  # the files of the first are gone
    assert first["stiffness"] == second["stiffness"]


def test_wrong_values(recorded_chain, residual):
    with pytest.raises(pb.InvalidArgument, match="must have the shape"):
        residual([1.0])
    with pytest.raises(pb.InvalidArgument, match="stiffness: must be from 0"):
        residual([1e-6, -1, 0.1])
    with pytest.raises(pb.InvalidArgument, match="must have the shape"):
        residual.vjp()[1](np.zeros(3))
    e, table = recorded_chain
    robust = e.with_changes({"fit.residual.loss": "huber"}).residual(free=FREE, recordings=table)
    with pytest.raises(pb.InvalidArgument, match="must be none for a likelihood"):
        robust.log_likelihood_and_grad()


def test_a_run_that_fails(recorded_chain):
    e, table = recorded_chain
    residual = e.with_changes({"simulation.integrator": "velocity_verlet"}).residual(["stiffness"], table)
    with pytest.raises(pb.SimulationFailed):
        residual([1e7])


def test_bounds_handed_out_are_copies(residual):
    lower, upper = residual.lower, residual.upper
    for array in (residual.lower, residual.upper, residual.theta):
        array += 1
    assert np.array_equal(residual.lower, lower) and np.array_equal(residual.upper, upper)


def test_a_theta_that_is_changed_in_place_does_not_change_its_derivative(residual):
    theta = residual.theta
    r, pull_back = residual.vjp(theta)
    expected = pull_back(r)
    theta *= 1.1
    assert (pull_back(r) == expected).all()
