#include "optim/uncertainty/kept_samples.hpp"

#include <cmath>
#include <limits>

#include "optim/observation/measurement_model.hpp"

namespace pithball::optim {
namespace {

constexpr double unseen = std::numeric_limits<double>::quiet_NaN();

/// The rows of sample j: its components.
Eigen::Ref<Vector> rows_of(const MeasurementModel& measurement, std::size_t j, Vector& r) {
  const auto& samples = measurement.samples();
  const Index first = samples[j].first_row, end = j + 1 < samples.size() ? samples[j + 1].first_row : r.size();
  return r.segment(first, end - first);
}

/// Numbers of the samples of one recording that the loss sets aside; none where they are half of all or more.
std::vector<std::size_t> find_outliers(const MeasurementModel& measurement, Vector& r, const RobustLoss& loss) {
  std::vector<std::size_t> outliers;
  const std::size_t samples = measurement.samples().size();
  for (std::size_t j = 0; j < samples; ++j)
    if (loss.derivative(rows_of(measurement, j, r).squaredNorm()) < 0.5) outliers.push_back(j);
  if (2 * outliers.size() >= samples) outliers.clear();
  return outliers;
}

}  // namespace

KeptSamples keep_samples(const std::vector<diff::Scenario>& scenarios, const std::vector<Observation>& observations,
                         const Vector& r, const RobustLoss& loss) {
  KeptSamples kept{observations, r};
  if (loss.kind == RobustLoss::Kind::None) return kept;
  std::vector<double> rows;
  Index first_row = 0;
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    const MeasurementModel measurement(observations[s], scenarios[s], Part::Fit);
    Vector own = r.segment(first_row, measurement.rows());
    first_row += measurement.rows();
    for (const std::size_t j : find_outliers(measurement, own, loss)) {
      const MeasurementModel::Sample& sample = measurement.samples()[j];
      rows_of(measurement, j, own).setConstant(unseen);
      kept.observations[s].positions[sample.frame].col(sample.marker).setConstant(unseen);
    }
    for (const double value : own)
      if (!std::isnan(value)) rows.push_back(value);
  }
  kept.r = Eigen::Map<const Vector>(rows.data(), static_cast<Index>(rows.size()));
  return kept;
}

}  // namespace pithball::optim
