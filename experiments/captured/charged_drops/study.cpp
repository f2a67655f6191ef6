#include "experiments/captured/charged_drops/study.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "app/spec/fit_spec.hpp"
#include "datasets/text/csv_table.hpp"
#include "experiments/shipped/shipped_experiment.hpp"
#include "optim/fit/fit.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments::charged_drops {

using namespace app;

namespace {

using nlohmann::json;

FitSpec load(const std::vector<std::string>& changes = {}) {
  std::vector<Override> overrides;
  for (const std::string& change : changes) overrides.push_back(parse_override(change));
  return read_fit(load_document(shipped_experiment("captured/charged_drops/charged_drops.yaml"), overrides));
}

optim::FitReport converged(const optim::FitProblem& problem, const std::string& which) {
  optim::FitReport report = optim::fit(problem);
  if (report.status != optim::MinimizerStatus::Converged)
    throw std::runtime_error("charged_drops: the fit " + which + " did not converge: " + report.message);
  return report;
}

const optim::FittedParameter& find(const optim::FitReport& report, const std::string& value, const std::string& drop) {
  for (const optim::FittedParameter& p : report.parameters)
    if (p.value == value && p.recording == drop) return p;
  throw InvalidArgument(
      {"charged_drops.yaml", "parameters", "must hold " + value + " of each drop", "none of " + drop, ""});
}

/// How one coordinate of one drop scatters about the model.
struct Scatter {
  double rms = 0;          ///< [m]
  double correlation = 0;  ///< of residuals that follow one another, Σ r_k r_{k+1} / Σ r_k²
};
Scatter scatter_of(const optim::Vector& residuals, double sigma) {
  const sim::Index n = residuals.size();
  return {sigma * std::sqrt(residuals.squaredNorm() / n),
          residuals.head(n - 1).dot(residuals.tail(n - 1)) / residuals.squaredNorm()};
}

/// Residuals of every drop across (0) and along (1) the plates, in units of sigma.
std::vector<std::array<optim::Vector, 2>> residuals_of(const FitSpec& spec, const optim::Vector& theta) {
  optim::Vector all;
  spec.fit->residual().trajectories().evaluate(theta, all, nullptr);
  std::vector<std::array<optim::Vector, 2>> drops;
  sim::Index first = 0;
  for (const optim::Observation& seen : spec.problem().observations) {
    const sim::Index frames = seen.times.size();
    const auto rows = all.segment(first, 2 * frames).reshaped(2, frames);  // a row for each coordinate
    drops.push_back({rows.row(0), rows.row(1)});
    first += 2 * frames;
  }
  return drops;
}

/// Difference of the Bayesian information criterion between two models of equally many parameters, each coordinate with
/// a noise of its own: Σ n ln(|r|² / |r'|²), positive if the second describes the drop better.
double bic_difference(const std::array<optim::Vector, 2>& first, const std::array<optim::Vector, 2>& second) {
  double sum = 0;
  for (std::size_t a = 0; a < 2; ++a)
    sum += first[a].size() * std::log(first[a].squaredNorm() / second[a].squaredNorm());
  return sum;
}

/// Linear drag that a rigid sphere of the drop's volume has in air at the track's mean speed [kg/s]:
/// 3πμd (1 + 0.15 Re^0.687) (Schiller and Naumann 1933).
double sphere_drag(const Recording& drop) {
  constexpr double water = 1000, air = 1.2, viscosity = 1.81e-5;  // [kg/m³], [kg/m³], [Pa s]
  const optim::Observation& seen = drop.observation;
  const double diameter = std::cbrt(6 / std::numbers::pi * drop.scenario.model.mass()[0] / water);
  const sim::Points way = seen.positions.back() - seen.positions.front();  // marker 0 shows x, marker 1 y
  const double speed = std::hypot(way(0, 0), way(1, 1)) / (seen.times.back() - seen.times.front());
  const double reynolds = air * speed * diameter / viscosity;
  return 3 * std::numbers::pi * viscosity * diameter * (1 + 0.15 * std::pow(reynolds, 0.687));
}

/// Why a charge differs from the published one, in the order of what matters most.
std::string reason(const json& drop) {
  const double charge = drop["charge"], error = drop["widened_error"];
  if (error > 0.5 * std::abs(charge)) return "not determined by this track";
  if (drop["outlier"]) return "set aside by the authors, who print no charge; drag decides";
  const double by_drag = charge / drop["charge_without_drag"].get<double>() - 1;
  return "factor two; drag changes it by " + std::to_string(std::lround(100 * by_drag)) + " %";
}

}  // namespace

json run_study(const std::string& folder, bool quick, void (*progress)(const std::string&)) {
  const FitSpec spec = load();
  progress("fitting all drops");
  const optim::FitReport report = converged(spec.problem(), "with linear drag");
  progress("fitting without drag");
  const std::string only_charge = "fit.parameters=[{charge: {share: recording, initial: 1 pC}}]";
  const optim::FitReport bare = converged(load({"forces.drag.linear=0", only_charge}).problem(), "without drag");
  const auto residuals = residuals_of(spec, report.theta);

  const datasets::CsvTable published(folder + "/published_charges.csv", 1, 0), meta(folder + "/meta.csv", 1, 0);
  const auto number = [&](sim::Index row, const char* column) {
    return published.number(row, published.find_column(column, "published"));
  };
  json study{{"drops", json::array()}, {"condition_of_scaled_jacobian", report.condition}};
  for (std::size_t k = 0; k < spec.recordings.size(); ++k) {
    const std::string& name = spec.recordings[k].name;
    const sim::Index row = k;
    for (const datasets::CsvTable* table : {&published, &meta})
      if (row >= table->rows() || table->cell(row, 0).text != name)
        throw InvalidArgument({table->path(), "rows", "must name the drops in the order of charged_drops.yaml",
                               "another than " + name, "take the published files"});
    const auto& charge = find(report, "charge", name);
    const auto& drag = find(report, "linear_drag", name);
    const optim::Vector& sigma = spec.problem().observations[k].sigma;
    const Scatter across = scatter_of(residuals[k][0], sigma[0]), along = scatter_of(residuals[k][1], sigma[1]);
    // A smooth parameter sees noise of lag-one correlation ρ as (1+ρ)/(1−ρ) times its variance (Bartlett 1946).
    const double rho = std::max(across.correlation, 0.0), widening = std::sqrt((1 + rho) / (1 - rho));
    json drop{{"drop", name},
              {"frames", spec.problem().observations[k].times.size()},
              {"charge", charge.estimate},
              {"standard_error", charge.standard_error},
              {"widened_error", widening * charge.standard_error},
              {"linear_drag", drag.estimate},
              {"linear_drag_standard_error", drag.standard_error},
              {"drag_over_sphere", drag.estimate / sphere_drag(spec.recordings[k])},
              {"charge_without_drag", find(bare, "charge", name).estimate},
              {"published", number(row, "q_published_C")},
              {"full_acceleration", number(row, "q_full_acceleration_C")},
              {"outlier", meta.cell(row, meta.find_column("outlier", "outlier")).text == "True"},
              {"rms_mm", {1e3 * across.rms, 1e3 * along.rms}},
              {"correlation", {across.correlation, along.correlation}}};
    drop["over_published"] = charge.estimate / number(row, "q_published_C");
    drop["reason"] = reason(drop);
    study["drops"].push_back(std::move(drop));
  }
  if (quick) return study;

  progress("fitting at half the step");
  const optim::FitReport half = converged(optim::with_halved_step(spec.problem()), "at half the step");
  double largest = 0;
  for (std::size_t k = 0; k < report.parameters.size(); ++k)
    largest = std::max(largest, std::abs(half.parameters[k].estimate - report.parameters[k].estimate) /
                                    report.parameters[k].standard_error);
  study["half_step_in_standard_errors"] = largest;

  progress("fitting with quadratic drag");
  const FitSpec quadratic =
      load({"forces.drag.linear=0", "forces.drag.quadratic=1e-5",
            "fit.parameters.1={quadratic_drag: {share: recording, initial: 1e-5, transform: scaled}}"});
  const optim::FitReport other = converged(quadratic.problem(), "with quadratic drag");
  const auto other_residuals = residuals_of(quadratic, other.theta);
  for (std::size_t k = 0; k < residuals.size(); ++k) {
    json& drop = study["drops"][k];
    drop["charge_with_quadratic_drag"] = find(other, "charge", drop["drop"]).estimate;
    drop["bic_for_quadratic_drag"] = bic_difference(residuals[k], other_residuals[k]);
  }
  return study;
}

}  // namespace pithball::experiments::charged_drops
