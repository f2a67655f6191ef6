#include "optim/diagnosis/measurement_chain.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "optim/fit/problem.hpp"
#include "optim/observation/readings.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

/// Computes the residuals at θ, changed by G β.
Evaluation run_linear(const ResolvedFit& fit, const Vector& theta, const Eigen::SparseMatrix<double>& G,
                      const Vector& beta, Vector& r) {
  Evaluation evaluation = fit.residual().trajectories().evaluate(theta, r, nullptr);
  if (evaluation.ok()) r += G * beta;
  return evaluation;
}

/// A value of one recording's recording_frame.
struct FramePlace {
  std::size_t recording = 0;  ///< its index
  Index offset = 0;           ///< in RecordingFrame::values()
};

/// Computes the residuals at θ with this value changed by β; throws InvalidArgument if a frame is then outside the
/// simulated time.
Evaluation run_frame(const ResolvedFit& fit, FramePlace place, const Vector& theta, const Vector& beta, Vector& r) {
  SeenAt seen(fit, theta);
  Vector values = seen.recording_frames[place.recording].values();
  values.segment(place.offset, beta.size()) += beta;
  seen.place(place.recording, RecordingFrame::of(values));
  const TrajectoryResidual residual = seen.residual_of({}, fit.map().scatter(theta));
  return residual.evaluate(Vector(), r, nullptr);
}

/// Largest number of markers whose clocks are compared: the work grows with its square.
constexpr Index most_clocks = 60;

/// Collects the candidates of one recording.
class ChainOfRecording {
 public:
  ChainOfRecording(const ResolvedFit& fit, const FittedEnd& end, std::size_t recording,
                   const MeasurementModel& measurement)
      : fit_(fit),
        end_(end),
        recording_(recording),
        measurement_(measurement),
        kind_(measurement.instrument().kind()),
        readings_(measurement, true) {
    for (const ParameterEntry& entry : fit.map().entries(static_cast<Index>(recording))) fitted_.insert(entry.index);
  }

  void add_state(Index n, const sim::State& state) { readings_.add_state(n, state); }

  /// `most_offsets`: offsets of markers are left out where there are more markers.
  std::vector<CandidateEffect> take(const diff::Scenario& scenario, Index most_offsets) {
    scenario_ = &scenario;
    Eigen::MatrixXd of_frame;
    add_frame_values(of_frame);
    const Vector rates = of_frame.col(recording_frame_offset("clock_offset"));
    add_smoothing(rates);
    if (measurement_.markers() > 1 && measurement_.markers() <= most_clocks) find_clocks(rates);
    add_scale();
    add_drift();
    if (measurement_.markers() > 1 && measurement_.markers() <= most_offsets) add_marker_offsets();
    return std::move(effects_);
  }
  /// A clock for each marker, if there are several; after `take`.
  const std::optional<MarkerClocks>& clocks() const { return clocks_; }

 private:
  /// Calls visit(sample, row) for every row.
  template <class Visit>
  void for_each_row(Visit visit) const {
    for (const MeasurementModel::Sample& sample : measurement_.samples())
      for (Index row = sample.first_row; row < sample.first_row + sample.row_count; ++row) visit(sample, row);
  }

  /// `of_frame`: derivatives with respect to the values of the recording_frame.
  void add_frame_values(Eigen::MatrixXd& of_frame) {
    of_frame.resize(measurement_.rows(), RecordingFrame::size());
    readings_.for_each_slope(scenario_->model, [&](const MeasurementModel::Sample& sample, const ReadingSlope& slope) {
      for (Index row = sample.first_row; row < sample.first_row + sample.row_count; ++row)
        of_frame.row(row) = slope.frame.row(measurement_.row(row).component) / measurement_.row_sigma(row);
    });
    has_scale_ = !of_frame.col(recording_frame_offset("placement_scale")).isZero(0);
    const Vector values = end_.seen.recording_frames[recording_].values();
    for (const RecordingFrameValue& value : recording_frame_values()) {
      bool is_fitted = false;
      for (Index k = 0; k < value.size; ++k)
        is_fitted = is_fitted || fitted_.contains(scenario_->size() + value.offset + k);
      const Eigen::MatrixXd columns = of_frame.middleCols(value.offset, value.size);
      if (is_fitted || columns.isZero(0)) continue;
      CandidateEffect& effect = add(value.name, value.unit, values.segment(value.offset, value.size), columns);
      effect.run = [&fit = fit_, place = FramePlace{recording_, value.offset}, G = effect.G](
                       const Vector& theta, const Vector& beta, Vector& r) {
        try {
          if (Evaluation evaluation = run_frame(fit, place, theta, beta, r); evaluation.ok()) return evaluation;
        } catch (const InvalidArgument&) {  // beyond the simulated time
        }
        return run_linear(fit, theta, G, beta, r);
      };
    }
  }

  /// Adds the scale of the recorded numbers if no value scales them already and the unit in a file may be wrong by a
  /// factor.
  void add_scale() {
    if (has_scale_ || kind_.period > 0 || kind_.unit == "px") return;
    Vector column(measurement_.rows());
    for_each_row(
        [&](const auto&, Index row) { column[row] = measurement_.row(row).offset / measurement_.row_sigma(row); });
    if (!column.isZero(0)) add_linear("scale", "", Vector::Ones(1), column);
  }

  /// `rates`: time derivatives of the residuals, by row.
  void add_smoothing(const Vector& rates) {
    std::map<std::pair<Index, int>, std::vector<std::pair<Index, double>>> coordinates;  // rows and their times
    for_each_row([&](const MeasurementModel::Sample& sample, Index row) {
      coordinates[{sample.marker, measurement_.row(row).component}].emplace_back(row, sample.since_first);
    });
    const auto rate = [&](Index row) { return rates[row] * measurement_.row_sigma(row); };
    Vector column = Vector::Zero(measurement_.rows());
    for (const auto& [coordinate, seen] : coordinates)
      for (std::size_t k = 1; k + 1 < seen.size(); ++k) {
        const auto& [before, early] = seen[k - 1];
        const auto& [after, late] = seen[k + 1];
        const double curvature = (rate(after) - rate(before)) / (late - early);
        column[seen[k].first] = curvature / (24 * measurement_.row_sigma(seen[k].first));
      }
    if (!column.isZero(0)) add_linear("smoothing", "s^2", Vector::Zero(1), column).candidate.one_sided = true;
  }

  void add_drift() {
    double sum = 0, count = 0;
    for_each_row([&](const MeasurementModel::Sample& sample, Index) {
      sum += sample.since_first;
      ++count;
    });
    const int components = measurement_.instrument().components();
    Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(measurement_.rows(), components);
    for_each_row([&](const MeasurementModel::Sample& sample, Index row) {
      columns(row, measurement_.row(row).component) = (sample.since_first - sum / count) / measurement_.row_sigma(row);
    });
    if (!columns.isZero(0)) add_linear("drift", kind_.unit + "/s", Vector::Zero(components), columns);
  }

  void add_marker_offsets() {
    const int components = measurement_.instrument().components();
    for (Index m = 0; m < measurement_.markers(); ++m) {
      Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(measurement_.rows(), components);
      for_each_row([&](const MeasurementModel::Sample& sample, Index row) {
        if (sample.marker == m) columns(row, measurement_.row(row).component) = 1 / measurement_.row_sigma(row);
      });
      if (columns.isZero(0)) continue;
      CandidateEffect& effect = add_linear("marker_offset", kind_.unit, Vector::Zero(components), columns);
      effect.candidate.name = "offset of marker " + measurement_.marker_name(m) + of_recording();
      effect.candidate.item = m;
    }
  }

  /// `rates`: time derivatives of the residuals, by row.
  void find_clocks(const Vector& rates) {
    Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(measurement_.rows(), measurement_.markers());
    for_each_row([&](const MeasurementModel::Sample& sample, Index row) { columns(row, sample.marker) = rates[row]; });
    clocks_ = {recording_, in_all_rows(columns)};
  }

  /// The same columns of all rows of the fit, whitened.
  Eigen::SparseMatrix<double> in_all_rows(const Eigen::MatrixXd& columns) const {
    const TrajectoryResidual& residual = fit_.residual().trajectories();
    Eigen::MatrixXd mine = columns;
    measurement_.whitening().apply(mine);
    std::vector<Eigen::Triplet<double>> entries;
    for (Index c = 0; c < mine.cols(); ++c)
      for (Index row = 0; row < mine.rows(); ++row)
        if (mine(row, c) != 0) entries.emplace_back(residual.first_row(recording_) + row, c, mine(row, c));
    Eigen::SparseMatrix<double> all(residual.rows(), mine.cols());
    all.setFromTriplets(entries.begin(), entries.end());
    return all;
  }

  std::string of_recording() const {
    return end_.scenarios.size() > 1 ? " of recording '" + scenario_->name + "'" : "";
  }

  /// `columns`: ∂r/∂β in the rows of this recording, not whitened.
  CandidateEffect& add(const std::string& value, const std::string& unit, const Vector& held,
                       const Eigen::MatrixXd& columns) {
    CandidateEffect& effect = effects_.emplace_back();
    Candidate& candidate = effect.candidate;
    candidate.name = value + of_recording();
    candidate.value = value;
    candidate.unit = unit;
    candidate.recording = scenario_->name;
    candidate.owner = sim::ValueOwner::Term;
    candidate.held = held;
    candidate.concern = Concern::Measurement;
    effect.G = in_all_rows(columns);
    return effect;
  }

  CandidateEffect& add_linear(const std::string& value, const std::string& unit, const Vector& held,
                              const Eigen::MatrixXd& columns) {
    CandidateEffect& effect = add(value, unit, held, columns);
    effect.run = [&fit = fit_, G = effect.G](const Vector& theta, const Vector& beta, Vector& r) {
      return run_linear(fit, theta, G, beta, r);
    };
    return effect;
  }

  const ResolvedFit& fit_;
  const FittedEnd& end_;
  const std::size_t recording_;
  const MeasurementModel& measurement_;
  const MeasurementKind& kind_;
  Readings readings_;
  std::set<Index> fitted_;  ///< entries of the recording's flat values
  const diff::Scenario* scenario_ = nullptr;
  bool has_scale_ = false;  ///< whether its placement has one, fitted or not
  std::vector<CandidateEffect> effects_;
  std::optional<MarkerClocks> clocks_;
};

}  // namespace

MeasurementChain find_measurement_chain(const ResolvedFit& fit, const FittedEnd& end, Index most_offsets) {
  std::vector<std::vector<CandidateEffect>> by_recording(end.scenarios.size());
  std::vector<std::optional<MarkerClocks>> clocks(end.scenarios.size());
  MeasurementChain found;
  found.evaluation = fit.residual().trajectories().for_each_recording(
      end.theta, [&](std::size_t s, const diff::Scenario& scenario, const MeasurementModel& measurement) {
        ChainOfRecording chain(fit, end, s, measurement);
        const diff::RolloutStatus status =
            diff::run_forward(scenario, [&](Index n, const sim::State& state) { chain.add_state(n, state); });
        Evaluation evaluation = as_evaluation(scenario, status);
        if (evaluation.ok()) {
          by_recording[s] = chain.take(scenario, most_offsets);
          clocks[s] = chain.clocks();
        }
        return evaluation;
      });
  for (std::vector<CandidateEffect>& one : by_recording)
    if (found.evaluation.ok()) std::ranges::move(one, std::back_inserter(found.effects));
  for (std::optional<MarkerClocks>& one : clocks)
    if (found.evaluation.ok() && one) found.clocks.push_back(*std::move(one));
  return found;
}

}  // namespace pithball::optim
