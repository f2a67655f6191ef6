"""What other programs find in exported files, against what the package finds in the run."""

import os
import subprocess
import warnings

import numpy as np
import pytest

import pithball as pb

PROGRAM = os.environ.get("PITHBALL_PROGRAM")


@pytest.fixture
def exported(chain, tmp_path):
    """A run, and a function that exports it and returns the file."""
    if not PROGRAM:
        pytest.skip("PITHBALL_PROGRAM does not name the program")
    run = chain.simulate(out=tmp_path / "run")

    def export(form):
        subprocess.run([PROGRAM, "export", run.folder, "--format", form], check=True, capture_output=True)
        return run.folder / "export" / form / f"chain.{form}"

    return run, export


@pytest.mark.parametrize("form, kind", [("extxyz", "extxyz"), ("lammpstrj", "lammps-dump-text")])
def test_ase(exported, form, kind):
    io = pytest.importorskip("ase.io")
    run, export = exported
    frames = io.read(export(form), index=":", format=kind, **({} if form == "extxyz" else {"units": "metal"}))
    assert len(frames) == len(run.t)
    for frame, x, v, t in zip(frames, run.x, run.v, run.t):
        assert (frame.get_positions() == x).all()
        if form == "extxyz":
            assert (frame.arrays["velo"] == v).all()
            assert (frame.arrays["mass"] == run.mass).all() and (frame.get_charges() == run.charge).all()
            assert frame.info["Time"] == t


@pytest.mark.parametrize("form", ["lammpstrj", "h5md"])
def test_mdanalysis(exported, form):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mda = pytest.importorskip("MDAnalysis")
        if form == "h5md":
            pytest.importorskip("h5py")
        run, export = exported
        file = str(export(form))
        universe = mda.Universe.empty(run.x.shape[1], trajectory=True)
        universe.load_new(file, **({"format": "LAMMPSDUMP", "atom_style": "id type x y z"} if form == "lammpstrj" else {"format": "H5MD"}))
        found = np.array([step.positions.copy() for step in universe.trajectory])
        times = np.array([step.time for step in universe.trajectory])
    # MDAnalysis holds single precision, reads H5MD in ångström, and counts a dump from the corner of its box.
    expected = run.x - run.x.min(axis=(0, 1)) if form == "lammpstrj" else 1e10 * run.x
    assert found == pytest.approx(expected, abs=1e-6 * np.abs(expected).max())
    if form == "h5md":
        assert times * 1e-12 == pytest.approx(run.t, rel=1e-9)


@pytest.mark.parametrize("form", ["extxyz", "lammpstrj"])
def test_ovito(exported, form):
    io = pytest.importorskip("ovito.io")
    run, export = exported
    pipeline = io.import_file(str(export(form)))
    assert pipeline.source.num_frames == len(run.t)
    for frame in (0, len(run.t) - 1):
        assert (np.asarray(pipeline.compute(frame).particles.positions) == run.x[frame]).all()
