#include <Eigen/Geometry>

#include "diff/check/gradient_check.hpp"
#include "diff/step/step_derivative.hpp"
#include "sim/coulomb/coulomb_registry.hpp"
#include "sim/coulomb/fmm/fmm_structure.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/torus.hpp"

using namespace pithball;
using sim::CoulombOptions;
using sim::Index;

namespace {

/// A charged torus that bulges and spins, its Coulomb forces summed as the options say.
diff::Scenario torus_scenario(tests::Torus torus, const CoulombOptions& options, Index steps,
                              const std::string& integrator = "velocity_verlet") {
  torus.charge = 6e-6 * 145 / double(torus.around * torus.across);  // the same in all, however fine the mesh
  torus.mass = 14.5 / double(torus.around * torus.across);
  torus.coulomb = sim::make_coulomb_sum(options);
  diff::Scenario s{.name = "torus",
                   .model = torus.model(),
                   .initial = torus.state(),
                   .integrator = integrator,
                   .time_step = 0.01,
                   .steps = steps,
                   .stage = {.tolerance = 1e-13}};
  // Charges of different sizes, and a start from which everything moves.
  const Index n = s.model.particles();
  sim::Vector q = s.model.charge();
  for (Index i = 0; i < n; ++i) {
    q[i] *= 1 + 0.3 * std::sin(double(i));
    s.initial.v.col(i) = sim::Vec3(0, 0, 0.5).cross(sim::Vec3(s.initial.x.col(i))) + 0.1 * s.initial.x.col(i);
  }
  s.model = sim::Model(s.model.topology(), s.model.mass(), q, s.model.terms());
  return s;
}

CoulombOptions fmm_options(double tolerance) {
  CoulombOptions options;
  options.method = "fmm";
  options.tolerance = tolerance;
  return options;
}

/// Pairs of boxes whose charges meet through expansions.
std::size_t far_pairs(const diff::Scenario& s, double tolerance) {
  const auto structure = sim::make_coulomb_sum(fmm_options(tolerance))->make_structure(s.initial.x);
  return dynamic_cast<const sim::fmm::FmmStructure&>(*structure).tree().far().size();
}

/// Adjoint against tangent to rounding (1e-8 by default), against differences to 1e-6; returns the crossings.
Index check(const diff::Scenario& s, Index entries = 1) {
  const auto result = diff::check_gradient(s, diff::ProbeLoss(s), {.entries = entries});
  REQUIRE(result.status.ok());
  for (const auto& block : result.blocks) {
    CAPTURE(block.name, block.worst, block.adjoint_vs_tangent, block.adjoint_vs_difference, block.difference_error);
    CHECK(block.largest > 0);  // a zero derivative would prove nothing
    CHECK(block.passed);
  }
  CHECK(result.passed);
  return result.crossings;
}

/// Gradient of the probe loss, block by block.
std::vector<sim::Vector> gradient_blocks(const diff::Scenario& s) {
  const diff::ProbeLoss loss(s);
  diff::AdjointRollout rollout(s);
  REQUIRE(rollout.forward([](Index, const sim::State&) {}).ok());
  const sim::Vector g = rollout.backward(
      [&](Index n, const sim::State& state, sim::Points& gx, sim::Points& gv) { loss.add_gradient(n, state, gx, gv); });
  std::vector<sim::Vector> blocks;
  for (const auto& block : s.model.values().blocks()) blocks.push_back(g.segment(block.offset, block.size));
  blocks.push_back(g.segment(s.position_offset(), 3 * s.model.particles()));
  blocks.push_back(g.tail(3 * s.model.particles()));
  return blocks;
}

void check_against_direct(const diff::Scenario& fmm, const diff::Scenario& direct, double tolerance) {
  const auto got = gradient_blocks(fmm), want = gradient_blocks(direct);
  REQUIRE(got.size() == want.size());
  for (std::size_t b = 0; b < got.size(); ++b) {
    CAPTURE(tolerance, b);
    REQUIRE(want[b].norm() > 0);
    const double error = (got[b] - want[b]).norm() / want[b].norm();
    CHECK(error <= 10 * tolerance);
    CHECK(error > 0);  // another sum
  }
}

CoulombOptions direct_options() {
  CoulombOptions options;
  options.method = "direct";
  return options;
}

/// Gradients of a run with fmm against those of the same run with direct sums.
void compare_sums(const tests::Torus& torus, double tolerance, Index steps, const std::string& integrator) {
  const auto s = torus_scenario(torus, fmm_options(tolerance), steps, integrator);
  REQUIRE(far_pairs(s, tolerance) > 500);
  check_against_direct(s, torus_scenario(torus, direct_options(), steps, integrator), tolerance);
}

}  // namespace

TEST_CASE("gradient check: fmm's derivatives are those of its frozen approximation", "[diff][fd][coulomb]") {
  const auto s = torus_scenario({.around = 48, .across = 20}, fmm_options(1e-2), 2);
  REQUIRE(far_pairs(s, 1e-2) > 500);
  CHECK(check(s) > 0);  // vertices on the middle plane lie on faces of boxes: differences take them across, and say so
}

TEST_CASE("gradient check: every variant of ddef, frozen", "[diff][fd][coulomb]") {
  Index crossings = 0;
  for (auto variant : {sim::DdefVariant::PaperText, sim::DdefVariant::PaperAlgorithm, sim::DdefVariant::Consistent})
    for (auto far_field : {sim::DdefFarField::Interpolate, sim::DdefFarField::Ignore}) {
      CoulombOptions options;
      options.method = "ddef";
      options.ddef = {.points = 30, .variant = variant, .far_field = far_field};
      CAPTURE(int(variant), int(far_field));
      crossings += check(torus_scenario({}, options, 2));
    }
  CHECK(crossings > 0);  // differences take particles across faces of tetrahedra, and that is said
}

TEST_CASE("gradients: those with fmm agree with direct's to ten times the tolerance", "[diff][coulomb]") {
  for (double tolerance : {1e-1, 1e-2, 1e-3})
    compare_sums({.around = 48, .across = 20}, tolerance, 10, "velocity_verlet");
}

TEST_CASE("gradient check: fmm at 1e-6 on a torus of 2,000 vertices", "[diff][fd][coulomb][slow]") {
  const tests::Torus torus{.around = 80, .across = 25};
  for (const std::string integrator : {"velocity_verlet", "imex_euler"}) {
    const auto s = torus_scenario(torus, fmm_options(1e-6), 4, integrator);
    REQUIRE(far_pairs(s, 1e-6) > 500);
    check(s, 2);
    compare_sums(torus, 1e-6, 10, integrator);
  }
}

// Differences, the other half of the slow test, are seen above, at a tolerance that needs fewer vertices.
TEST_CASE("gradients: those with fmm at 1e-6 agree with direct's along three steps of 2,000 vertices",
          "[diff][coulomb]") {
  for (const std::string integrator : {"velocity_verlet", "imex_euler"})
    compare_sums({.around = 80, .across = 25}, 1e-6, 3, integrator);
}
