"""What a run object does with its folder, and what another process or a later run does to it."""

import json
import multiprocessing
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import pithball as pb


def test_a_copy_replaces_a_run_and_nothing_else(chain, tmp_path):
    run = chain.simulate()
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis/chapter.txt").write_text("years of work")
    with pytest.raises(pb.InvalidArgument, match="must not exist yet or be an earlier run folder"):
        run.save(tmp_path / "thesis", overwrite=True)
    assert (tmp_path / "thesis/chapter.txt").read_text() == "years of work"
    (tmp_path / "file").write_text("")
    with pytest.raises(pb.InvalidArgument, match="got a file"):
        run.save(tmp_path / "file", overwrite=True)
    kept = run.save(tmp_path / "kept")
    (kept / "notes.txt").write_text("mine")
    with pytest.raises(pb.InvalidArgument, match="must not exist"):
        run.save(kept)
    other = chain.with_changes({"system.mass": 0.2}).simulate()
    assert other.save(kept, overwrite=True) == kept
    assert (pb.Simulation(kept).mass == 0.2).all()
    assert (kept / "notes.txt").read_text() == "mine"  # as by simulate(out=, overwrite=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "kept", "thesis"]
    (tmp_path / "empty").mkdir()
    assert pb.Simulation(run.save(tmp_path / "empty", overwrite=True)).status == "ok"


def test_a_run_is_not_copied_onto_itself(chain, tmp_path):
    run = chain.simulate(out=tmp_path / "run")
    (tmp_path / "link").symlink_to(tmp_path / "run")
    for target in (tmp_path / "run", tmp_path / "run/inside", tmp_path / "link", tmp_path):
        with pytest.raises(pb.InvalidArgument, match="must be apart from the run folder itself"):
            run.save(target, overwrite=True)
    assert run.x.shape == (21, 4, 3)


def test_a_run_knows_its_folder_from_the_root_and_notices_another_run_there(chain, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = chain.simulate(out="run")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert run.folder == tmp_path / "run" and run.x.shape == (21, 4, 3)
    monkeypatch.chdir(tmp_path)
    other = chain.with_changes({"system.mass": 0.2}).simulate(out="run", overwrite=True)
    assert run.x.shape == (21, 4, 3)  # which was read before
    for late in (lambda: run.energy, lambda: run.summary, lambda: run.save("copy"), run.report):
        with pytest.raises(pb.InvalidArgument, match="must hold the run that this object is of, got another run"):
            late()
    assert (other.mass == 0.2).all()


def forked(work):
    """What a forked child returns."""
    context = multiprocessing.get_context("fork")
    found = context.SimpleQueue()
    child = context.Process(target=lambda: found.put(work()))
    child.start()
    result = found.get()
    child.join()
    return result


def test_a_forked_child_does_not_remove_the_folders_of_its_parent(chain):
    runs = [chain.simulate()]

    def replace():
        mine = runs[0] = chain.with_changes({"system.mass": 0.2}).simulate()
        return mine.folder.exists()

    assert forked(replace)
    assert runs[0].folder.exists() and runs[0].x.shape == (21, 4, 3)


def test_a_fit_of_a_table_keeps_it_in_its_folder(recorded_chain, tmp_path):
    e, table = recorded_chain
    fit = e.fit(free=["stiffness"], recordings=table, out=tmp_path / "run")
    assert (tmp_path / "run/recording0.csv").exists()
    again = pb.Fit(tmp_path / "run")
    verdict = fit.diagnose().verdict
    assert again.diagnose().verdict == verdict
    assert pb.load(tmp_path / "run/run.yaml").fit()["stiffness"] == fit["stiffness"]
    moved = shutil.move(tmp_path / "run", tmp_path / "moved")
    assert pb.Fit(moved).diagnose().verdict == verdict
    record = json.loads((tmp_path / "moved/record.json").read_text())
    assert "recording0.csv" in record["own"] and not any("pithball-recording-" in name for name in record["inputs"]["files"])
    e.simulate(out=tmp_path / "moved", overwrite=True)  # a run folder still
    assert not (tmp_path / "moved/recording0.csv").exists()


def test_what_the_caller_does_to_its_arrays_and_lists_does_not_change_a_fit(recorded_chain):
    e, table = recorded_chain
    given, free = table.copy(), ["stiffness", "damping"]
    fit, r, roll = e.fit(free, given), e.residual(free, given), e.rollout(free)
    verdict, at_start, motion = fit.diagnose().verdict, r(), roll()
    given[["x", "y", "z"]] *= 1.1
    free.reverse()
    assert fit.diagnose().verdict == verdict
    assert (pickle.loads(pickle.dumps(r))() == at_start).all()
    again = pickle.loads(pickle.dumps(roll))
    assert again.names == ["stiffness", "damping"] and (again(roll.theta) == motion).all()
    wide = table.pivot(index="time", columns="marker", values=["x", "y", "z"])
    x = np.stack([wide[c].to_numpy() for c in "xyz"], axis=2)
    by_arrays = e.residual(["stiffness"], (wide.index.to_numpy(), x))
    at_start = by_arrays()
    x[:] = 0
    assert (pickle.loads(pickle.dumps(by_arrays))() == at_start).all()


def test_a_recording_that_changed_after_its_fit_is_refused(recorded_chain, tmp_path):
    e, table = recorded_chain
    table.to_csv(tmp_path / "r.csv", index=False)
    fit = e.fit(free=["stiffness"], recordings=tmp_path / "r.csv")
    table.assign(x=1.1 * table.x).to_csv(tmp_path / "r.csv", index=False)
    for late in (fit.diagnose, fit.sample):
        with pytest.raises(pb.InvalidArgument, match="must be as it was when the run was made"):
            late()


def test_a_folder_explains_itself(chain, tmp_path):
    diverging = chain.with_changes({"simulation.integrator": "velocity_verlet", "system.springs.stiffness": 1e7})
    with pytest.warns(pb.PithballWarning):
        run = diverging.simulate(out=tmp_path / "run")
    assert run.explanation and pb.Simulation(tmp_path / "run").explanation == run.explanation


def test_wrong_input_leaves_no_temporary_folder(chain, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for call in (lambda: chain.with_changes({"system.mass": -1}).simulate(), lambda: chain.fit(free=["charge"]),
                 lambda: chain.fit(free=["charge"], recordings=3)):
        with pytest.raises(pb.InvalidArgument):
            call()
    assert list(tmp_path.iterdir()) == []


def test_a_forked_child_ends_after_parallel_loops():
    text = f"""
import os, sys, time
sys.path.insert(0, {str(Path(__file__).parent)!r})
import conftest, pithball as pb
pb.set_max_threads(3)
roll = pb.load(conftest.CHAIN).rollout(free=["charge"])
x = pb.map(roll, [roll.theta] * 8)
time.sleep(0.2)  # the threads that helped are asleep
child = os.fork()
if not child:
    assert (pb.map(roll, [roll.theta] * 8) == x).all()
else:
    assert os.waitpid(child, 0)[1] == 0
"""
    assert subprocess.run([sys.executable, "-c", text], timeout=60).returncode == 0
