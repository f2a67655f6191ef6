#include "diff/rollout/initial_state.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/resting_bodies.hpp"

using namespace pithball;
using namespace pithball::diff;
using namespace pithball::tests;

namespace {

Scenario from_rest(const sim::Model& model, const Points& near, Index steps) {
  return {.name = "rest",
          .model = model,
          .initial = {0, Points::Zero(3, near.cols()), Points::Zero(3, near.cols())},
          .rest_near = near,
          .integrator = "velocity_verlet",
          .time_step = 0.002,
          .steps = steps,
          .stage = {}};
}

/// Starts off the position of rest, so that the motion depends on everything.
Scenario displaced(const sim::Model& model, const Points& near) {
  Scenario s = from_rest(model, near, 20);
  for (Index k = 0; k < s.initial.x.size(); ++k) s.initial.x.data()[k] = 0.01 * std::cos(k);
  s.model.clear_held(s.initial.x);
  return s;
}

/// L = Σ_n w·x_n of the particles named, its derivative along one direction in three ways.
struct Derivatives {
  double adjoint = 0, tangent = 0, difference = 0;
};
Derivatives derivatives(const Scenario& s, const Vector& direction, const Points& weight) {
  Derivatives d;
  AdjointRollout rollout(s);
  REQUIRE(rollout.forward([](Index, const State&) {}).ok());
  const Vector gradient = rollout.backward([&](Index, const State&, Points& gx, Points&) { gx += weight; });
  REQUIRE(rollout.backward_failure().empty());
  d.adjoint = gradient.dot(direction);
  const RolloutStatus status =
      run_tangent(s, direction, [&](Index, const State&, const Eigen::MatrixXd& dx, const Eigen::MatrixXd&) {
        d.tangent += sim::flat(weight).dot(dx.col(0));
      });
  INFO(status.cause);
  REQUIRE(status.ok());
  const auto loss_at = [&](double step) {
    double loss = 0;
    REQUIRE(run_forward(s.with_physical_values(s.physical_values() + step * direction), [&](Index, const State& state) {
              loss += sim::flat(weight).dot(sim::flat(state.x));
            }).ok());
    return loss;
  };
  constexpr double h = 1e-4;  // of the values: leaves 1e-8 of a smooth function
  d.difference = (loss_at(h) - loss_at(-h)) / (2 * h);
  return d;
}

/// A change of all values of a block by its own size.
Vector along(const Scenario& s, const std::string& block) {
  Vector direction = Vector::Zero(s.size());
  const auto& values = s.model.values();
  const sim::ValueBlock& b = values.block(values.find(block).value());
  direction.segment(b.offset, b.size) = values.data().segment(b.offset, b.size);
  return direction;
}

void require_equal(const Derivatives& d) {
  INFO(d.adjoint << " " << d.tangent << " " << d.difference);
  REQUIRE(std::abs(d.difference) > 1e-6);
  CHECK(d.adjoint == Approx(d.tangent).epsilon(1e-9));
  CHECK(d.adjoint == Approx(d.difference).epsilon(1e-6));
}

}  // namespace

TEST_CASE("initial state: the rest of ions without springs moves with charge and trap", "[diff][rollout][fd]") {
  for (const Index count : {2, 5}) {
    const sim::Model model = trapped_ions(count, {9, 1, 2}, 1e-7);
    Points near(3, count), weight(3, count);
    for (Index k = 0; k < near.size(); ++k) {
      near.data()[k] = 0.2 * std::sin(2.0 * (k * k) + 1);
      weight.data()[k] = std::cos(3.0 * k);
    }
    for (const char* block : {"charge", "field_potential"}) {
      INFO(count << " ions, " << block);
      require_equal(derivatives(from_rest(model, near, 0), along(from_rest(model, near, 0), block), weight));
      const Scenario s = displaced(model, near);
      require_equal(derivatives(s, along(s, block), weight));
    }
  }
}

TEST_CASE("initial state: a loose body has the least derivative where nothing acts along the mode",
          "[diff][rollout][fd]") {
  // The triangle may turn about the vertical through its pin. Its height and its size do not ask how far.
  const Scenario s = from_rest(hanging_triangle(), triangle_start(), 0);
  const InitialState start(s);
  REQUIRE(start.found());
  REQUIRE(start.rest()->is_loose());
  Points height = Points::Zero(3, 3);
  height.row(2) << 0, 1, 0.5;
  height(0, 1) = 0.7;
  for (const char* block : {"mass", "stiffness", "rest_length"}) {
    INFO(block);
    const Vector direction = along(s, block);
    require_equal(derivatives(s, direction, height));
    Points moved = Points::Zero(3, 3);
    CHECK(start.add_jvp(direction.head(s.model.values().size()), moved).empty());
    CHECK((start.rest()->modes.loose.transpose() * sim::flat(moved)).norm() < 1e-12 * moved.norm());
  }
}

TEST_CASE("initial state: a force along a loose mode leaves no derivative, and the mode is named",
          "[diff][rollout][error]") {
  for (const Units& u : many_units()) {
    INFO(u.length << " m, " << u.mass << " kg, " << u.time << " s");
    const Scenario s = from_rest(hanging_triangle(sim::Vec3::Zero(), u), triangle_start(u), 0);
    Vector across = Vector::Zero(s.size());
    const auto& values = s.model.values();
    across[values.block(values.find("electric_field").value()).offset + 1] = 1;
    const RolloutStatus status =
        run_tangent(s, across, [](Index, const State&, const Eigen::MatrixXd&, const Eigen::MatrixXd&) { FAIL(); });
    CHECK(status.status == sim::StepStatus::NotConverged);
    CHECK_THAT(to_string(status), Catch::Contains("turns about the vertical through the pin"));
    AdjointRollout rollout(s);
    REQUIRE(rollout.forward([](Index, const State&) {}).ok());
    CHECK_FALSE(rollout.check_start(across).ok());
    CHECK(rollout.check_start(along(s, "stiffness")).ok());
    CHECK_FALSE(
        rollout.tangent(across, [](Index, const State&, const Eigen::MatrixXd&, const Eigen::MatrixXd&) { FAIL(); })
            .ok());
  }
}

TEST_CASE("initial state: a run without a stable rest says why it cannot begin", "[diff][rollout][error]") {
  const double place = ion_place(4, 1e-7);
  const Scenario s = from_rest(trapped_ions(2, {4, 1, 2}, 1e-7), columns({{-place, 0, 0}, {place, 0, 0}}), 3);
  const RolloutStatus status = run_forward(s, [](Index, const State&) { FAIL(); });
  CHECK(status.status == sim::StepStatus::NotConverged);
  CHECK_THAT(to_string(status), Catch::Contains("unstable") && Catch::Contains("turns about z"));
  CHECK(to_string(AdjointRollout(s).forward([](Index, const State&) {})) == to_string(status));
}
