// Values over time and over a body, found again in motions that another integrator made with a tenth of the step.
#include <numbers>

#include "optim/fit.hpp"
#include "sim/force/electric_field.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::make_body;
using pithball::test::shared;

namespace {

/// The four-particle body in a uniform field, the charges of particles 1 and 2 with key frames.
diff::Scenario charging_body() {
  diff::Scenario s = make_body("charging", {.field = true, .pinned = 1, .time_step = 0.01, .steps = 150});
  const Index offset = s.model.values().block(sim::Model::charge_block).offset;
  s.model = s.model.with_key_frames({offset + 1, offset + 2}, {0, 0.5, 1, 1.5});
  return s;
}

/// A torus of springs: `around` × `across` vertices, radii 1 and 0.4 m, each vertex tied to its neighbors along,
/// across and diagonally; three pinned, weakly charged, thrown.
diff::Scenario spring_torus(Index around, Index across) {
  using namespace sim;
  Points x(3, around * across);
  Topology topology{.particles = x.cols(), .springs = {}, .held = {{0, {}}, {1, {}}, {across, {}}}};
  const auto vertex = [&](Index a, Index b) { return (a % around) * across + b % across; };
  for (Index a = 0; a < around; ++a)
    for (Index b = 0; b < across; ++b) {
      const double u = 2 * std::numbers::pi * a / around;
      const double w = 2 * std::numbers::pi * b / across;
      const double r = 1 + 0.4 * std::cos(w);
      x.col(vertex(a, b)) << r * std::cos(u), r * std::sin(u), 0.4 * std::sin(w);
      topology.springs.push_back({vertex(a, b), vertex(a + 1, b)});
      topology.springs.push_back({vertex(a, b), vertex(a, b + 1)});
      topology.springs.push_back({vertex(a, b), vertex(a + 1, b + 1)});
    }
  const Index springs = topology.springs.size();
  Vector lengths(springs);
  for (Index e = 0; e < springs; ++e) lengths[e] = (x.col(topology.springs[e].i) - x.col(topology.springs[e].j)).norm();
  const std::vector<std::shared_ptr<ForceTerm>> terms{
      std::make_shared<SpringForce>(Vector::Constant(springs, 10), lengths),
      std::make_shared<SpringDamper>(Vector::Constant(springs, 0.02)), std::make_shared<Gravity>(Vec3(0, 0, -3))};
  return {.name = "torus",
          .model = Model(topology, Vector::Constant(x.cols(), 0.02), Vector::Zero(x.cols()), terms),
          .initial = {0, x, 0.5 * x},
          .integrator = "imex_midpoint",
          .time_step = 0.01,
          .steps = 60,
          .stage = {}};
}

}  // namespace

TEST_CASE("recovery: the charge of a group as a function of time is found within 2 %", "[optim][fit][key_frames]") {
  diff::Scenario truth = charging_body();
  const sim::KeyFrames& frames = truth.model.key_frames().front();
  const std::vector<double> charge{4e-6, 9e-6, 2e-6, 6e-6};
  Vector data = truth.model.values().data();
  for (Index j = 0; j < 4; ++j)
    for (Index e = 0; e < 2; ++e) data[frames.key(e, j)] = charge[j];
  truth.model = truth.model.with_values(data);

  FitProblem problem;
  problem.scenarios = {charging_body()};
  problem.observations = {test::record(test::refined(truth), 50, 1e-4, 7)};
  Parameter moving = shared("charge", 5e-6);
  moving.entries.sharing = EntrySharing::Group;
  moving.entries.groups = {{"left", {1, 2}}};
  problem.parameters = {moving};
  const FitReport report = fit(problem);
  CHECK(report.search.status == MinimizerStatus::Converged);
  REQUIRE(report.estimates.parameters.size() == 4);
  CHECK(report.estimates.parameters[2].name == "charge[left](1 s)");
  CHECK(report.estimates.parameters[2].unit == "C");
  for (std::size_t j = 0; j < 4; ++j) {
    INFO(report.estimates.parameters[j].name << ": " << report.estimates.parameters[j].estimate << " ± "
                                             << report.estimates.parameters[j].standard_error);
    CHECK(report.estimates.parameters[j].identifiable);
    CHECK(report.estimates.parameters[j].estimate == Approx(charge[j]).epsilon(0.02));
  }
}

TEST_CASE("recovery: a smooth stiffness over a torus is found with few coefficients", "[optim][fit]") {
  diff::Scenario truth = spring_torus(12, 6);
  const sim::ValueBlock block = truth.model.values().block(*truth.model.values().find("stiffness"));
  Vector data = truth.model.values().data();
  for (Index e = 0; e < block.size; ++e) {
    const sim::Spring& spring = truth.model.springs()[e];
    const sim::Vec3 middle = (truth.initial.x.col(spring.i) + truth.initial.x.col(spring.j)) / 2;
    data[block.offset + e] = 10 * std::exp(0.5 * middle.x() - 0.3 * middle.y());  // from 4 to 22 N/m
  }
  truth.model = truth.model.with_values(data);

  FitProblem problem;
  problem.scenarios = {spring_torus(12, 6)};
  problem.observations = {test::record(test::refined(truth), 50, 1e-4, 5)};
  Parameter stiffness = shared("stiffness");
  stiffness.entries.sharing = EntrySharing::Smooth;
  stiffness.entries.control_points = 12;
  problem.parameters = {stiffness};
  const ParameterMap map = make_parameter_map(problem);
  const FitReport report = fit(problem);
  CHECK(report.search.status == MinimizerStatus::Converged);
  REQUIRE(report.estimates.parameters.size() == 12);
  const Vector found = map.scatter(report.theta, 0).model.values().data().segment(block.offset, block.size);
  const Vector want = data.segment(block.offset, block.size);
  const double error = (found - want).cwiseQuotient(want).norm() / std::sqrt(block.size);
  const double constant =
      (Vector::Constant(block.size, want.mean()) - want).cwiseQuotient(want).norm() / std::sqrt(block.size);
  INFO("relative error " << error << " of all springs together, " << constant << " for the best constant");
  CHECK(constant > 0.3);
  CHECK(error < 0.05);  // 12 points interpolate an exponential over 2.8 m to a few per cent
  CHECK(report.goodness.errors.fit.model < 0.05 * report.goodness.errors.fit.static_baseline);
}
