#include "experiments/captured/pendulum_encoder/swing.hpp"

#include <cmath>
#include <numbers>

#include "datasets/text/csv_table.hpp"
#include "sim/core/dense.hpp"
#include "sim/force/drag.hpp"
#include "sim/force/dry_friction.hpp"
#include "sim/force/gravity.hpp"
#include "sim/force/spring_damper.hpp"
#include "sim/force/spring_force.hpp"

namespace pithball::experiments::pendulum_encoder {

double angle_of(const sim::Vec3& x) { return std::atan2(x[0], -x[2]); }

double Swing::starting_rate() const {
  constexpr Index samples = 15;
  Eigen::MatrixXd powers(samples, 4);
  for (Index k = 0; k < samples; ++k) {
    const double t = sample_time * k;
    powers.row(k) << 1, t, t * t, t * t * t;
  }
  return sim::solve_least_squares(powers, Eigen::Map<const sim::Vector>(angle.data(), samples)).X(1, 0);
}

diff::Scenario Swing::scenario(double rest, const Slowing& slowing, double time_step) const {
  // Stiff: gravity and the swing's pull stretch the rod by less than 2e-5 of its length. The damper is weak: its
  // direction is that of the step's beginning, and a strong one would brake the swing.
  constexpr double stiffness = 1e7, damping = 100, stiction_velocity = 0.01;
  const double first = angle.front() - rest;
  const sim::Vec3 down(-std::sin(first), 0, -std::cos(first));  // gravity's direction seen from the turned frame
  const auto still_air = std::make_shared<sim::UniformField>(sim::Vec3::Zero());
  std::vector<std::shared_ptr<sim::ForceTerm>> terms{
      std::make_shared<sim::SpringForce>(sim::Vector::Constant(1, stiffness), sim::Vector::Constant(1, length)),
      std::make_shared<sim::SpringDamper>(sim::Vector::Constant(1, damping)),
      std::make_shared<sim::Gravity>(standard_gravity * down)};
  if (slowing.linear > 0)
    terms.push_back(std::make_shared<sim::LinearDrag>(sim::Vector::Constant(2, slowing.linear), still_air));
  if (slowing.quadratic > 0)
    terms.push_back(std::make_shared<sim::QuadraticDrag>(sim::Vector::Constant(2, slowing.quadratic), still_air));
  if (slowing.dry > 0)
    terms.push_back(std::make_shared<sim::DryFriction>(sim::Vector::Constant(2, slowing.dry), stiction_velocity));
  sim::State start{0, sim::Points::Zero(3, 2), sim::Points::Zero(3, 2)};
  start.x(2, 1) = -length;
  start.v(0, 1) = length * starting_rate();
  return {.name = name,
          .model = sim::Model({.particles = 2, .springs = {{0, 1}}, .held = {{0, {}}}}, sim::Vector::Ones(2),
                              sim::Vector::Zero(2), terms),
          .initial = start,
          .integrator = "imex_midpoint",
          .time_step = time_step,
          .steps = std::lround((angle.size() - 1) * sample_time / time_step),
          .stage = {}};
}

optim::Observation Swing::observation(double validation_from) const {
  optim::Observation seen;
  seen.markers = {{"bob", {{1, 1.0}}}};
  seen.sigma = sim::Vector::Constant(1, 1e-3 * length);  // 1 mrad; errors are taken from the scatter
  seen.validation_from = validation_from;
  for (std::size_t k = 0; k < angle.size(); ++k) {
    const double turned = angle[k] - angle.front();
    seen.times.push_back(sample_time * k);
    seen.positions.emplace_back(length * sim::Vec3(std::sin(turned), 0, -std::cos(turned)));
  }
  return seen;
}

std::vector<Swing> read_swings(const std::string& folder) {
  const datasets::CsvTable table(folder + "/single_pendulum_identification_100hz.csv", 1, 0);
  const Index segment = table.find_column("segment", "a segment"), phi = table.find_column("phi_rad", "a segment");
  std::vector<Swing> swings;
  for (Index row = 0; row < table.rows(); ++row) {
    const std::string name(table.cell(row, segment).text);
    if (swings.empty() || swings.back().name != name) swings.push_back({name, {}});
    swings.back().angle.push_back(table.number(row, phi) - std::numbers::pi);  // the file's zero points up
  }
  return swings;
}

}  // namespace pithball::experiments::pendulum_encoder
