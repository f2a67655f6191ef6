#include "experiments/captured/pendulum_encoder/study.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "experiments/captured/pendulum_encoder/swing.hpp"
#include "experiments/captured/signal.hpp"
#include "optim/fit/fit.hpp"
#include "sim/core/dense.hpp"

namespace pithball::experiments::pendulum_encoder {
namespace {

using nlohmann::json;

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double validation_from = 6;                   // [s] of 9.16
constexpr double fine_step = 5e-3, coarse_step = 1e-2;  // [s]
// The authors' fit: (I + m a²) φ″ = −a m g sin φ − k φ′ (arXiv:2205.06231).
constexpr double published_length = 0.15276, published_damping = 0.0672;  // [m], [1/s]

/// A law of friction: the name of its fit, and where the fit starts; what is 0 there stays 0.
struct Law {
  const char* name;
  Slowing start;
};
constexpr Law linear{"linear", {.linear = 0.06}};
constexpr Law quadratic{"linear_and_quadratic", {.linear = 0.06, .quadratic = 0.01}};
constexpr Law dry{"quadratic_and_dry", {.quadratic = 0.03, .dry = 0.02}};

/// Gravity as a factor on each swing's own direction, what slows the bob, and where and how fast each swing begins.
/// `rest` is what the encoder shows at rest [rad].
optim::FitProblem make_swing_problem(const std::vector<Swing>& swings, double rest, const Law& law, double until,
                                     double time_step) {
  optim::FitProblem problem;
  optim::Parameter gravity;
  gravity.value = "gravity";
  gravity.factor = true;
  problem.parameters = {gravity};
  const auto free_value = [&](const char* value, double start) {
    if (start == 0) return;
    optim::Parameter p;
    p.value = value;
    p.selected = {1};
    problem.parameters.push_back(p);
  };
  free_value("linear_drag", law.start.linear);
  free_value("quadratic_drag", law.start.quadratic);
  free_value("dry_friction", law.start.dry);
  for (const Swing& swing : swings) {
    problem.scenarios.push_back(swing.scenario(rest, law.start, time_step));
    problem.observations.push_back(swing.observation(until));
  }
  for (const char* value : {"position", "velocity"}) {
    optim::Parameter start;
    start.value = value;
    start.selected = {1};
    start.components = "x";
    start.recordings = optim::RecordingSharing::Each;
    problem.parameters.push_back(start);
  }
  return problem;
}

/// What the encoder shows at rest [rad]: the least of the parabola through the costs of fits with 0, 1 and 2 mrad, at
/// the coarse step. (It turns gravity in every swing's own frame, so that it is no value of the model.)
double find_rest(const std::vector<Swing>& swings, double until) {
  constexpr double d = 1e-3;
  std::array<double, 3> cost;
  for (std::size_t k = 0; k < 3; ++k)
    cost[k] = optim::fit(make_swing_problem(swings, d * k, dry, until, coarse_step)).cost_history.back();
  return d + d * (cost[0] - cost[2]) / (2 * (cost[0] - 2 * cost[1] + cost[2]));
}

/// Root mean square of angles [mrad], by swing and of all.
struct AngleErrors {
  json by_swing = json::array();
  double sum = 0, samples = 0;
  void add(const std::vector<double>& misses) {
    double own = 0;
    for (const double miss : misses) own += miss * miss;
    by_swing.push_back(1e3 * std::sqrt(own / misses.size()));
    sum += own;
    samples += misses.size();
  }
  json result() const { return {{"all_mrad", 1e3 * std::sqrt(sum / samples)}, {"by_swing_mrad", by_swing}}; }
};

json angle_errors(const std::vector<optim::MarkerTracks>& tracks, optim::Part part) {
  AngleErrors errors;
  for (const optim::MarkerTracks& t : tracks) {
    std::vector<double> misses;
    for (std::size_t f = 0; f < t.times.size(); ++f)
      if (t.parts[f] == part)
        misses.push_back(std::remainder(angle_of(t.model[f].col(0)) - angle_of(t.recorded[f].col(0)), 2 * M_PI));
    errors.add(misses);
  }
  return errors.result();
}

json report_of(const optim::FitReport& report) {
  json j{{"status", optim::to_string(report.status)},
         {"condition_of_scaled_jacobian", report.condition},
         {"fit", angle_errors(report.tracks, optim::Part::Fit)}};
  for (const auto& p : report.parameters) {
    if (p.value == "gravity")  // L_eff = g·length/(gravity found)
      j["effective_length"] = {{"estimate", length / p.estimate},
                               {"standard_error", length / p.estimate * p.standard_error / p.estimate}};
    const auto keep = [&](const char* value, const char* name, double unit) {
      if (p.value == value) j[name] = {{"estimate", unit * p.estimate}, {"standard_error", unit * p.standard_error}};
    };
    keep("linear_drag", "damping", 1);                     // of 1 kg: 1/s
    keep("quadratic_drag", "quadratic", length);           // per radian
    keep("dry_friction", "dry_deceleration", 1 / length);  // rad/s²
  }
  return j;
}

/// The authors' model from the first sample of each segment: what their values say of this recording.
json published(const std::vector<Swing>& swings) {
  std::vector<optim::MarkerTracks> tracks;
  for (const Swing& swing : swings) {
    diff::Scenario s = swing.scenario(0, {.linear = published_damping}, fine_step);
    sim::Vector values = s.physical_values();
    const auto block = s.model.values().block(s.model.values().find("gravity").value());
    values.segment(block.offset, block.size) *= length / published_length;
    tracks.push_back(optim::compute_tracks(s.with_physical_values(values), swing.observation(never)));
  }
  return {{"effective_length", {{"estimate", published_length}}},
          {"damping", {{"estimate", published_damping}}},
          {"fit", angle_errors(tracks, optim::Part::Fit)}};
}

/// A damped sinusoid for each swing, fitted by least squares until `validation_from`, and what it misses afterwards.
json damped_sinusoids(const std::vector<Swing>& swings, double rest) {
  AngleErrors errors;
  constexpr double rate = 1 / sample_time;
  const auto known = static_cast<Index>(std::lround(validation_from * rate));
  for (const Swing& swing : swings) {
    const Index all = swing.angle.size();
    Points path = Points::Zero(3, all);
    path.row(0) = Eigen::Map<const Eigen::RowVectorXd>(swing.angle.data(), all).array() - rest;
    // Its own start by least squares too: the path is linear in displacement and velocity at the start.
    const DampedSinusoid wave = fit_damped_sinusoid(path.leftCols(known), rate);
    Eigen::MatrixXd shapes(all, 2);
    shapes.col(0) = damped_sinusoid_path(wave, sim::Vec3::UnitX(), sim::Vec3::Zero(), rate, all).row(0).transpose();
    shapes.col(1) = damped_sinusoid_path(wave, sim::Vec3::Zero(), sim::Vec3::UnitX(), rate, all).row(0).transpose();
    const sim::Vector start = sim::solve_least_squares(shapes.topRows(known), path.row(0).head(known).transpose()).X;
    const sim::Vector misses = (shapes * start - path.row(0).transpose()).tail(all - known);
    errors.add({misses.begin(), misses.end()});
  }
  return errors.result();
}

json forecast(const std::vector<Swing>& swings, double rest, const Law& law, double time_step) {
  const optim::FitReport early = optim::fit(make_swing_problem(swings, rest, law, validation_from, time_step));
  json j = report_of(early);
  j["forecast"] = angle_errors(early.tracks, optim::Part::ValidationFrame);
  return j;
}

}  // namespace

json run_study(const std::string& folder, bool quick, void (*progress)(const std::string&)) {
  const std::vector<Swing> swings = read_swings(folder);
  const double time_step = quick ? coarse_step : fine_step;
  json study{{"published", published(swings)}, {"forecast_from_s", validation_from}};
  progress("finding what the encoder shows at rest from the first six seconds");
  const double rest = find_rest(swings, validation_from);
  study["rest_mrad"] = 1e3 * rest;
  study["forecasts"]["damped_sinusoid"]["forecast"] = damped_sinusoids(swings, rest);
  for (const Law& law : quick ? std::vector{linear, dry} : std::vector{linear, quadratic, dry}) {
    progress(std::string("fitting four swings with this friction: ") + law.name);
    study["fits"][law.name] = report_of(optim::fit(make_swing_problem(swings, rest, law, never, time_step)));
  }
  for (const Law& law : quick ? std::vector{dry} : std::vector{linear, quadratic, dry}) {
    progress(std::string("fitting the first six seconds of each to forecast the rest: ") + law.name);
    study["forecasts"][law.name] = forecast(swings, rest, law, time_step);
  }
  if (quick) return study;
  progress("fitting at half the step");
  study["half_step"] =
      report_of(optim::fit(optim::with_halved_step(make_swing_problem(swings, rest, dry, never, time_step))));
  return study;
}

}  // namespace pithball::experiments::pendulum_encoder
