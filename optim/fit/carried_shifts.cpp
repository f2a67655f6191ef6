#include "optim/fit/carried_shifts.hpp"

#include <cmath>

#include "optim/fit/resolved_fit.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// "2.1 ± 0.1 mm along x".
std::string say_length_of(const MeasurementKind& kind, const RecordingShift& shift) {
  const double factor = kind.shown_unit.factor;
  return formatted("%.3g ± %.1g %s along %s", factor * shift.size[shift.component],
                   factor * shift.error[shift.component], kind.shown_unit.name.c_str(),
                   kind.components[shift.component].c_str());
}

/// What can be done about a shift, after a semicolon; empty: nothing.
std::string say_remedy(const MeasurementKind& kind, const RecordingShift& shift) {
  if (shift.kind == ShiftKind::Own) return "; check where the marker is attached";
  if (shift.kind == ShiftKind::Translation && kind.geometry.is_place)
    return "; `placement: {fit: translation}` would fit it, unless clock, scale or model cause it";
  return "";
}

std::string say_shift(const ResolvedFit& fit, const RowOrder& order, const RecordingShift& shift) {
  const std::size_t scenario = order.recordings[shift.recording];
  const Observation& observation = fit.problem().observations[scenario];
  const MeasurementKind& kind = kind_of(observation);
  const std::string what =
      shift.kind == ShiftKind::Own ? "marker " + observation.markers[shift.marker].name : std::string("the recording");
  return fit.problem().scenarios[scenario].name + ": " + what +
         (shift.kind == ShiftKind::Drift ? " seems to drift by " : " seems shifted by ") + say_length_of(kind, shift) +
         formatted(" (p = %.1g), which the intervals include", shift.p_value) + say_remedy(kind, shift);
}

}  // namespace

ShiftRows find_shift_rows(const ResolvedFit& fit, const RowOrder& order, Index rows) {
  const TrajectoryResidual& trajectories = fit.residual().trajectories();
  ShiftRows shifts{Vector::Zero(rows), Vector::Zero(rows)};
  for (const std::size_t s : order.recordings) {
    const MeasurementModel& measurement = trajectories.measurement(s);
    const Index first_row = trajectories.first_row(s);
    const auto& samples = measurement.samples();
    const bool has_place = kind_of(fit.problem().observations[s]).geometry.registration != Registration::None;
    const double begin = samples.front().since_first, length = samples.back().since_first - begin;
    for (const MeasurementModel::Sample& sample : samples)
      for (Index row = sample.first_row; has_place && row < sample.first_row + sample.row_count; ++row) {
        shifts.by_shift[first_row + row] = 1 / measurement.row_sigma(row);
        shifts.place[first_row + row] = length > 0 ? (sample.since_first - begin) / length - 0.5 : 0;
      }
  }
  return shifts;
}

std::vector<std::string> carry_shifts(const ResolvedFit& fit, const FitRows& rows, const Scores& scores,
                                      AllErrors& errors) {
  const RecordingShifts shifts =
      find_recording_shifts(rows, scores, errors.posterior, find_shift_rows(fit, rows.order, rows.r.size()));
  if (shifts.found.empty()) return {};
  add_covariance(shifts.covariance, fit.problem().uncertainty.options.confidence, errors);
  std::vector<std::string> sentences;
  for (const RecordingShift& shift : shifts.found) sentences.push_back(say_shift(fit, rows.order, shift));
  return sentences;
}

}  // namespace pithball::optim
