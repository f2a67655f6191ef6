#include "experiments/captured/double_pendulum_ibm/study.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/spec/fit_spec.hpp"
#include "experiments/shipped/shipped_experiment.hpp"
#include "optim/fit/fit.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments::double_pendulum_ibm {

using namespace app;

namespace {

using nlohmann::json;

constexpr double frame_rate = 400, arm = 0.091;  // [1/s], [m]: as published
constexpr double fitted_time = 0.2;              // [s] of each window, as the experiment file says

/// Windows whose name begins with `recording`; empty: all.
optim::FitProblem windows_of(const FitSpec& spec, const std::string& recording) {
  optim::FitProblem problem = spec.problem();
  problem.scenarios.clear();
  problem.observations.clear();
  problem.value_errors.clear();
  problem.start_fits.clear();  // no window is only judged
  problem.parameters.clear();
  std::vector<Index> chosen;
  for (std::size_t k = 0; k < spec.recordings.size(); ++k)
    if (spec.recordings[k].name.starts_with(recording)) chosen.push_back(k);
  for (const Index k : chosen) {
    problem.scenarios.push_back(spec.problem().scenarios[k]);
    problem.observations.push_back(spec.problem().observations[k]);
    problem.value_errors.push_back(spec.problem().value_errors[k]);
  }
  for (optim::Parameter p : spec.problem().parameters) {
    if (!p.scenarios.empty()) {  // a window's own start: renumbered, or gone with its window
      const auto own = std::find(chosen.begin(), chosen.end(), p.scenarios.front());
      if (own == chosen.end()) continue;
      p.scenarios = {own - chosen.begin()};
    }
    problem.parameters.push_back(std::move(p));
  }
  return problem;
}

json estimates(const optim::FitReport& report) {
  json j{{"status", optim::to_string(report.status)}, {"rms_mm", 1e3 * report.fit.model}};
  for (const auto& p : report.parameters)
    if (p.recording.empty() && (p.value == "mass" || p.value == "gravity"))
      j[p.value] = {{"estimate", p.estimate}, {"standard_error", p.standard_error}};
  return j;
}

/// Median and root mean square miss [mm] over bins of 0.1 s after the fitted part.
json forecast_by_time(const optim::FitReport& report) {
  constexpr double bin = 0.1;
  std::vector<std::vector<double>> misses(4);
  for (const optim::MarkerTracks& tracks : report.tracks)
    for (std::size_t f = 0; f < tracks.times.size(); ++f) {
      const auto which = static_cast<std::size_t>((tracks.times[f] - fitted_time + 1e-9) / bin);
      if (tracks.parts[f] != optim::Part::ValidationFrame || which >= misses.size()) continue;
      for (Index m = 0; m < 2; ++m) {
        const sim::Vec3 d = tracks.model[f].col(m) - tracks.recorded[f].col(m);
        misses[which].push_back(1e3 * std::hypot(d[0], d[2]));
      }
    }
  json list = json::array();
  for (std::size_t k = 0; k < misses.size(); ++k) {
    std::vector<double>& bin_misses = misses[k];
    if (bin_misses.empty()) continue;
    double sum = 0;
    for (const double d : bin_misses) sum += d * d;
    std::nth_element(bin_misses.begin(), bin_misses.begin() + static_cast<long>(bin_misses.size() / 2),
                     bin_misses.end());
    list.push_back({{"until_s", bin * (k + 1)},
                    {"rms_mm", std::sqrt(sum / bin_misses.size())},
                    {"median_mm", bin_misses[bin_misses.size() / 2]}});
  }
  return list;
}

}  // namespace

json run_study(const std::string&, bool quick, void (*progress)(const std::string&)) {
  const FitSpec spec = read_fit(load_document(
      shipped_experiment("captured/double_pendulum_ibm/double_pendulum_ibm.yaml"), std::vector<Override>{}));
  progress("fitting all windows");
  const optim::FitReport report = optim::fit(*spec.fit);
  json study = estimates(report);
  study["windows"] = spec.recordings.size();
  study["forecast"] = {{"rms_mm", 1e3 * report.validation_frames.model},
                       {"static_mm", 1e3 * report.validation_frames.static_baseline},
                       {"constant_velocity_mm", 1e3 * report.validation_frames.constant_velocity},
                       {"by_time", forecast_by_time(report)}};
  // What the tracks call gravity is 9.81 m/s² times (length of a track's meter) or over (rate / 400 per second)².
  const double ratio = study["gravity"]["estimate"];
  study["arm_at_400_per_second"] = arm / ratio;
  study["rate_with_arm_of_91_mm"] = frame_rate / std::sqrt(ratio);
  if (quick) return study;
  for (const char* recording : {"0-", "1-"}) {
    progress(std::string("fitting the windows of recording ") + recording[0]);
    study["recordings"].push_back(estimates(optim::fit(windows_of(spec, recording))));
  }
  progress("fitting at half the step");
  study["half_step"] = estimates(optim::fit(optim::with_halved_step(spec.problem())));
  return study;
}

}  // namespace pithball::experiments::double_pendulum_ibm
