#include "optim/uncertainty/sensitivity_growth.hpp"

#include <algorithm>
#include <cmath>

#include "optim/observation/measurement_model.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Error of θ that a good start is assumed not to exceed: 1 % of a value on a logarithmic scale.
constexpr double close_start = 0.01;

std::string short_number(double value) { return formatted("%.3g", value); }

/// Fits the slope of log₂ shift in the second half of the recorded time.
void fit_doublings(SensitivityGrowth& growth) {
  const double half = (growth.times.front() + growth.times.back()) / 2;
  double n = 0, st = 0, sy = 0, stt = 0, sty = 0;
  for (std::size_t f = 0; f < growth.times.size(); ++f) {
    if (growth.times[f] < half || !(growth.shift[f] > 0)) continue;
    const double t = growth.times[f] - half, y = std::log2(growth.shift[f]);
    n += 1, st += t, sy += y, stt += t * t, sty += t * y;
  }
  if (n < 3) return;
  growth.doublings_per_second = (n * sty - st * sy) / (n * stt - st * st);
  growth.late_doublings = growth.doublings_per_second * (growth.times.back() - half);
}

}  // namespace

double recorded_extent(const Observation& o, const MeasurementModel& measurement) {
  const auto M = o.markers.size();
  std::vector<Vec3> sum(M, Vec3::Zero()), count(M, Vec3::Zero());
  const auto visit = [&](auto work) {
    for (const MeasurementModel::Sample& sample : measurement.samples()) {
      const Vec3 seen = o.sight(sample.frame, sample.marker);
      for (int a = 0; a < 3; ++a)
        if (!std::isnan(seen[a])) work(sample.marker, a, seen[a]);
    }
  };
  visit([&](std::size_t m, int a, double x) {
    sum[m][a] += x;
    count[m][a] += 1;
  });
  double square = 0;
  visit([&](std::size_t m, int a, double x) { square += std::pow(x - sum[m][a] / count[m][a], 2); });
  return std::sqrt(square / measurement.samples().size());
}

std::vector<std::string> SensitivityGrowth::warnings() const {
  std::vector<std::string> sentences;
  if (exponential())
    sentences.push_back(recording + ": the sensitivity doubles every " + short_number(1 / doublings_per_second) +
                        " s, so the motion is chaotic: errors of the time step grow as fast as the effect of the "
                        "parameters, and late frames contain little information; end the recording earlier (frames: "
                        "{to: …}), or start with the early frames");
  if (std::isfinite(useless_from))
    sentences.push_back(recording + ": from " + short_number(useless_from) +
                        " s on, a change of the parameters by 1 % moves the markers by more than their whole motion; a "
                        "search from farther away gets no information from these frames: start with the early ones");
  return sentences;
}

Eigen::MatrixXd of_the_body(const ParameterMap& map, const Eigen::MatrixXd& J) {
  std::vector<Index> kept;
  for (Index k = 0; k < map.size(); ++k)
    if (std::ranges::find(recording_frame_values(), map.info()[k].value, &RecordingFrameValue::name) ==
        recording_frame_values().end())
      kept.push_back(k);
  return J(Eigen::all, kept);
}

std::vector<SensitivityGrowth> compute_sensitivity_growth(const std::vector<diff::Scenario>& scenarios,
                                                          const std::vector<Observation>& observations,
                                                          const Eigen::MatrixXd& J) {
  std::vector<SensitivityGrowth> all;
  Index first_row = 0;
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    const Observation& o = observations[s];
    const MeasurementModel measurement(o, scenarios[s], Part::Fit);
    if (first_row + measurement.rows() > J.rows()) {
      first_row = -1;
      break;
    }
    if (measurement.rows() == 0) continue;
    SensitivityGrowth growth;
    growth.recording = scenarios[s].name;
    growth.kind = &kind_of(o);
    Index frame = -1;
    std::vector<double> samples;
    for (const MeasurementModel::Sample& sample : measurement.samples()) {
      if (sample.frame != frame) {
        frame = sample.frame;
        growth.times.push_back(o.simulated_time(frame));
        growth.shift.push_back(0);
        samples.push_back(0);
      }
      samples.back() += 1;
      for (Index r = sample.first_row; r < sample.first_row + sample.row_count; ++r)
        growth.shift.back() += J.row(first_row + r).squaredNorm() * std::pow(measurement.row_sigma(r), 2);
    }
    growth.extent = recorded_extent(o, measurement);
    for (std::size_t f = 0; f < samples.size(); ++f) growth.shift[f] = std::sqrt(growth.shift[f] / samples[f]);
    fit_doublings(growth);
    for (std::size_t f = samples.size(); f-- > 0 && close_start * growth.shift[f] > growth.extent;)
      growth.useless_from = growth.times[f];
    first_row += measurement.rows();
    all.push_back(std::move(growth));
  }
  if (first_row != J.rows())
    throw InvalidArgument({"", "sensitivity growth", "the Jacobian must have one row for each residual",
                           std::to_string(J.rows()) + " rows", ""});
  return all;
}

void fields(FieldVisitor& v, SensitivityGrowth& growth) {
  v.is("SensitivityGrowth", "growth of the sensitivity of a recording's markers to the parameters");
  v("recording", growth.recording, "as in the experiment file");
  v("times", growth.times, in("s"), "simulated times of the fitted frames");
  v("shift", growth.shift, of_kind,
    "RMS shift of a marker when every parameter changes by 1 in units of its "
    "scale");
  v("extent", growth.extent, of_kind, "RMS distance of the recorded markers from their mean positions");
  v("doublings_per_second", growth.doublings_per_second, in("1/s"),
    "doublings of the shift per time in the second half; null: too few frames");
  v("late_doublings", growth.late_doublings, "number of doublings in the second half; null: too few frames");
  v.computed(
      "exponential", [&] { return growth.exponential(); }, "whether it grows like that of a chaotic motion");
  v("useless_from", value_if(growth.useless_from < std::numeric_limits<double>::infinity(), growth.useless_from),
    in("s"),
    "time from which a small change of the parameters moves the markers by "
    "more than the extent; null: never");
}

}  // namespace pithball::optim
