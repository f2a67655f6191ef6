#include "sim/constraint/pin_constraint.hpp"

#include <cmath>

#include "sim/force/gravity.hpp"
#include "sim/force/spring_force.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

Trajectory run_pinned(const Model& model, const State& s, Index substeps) {
  tests::MapSettings settings(0, {{"substeps", static_cast<double>(substeps)}});
  Trajectory run = simulate(model, s, {.integrator = {"xpbd", settings}, .time_step = 0.01, .steps = 50, .stage = {}});
  REQUIRE(run.status == StepStatus::Ok);
  return run;
}

}  // namespace

TEST_CASE("pin: a compliant pin is an oscillator in every direction, x = p + (v0/ω) sin ωt",
          "[sim][constraint][order]") {
  const double alpha = 0.05, m = 0.4, omega = 1 / std::sqrt(alpha * m);
  const Vec3 place(1, 2, -1), v0(0.3, -0.2, 0.5);
  const Model model(
      {.particles = 1, .springs = {}, .held = {}}, Vector::Constant(1, m), Vector::Zero(1), {},
      {std::make_shared<PinConstraint>(std::vector<Index>{0}, place, Vector::Constant(1, alpha), Vector::Zero(1))});
  const Vec3 exact = place + std::sin(omega * 0.5) / omega * v0;
  const auto error = [&](Index substeps) {
    return (run_pinned(model, {0, place, v0}, substeps).states.back().x - exact).norm();
  };
  const double coarse = error(10), fine = error(20);
  CHECK(fine < 5e-4);
  CHECK(std::log2(coarse / fine) == Approx(1).margin(0.1));
}

TEST_CASE("pin: a rigid pin is a pinned particle", "[sim][constraint][pinned]") {
  const Topology pair{.particles = 2, .springs = {{0, 1}}, .held = {}};
  Topology held = pair;
  held.held.push_back({0, {}});
  const std::vector<std::shared_ptr<ForceTerm>> terms{
      std::make_shared<SpringForce>(Vector::Constant(1, 30), Vector::Constant(1, 0.5)),
      std::make_shared<Gravity>(Vec3(0, 0, -9.81))};
  const State s{0, (Points(3, 2) << 0, 0.4, 0, 0.3, 0, 0.1).finished(), Points::Zero(3, 2)};
  const auto pin =
      std::make_shared<PinConstraint>(std::vector<Index>{0}, Points(s.x.leftCols(1)), Vector::Zero(1), Vector::Zero(1));
  const Model by_row(pair, Vector::Ones(2), Vector::Zero(2), terms, {pin});
  const Model by_topology(held, Vector::Ones(2), Vector::Zero(2), terms);
  const State a = run_pinned(by_row, s, 10).states.back(), b = run_pinned(by_topology, s, 10).states.back();
  REQUIRE((a.x.col(1) - s.x.col(1)).norm() > 0.1);
  CHECK((a.x - b.x).norm() < 1e-12);  // the row puts it back to rounding, 500 times
  CHECK((a.v.col(1) - b.v.col(1)).norm() < 1e-10);
}
