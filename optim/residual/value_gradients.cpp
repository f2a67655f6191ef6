#include "optim/residual/value_gradients.hpp"

#include <algorithm>

#include "optim/residual/adjoint_measurements.hpp"

namespace pithball::optim {
namespace {

constexpr double memory_mb = 1024;  // of all recorded runs together; beyond it they are made again in pieces

/// The last rows of the gradients: ∂r/∂(reference) is 1/σ for the rows of the component.
void add_references(const MeasurementModel& measurement, const Eigen::MatrixXd& weights, Index first,
                    Eigen::MatrixXd& gradients) {
  for (const MeasurementModel::Sample& sample : measurement.samples())
    for (Index row = sample.first_row; row < sample.first_row + sample.row_count; ++row)
      gradients.row(first + 3 * sample.marker + measurement.row(row).component) +=
          weights.row(row) / measurement.row_sigma(row);
}

}  // namespace

Index reference_entry(const diff::Scenario& scenario, Index marker, Index component) {
  return scenario.size() + RecordingFrame::size() + 3 * marker + component;
}

Evaluation compute_value_gradients(const TrajectoryResidual& residual, const Vector& theta,
                                   const std::vector<std::size_t>& recordings, const Eigen::MatrixXd& W,
                                   std::vector<Eigen::MatrixXd>& gradients) {
  gradients.clear();
  for (const std::size_t s : recordings)
    gradients.push_back(Eigen::MatrixXd::Zero(
        reference_entry(residual.map().scenarios()[s], residual.measurement(s).markers(), 0), W.cols()));
  return residual.for_each_recording(
      theta, [&](std::size_t s, const diff::Scenario& scenario, const MeasurementModel& measurement) -> Evaluation {
        const auto place = std::find(recordings.begin(), recordings.end(), s);
        if (place == recordings.end()) return {};
        Eigen::MatrixXd& mine = gradients[place - recordings.begin()];
        Readings readings(measurement, true);
        diff::AdjointRollout rollout(scenario, memory_mb / static_cast<double>(recordings.size()));
        const diff::RolloutStatus status =
            rollout.forward([&](Index n, const sim::State& state) { readings.add_state(n, state); });
        if (!status.ok()) return as_evaluation(scenario, status);
        const ReadingSlopes slopes(readings, scenario.model);
        const auto weights = W.middleRows(residual.first_row(s), measurement.rows());
        std::vector<Index> columns;
        for (Index k = 0; k < W.cols(); ++k)
          if (!weights.col(k).isZero(0)) columns.push_back(k);
        for (auto first = columns.begin(); first != columns.end();) {
          const auto end = first + std::min(columns_per_sweep, columns.end() - first);
          const std::vector<Index> some(first, end);
          first = end;
          const Eigen::MatrixXd of_values = gather_gradients(rollout, slopes, weights(Eigen::all, some));
          mine.topRows(of_values.rows())(Eigen::all, some) = of_values;
          if (!rollout.backward_failure().empty()) return {rollout.backward_failure()};
        }
        add_references(measurement, weights, reference_entry(scenario, 0, 0), mine);
        return mine.allFinite() ? Evaluation{} : Evaluation{"the gradient of its start is not finite"};
      });
}

}  // namespace pithball::optim
