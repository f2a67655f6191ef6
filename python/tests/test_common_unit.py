from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pithball as pb

MULTIPLES = np.array([1, 1, 2, -1, 3, -2, 5, 1, 2, 4, -3, 6, 1, -1, 2, 7, 3, -4, 1, 2])
ERRORS = np.linspace(0.05, 0.2, 20)
CHARGES = 1.6 * MULTIPLES + ERRORS * np.random.default_rng(3).standard_normal(20)


def test_the_quantogram_is_its_formula():
    units = np.array([0.9, 1.2, 1.6, 2.1])
    a = np.exp(-2 * np.pi**2 * ERRORS**2 / units[:, None] ** 2)
    expected = np.sqrt(2 / (a**2).sum(1)) * (a * np.cos(2 * np.pi * CHARGES / units[:, None])).sum(1)
    assert pb.quantogram(CHARGES, ERRORS, units) == pytest.approx(expected, rel=1e-9)


def test_a_unit_is_found_with_its_multiples():
    found = pb.common_unit(CHARGES, ERRORS, range=(1, 2.5))
    assert found.status == "resolved" and found.p_value < 0.001
    assert abs(found.unit - 1.6) < 3 * found.error < 0.1
    assert found.multiples.tolist() == MULTIPLES.tolist()
    scaled = pb.common_unit(CHARGES, ERRORS, range=(1, 2.5), scale_error=0.1)
    assert scaled.error == pytest.approx(np.hypot(found.error, 0.1 * found.unit))


def test_large_errors_resolve_nothing():
    found = pb.common_unit(list(CHARGES), [1.0] * 20, range=(1, 2.5), supposed=1.6)
    assert found.status == "cannot_be_resolved" and found.power < 0.5


def test_wrong_input_is_refused():
    with pytest.raises(pb.InvalidArgument, match="range: must be two units"):
        pb.common_unit(CHARGES, ERRORS, range=1.6)
    with pytest.raises(pb.InvalidArgument, match="range: must be two units > 0"):
        pb.common_unit(CHARGES, ERRORS, range=(2.5, 1))
    with pytest.raises(pb.InvalidArgument, match="must be as many as values"):
        pb.common_unit(CHARGES, ERRORS[:5], range=(1, 2.5))


def test_charges_of_filmed_drops_have_a_unit():
    drops = pd.read_csv(Path(__file__).parents[2] / "datasets/recordings/millikan_films/charges.csv")
    found = pb.common_unit(drops["charge [aC]"], drops["charge_error [aC]"], range=(0.1, 0.25), scale_error=0.1)
    assert found.status == "resolved" and found.p_value < 0.002
    assert found.unit == pytest.approx(0.1409, abs=0.0007)  # by a second program
    assert abs(found.unit - 0.1602) < 2 * found.error


@pytest.mark.parametrize("charges", [["3.2e-19"], np.array([3.2e-19 + 1j]), np.ma.masked_array([3.2e-19], mask=[True])])
def test_what_is_no_real_number_is_refused(charges):
    with pytest.raises(pb.InvalidArgument, match="charges: must be real numbers"):
        pb.common_unit(charges, [1e-20], range=(1e-19, 2.5e-19))
    with pytest.raises(pb.InvalidArgument, match="charges: must be real numbers"):
        pb.quantogram(charges, [1e-20], [1.6e-19])
