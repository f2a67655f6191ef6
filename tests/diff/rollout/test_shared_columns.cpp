#include "diff/rollout/shared_columns.hpp"

#include "diff/step/step_derivative.hpp"
#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/force/gravity.hpp"
#include "sim/force/medium.hpp"
#include "sim/force/switched_field.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::diff;

namespace {

/// Three drops between plates, of which the voltage is switched on; as charges that repel each other, or not.
Scenario make_drops(const std::string& integrator, bool repel) {
  const sim::Vec3 g{0, 0, -9.81};
  const Vector radius{{1e-4, 2e-4, 1.5e-4}}, mass{{4.2e-9, 3.4e-8, 1.4e-8}}, charge{{1e-12, -3e-12, 2e-12}};
  const auto drag =
      std::make_shared<sim::StokesDrag>(radius, 5e-5, std::make_shared<sim::UniformField>(sim::Vec3{0.02, 0, 0}), 1e-5);
  std::vector<std::shared_ptr<sim::ForceTerm>> forces{
      std::make_shared<sim::Gravity>(g), drag, std::make_shared<sim::Buoyancy>(drag, 1.2, g),
      std::make_shared<sim::SwitchedField>(sim::Vec3{0, 0, 2e4},
                                           sim::SwitchedField::Course{Vector{{0, 1}}, Vector{{0.02}}, 0.02})};
  if (repel) forces.push_back(std::make_shared<sim::CoulombForce>(std::make_unique<sim::DirectCoulombSum>()));
  Points x(3, 3);
  x << 0, 1e-3, 2e-3, 0, 0, 0, 0, 1e-4, 0;
  return {.name = "drops",
          .model = sim::Model({.particles = 3, .springs = {}, .held = {}}, mass, charge, forces),
          .initial = {0, x, Points::Zero(3, 3)},
          .integrator = integrator,
          .time_step = 0.002,
          .steps = 20,
          .stage = {}};
}

/// A direction for each charge, radius and first height, and for the switch time: ten, each in units of its value.
Eigen::MatrixXd make_directions(const Scenario& s) {
  std::vector<Index> entries;
  for (const char* name : {"charge", "hydrodynamic_radius", "switch_time"}) {
    const sim::ValueBlock& block = s.model.values().block(*s.model.values().find(name));
    for (Index k = 0; k < block.size; ++k) entries.push_back(block.offset + k);
  }
  for (Index i = 0; i < 3; ++i) entries.push_back(s.position_offset() + 3 * i + 2);
  Eigen::MatrixXd directions = Eigen::MatrixXd::Zero(s.size(), static_cast<Index>(entries.size()));
  for (Index p = 0; p < directions.cols(); ++p)
    directions(entries[p], p) = p < 7 ? s.physical_values()[entries[p]] : 1e-3;
  return directions;
}

/// The derivatives of positions and velocities at the end.
Eigen::MatrixXd end_of(const Scenario& s, const Eigen::MatrixXd& directions) {
  Eigen::MatrixXd end;
  const RolloutStatus status =
      run_tangent(s, directions, [&](Index, const State&, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
        end.resize(2 * dx.rows(), dx.cols());
        end << dx, dv;
      });
  REQUIRE(status.ok());
  return end;
}

/// Whether derivatives along all directions at once are those along each alone.
void check_each_alone(const Scenario& s) {
  const Eigen::MatrixXd directions = make_directions(s), together = end_of(s, directions);
  for (Index p = 0; p < directions.cols(); ++p) {
    INFO("direction " << p);
    const Eigen::MatrixXd alone = end_of(s, directions.col(p));
    REQUIRE(alone.norm() > 0);
    // Solves with stage Hessians are accurate to 1e-12, and share their products among directions.
    CHECK((together.col(p) - alone).norm() < 1e-10 * alone.norm());
  }
}

}  // namespace

TEST_CASE("shared columns: drops that drift freely are carried side by side, and none shows in another's derivative",
          "[diff][rollout][integrator]") {
  for (const std::string& integrator : differentiable_integrators()) {
    INFO(integrator);
    check_each_alone(make_drops(integrator, false));
  }
  const Scenario s = make_drops("imex_euler", false);
  // Charges, radii and heights of the three drops are a column each; the switch time moves all.
  CHECK(SharedColumns(s, make_directions(s)).columns().cols() == 4);
}

TEST_CASE("shared columns: directions that move the same particle, or none, are told apart", "[diff][rollout]") {
  const Scenario s = make_drops("imex_euler", false);
  Eigen::MatrixXd directions = Eigen::MatrixXd::Zero(s.size(), 4);
  const Index z = s.position_offset() + 2;
  directions(z, 0) = directions(z + 3, 0) = 1;      // drops 0 and 1
  directions(z + 3, 1) = directions(z + 6, 1) = 1;  // drops 1 and 2
  directions(z + 6, 2) = 1;                         // drop 2, beside the first
  const SharedColumns shared(s, directions);
  CHECK(shared.columns().cols() == 2);
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(9, 4);
  shared.spread(Eigen::MatrixXd::Ones(9, 2), all);
  CHECK(all.colwise().sum() == Eigen::RowVector4d(6, 6, 3, 0));
}

TEST_CASE("shared columns: each direction has its own where particles act on each other", "[diff][rollout]") {
  const Scenario s = make_drops("imex_euler", true);
  const Eigen::MatrixXd directions = make_directions(s);
  CHECK(SharedColumns(s, directions).columns() == directions);
  const Eigen::MatrixXd end = end_of(s, directions);
  CHECK(end.col(0).segment<3>(6).norm() > 1e-6 * end.col(0).norm());  // the first charge moves the last drop
  check_each_alone(s);
}
