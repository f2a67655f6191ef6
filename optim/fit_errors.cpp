#include "optim/fit_errors.hpp"

#include <cmath>
#include <optional>

namespace pithball::optim {
namespace {

/// One sight of one component of a marker.
struct Sight {
  double time, position;
};

/// Baseline predictions for one component of one marker.
class Baseline {
 public:
  /// From the first two sights of the recording or, before a forecast that follows a fitted part, the last two fitted
  /// ones.
  Baseline(const Observation& o, Index marker, int component, Part part) {
    const bool forecasts_rest = part == Part::Forecast && o.times.front() < o.forecast_from;
    std::vector<Sight> sights;
    for (std::size_t f = 0; f < o.times.size(); ++f) {
      if (!o.present.empty() && !o.present[f][static_cast<std::size_t>(marker)]) continue;
      if (!std::isfinite(o.positions[f](component, marker))) continue;
      if (forecasts_rest && o.times[f] >= o.forecast_from) break;
      sights.push_back({o.times[f], o.positions[f](component, marker)});
      if (!forecasts_rest && sights.size() == 2) break;
    }
    if (sights.empty()) return;
    anchor_ = forecasts_rest ? sights.back() : sights.front();
    if (sights.size() > 1) {
      const Sight &a = sights[sights.size() - 2], &b = sights.back();
      velocity_ = (b.position - a.position) / (b.time - a.time);
    }
    still_ = anchor_->position;
    const bool rests = o.reference != Reference::Absolute && o.observed_reference.size() > 0;
    if (rests) still_ = o.observed_reference(component, marker);
  }
  bool known() const { return anchor_.has_value(); }
  double still() const { return still_; }
  double constant_velocity(double t) const { return anchor_->position + velocity_ * (t - anchor_->time); }

 private:
  std::optional<Sight> anchor_;
  double velocity_ = 0, still_ = 0;
};

/// Sums of squares, first; their roots at the end.
struct Sums {
  Index samples = 0;
  double model = 0, still = 0, constant_velocity = 0;

  PositionErrors errors() const {
    PositionErrors e;
    e.samples = samples;
    if (samples == 0) return e;
    const auto mean_root = [this](double sum) { return std::sqrt(sum / static_cast<double>(samples)); };
    e.model = mean_root(model);
    e.still = mean_root(still);
    e.constant_velocity = mean_root(constant_velocity);
    return e;
  }
};

double squared(double x) { return x * x; }

}  // namespace

RecordingErrors compute_errors(const diff::Scenario& scenario, const Observation& o, Part part) {
  const Observer observer(o, scenario, part);
  RecordingErrors result;
  result.recording = scenario.name;
  result.part = part;
  result.markers.resize(o.markers.size());
  if (observer.rows() == 0) return result;

  diff::Scenario run = scenario;
  run.steps = observer.last_step();
  Vector r = observer.initial_residual();
  const diff::RolloutStatus status =
      diff::run_forward(run, [&](Index n, const sim::State& state) { observer.add_state(n, state, r); });
  result.unreliable_step = status.unreliable_step;
  if (!status.ok()) {
    result.failure = sim::to_string(status.status) + " at step " + std::to_string(status.step);
    r.setConstant(std::numeric_limits<double>::quiet_NaN());
  }

  std::vector<Baseline> baselines;
  for (std::size_t m = 0; m < o.markers.size(); ++m)
    for (int a = 0; a < 3; ++a) baselines.emplace_back(o, static_cast<Index>(m), a, part);
  std::vector<Sums> by_marker(o.markers.size());
  for (const Observer::Sample& sample : observer.samples()) {
    Sums& sums = by_marker[static_cast<std::size_t>(sample.marker)];
    ++sums.samples;
    Index row = sample.first_row;
    const auto frame = static_cast<std::size_t>(sample.frame);
    for (int a = 0; a < 3; ++a) {
      const double position = o.positions[frame](a, sample.marker);
      if (!std::isfinite(position)) continue;
      sums.model += squared(r[row] * observer.row_sigma(row));
      ++row;
      const Baseline& baseline = baselines[static_cast<std::size_t>(3 * sample.marker + a)];
      // A component first seen in the forecast has no baseline; nothing is then held against the baselines.
      if (!baseline.known()) continue;
      sums.still += squared(baseline.still() - position);
      sums.constant_velocity += squared(baseline.constant_velocity(o.times[frame]) - position);
    }
  }
  Sums all;
  for (std::size_t m = 0; m < by_marker.size(); ++m) {
    const Sums& sums = by_marker[m];
    result.markers[m] = sums.errors();
    all.samples += sums.samples;
    all.model += sums.model;
    all.still += sums.still;
    all.constant_velocity += sums.constant_velocity;
  }
  result.all = all.errors();
  return result;
}

PositionErrors pool(const std::vector<RecordingErrors>& errors, Part part) {
  Sums sums;
  for (const RecordingErrors& e : errors) {
    if (e.part != part || e.all.samples == 0) continue;
    const auto n = static_cast<double>(e.all.samples);
    sums.samples += e.all.samples;
    sums.model += n * squared(e.all.model);
    sums.still += n * squared(e.all.still);
    sums.constant_velocity += n * squared(e.all.constant_velocity);
  }
  return sums.errors();
}

}  // namespace pithball::optim
