#include "experiments/captured/ion_trap_pair/study.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

#include "experiments/captured/ion_trap_pair/grains.hpp"
#include "optim/fit/fit.hpp"
#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/field/line_field.hpp"
#include "sim/field/tabulated_field.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/force/drag.hpp"
#include "sim/force/electric_field.hpp"

namespace pithball::experiments::ion_trap_pair {
namespace {

using nlohmann::json;
using Charges = std::array<double, 2>;

constexpr double spacing = 1e-3;              // [m] of the smooth potential's nodes
constexpr double charge_over_mass = 1.12e-3;  // [C/kg]: mean of the set's twelve single grains
constexpr double origin_error = pixel / 2;    // [m]: where the tracks' zero lies on the table's axis
const std::vector<double> spacings{0.5e-3, 1e-3, 2e-3, 4e-3};

// --- before the switch ---

/// Charges with their error: what the scatter of the positions, the choice of smoothing and the origin of the tracks
/// leave open, added in squares.
json balance(const Grains& grains) {
  const auto right = grains.rest(0), left = grains.rest(1);
  const auto potential = grains.smooth_potential(0, spacing);
  const Charges q = balancing_charges(potential, right.position, left.position);
  const auto change = [&](double d_right, double d_left, std::size_t grain) {
    return balancing_charges(potential, right.position + d_right, left.position + d_left)[grain] - q[grain];
  };
  json result{{"separation_mm", 1e3 * (right.position - left.position)}, {"grains", json::array()}};
  for (std::size_t g = 0; g < 2; ++g) {
    double least = q[g], most = q[g];
    for (const double s : spacings) {
      const double other = balancing_charges(grains.smooth_potential(0, s), right.position, left.position)[g];
      least = std::min(least, other);
      most = std::max(most, other);
    }
    const double by_table = (most - least) / 2, by_origin = std::abs(change(origin_error, origin_error, g));
    const double by_positions = std::hypot(change(right.error, 0, g), change(0, left.error, g));
    result["grains"].push_back({{"grain", g == 0 ? "right" : "left"},
                                {"charge", q[g]},
                                {"standard_error", std::hypot(by_table, by_origin, by_positions)},
                                {"by_table", by_table},
                                {"by_origin", by_origin},
                                {"by_positions", by_positions}});
  }
  const auto& first = result["grains"][0];
  const auto& second = result["grains"][1];
  const double error = std::hypot(first["standard_error"].get<double>(), second["standard_error"].get<double>());
  result["difference_in_standard_errors"] = std::abs(q[0] - q[1]) / error;
  return result;
}

// --- after it ---

std::shared_ptr<sim::ForceTerm> electrodes(const Grains& grains, std::size_t table,
                                           const sim::TabulatedField::Span& span) {
  auto line =
      std::make_shared<sim::LineField>(grains.smooth_potential(table, spacing), sim::LineField::Quantity::Potential,
                                       sim::Vec3::Zero(), sim::Vec3::UnitX());
  return std::make_shared<sim::ElectricField>(
      std::make_shared<sim::TabulatedField>(std::move(line), sim::TabulatedField::Outside::Fail, span));
}

/// Two points on the axis from the first frame on, at rest where the grains were on average before the switch.
diff::Scenario scenario(const Grains& grains, const Charges& q, double mass, double drag, double time_constant) {
  sim::State start{0, sim::Points::Zero(3, 2), sim::Points::Zero(3, 2)};
  for (std::size_t g = 0; g < 2; ++g) start.x(0, g) = grains.rest(g).position;
  std::vector<std::shared_ptr<sim::ForceTerm>> terms{
      std::make_shared<sim::CoulombForce>(std::make_shared<sim::DirectCoulombSum>()),
      electrodes(grains, 0, {.until = grains.switched(), .time_constant = time_constant}),
      electrodes(grains, 1, {.from = grains.switched(), .time_constant = time_constant}),
      std::make_shared<sim::LinearDrag>(Vector::Constant(2, drag),
                                        std::make_shared<sim::UniformField>(sim::Vec3::Zero()))};
  constexpr double step = frame_time / 10;
  return {.name = "grains",
          .model = sim::Model({.particles = 2, .springs = {}, .held = {}}, Vector::Constant(2, mass),
                              Vector{{q[0], q[1]}}, terms),
          .initial = start,
          .integrator = "imex_midpoint",
          .time_step = step,
          .steps = 10 * (grains.frames() - 1),
          .stage = {}};
}

optim::Observation observation(const Grains& grains, double validation_from) {
  optim::Observation seen;
  seen.markers = {{"right", {{0, 1.0}}}, {"left", {{1, 1.0}}}};
  seen.sigma = Vector::Constant(2, pixel);
  seen.validation_from = validation_from;
  for (Index f = 0; f < grains.frames(); ++f) {
    seen.times.push_back(frame_time * f);
    sim::Points x = sim::Points::Constant(3, 2, NAN);  // along the axis only
    for (std::size_t g = 0; g < 2; ++g) x(0, g) = grains.position[g][f];
    seen.positions.push_back(x);
  }
  return seen;
}

constexpr double never = std::numeric_limits<double>::infinity();

/// Fits the drag of each grain. The charges stay as they were weighed: in slow motion they could be small together with
/// the drags, so that fits which free them wander off.
optim::FitReport fit_motion(const Grains& grains, const diff::Scenario& start, double validation_from) {
  optim::FitProblem problem;
  problem.scenarios = {start};
  problem.observations = {observation(grains, validation_from)};
  optim::Parameter drag;
  drag.value = "linear_drag";
  drag.entries = optim::EntrySharing::None;
  problem.parameters = {drag};
  return optim::fit(problem);
}

json report_of(const optim::FitReport& report) {
  json list = json::array();
  for (const auto& p : report.parameters)
    list.push_back(
        {{"name", p.name}, {"unit", p.unit}, {"estimate", p.estimate}, {"standard_error", p.standard_error}});
  return {{"status", optim::to_string(report.status)}, {"rms_mm", 1e3 * report.fit.model}, {"parameters", list}};
}

/// Stokes drag of a sphere of water's density with this mass in air, 6πμr [kg/s].
double sphere_drag(double mass) {
  constexpr double density = 1000, viscosity = 1.81e-5;  // [kg/m³], [Pa s]
  return 6 * std::numbers::pi * viscosity * std::cbrt(3 * mass / (4 * std::numbers::pi * density));
}

/// The time constant whose fit misses least, of a few: it is no value of the model.
json gradual_switch(const Grains& grains, const Charges& q, double mass, double validation_from,
                    void (*progress)(const std::string&)) {
  const std::vector<double> tried{1.0, 1.4, 2.0, 2.8, 4.0};
  json best;
  json profile = json::array();
  for (const double tau : tried) {
    progress("fitting the motion with a time constant of " + std::to_string(tau).substr(0, 3) + " s");
    const optim::FitReport report =
        fit_motion(grains, scenario(grains, q, mass, sphere_drag(mass), tau), validation_from);
    json entry = report_of(report);
    entry["time_constant"] = tau;
    entry["forecast"] = {{"rms_mm", 1e3 * report.validation_frames.model},
                         {"static_mm", 1e3 * report.validation_frames.static_baseline},
                         {"constant_velocity_mm", 1e3 * report.validation_frames.constant_velocity}};
    profile.push_back({{"time_constant", tau}, {"rms_mm", entry["rms_mm"]}});
    if (best.is_null() || entry["rms_mm"].get<double>() < best["rms_mm"].get<double>()) best = std::move(entry);
  }
  best["profile"] = std::move(profile);
  return best;
}

}  // namespace

json run_study(const std::string& folder, bool quick, void (*progress)(const std::string&)) {
  const Grains grains = read_grains(folder);
  progress("balancing the two grains");
  json study{{"balance", balance(grains)}};
  const auto& at_rest = study["balance"]["grains"];
  const Charges q{at_rest[0]["charge"], at_rest[1]["charge"]};
  const double mass = (q[0] + q[1]) / 2 / charge_over_mass;
  study["mass_assumed"] = mass;
  study["sphere_drag"] = sphere_drag(mass);

  progress("fitting drag to the motion, electrodes that jump");
  study["sudden"] = report_of(fit_motion(grains, scenario(grains, q, mass, 3e-7, 0), never));
  study["gradual"] = gradual_switch(grains, q, mass, never, progress);
  if (quick) return study;
  const double tau = study["gradual"]["time_constant"];
  progress("fitting with four times the mass");
  study["gradual_heavy"] = report_of(fit_motion(grains, scenario(grains, q, 4 * mass, sphere_drag(mass), tau), never));
  progress("fitting the first three seconds to forecast the rest");
  study["validation_from"] = 3.0;
  study["forecast"] = gradual_switch(grains, q, mass, study["validation_from"], progress);
  return study;
}

}  // namespace pithball::experiments::ion_trap_pair
