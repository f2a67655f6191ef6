import threading
import warnings

import autograd.numpy as anp
import numpy as np
import pandas as pd
import pytest

import pithball as pb

from conftest import FREE, INTEGRATORS, too_stiff


@pytest.fixture
def roll(chain):
    return chain.rollout(free=FREE)


def test_names_start_and_shape(roll):
    assert roll.names == FREE
    assert roll.theta == pytest.approx([1e-6, 10, 0.1])
    assert roll.units == ["C", "N/m", "N s/m"]
    assert roll().shape == roll.shape == (21, 4, 3)


def test_equal_to_a_simulation_to_the_last_bit(chain, roll):
    run = chain.simulate()
    x, v = roll.states()
    assert (x == run.x).all() and (v == run.v).all()
    other = chain.with_changes({"system.charge": 2e-6}).simulate()
    assert (roll([2e-6, 10, 0.1]) == other.x).all()


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_derivatives_agree_with_differences(chain, integrator):
    roll = chain.with_changes({"simulation.integrator": integrator}).rollout(free=FREE)
    random = np.random.default_rng(1)
    theta, direction = roll.theta * 1.1, roll.theta * random.standard_normal(3)
    h = 1e-5  # the error of the difference is h² f‴/6, some 1e-10 of f′, beside rounding of 1e-16/h
    difference = (roll(theta + h * direction) - roll(theta - h * direction)) / (2 * h)
    change = roll.jvp(theta, direction)
    scale = np.abs(change).max()
    assert scale > 0
    assert np.abs(change - difference).max() < 1e-7 * scale
    x, pull_back = roll.vjp(theta)
    assert (x == roll(theta)).all()
    gx, gv = random.standard_normal((2, *roll.shape))
    assert pull_back(gx) @ direction == pytest.approx((gx * change).sum(), rel=1e-9)
    with_velocities = pull_back(gx, gv) @ direction
    dv = roll.velocities.jvp(theta, direction)
    assert with_velocities == pytest.approx((gx * change).sum() + (gv * dv).sum(), rel=1e-9)
    v, of_velocities = roll.velocities.vjp(theta)
    assert (v == roll.velocities(theta)).all() and (v == roll.states(theta)[1]).all()
    assert of_velocities(gv) @ direction == pytest.approx((gv * dv).sum(), rel=1e-9)


@pytest.mark.parametrize("free", [["velocity"], [{"velocity": {"share": "none"}}], ["charge"]])
def test_initial_states_and_key_frames(chain, free):
    moving = chain.with_changes({"key_frames": [{"charge": {"times": [0, 0.2], "values": ["1 uC", "2 uC"]}}]})
    roll = moving.rollout(free)
    random = np.random.default_rng(1)
    # A velocity that starts at 0 varies by one length of the chain in a second.
    direction = np.where(roll.theta != 0, np.abs(roll.theta), 1) * random.standard_normal(len(roll.theta))
    h = 1e-5
    difference = (roll(roll.theta + h * direction) - roll(roll.theta - h * direction)) / (2 * h)
    change = roll.jvp(roll.theta, direction)
    assert np.abs(change - difference).max() < 1e-7 * np.abs(change).max()
    assert roll.vjp()[1](change) @ direction == pytest.approx((change**2).sum(), rel=1e-9)


def test_every_and_last_snapshot(chain):
    sparse = chain.with_changes({"output.every": 6}).rollout(free=["charge"])
    assert sparse.times == pytest.approx([0, 0.06, 0.12, 0.18, 0.2])
    dense = chain.rollout(free=["charge"])
    assert (sparse() == dense()[[0, 6, 12, 18, 20]]).all()
    g = np.random.default_rng(1).standard_normal(sparse.shape)
    whole = np.zeros(dense.shape)
    whole[[0, 6, 12, 18, 20]] = g
    assert sparse.vjp()[1](g) == pytest.approx(dense.vjp()[1](whole), rel=1e-12)


def test_own_loss(roll):
    target = np.array([0.7, 0.1, -0.2])
    evaluate = pb.value_and_grad(roll, lambda x: ((x[-1, 3] - target) ** 2).sum() + anp.abs(x).sum())
    theta = roll.theta
    loss, gradient = evaluate(theta)

    def by_hand(x):
        g = np.sign(x)
        g[-1, 3] += 2 * (x[-1, 3] - target)
        return ((x[-1, 3] - target) ** 2).sum() + np.abs(x).sum(), g

    expected, expected_gradient = pb.value_and_grad(roll, loss_grad=by_hand)(theta)
    assert loss == pytest.approx(expected, rel=1e-14)
    assert gradient == pytest.approx(expected_gradient, rel=1e-12)
    for k in range(3):
        step = np.zeros(3)
        step[k] = 1e-5 * theta[k]
        difference = (evaluate(theta + step)[0] - evaluate(theta - step)[0]) / (2 * step[k])
        assert gradient[k] == pytest.approx(difference, rel=1e-6)


def test_losses_that_cannot_be_differentiated(roll):
    with pytest.raises(pb.InvalidArgument, match="must depend on x"):
        pb.value_and_grad(roll, lambda x: float(np.asarray(x._value).sum()))()
    with pytest.raises(pb.InvalidArgument, match="must be one number"):
        pb.value_and_grad(roll, lambda x: x[-1])()
    with pytest.raises(pb.InvalidArgument, match="or loss_grad"):
        pb.value_and_grad(roll)


def test_map_equals_one_after_the_other(roll):
    thetas = roll.theta * np.linspace(0.5, 1.5, 7)[:, None]
    x = pb.map(roll, thetas)
    assert x.shape == (7, *roll.shape)
    for row, motion in zip(thetas, x):
        assert (motion == roll(row)).all()
    assert (pb.map(roll.velocities, thetas) == [roll.velocities(row) for row in thetas]).all()
    gradients = np.random.default_rng(1).standard_normal(x.shape)
    each = [roll.vjp(row)[1](g) for row, g in zip(thetas, gradients)]
    assert (roll.map_vjp(thetas, gradients) == each).all()
    with pytest.raises(pb.InvalidArgument, match="\\(B, 3\\)"):
        pb.map(roll, roll.theta)


def test_wrong_values(roll):
    with pytest.raises(pb.InvalidArgument, match="must have the shape"):
        roll([1.0])
    with pytest.raises(pb.InvalidArgument, match="stiffness"):
        roll([1e-6, -1, 0.1])
    with pytest.raises(pb.InvalidArgument, match="must have the shape"):
        roll.vjp()[1](np.zeros((2, 4, 3)))


def test_a_run_that_fails(chain):
    roll = chain.with_changes({"simulation.integrator": "velocity_verlet"}).rollout(free=["stiffness"])
    with pytest.raises(pb.SimulationFailed, match="at step"):
        roll([1e7])


def warned(call):
    """The warnings of Pithball that a call gives."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return [str(w.message) for w in found if issubclass(w.category, pb.PithballWarning)]


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_what_simulate_doubts_is_warned_of(size):
    e = too_stiff(size)
    (expected,) = warned(e.simulate)
    assert expected.startswith("doubtful: ")
    theta = np.array([1e12])
    loss = lambda x: (x**2).sum()
    calls = {
        "call": lambda r: r(theta),
        "states": lambda r: r.states(theta),
        "velocities": lambda r: r.velocities(theta),
        "vjp": lambda r: r.vjp(theta),
        "velocities' vjp": lambda r: r.velocities.vjp(theta),
        "jvp": lambda r: r.jvp(theta, theta),
        "map of one": lambda r: r.map([theta]),
        "gradient": lambda r: pb.value_and_grad(r, loss)(theta),
        "map_vjp of one": lambda r: r.map_vjp([theta], np.ones((1, *r.shape))),
    }
    for name, call in calls.items():
        assert warned(lambda: call(e.rollout(free=["stiffness"]))) == [expected], name
    # At every value that is tried, and of a batch once.
    roll = e.rollout(free=["stiffness"])
    assert warned(lambda: roll([1.0])) == []
    assert len(warned(lambda: [roll([1e12]), roll([1.0]), roll([2e12])])) == 2
    (batch,) = warned(lambda: roll.map([[1.0], [1e12], [2e12]]))
    assert batch == f"2 of 3 motions, the first of them {expected}"
    assert warned(lambda: roll.map_vjp([[1.0], [0.9]], np.ones((2, *roll.shape)))) == []


def test_good_motions_are_not_warned_of(roll):
    g = np.ones(roll.shape)
    assert warned(lambda: (roll(), roll.vjp()[1](g), roll.jvp(None, roll.theta), roll.map([roll.theta] * 2))) == []


def test_a_gradient_that_is_not_finite_is_named(chain, recorded_chain):
    roll = chain.rollout(free=FREE)
    target = roll()[-1, 2]
    distance = lambda x: anp.sqrt(((x[-1, 2] - target) ** 2).sum())
    with pytest.raises(pb.InvalidArgument, match=r"gradient of the loss: must be finite, got nan at \[20, 2, 0\]") as raised:
        with np.errstate(all="ignore"):
            pb.value_and_grad(roll, distance)()
    assert "singular" not in str(raised.value) and "square root" in raised.value.remedy
    value, gradient = pb.value_and_grad(roll, distance)(1.1 * roll.theta)  # elsewhere it has one
    assert value > 0 and np.isfinite(gradient).all() and (gradient != 0).any()
    g = np.zeros(roll.shape)
    g[3, 1, 2] = np.inf
    for call in [lambda: roll.vjp()[1](g), lambda: roll.velocities.vjp()[1](g), lambda: roll.map_vjp([roll.theta], [g])]:
        with pytest.raises(pb.InvalidArgument, match="must be finite, got inf at"):
            call()
    e, table = recorded_chain
    r = e.residual(free=FREE, recordings=table)
    with pytest.raises(pb.InvalidArgument, match=r"got nan at \[0\], the first of"):
        r.vjp()[1](np.full(r.shape, np.nan))


def test_threads_share_a_rollout(roll):
    expected = roll.vjp()[1](np.ones(roll.shape))
    found = []
    _, pull_back = roll.vjp()
    threads = [
        threading.Thread(target=lambda: found.append((pull_back(np.ones(roll.shape)), roll()))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert all((g == expected).all() for g, _ in found)


def test_memory_does_not_grow(roll):
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    g = np.ones(roll.shape)
    sizes = []
    for count in (100, 900):
        for _ in range(count):
            roll.vjp()[1](g)
        sizes.append(resident())
    assert sizes[1] - sizes[0] < 5e6


def test_particles_that_come_and_go_are_refused(chain_mapping):
    emitter = {"disc": {"center": [0, 0, 0], "normal": [0, 0, 1], "radius": 0.01, "rate": 100, "velocity": [0, 0, 5],
                        "mass": 0.1}}
    e = pb.load({**chain_mapping, "population": {"emitters": [emitter]}})
    with pytest.raises(pb.InvalidArgument):
        e.rollout(free=["charge"])


def test_arrays_handed_out_are_copies(chain):
    roll = chain.rollout(free=["charge", "stiffness"])
    start, times = roll.theta, roll.times
    for array in (roll.theta, roll.times):
        array -= 0.1 * array + 1
    assert np.array_equal(roll.theta, start)
    assert np.array_equal(roll.times, times)
    x = roll()
    x[:] = 0
    assert roll().any()


@pytest.mark.parametrize("theta", [["1e-6"], np.array([1e-6 + 1e-7j]), np.ma.masked_array([1e-6], mask=[True]), [None],
                                   ["heavy"]])
def test_what_is_no_real_number_is_refused(chain, theta):
    with pytest.raises(pb.InvalidArgument, match="must be real numbers"):
        chain.rollout(free=["charge"])(theta)
    with pytest.raises(pb.InvalidArgument, match="must be real numbers"):
        chain.rollout(free=["charge"]).map([theta])


def test_a_series_is_read_by_its_index(chain):
    roll = chain.rollout(free=FREE)
    series = pd.Series(roll.theta * [2, 1, 1], roll.names)
    assert (roll(series[::-1]) == roll(series.to_numpy())).all()
    with pytest.raises(pb.InvalidArgument, match="must have the index"):
        roll(series.rename({"charge": "q"}))


def test_rows_of_a_table_are_read_by_their_names(chain):
    roll = chain.rollout(free=FREE)
    table = pd.DataFrame(roll.theta * np.array([[2, 1, 1], [1, 2, 1]]), columns=FREE)
    expected = roll.map(table.to_numpy())
    others = table[FREE[::-1]]
    assert (pb.map(roll, others) == expected).all()
    assert (pb.map(roll, [row for _, row in others.iterrows()]) == expected).all()
    gradients = np.ones(expected.shape)
    assert (roll.map_vjp(others, gradients) == roll.map_vjp(table.to_numpy(), gradients)).all()
    assert (roll.jvp(None, others.iloc[0]) == roll.jvp(None, table.iloc[0].to_numpy())).all()
    with pytest.raises(pb.InvalidArgument, match="thetas: must have the columns"):
        pb.map(roll, table.rename(columns={"charge": "q"}))
    with pytest.raises(pb.InvalidArgument, match="must have the index"):
        roll.jvp(None, table.iloc[0].rename({"charge": "q"}))


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_derivatives_are_doubted_at_the_first_theta_whose_motion_touches(size):
    second = np.sqrt(size)  # the unit of time in which the same motion has the acceleration 9.81 in every size
    plane = {"plane_penalty": {"point": [0, 0, 0], "radius": 0.01 * size, "stiffness": 5e4 / size, "damping": 2 / second}}
    e = pb.load({"name": "drop", "system": {"vertices": [[0, 0, size]], "mass": 0.1, "springs": "none"},
                 "forces": [{"gravity": [0, 0, -9.81]}, plane], "output": {"every": 4},
                 "simulation": {"time_step": 0.005 * second, "duration": 0.6 * second}})
    roll = e.rollout(free=["gravity"])
    assert warned(lambda: [roll.vjp([0, 0, -4.0]), roll.jvp([0, 0, -4.5], [0, 0, 1.0])]) == []  # it does not get there
    (doubt,) = warned(lambda: roll.vjp([0, 0, -9.81]))
    assert doubt.startswith("derivatives are doubtful: ") and "plane_penalty" in doubt
    assert not any(text.startswith("derivatives") for text in warned(lambda: roll.vjp([0, 0, -9.9])))  # once
