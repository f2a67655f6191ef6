#include "sim/run/equilibrium.hpp"

#include <Eigen/Eigenvalues>

#include "tests/support/catch.hpp"
#include "tests/support/resting_bodies.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

State resting_at(const Points& x) { return {0, x, Points::Zero(3, x.cols())}; }

/// Eigenvalues of the whole stiffness, scaled by what each particle feels.
Vector whole_spectrum(const Model& model, const Equilibrium& rest) {
  std::vector<Index> free;
  for (Index i = 0; i < model.particles(); ++i)
    for (Index a = 3 * i; a < 3 * i + 3 && !model.is_held(i); ++a) free.push_back(a);
  const Index n = free.size();
  Eigen::MatrixXd K(n, n);
  for (Index c = 0; c < n; ++c) {
    Points in = Points::Zero(3, model.particles()), out;
    flat(in)[free[c]] = 1;
    apply_stiffness(model, resting_at(rest.x), in, out);
    K.col(c) = flat(out)(free);
  }
  Vector unit(n);
  for (Index c = 0; c < n; ++c) unit[c] = 1 / std::sqrt(rest.stiffness->felt()[free[c] / 3]);
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(unit.asDiagonal() * K * unit.asDiagonal()).eigenvalues();
}

}  // namespace

TEST_CASE("equilibrium: ions and grains without springs find their rest in a trap", "[sim][run][equilibrium]") {
  for (const Units& u : many_units()) {
    INFO(u.length << " m, " << u.mass << " kg, " << u.time << " s");
    const Model ions = trapped_ions(2, {4, 1, 2}, 1e-7, u);
    const Equilibrium pair =
        find_equilibrium(ions, resting_at(u.length * columns({{0.02, -0.1, 0.01}, {-0.01, 0.2, 0}})));
    INFO(pair.failure);
    REQUIRE(pair.found());
    CHECK_FALSE(pair.is_loose());
    const double place = ion_place(1, 1e-7) * u.length;
    CHECK(pair.x(1, 1) == Approx(place).epsilon(1e-12));
    CHECK((pair.x.col(0) + pair.x.col(1)).norm() < 1e-12 * place);
    CHECK(std::abs(pair.x(0, 1)) < 1e-12 * place);

    // Grains that do not feel one another sink to −m g/k.
    const Model grains({.particles = 2, .springs = {}, .held = {}}, all(2, 1e-3 * u.mass), all(2, 0),
                       {std::make_shared<FieldPotential>(std::make_shared<Trap>(Vec3(4, 1, 2) * u.stiffness())),
                        std::make_shared<Gravity>(Vec3(0, 0, -9.81) * u.length / (u.time * u.time))});
    const Equilibrium sunk = find_equilibrium(grains, resting_at(u.length * columns({{-0.1, 0, 0}, {0.1, 0.2, 0}})));
    INFO(sunk.failure);
    REQUIRE(sunk.found());
    for (Index i = 0; i < 2; ++i) CHECK((sunk.x.col(i) / u.length - Vec3(0, 0, -9.81e-3 / 2)).norm() < 1e-14);
  }
}

TEST_CASE("equilibrium: many ions find a stable rest from ordinary starts", "[sim][run][equilibrium]") {
  for (const Index count : {3, 5, 12, 60}) {  // 60: more than the dense spectrum is found of
    const Model model = trapped_ions(count, {9, 1, 2}, 1e-7);
    Points start(3, count);
    for (Index k = 0; k < start.size(); ++k) start.data()[k] = 0.3 * std::sin(2.0 * (k * k) + 1);
    const Equilibrium rest = find_equilibrium(model, resting_at(start));
    INFO(count << " ions: " << rest.failure << ", " << rest.iterations << " iterations");
    REQUIRE(rest.found());
    Points f = Points::Zero(3, count);
    model.add_forces(resting_at(rest.x), f, every_term);
    CHECK(f.norm() < 1e-10);
    CHECK(whole_spectrum(model, rest).minCoeff() > 1e-6);
  }
}

TEST_CASE("equilibrium: a saddle is rejected, and the mode is named", "[sim][run][equilibrium][error]") {
  for (const Units& u : many_units()) {
    INFO(u.length << " m, " << u.mass << " kg, " << u.time << " s");
    // Along the strong axis nothing pushes the ions off it, and a vector of ones has no part along their turn.
    const double place = ion_place(4, 1e-7) * u.length;
    const Equilibrium ions =
        find_equilibrium(trapped_ions(2, {4, 1, 2}, 1e-7, u), resting_at(columns({{-place, 0, 0}, {place, 0, 0}})));
    CHECK_THAT(ions.failure, Catch::Contains("unstable") && Catch::Contains("turns about z through its center"));
    // A dipole against the field.
    const Equilibrium dipole = find_equilibrium(hanging_triangle({-1000, 0, 0}, u), resting_at(triangle_start(u)));
    CHECK_THAT(dipole.failure,
               Catch::Contains("unstable") && Catch::Contains("turns about the vertical through the pin"));
  }
}

TEST_CASE("equilibrium: what nothing holds is named", "[sim][run][equilibrium]") {
  for (const Units& u : many_units()) {
    INFO(u.length << " m, " << u.mass << " kg, " << u.time << " s");
    const Equilibrium hung = find_equilibrium(hanging_triangle(sim::Vec3::Zero(), u), resting_at(triangle_start(u)));
    REQUIRE(hung.found());
    REQUIRE(hung.modes.loose.cols() == 1);
    const Vector turn = hung.modes.loose.col(0);
    CHECK(std::abs(turn[4]) == Approx(std::sqrt(0.5)).epsilon(1e-9));
    CHECK(turn[4] == Approx(-turn[7]).epsilon(1e-9));
    // Aligned with a field it is held.
    const Equilibrium held = find_equilibrium(hanging_triangle({1000, 0, 0}, u), resting_at(triangle_start(u)));
    REQUIRE(held.found());
    CHECK_FALSE(held.is_loose());
  }
  const Equilibrium falling = find_equilibrium(Curtain(3, 3, 0).model(-9.81), resting_at(Curtain(3, 3, 0).x));
  CHECK_THAT(falling.failure, Catch::Contains("an unbalanced force") && Catch::Contains("moves along the vertical"));
  const Equilibrium adrift = find_equilibrium(Curtain(3, 3, 0).model(0), resting_at(Curtain(3, 3, 0).x));
  INFO(adrift.failure);
  CHECK(adrift.found());
  CHECK(adrift.modes.loose.cols() == 6);
}

TEST_CASE("equilibrium: the lowest modes of large bodies are those of the whole matrix", "[sim][run][equilibrium]") {
  const Curtain curtain(8, 8, 8), turning(8, 8, 1);
  const Equilibrium rest = find_equilibrium(curtain.model(-9.81), resting_at(curtain.x));
  INFO(rest.failure);
  REQUIRE(rest.found());
  CHECK_FALSE(rest.is_loose());
  CHECK(rest.modes.lowest == Approx(whole_spectrum(curtain.model(-9.81), rest)[0]).epsilon(1e-3));

  const Equilibrium hung = find_equilibrium(turning.model(-9.81), resting_at(turning.x));
  INFO(hung.failure);
  REQUIRE(hung.found());
  REQUIRE(hung.modes.loose.cols() == 1);
  const Vector spectrum = whole_spectrum(turning.model(-9.81), hung);
  CHECK(std::abs(spectrum[0]) < 1e-12);
  CHECK(spectrum[1] > 1e-10);
  Points axis = Points::Zero(3, turning.x.cols());
  for (Index i = 0; i < axis.cols(); ++i) axis.col(i) = Vec3::UnitZ().cross(Vec3(hung.x.col(i) - hung.x.col(0)));
  CHECK(std::abs(flat(axis).normalized().dot(hung.modes.loose.col(0))) == Approx(1).epsilon(1e-9));

  // Flat, and its weight upwards, it stands on its pins, and would fall over.
  const Curtain flat_one(8, 8, 8, 0);
  const Equilibrium standing = find_equilibrium(flat_one.model(9.81), resting_at(flat_one.x));
  CHECK_THAT(standing.failure, Catch::Contains("unstable"));
}

TEST_CASE("equilibrium: the least change of rest is found and leaves loose modes alone", "[sim][run][equilibrium]") {
  for (const Index size : {3, 8}) {  // whole spectrum; conjugate gradients
    const Curtain curtain(size, size, 1);
    const Model model = curtain.model(-9.81);
    const Equilibrium rest = find_equilibrium(model, resting_at(curtain.x));
    INFO(size << ": " << rest.failure);
    REQUIRE(rest.found());
    REQUIRE(rest.modes.loose.cols() == 1);
    Points pull = Points::Zero(3, model.particles()), x, back;
    const Vec3 corner = rest.x.rightCols(1) - rest.x.leftCols(1);
    pull.rightCols(1) = Vec3(corner[0], corner[1], 0);  // away from the axis
    CHECK(rest.stiffness->part_along(pull, rest.modes.loose) < 1e-9);
    REQUIRE(rest.stiffness->solve(pull, rest.modes, x).empty());
    apply_stiffness(model, resting_at(rest.x), x, back);
    CHECK((back - pull).norm() < 1e-9);
    CHECK((rest.modes.loose.transpose() * flat(x)).norm() < 1e-12 * x.norm());
    pull.rightCols(1) = Vec3(-corner[1], corner[0], 0);
    CHECK(rest.stiffness->part_along(pull, rest.modes.loose) > 1e-3);
  }
}
