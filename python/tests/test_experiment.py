import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pithball as pb

from conftest import FREE

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "experiments/demo/charged-net.yaml"
PROGRAM = Path(os.environ.get("PITHBALL_PROGRAM", ROOT / "build/release/pithball"))


def needs_program():
    if not PROGRAM.exists():
        pytest.skip(f"no program at {PROGRAM}")


def test_simulation_is_a_run_folder_and_arrays(chain, tmp_path):
    run = chain.simulate()
    assert run.status == "ok"
    assert run.x.shape == run.v.shape == (21, 4, 3)
    assert run.t == pytest.approx(np.linspace(0, 0.2, 21))
    assert run.x[0, 2] == pytest.approx([0.5, 0.1, -0.2])
    assert (run.x[:, 0] == 0).all()  # pinned
    assert run.springs.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert {"elastic", "coulomb", "kinetic", "total"} <= set(run.energy.columns)
    assert len(run.energy) == 21
    kept = run.save(tmp_path / "kept")
    assert (kept / "trajectory.h5").exists()
    with pytest.raises(pb.InvalidArgument, match="must not exist"):
        run.save(kept)
    folder = run.folder
    del run
    assert not folder.exists()  # the temporary one goes with its object


def test_equal_to_the_program_to_the_last_bit(tmp_path):
    needs_program()
    source = ROOT / "experiments/configs/torus-release.yaml"
    changes = {"simulation.time_step": 0.01, "simulation.duration": 0.2}
    subprocess.run(
        [PROGRAM, "simulate", source, "--out", tmp_path / "program", "--quiet"]
        + [f"--set={path}={value}" for path, value in changes.items()],
        check=True,
    )
    run = pb.load(source, changes).simulate(out=tmp_path / "python")
    from pithball import _pithball

    other = _pithball.read_trajectory(str(tmp_path / "program/trajectory.h5"))
    assert (run.x == other["x"]).all() and (run.v == other["v"]).all()
    # Columns of sums that are 0 may differ in nothing either.
    pd.testing.assert_frame_equal(run.energy, pd.read_csv(tmp_path / "program/energy.csv", comment="#").set_index("time"), rtol=0, atol=0)


def test_changes_are_read_as_in_a_file(chain):
    heavy = chain.with_changes({"system.mass": "200 g", "forces.gravity": np.array([0, 0, -1.62])})
    assert "-1.62" in heavy.filled()
    assert heavy.simulate().mass == pytest.approx([0.2] * 4)
    assert chain.simulate().mass == pytest.approx([0.1] * 4)  # unchanged


@pytest.mark.parametrize(
    "changes, what",
    [
        ({"system.mass": -1}, "system.mass"),
        ({"system.springs.stifness": 1}, "stifness"),
        ({"simulation.time_step": "1 kg"}, "simulation.time_step"),
    ],
)
def test_wrong_input_has_the_five_parts(chain, changes, what):
    with pytest.raises(pb.InvalidArgument) as caught:
        chain.with_changes(changes).simulate()
    assert what in caught.value.what
    assert caught.value.required and caught.value.remedy
    assert str(caught.value).endswith(caught.value.remedy)
    assert isinstance(caught.value, ValueError)


def test_missing_file_and_wrong_types():
    with pytest.raises(pb.InvalidArgument, match="nowhere.yaml"):
        pb.load("nowhere.yaml")
    with pytest.raises(pb.InvalidArgument, match="must be a number, text, a list"):
        pb.load({"name": "x", "system": object()})


def test_failed_run_warns_with_cause_and_remedy(chain):
    with pytest.warns(pb.PithballWarning, match="diverged"):
        run = chain.with_changes(
            {"simulation.integrator": "velocity_verlet", "system.springs.stiffness": 1e7}
        ).simulate()
    assert run.status == "diverged"


def test_fit_of_a_table_finds_the_truth(recorded_chain):
    e, table = recorded_chain
    start = e.with_changes({"system.springs.stiffness": 15})
    shuffled = table.sample(frac=1, random_state=2)  # rows may stand in any order
    fit = start.fit(free=["stiffness", "damping"], recordings=shuffled, profiles=["stiffness"])
    assert fit.status == "converged" and fit.ok
    frame = fit.to_pandas()
    assert list(frame.columns) == ["initial", "estimate", "standard_error", "lower", "upper", "unit", "identifiable"]
    assert abs(fit["stiffness"] - 10) < 4 * frame.standard_error["stiffness"]
    assert frame.lower["stiffness"] < fit["stiffness"] < frame.upper["stiffness"]
    assert np.sqrt(np.diag(fit.covariance)) == pytest.approx(frame.standard_error.to_numpy())
    assert fit.profile("stiffness").rise.min() == 0
    residuals = fit.residuals
    assert residuals.residual_x.std() == pytest.approx(1e-3, rel=0.15)
    assert "stiffness" in repr(fit) and "converged" in repr(fit) and "upper" in repr(fit)
    with pytest.raises(pb.InvalidArgument, match="fit\\(profiles="):
        fit.profile("damping")
    with pytest.raises(KeyError, match="known are stiffness"):
        fit["mass"]


def test_fit_and_identify_equal_the_program(tmp_path):
    needs_program()
    import json

    subprocess.run([PROGRAM, "fit", DEMO, "--out", tmp_path / "program", "--quiet"], check=True)
    program = json.loads((tmp_path / "program/fit.json").read_text())
    fit = pb.load(DEMO).fit()
    assert fit.result["parameters"] == program["parameters"]
    predicted = subprocess.run([PROGRAM, "identify", DEMO, "--json"], check=True, capture_output=True, text=True)
    prediction = pb.load(DEMO).identify()
    assert prediction.result["parameters"] == json.loads(predicted.stdout)["parameters"]
    assert "charge" in repr(prediction)


def test_report_of_a_run(chain, tmp_path):
    if not (Path(pb.__file__).parent / "share/report.html").exists():
        pytest.skip("the page of reports was not built")
    run = chain.simulate()
    assert run.report(tmp_path / "page.html").read_text().count("chain") > 0
    assert run.report() == run.folder / "report.html"


def test_diagnosis_equals_the_program(recorded_chain, tmp_path):
    experiment, table = recorded_chain
    fit = experiment.fit(free=["stiffness", "damping"], recordings=table, out=tmp_path / "run")
    diagnosis = fit.diagnose()
    stored = json.loads((tmp_path / "run/diagnosis.json").read_text())
    assert stored["findings"] == diagnosis.result["findings"]
    assert diagnosis.lacking == [] and "none of" in diagnosis.verdict
    found = diagnosis.to_pandas()
    assert len(found) == len(stored["findings"]) and found["p"].between(0, 1).all()
    assert np.all(np.diff(found["p"]) >= 0)
    assert "Diagnosis: " in repr(diagnosis)


def test_progress_bars(chain, capfd):
    chain.simulate(progress=True)
    assert "simulate chain" in capfd.readouterr().err
    chain.simulate()
    assert capfd.readouterr().err == ""  # no terminal


PLANNED = [{"name": "film", "planned": {"rate": 20, "duration": 0.2}, "markers": [3]}]


def test_plan_equals_the_program(chain_mapping, tmp_path):
    needs_program()
    import json

    document = {**chain_mapping, "fit": {"parameters": ["stiffness"], "recordings": PLANNED}}
    more = {"more markers": {"fit.recordings.0.markers": [1, 2, 3]}}
    table = pb.load(document).plan(more).to_pandas()
    assert list(table.columns) == ["as written", "more markers"]
    assert 0 < table.loc["stiffness", "more markers"] < table.loc["stiffness", "as written"]
    document["plan"] = {"alternatives": [{"name": "more markers", "set": more["more markers"]}]}
    (tmp_path / "plan.yaml").write_text(json.dumps(document))
    program = subprocess.run([PROGRAM, "plan", tmp_path / "plan.yaml", "--json"], check=True, capture_output=True)
    for one in json.loads(program.stdout)["alternatives"]:
        assert table.loc["stiffness", one["name"]] == one["parameters"][0]["standard_error"]
    assert "more markers" in repr(pb.load(tmp_path / "plan.yaml").plan())


def test_an_optimized_plan_equals_the_program(chain_mapping, tmp_path):
    needs_program()
    import json

    optimize = {"markers": {"choose": 1, "from": "all"}, "rate": [10, 20]}
    document = {**chain_mapping, "fit": {"parameters": ["stiffness"], "recordings": PLANNED}}
    plan = pb.load(document).plan(optimize=optimize)
    assert plan.gains.loc["stiffness", "ratio"] >= 1 and len(plan.recordings.loc["film", "markers"]) == 1
    (tmp_path / "planned.yaml").write_text(plan.planned)
    predicted = pb.load(tmp_path / "planned.yaml").plan().to_pandas().loc["stiffness", "as written"]
    assert predicted == pytest.approx(plan.gains.loc["stiffness", "optimized"], rel=1e-9)
    (tmp_path / "plan.yaml").write_text(json.dumps({**document, "plan": {"optimize": optimize}}))
    program = subprocess.run(
        [PROGRAM, "plan", tmp_path / "plan.yaml", "--optimize", "--json", "--out", tmp_path / "found"], check=True, capture_output=True
    )
    assert json.loads(program.stdout)["optimized"]["gains"] == plan.result["optimized"]["gains"]
    with pytest.raises(AttributeError, match="optimize=True"):
        pb.load(document).plan().gains


@pytest.mark.parametrize(
    "table, message",
    [
        (pd.DataFrame({"time": [0], "x": [0.0]}), "must have a column 'marker'"),
        (pd.DataFrame({"time": [0, 0], "marker": ["1", "1"], "x": [0.0, 1.0]}), "marker 1 again at 0 s"),
        ([[0, "1", 0.0, 0.0, 0.0]], "must be a pair \\(t, x\\), a table, the name of a file, or a list of these, got list"),
        (pd.DataFrame({"time": [0, 1], "marker": [1, 1], "x": [0.0, 1.0]}), "`fit.recordings` lists, got 1 for 0"),
    ],
)
def test_wrong_tables(chain, table, message):
    with pytest.raises(pb.InvalidArgument, match=message):
        chain.fit(free=["stiffness"], recordings=table)


def test_an_experiment_shows_itself_before_it_is_complete():
    assert "charged-net" in repr(pb.load(DEMO))  # it has no duration
    assert "from mapping" in repr(pb.load({"system": {}}))


@pytest.mark.parametrize(
    "free, message",
    [
        ("charge", "free=\\['charge'\\]"),
        ({"charge": {"share": "none"}}, "must be a list of names or of mappings, got a mapping"),
        ({"charge", "stiffness"}, "must be a list, whose order is that of θ, got set"),
        (3.0, "got float"),
    ],
)
def test_free_must_be_a_list(chain, free, message):
    with pytest.raises(pb.InvalidArgument, match=message):
        chain.rollout(free=free)


def test_changes_must_be_a_mapping_of_real_numbers(chain):
    with pytest.raises(pb.InvalidArgument, match="must be a mapping of paths to values, got list"):
        chain.with_changes([("system.mass", 1)])
    with pytest.raises(pb.InvalidArgument, match="must have paths as keys, got 1"):
        chain.with_changes({1: 2})
    with pytest.raises(pb.InvalidArgument, match="must be real"):
        chain.with_changes({"system.mass": np.array([1j])})


def test_a_fit_to_arrays_is_the_fit_to_the_same_table(recorded_chain):
    e, table = recorded_chain
    wide = table.pivot(index="time", columns="marker", values=["x", "y", "z"])
    t = wide.index.to_numpy()
    x = np.stack([wide[c].to_numpy() for c in "xyz"], axis=2)
    x[3, 1] = np.nan  # not seen, in all three
    seen = table[~((table.time == t[3]) & (table.marker == "2"))]
    by_arrays, by_table = (e.fit(free=["stiffness"], recordings=given) for given in ((t, x), seen))
    assert by_arrays["stiffness"] == by_table["stiffness"]
    with pytest.raises(pb.InvalidArgument, match="a pair \\(t, x\\) of real arrays"):
        e.fit(free=["stiffness"], recordings=(t, x[:, :, :2]))
    with pytest.raises(pb.InvalidArgument, match="complex128"):
        e.fit(free=["stiffness"], recordings=(t, x + 0j))


def test_nothing_that_is_handed_out_changes_the_run(chain, fit):
    run = chain.simulate()
    for array in (run.x, run.v, run.t, run.mass, run.charge):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0
    for table, column in ((lambda: run.energy, run.energy.columns[0]), (lambda: fit.residuals, "recorded_x")):
        before = table()[column].tolist()
        changed = table()
        changed[column] = 0
        assert table()[column].tolist() == before
    fit.result["parameters"].clear()
    fit.names.clear()
    fit.notes.append("?")
    roll = chain.rollout(free=["charge"])
    roll.names.clear()
    assert fit.names == FREE and "?" not in fit.notes and roll.names == ["charge"]


def test_runs_travel_to_other_processes(chain, recorded_chain, tmp_path):
    run = pickle.loads(pickle.dumps(chain.simulate()))  # whose folder is gone
    assert run.status == "ok" and (run.x == chain.simulate().x).all()
    e, table = recorded_chain
    fit = e.fit(free=["stiffness"], recordings=table)
    again = pickle.loads(pickle.dumps(fit))
    assert again.folder != fit.folder and again.result == fit.result and again.status == fit.status
    assert again.diagnose().verdict == fit.diagnose().verdict
    kept = e.fit(free=["stiffness"], recordings=table, out=tmp_path / "kept")
    assert pickle.loads(pickle.dumps(kept)).folder == tmp_path / "kept"


def test_a_folder_is_the_fit_that_left_it(tmp_path):
    fit = pb.load(DEMO).fit(free=["charge", "stiffness"], out=tmp_path / "run", progress=False)
    again = pb.Fit(tmp_path / "run")
    assert again.ok and again.status == fit.status and again["charge"] == fit["charge"]
    assert again.diagnose().verdict == fit.diagnose().verdict


@pytest.mark.parametrize("level", [0, 1, 5])
def test_a_level_is_a_probability(fit, level):
    with pytest.raises(pb.InvalidArgument, match="level: must be between 0 and 1"):
        fit.diagnose(level=level)


def test_the_gil_is_released(chain):
    long = chain.with_changes({"simulation.duration": "20 s", "output.every": 100})
    ticks, done = 0, threading.Event()
    thread = threading.Thread(target=lambda: (long.simulate(), done.set()))
    thread.start()
    while not done.wait(1e-3):
        ticks += 1
    thread.join()
    assert ticks > 3


INTERRUPTED = """
import os, resource, signal, sys, threading, time, warnings
sys.path.insert(0, {tests!r})
import conftest, numpy as np, pithball as pb
warnings.simplefilter("ignore")
pb.set_max_threads(1)
used = lambda: time.process_time()
at = []
ready = lambda: True
def interrupt():
    begun = used()
    while used() < begun + 0.3 or not ready():
        time.sleep(0.01)
    at.append(used())
    os.kill(os.getpid(), signal.SIGINT)
e = pb.load(conftest.CHAIN, {{"simulation.duration": "100000 s", "output.every": 100000}})
demo = pb.load({demo!r}, {{"simulation.time_step": "0.02 ms"}})
roll = e.rollout(free=["charge"])
{before}
threading.Thread(target=interrupt, daemon=True).start()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", used() - at[0])
"""

INTERRUPTED_CALLS = {
    "simulate": ("", "e.simulate(progress=False)"),
    "rollout": ("", "roll()"),
    "map": ("", "pb.map(roll, [roll.theta] * 4)"),
    "fit": ("", "demo.fit(free=['charge', 'stiffness'], progress=False)"),
    "identify": ("", "demo.identify(free=['charge', 'stiffness', 'mass'])"),
    "residual": ("r = demo.residual(free=['charge'])", "r(r.theta)"),
    "residual map": ("r = demo.residual(free=['charge'])", "r.map([r.theta] * 4)"),
    "jacobian": ("r = demo.residual(free=['charge'])", "r.jacobian(r.theta)"),
    "jvp": ("", "roll.jvp(roll.theta, [1.0])"),
    "vjp": ("", "roll.vjp()"),
    "sweep": ("", "pb.sweep(e.with_changes({'sweep': {'grid': {'system.mass': [0.1, 0.2]}}}), progress=False)"),
}


def ends_promptly(call):
    before, code = INTERRUPTED_CALLS[call]
    demo = Path(__file__).parents[2] / "experiments/demo/charged-net.yaml"
    text = INTERRUPTED.format(tests=str(Path(__file__).parent), demo=str(demo), before=before, call=code)
    ended = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=300)
    assert ended.stdout.startswith("interrupted "), ended.stdout + ended.stderr
    assert float(ended.stdout.split()[1]) < 1


@pytest.mark.parametrize("call", ["simulate", "map", "fit"])
def test_ctrl_c_ends_a_call_within_a_second(call):
    ends_promptly(call)


@pytest.mark.slow
@pytest.mark.parametrize("call", sorted(INTERRUPTED_CALLS))
def test_ctrl_c_ends_every_call_within_a_second(call):
    ends_promptly(call)


def test_after_a_call_ctrl_c_still_ends_the_waits_of_python(chain):
    chain.simulate(progress=False)
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        threading.Event().wait(20)
    assert time.monotonic() - begun < 10


def test_an_interrupted_fit_leaves_its_best_point(tmp_path):
    demo = Path(__file__).parents[2] / "experiments/demo/charged-net.yaml"
    begun = f"ready = lambda: os.path.exists({str(tmp_path / 'fit.partial/run.yaml')!r})"
    text = INTERRUPTED.format(tests=str(Path(__file__).parent), demo=str(demo), before=begun,
                              call=f"demo.fit(free=['charge'], out={str(tmp_path / 'fit')!r}, progress=False)")
    assert subprocess.run([sys.executable, "-c", text], capture_output=True, text=True).stdout.startswith("interrupted")
    assert '"stopped"' in (tmp_path / "fit/fit.json").read_text()


@pytest.mark.parametrize("end, status", [("sys.exit(3)", 3), ("raise RuntimeError('x')", 1)])
@pytest.mark.parametrize("call", ["roll()", "roll.vjp()", "e.simulate(progress=False)"])
def test_python_ends_while_a_thread_computes(call, end, status):
    text = f"""
import sys, threading, time, warnings
sys.path.insert(0, {str(Path(__file__).parent)!r})
import conftest, pithball as pb
warnings.simplefilter("ignore")
e = pb.load(conftest.CHAIN, {{"simulation.duration": "100000 s", "output.every": 100000}})
roll = e.rollout(free=["charge"])
threading.Thread(target=lambda: {call}, daemon=True).start()
time.sleep(0.3)
{end}
"""
    ended = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert ended.returncode == status, ended.stderr
    assert "terminate called" not in ended.stderr


def test_experiments_rollouts_and_residuals_travel_to_other_processes(chain, tmp_path):
    e = chain.with_changes({"system.charge": "30 nC"})
    assert pickle.loads(pickle.dumps(e)).filled() == e.filled()
    roll = e.rollout(free=["charge"])
    again = pickle.loads(pickle.dumps(roll))
    assert again.names == roll.names
    assert (again(roll.theta) == roll(roll.theta)).all()
    assert (pickle.loads(pickle.dumps(roll.velocities))() == roll.velocities()).all()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        (x,) = pool.map(roll, [2 * roll.theta])
    assert (x == roll(2 * roll.theta)).all()
    residual = pb.load(DEMO).residual(free=["charge"])
    assert (pickle.loads(pickle.dumps(residual))() == residual()).all()


def test_a_file_that_changed_after_it_was_pickled_is_refused(tmp_path):
    file = tmp_path / "e.yaml"
    text = "name: e\nsystem: {vertices: [[0, 0, 0]], mass: 1, springs: none}\nsimulation: {time_step: 0.1, duration: 1}\n"
    file.write_text(text)
    pickled = pickle.dumps(pb.load(file))
    assert pickle.loads(pickled).name == "e"
    file.write_text(text.replace("mass: 1", "mass: 2"))
    with pytest.raises(pb.InvalidArgument, match="must be as it was when the experiment was pickled"):
        pickle.loads(pickled)


def wide_arrays(table):
    """A long table of markers 1, 2, 3 as t (T,) and x (T, 3, 3)."""
    wide = table.pivot(index="time", columns="marker", values=["x", "y", "z"])
    return wide.index.to_numpy(), np.stack([wide[c].to_numpy() for c in "xyz"], axis=2)


def test_what_is_no_recording_of_real_numbers_is_refused(recorded_chain):
    e, table = recorded_chain
    t, x = wide_arrays(table)
    for wrong in [(t[:0], x[:0]), (np.ma.masked_array(t, mask=t > 0.5), x), (t, np.ma.masked_array(x, mask=x > 0.5)), (t, x.astype(str)),
                  table.assign(x=table.x + 0j), table.assign(x=table.x.astype(str)), table.assign(time=table.time.astype(str)),
                  table.assign(marker=None)]:
        with pytest.raises(pb.InvalidArgument, match="recordings: must"):
            e.residual(free=["stiffness"], recordings=wrong)


@pytest.mark.parametrize("marker", [float, lambda m: int(m) - 3, lambda m: int(m) / 4, lambda m: f"{m}e0"])
def test_markers_with_numbers_are_in_the_order_of_these(recorded_chain, marker):
    e, table = recorded_chain
    expected = e.residual(free=["stiffness"], recordings=table)()
    renamed = table.assign(marker=table.marker.map(marker))[::-1]  # whose first rows are those of the last marker
    assert (e.residual(free=["stiffness"], recordings=renamed)() == expected).all()


def test_recordings_replace_all_of_the_file(recorded_chain):
    e, table = recorded_chain
    two = e.with_changes({"fit.recordings": [{"file": name, "markers": [1, 2, 3]} for name in ("a.csv", "b.csv")]})
    with pytest.raises(pb.InvalidArgument, match="each one that `fit.recordings` lists, got 1 for 2"):
        two.residual(free=["stiffness"], recordings=[table])
    assert two.residual(free=["stiffness"], recordings=[table, table]).data_rows == 2 * 101 * 9


def test_what_the_recordings_do_not_determine_is_warned_of(recorded_chain):
    e, table = recorded_chain
    still = e.with_changes({"fit.residual.sigma": "1 mm"})
    with pytest.warns(pb.PithballWarning, match="the recordings do not determine stiffness, damping; "):
        fit = still.fit(free=["stiffness", "damping"], recordings=table[table.time < 0.015])
    assert "do not determine stiffness, damping" in repr(fit) and fit.undetermined == ["stiffness", "damping"]
    frame = fit.to_pandas()
    for column in ("initial", "estimate", "standard_error", "lower", "upper"):
        assert frame[column].dtype == float
    assert (frame.upper - frame.lower == np.inf).any()  # an end that was not found


def test_a_fit_that_failed_says_so_in_its_numbers(recorded_chain):
    e, table = recorded_chain
    broken = e.with_changes({"system.springs.stiffness": 1e9, "simulation.integrator": "velocity_verlet"})
    with pytest.warns(pb.PithballWarning, match="failed"):
        fit = broken.fit(free=["stiffness"], recordings=table)
    assert not fit.ok and fit.status == "failed"
    assert not fit.to_pandas().identifiable.any() and fit.to_pandas().standard_error.isna().all()
    with pytest.raises(pb.InvalidArgument, match="residuals: must have been computed, got a fit that failed"):
        fit.residuals


@pytest.mark.parametrize("status, ok", [("converged", True), ("predicted", True), ("doubtful", False), ("not unique", False),
                                        ("does not fit", False), ("cannot be judged", False), ("stalled", False)])
def test_a_fit_is_ok_where_it_can_be_used_as_it_stands(fit, status, ok):
    other = pickle.loads(pickle.dumps(fit))
    other.status = status
    assert other.ok == ok


def test_a_fit_is_a_mapping_of_its_names(fit):
    assert "charge" in fit and "mass" not in fit and list(fit) == FREE and len(fit) == 3
    assert dict(fit) == {name: fit[name] for name in FREE}
    assert fit._ipython_key_completions_() == FREE


@pytest.mark.parametrize("key, value", [("scale", "1 mm"), ("rate", "100 1/s"), ("axes", ["x", "-z", "y"]), ("up", "y"),
                                        ("columns", {"time": "t"}), ("header_line", 3)])
def test_keys_that_read_a_file_do_not_read_a_table(recorded_chain, key, value):
    e, table = recorded_chain
    for path in (f"fit.recordings.0.{key}", f"fit.recording_defaults.{key}"):
        with pytest.raises(pb.InvalidArgument, match=f"fit.recordings.0.{key}: must be absent where a table in SI units"):
            e.with_changes({path: value}).residual(free=["stiffness"], recordings=table)
    neutral = e.with_changes({"fit.recordings.0.scale": "1 m", "fit.recordings.0.up": "z"})
    assert (neutral.residual(["stiffness"], table)() == e.residual(["stiffness"], table)()).all()
