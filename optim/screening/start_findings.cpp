#include "optim/screening/start_findings.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "optim/measurement/measurement_kind.hpp"
#include "optim/observation/track_noise.hpp"
#include "optim/screening/marker_order.hpp"
#include "optim/screening/reading_change.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Possible other units of the file, as the factor by which its numbers are larger than the model predicts. A factor
/// below this one indicates a calibrated scale, not another unit.
constexpr double least_unit_ratio = 2;

std::vector<double> unit_ratios(const MeasurementKind& kind, double scale) {
  std::vector<double> ratios;
  for (const FileUnit& unit : file_units)
    if (unit.base == kind.unit)
      if (const double ratio = scale / unit.size; ratio >= least_unit_ratio || ratio <= 1 / least_unit_ratio)
        ratios.push_back(ratio);
  return ratios;
}

const FileUnit* unit_of_ratio(const MeasurementKind& kind, double scale, double ratio) {
  for (const FileUnit& unit : file_units)
    if (unit.base == kind.unit && scale / unit.size == ratio) return &unit;
  return nullptr;
}

std::string say_window(Index frames, Index all) {
  if (frames == 1) return "in the first frame";
  if (frames == all) return formatted("over all %td frames", frames);
  return formatted("over the first %td frames", frames);
}

std::string quoted(const std::string& name) { return "'" + name + "'"; }

/// The comparisons of one recording.
class StartComparison {
 public:
  StartComparison(const diff::Scenario& scenario, const Observation& observation, const RecordingReading& reading)
      : scenario_(scenario), observation_(observation), reading_(reading), kind_(kind_of(observation)) {}

  std::vector<Finding> run() const {
    if (std::optional<Finding> time = find_time_unit()) return {std::move(*time)};
    constexpr Index all = std::numeric_limits<Index>::max(), early = 64;
    // With a start of their own, interpretations are compared over early frames only, each with one more simulation.
    const bool own_start = !reading_.placed_by_recording.empty();
    const StartReadings readings = simulate_readings(scenario_, observation_, own_start ? early : all);
    std::optional<MarkerOrder> order;
    if (!own_start && reading_.entries.size() == observation_.markers.size())
      order = find_marker_order(readings, reading_.placement_is_free);
    ReadingChoices choices = possible_choices();
    const auto find_change = [&]() -> std::optional<ReadingChange> {
      if (choices.axes.empty() && choices.scales.empty()) return {};
      return find_reading_change(readings, choices, own_start ? reread() : RereadStart{});
    };
    std::optional<ReadingChange> change = find_change();
    if (change && change->scale != 1 && parameters_explain(*change)) {
      choices.scales.clear();
      change = find_change();
    }
    if (order && change && !explains_more(*change, *order, readings, choices)) change.reset();
    if (change) return say_change(*change, readings);
    if (order) return {say_order(*order, readings)};
    return {};
  }

 private:
  /// Whether a change of the fitted parameters explains the recording nearly as well as another unit does.
  bool parameters_explain(const ReadingChange& change) const {
    constexpr double much = 16;  // a factor of four in RMS
    return reading_.left_by_parameters && reading_.left_by_parameters() * change.written.sum < much * change.other.sum;
  }

  ReadingChoices possible_choices() const {
    ReadingChoices choices;
    const ReadingGeometry& geometry = kind_.geometry;
    if (geometry.describe_axes) choices.axes = signed_permutations(static_cast<int>(kind_.components.size()));
    choices.scales = unit_ratios(kind_, reading_.scale);
    if (geometry.center.empty()) return choices;
    for (std::size_t a = 0; a < geometry.center.size(); ++a)
      choices.center[a] = observation_.recording_frame.values()[recording_frame_offset(geometry.center[a])];
    choices.shifts = reading_.placement_is_free;
    return choices;
  }

  /// An order and another interpretation may both explain the first frame, for example of a row of markers from right
  /// to left. Then later frames decide; if they do not, the order is reported.
  static bool explains_more(const ReadingChange& change, const MarkerOrder& order, const StartReadings& readings,
                            const ReadingChoices& choices) {
    constexpr double much = 4;
    StartReadings ordered = readings;
    for (std::size_t f = 0; f < ordered.simulated.size(); ++f)
      for (Index m = 0; m < readings.markers(); ++m)
        ordered.simulated[f].col(m) = readings.simulated[f].col(order.follows[m]);
    return much * change.other.sum < residuals_of(ordered, choices, {}, change.frames).sum;
  }

  /// Returns the start given by the recording if its numbers have another interpretation.
  RereadStart reread() const {
    return [this](const ReadingChange& change) {
      diff::Scenario other = scenario_;
      const RecordingFrame& frame = observation_.recording_frame;
      const Mat3 rotation = frame.rotation_matrix(),
                 turn = rotation * change.axes.transpose() * rotation.transpose() / change.scale;
      const Vec3 moved = frame.translation - turn * frame.translation;
      for (const Index i : reading_.placed_by_recording) {
        other.initial.x.col(i) = turn * other.initial.x.col(i) + moved;
        other.initial.v.col(i) = turn * other.initial.v.col(i);
      }
      constexpr Index early = 64;
      return simulate_readings(other, observation_, early);
    };
  }

  /// Formats the RMS in the unit of the kind.
  std::string say_size(const SquareSum& squares, const StartReadings& readings) const {
    const double sigma = 1 / std::sqrt(readings.sigma.cwiseInverse().cwiseAbs2().mean());
    return kind_.shown(std::sqrt(squares.mean()) * sigma);
  }

  std::string say_improvement(const SquareSum& written, const SquareSum& other, Index frames,
                              const StartReadings& readings) const {
    return say_window(frames, readings.frames()) + " the recording is " + say_size(written, readings) +
           " from the simulated start; read as follows, " + say_size(other, readings);
  }

  static double improvement(const SquareSum& written, const SquareSum& other) {
    return std::sqrt(written.mean() / other.mean());
  }

  Finding say_order(const MarkerOrder& order, const StartReadings& readings) const {
    std::vector<std::string> names, entries = reading_.entries;
    bool known = true;
    for (const Index m : order.moved) names.push_back(quoted(observation_.markers[m].name));
    for (std::size_t m = 0; m < entries.size(); ++m) {
      entries[m] = reading_.entries[order.follows[m]];
      known = known && !entries[m].empty();
    }
    std::string key = reading_.entries_key + ": ";
    if (known) {
      for (std::size_t m = 0; m < entries.size(); ++m) key += (m == 0 ? "[" : ", ") + entries[m];
      key += "]";
    } else {
      for (std::size_t k = 0; k < order.moved.size(); ++k)
        key += (k == 0 ? "" : ", ") +
               ("the entry of " + quoted(observation_.markers[order.follows[order.moved[k]]].name)) +
               " at the place of " + names[k];
    }
    std::string marker;
    for (const Index m : order.moved) marker += (marker.empty() ? "" : ", ") + observation_.markers[m].name;
    const bool pair = order.moved.size() == 2;
    return {FindingKind::Order,
            marker,
            {},
            improvement(order.written, order.other),
            "markers " + in_words(names) + (pair ? " are exchanged: " : " are in another order: ") +
                say_improvement(order.written, order.other, order.frames, readings),
            key};
  }

  std::vector<Finding> say_change(const ReadingChange& change, const StartReadings& readings) const {
    std::vector<Finding> found;
    const std::string size = say_improvement(change.written, change.other, change.frames, readings);
    if (change.turns()) {
      const OtherAxes axes = kind_.geometry.describe_axes(change.axes, reading_.axes);
      found.push_back({FindingKind::Axes,
                       "",
                       {},
                       improvement(change.written, change.other),
                       axes.difference + ": " + size,
                       axes.key});
    }
    if (change.scale == 1) return found;
    const FileUnit* unit = unit_of_ratio(kind_, reading_.scale, change.scale);
    found.push_back({FindingKind::Unit,
                     "",
                     {},
                     change.scale,
                     "readings are in " + std::string(unit->name) +
                         formatted(", %.4g times those of the simulated start: ", change.scale) + size,
                     "scale: " + std::string(unit->written)});
    return found;
  }

  /// Finds times in ms that were read as s: frames are then hundreds of steps apart. The simulation as written is too
  /// long to be compared as a whole, so only the first few frames are used.
  std::optional<Finding> find_time_unit() const {
    constexpr double ms = 1e-3, many_steps = 300, most_particle_steps = 2e7, few_frames = 8;
    constexpr Index early = 64;
    const std::vector<double>& times = observation_.times;
    const double interval = usual_interval(times);
    if (!(interval > many_steps * scenario_.time_step)) return {};
    Observation shorter = observation_;
    double& offset = shorter.recording_frame.clock_offset;
    if (offset == -times.front()) offset *= ms;
    for (double& time : shorter.times) time *= ms;
    if (shorter.simulated_time(0) < 0) return {};
    const StartReadings other = simulate_readings(scenario_, shorter, early);
    const double work = static_cast<double>(scenario_.model.particles()) * interval / scenario_.time_step;
    const auto frames = static_cast<Index>(std::clamp(most_particle_steps / work, 2.0, few_frames));
    const StartReadings written = simulate_readings(scenario_, observation_, frames);
    const SquareSum as_written = residuals_of(written, {}, {}, written.frames()),
                    in_ms = residuals_of(other, {}, {}, written.frames()),
                    all_in_ms = residuals_of(other, {}, {}, other.frames());
    if (!ReadingTest{written.knows_noise}.is_better(in_ms, as_written) || all_in_ms.mean() > as_written.mean())
      return {};
    return Finding{FindingKind::Unit,
                   "",
                   {},
                   1 / ms,
                   formatted("times are in ms: frames are %.3g s or %.3g time steps apart, and ", interval,
                             interval / scenario_.time_step) +
                       say_improvement(as_written, in_ms, written.frames(), written),
                   times_in_ms};
  }

  const diff::Scenario& scenario_;
  const Observation& observation_;
  const RecordingReading& reading_;
  const MeasurementKind& kind_;
};

}  // namespace

std::vector<Finding> find_at_start(const diff::Scenario& scenario, const Observation& observation,
                                   const RecordingReading& reading) {
  return StartComparison(scenario, observation, reading).run();
}

double left_by_parameters(const TrajectoryResidual& residual, const Vector& theta, std::size_t recording) {
  constexpr Index most_parameters = 500;  // limit for a Jacobian that is computed only for this test
  const Index first = residual.first_row(recording), rows = residual.first_row(recording + 1) - first;
  if (theta.size() > most_parameters || rows < 2 * theta.size()) return 0;
  Vector r;
  Eigen::MatrixXd J;
  if (!residual.evaluate(theta, r, &J).ok()) return 0;
  const Vector own = r.segment(first, rows);
  Eigen::MatrixXd columns = J.middleRows(first, rows);
  for (Index k = 0; k < columns.cols(); ++k)  // a parameter's unit does not matter
    if (const double norm = columns.col(k).norm(); norm > 0) columns.col(k) /= norm;
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> directions(columns);
  const Vector left = own - columns * directions.solve(own);
  return own.squaredNorm() > 0 ? left.squaredNorm() / own.squaredNorm() : 0;
}

}  // namespace pithball::optim
