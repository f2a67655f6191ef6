import csv
import os
import subprocess
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pandas as pd
import pytest

import pithball as pb

PROGRAM = Path(os.environ.get("PITHBALL_PROGRAM", Path(__file__).resolve().parents[2] / "build/release/pithball"))


@pytest.fixture
def swept(chain_mapping):
    grid = {"system.charge": ["1 uC", "2 uC", "3 uC"], "system.springs.stiffness": [10, 20]}
    return pb.load(chain_mapping | {"sweep": {"grid": grid}})


def without_seconds(table):
    return table.drop(columns="seconds")


def require_equal(one, other):
    pd.testing.assert_frame_equal(without_seconds(one), without_seconds(other), check_exact=True)


def test_every_row_is_the_run_that_simulate_makes(swept):
    table = pb.sweep(swept)
    assert list(table.index) == list(range(6))
    assert list(table["system.charge [uC]"]) == [1, 1, 2, 2, 3, 3]
    assert set(table.status) == {"ok"}
    alone = swept.with_changes({"system.charge": "2 uC", "system.springs.stiffness": 20}).simulate()
    assert alone.energy.total.iloc[-1] == table["end.total [J]"][3]
    assert table["end.total [J]"].nunique() == 6


def test_a_pool_of_processes_finds_the_same_to_the_last_bit(swept, tmp_path):
    with ProcessPoolExecutor(2, get_context("spawn"), initializer=pb.set_max_threads, initargs=(1,)) as pool:
        table = pb.sweep(swept, out=tmp_path / "plan", executor=pool)
    require_equal(table, pb.sweep(swept))
    require_equal(table, pb.collect(tmp_path / "plan"))


def test_a_pool_of_threads_finds_the_same(swept):
    with ThreadPoolExecutor(3) as pool:
        require_equal(pb.sweep(swept, executor=pool), pb.sweep(swept))


def test_dask_finds_the_same(swept, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            table = pb.sweep(swept, out=tmp_path / "plan", executor=client.get_executor())
    require_equal(table, pb.sweep(swept))


def test_the_program_makes_the_same_table(swept, tmp_path):
    if not PROGRAM.exists():
        pytest.skip(f"no program at {PROGRAM}")
    table = pb.sweep(swept, out=tmp_path / "plan")
    subprocess.run([PROGRAM, "collect", tmp_path / "plan", "--quiet"], check=True)
    with open(tmp_path / "plan/table.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["task", *table.columns]
    for name in ["end.total [J]", "energy_error.max", "system.charge [uC]"]:
        assert [float(row[name]) for row in rows] == list(table[name])


def test_a_plan_folder_is_completed(swept, tmp_path):
    plan = tmp_path / "plan"
    table = pb.sweep(swept, out=plan)
    (plan / "results/0000003.json").unlink()
    with pytest.warns(pb.PithballWarning, match="1 tasks have no result"):
        assert list(pb.collect(plan).index) == [0, 1, 2, 4, 5]
    require_equal(pb.sweep(plan), table)


def test_a_failed_task_is_a_row_and_a_warning(chain_mapping):
    box = {"box_penalty": {"min": [-3, -3, -3], "max": [3, 3, 3], "stiffness": 100}}
    corners = {"forces.box_penalty.min": [[-3, -3, -3], [2, 2, 2]], "forces.box_penalty.max": [[1, 1, 1], [4, 4, 4]]}
    with pytest.warns(pb.PithballWarning, match="1 tasks failed"):
        table = pb.sweep(chain_mapping | {"forces": ["coulomb", box], "sweep": {"grid": corners}})
    assert list(table.index[table.status == "failed"]) == [2]
    assert "box_penalty" in table.error[2]


def test_mistakes_are_rejected(chain_mapping, swept, tmp_path):
    with pytest.raises(pb.InvalidArgument, match="must name what differs"):
        pb.sweep(chain_mapping | {"sweep": {}})
    with pytest.raises(pb.InvalidArgument, match="must be a plan folder"):
        pb.collect(tmp_path)
    (tmp_path / "plan").mkdir()
    with pytest.raises(pb.InvalidArgument, match="must not exist yet"):
        pb.sweep(swept, out=tmp_path / "plan")


@pytest.mark.parametrize("given", [{"changes": {"system.mass": 1}}, {"out": "elsewhere"}])
def test_a_plan_folder_has_its_changes_and_its_place(swept, tmp_path, given):
    pb.sweep(swept, out=tmp_path / "plan")
    with pytest.raises(pb.InvalidArgument, match="must be left out for a plan folder"):
        pb.sweep(tmp_path / "plan", **given)
