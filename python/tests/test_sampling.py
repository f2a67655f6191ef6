import warnings

import numpy as np
import pytest

pytest.importorskip("nutpie")
with warnings.catch_warnings():
    warnings.simplefilter("ignore", FutureWarning)
    pytest.importorskip("arviz")

from conftest import FREE

import pithball as pb
from pithball.sampling import _Unconstrained


def test_values_between_bounds():
    values = _Unconstrained(np.array([-np.inf, 2, -np.inf, 2]), np.array([np.inf, np.inf, 5, 5]))
    p = np.array([-3, 2.5, 4, 3])
    u, slope = values.inverse(p)
    assert values.value(u)[0] == pytest.approx(p)
    h = 1e-6
    up, down = values.value(u + h), values.value(u - h)
    assert (up[0] - down[0]) / (2 * h) == pytest.approx(slope * np.array([1, 1, -1, 1]), rel=1e-8)
    assert (np.log(up[1]) - np.log(down[1])) / (2 * h) == pytest.approx(values.value(u)[2], abs=1e-8)
    far = values.value(np.array([1e3, -800, -800, 800]))[0]
    assert (far[1:] >= [2, 2, 2]).all() and (far[2:] <= 5).all()


def require_spread_of_errors(fit, data, mean, spread):
    """The draws of each parameter have its estimate as mean, to so many standard errors, and its error, relative, as spread."""
    frame = fit.to_pandas()
    for parameter in fit.result["parameters"]:
        name, formal = parameter["name"], parameter["standard_errors"]["formal"]
        draws = data.posterior[name]
        assert abs(float(draws.mean()) - frame.estimate[name]) < mean * formal
        assert float(draws.std()) == pytest.approx(formal, rel=spread)
        assert draws.attrs["units"] == frame.unit[name]


@pytest.mark.filterwarnings("ignore::pithball.errors.PithballWarning")  # of so few draws, see below
def test_draws_of_one_value_have_the_spread_of_its_error(recorded_chain):
    e, table = recorded_chain
    fit = e.fit(free=["stiffness"], recordings=table)
    # At least 18 independent draws, as the package says: the mean to 0.24, the spread to 17 % (one standard deviation).
    require_spread_of_errors(fit, fit.sample(draws=100, tune=120, chains=2, seed=1), mean=0.7, spread=0.5)


@pytest.mark.slow
def test_draws_have_the_spread_of_the_errors(recorded_chain):
    e, table = recorded_chain
    fit = e.fit(free=FREE, recordings=table)
    data = fit.sample(draws=250, tune=200, chains=2, seed=1)
    # Some 400 independent draws: the mean to 0.05, the spread to 4 % (one standard deviation).
    require_spread_of_errors(fit, data, mean=0.3, spread=0.2)
    assert data.attrs["divergences"] == 0 and data.attrs["r_hat"] < 1.02 and data.attrs["effective_sample_size"] > 200


def test_few_draws_are_said(recorded_chain):
    e, table = recorded_chain
    fit = e.fit(free=["stiffness"], recordings=table)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        fit.sample(draws=40, tune=100, chains=2, seed=1)
    assert any("effective sample size" in str(warning.message) for warning in said)


def test_a_value_that_nothing_determines_needs_a_prior(chain_mapping, recorded_chain):
    e, table = recorded_chain
    # Only the product acts: one charge in a field of unknown strength.
    document = {
        **chain_mapping,
        "forces": [{"electric_field": {"uniform": [0, 0, 1e5]}}],
        "fit": {"recordings": [{"file": "x.csv", "markers": [1, 2, 3]}]},
    }
    e = pb.load(document)
    table = table[table.time <= 0.2]
    with pytest.warns(pb.PithballWarning):
        fit = e.fit(free=["charge", "electric_field"], recordings=table)
    with pytest.raises(pb.InvalidArgument, match="prior"):
        fit.sample()


@pytest.mark.parametrize("number", ["draws", "chains"])
def test_numbers_of_draws_are_checked(fit, number):
    with pytest.raises(pb.InvalidArgument, match=f"{number}: must be a whole number of at least 1"):
        fit.sample(**{number: 0})


def test_what_ctrl_c_left_of_a_posterior_is_not_handed_out(fit, monkeypatch):
    import nutpie

    whole = nutpie.sample

    def cut_off(*given, **named):
        data = whole(*given, **{**named, "draws": named["draws"] // 2})
        return data  # as nutpie does after Ctrl-C: the draws so far

    monkeypatch.setattr(nutpie, "sample", cut_off)
    with pytest.raises(KeyboardInterrupt, match="the draws so far"):
        fit.sample(draws=10, tune=10, chains=1, seed=1)
