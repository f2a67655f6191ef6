import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

import pithball as pb


@pytest.fixture
def film(tmp_path):
    """Eight frames of 96 × 80 pixels at 50 Hz, in which a ball moves by (2, 1) pixels each."""
    if not shutil.which("ffmpeg"):
        pytest.skip("no program ffmpeg: `third_party/install_packages.sh test` installs it")
    random = np.random.default_rng(1)
    y, x = np.mgrid[:80, :96]
    frames = [20 + 80 * np.exp(-((x - 30 - 2 * k) ** 2 + (y - 40 - k) ** 2) / 8) + random.normal(size=x.shape)
              for k in range(8)]
    raw = np.clip(np.rint(frames), 0, 255).astype(np.uint8)
    file = tmp_path / "ball.mkv"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "gray", "-s", "96x80", "-framerate", "50",
                    "-i", "-", "-c:v", "ffv1", str(file)], input=raw.tobytes(), check=True)
    return file


def tracked(*arguments, **options):
    try:
        return pb.track(*arguments, **options)
    except pb.InvalidArgument as error:
        if "OpenCV" in str(error):
            pytest.skip("no OpenCV: `third_party/install_packages.sh film` installs it, then build again")
        raise


def test_a_ball_is_found_in_every_frame(film, tmp_path):
    table = tracked(film, tmp_path / "detections.csv", spots="bright")
    assert list(table["frame"]) == list(range(8))
    assert np.allclose(table["time"], np.arange(8) / 50)
    errors = np.r_[(table["x"] - 30 - 2 * table["frame"]) / table["variance_x"] ** 0.5,
                   (table["y"] - 40 - table["frame"]) / table["variance_y"] ** 0.5]
    assert np.abs(errors).max() < 4
    assert 0.4 < errors.std() < 1.7
    assert table.attrs["frames"] == 8 and table.attrs["noise"] == pytest.approx(1.04, rel=0.1)
    written = pd.read_csv(tmp_path / "detections.csv")
    assert list(written["x [px]"]) == pytest.approx(list(table["x"]), abs=1e-3)


def test_options_are_those_of_the_program(film):
    assert len(tracked(film, spots="dark")) == 0
    assert len(tracked(film, region=(0, 0, 20, 20))) == 0
    assert tracked(film, rate=100, row_time=1e-4)["time"].iloc[1] == pytest.approx(0.01 + 41e-4, abs=1e-4)
    with pytest.raises(pb.InvalidArgument, match="spots"):
        pb.track(film, spots="green")
    with pytest.raises(pb.InvalidArgument, match="nothing of this name"):
        tracked("missing.mp4")
