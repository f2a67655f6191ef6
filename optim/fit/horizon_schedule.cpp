#include "optim/fit/horizon_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "optim/uncertainty/sensitivity_growth.hpp"
#include "sim/core/dense.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Relative change of a value, and the fraction of the markers' motion at which its effect counts as noticeable.
constexpr double small_change = 0.01, noticed = 0.1;
/// A stage before the last only has to come close: within a thousandth of the cost at its minimum.
constexpr double near_enough = 1e-3;
/// Smallest eigenvalue of a scaled JᵀJ relative to the largest: singular values of 1e-6, above the rounding of the
/// product.
constexpr double least_eigenvalue = 1e-12;

/// Returns the change of θ_k that corresponds to 1 % of the value.
double small_step(const ParameterInfo& info, double theta) {
  return info.transform.kind() == Transform::Kind::Identity ? small_change * std::abs(theta) : small_change;
}

/// Whether a change of any value by 1 % moves the markers of a recording noticeably before `found.first`; if so, sets
/// `found` to the earliest such time and value.
bool look_for_earlier(const ParameterMap& map, const Observation& o, const MeasurementModel& measurement,
                      const Vector& step, const Eigen::Ref<const Eigen::MatrixXd>& J, HorizonSchedule& found) {
  const double extent = recorded_extent(o, measurement);
  if (!(extent > 0)) return false;
  const std::vector<MeasurementModel::Sample>& samples = measurement.samples();
  for (std::size_t first = 0, end = 0; first < samples.size(); first = end) {
    const Index frame = samples[first].frame;
    if (o.simulated_time(frame) >= found.first) return false;
    Vector square = Vector::Zero(map.size());
    for (end = first; end < samples.size() && samples[end].frame == frame; ++end)
      for (Index r = samples[end].first_row; r < samples[end].first_row + samples[end].row_count; ++r)
        square += std::pow(measurement.row_sigma(r), 2) * J.row(r).cwiseAbs2().transpose();
    Index k = 0;
    const double most = square.cwiseSqrt().cwiseProduct(step).maxCoeff(&k);
    if (!(most >= noticed * extent * std::sqrt(end - first))) continue;
    found.first = o.simulated_time(frame);
    found.parameter = map.names()[k];
    return true;
  }
  return false;
}

/// Finds where the schedule begins, and the value that determines it.
HorizonSchedule find_first(const FitResidual& residual, const std::vector<Observation>& observations,
                           const Vector& theta, const Eigen::MatrixXd& J) {
  const ParameterMap& map = residual.map();
  const TrajectoryResidual& rows = residual.trajectories();
  Vector step(map.size());
  for (Index k = 0; k < map.size(); ++k) step[k] = map.info()[k].is_nuisance ? 0 : small_step(map.info()[k], theta[k]);
  HorizonSchedule found;
  found.first = std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < observations.size(); ++s) {
    const auto mine = J.middleRows(rows.first_row(s), rows.measurement(s).rows());
    if (look_for_earlier(map, observations[s], rows.measurement(s), step, mine, found))
      found.recording = map.scenarios()[s].name;
  }
  return found;
}

/// Counts the rows of each recording before a simulated time.
std::vector<Index> count_rows(const TrajectoryResidual& rows, const std::vector<Observation>& observations,
                              double horizon) {
  std::vector<Index> counts;
  for (std::size_t s = 0; s < observations.size(); ++s) {
    const double end = observations[s].recorded_time(horizon);
    Index count = 0;
    for (const MeasurementModel::Sample& sample : rows.measurement(s).samples())
      if (observations[s].times[sample.frame] < end) count = sample.first_row + sample.row_count;
    counts.push_back(count);
  }
  return counts;
}

/// Rank of a Gram matrix, independent of the units of θ.
Index rank_of(const Eigen::MatrixXd& gram) {
  const Vector length = gram.diagonal().cwiseSqrt();
  const Vector unit = length.unaryExpr([](double x) { return x > 0 ? 1 / x : 0; });
  const Vector values = sim::symmetric_spectrum(unit.asDiagonal() * gram * unit.asDiagonal()).values;
  return (values.array() > least_eigenvalue * std::max(values.maxCoeff(), 0.0)).count();
}

/// Information about θ: products of the derivatives of the priors and of all data before a horizon.
class Information {
 public:
  Information(const FitResidual& residual, const std::vector<Observation>& observations, const Vector& theta,
              const Eigen::MatrixXd& J)
      : rows_(residual.trajectories()), observations_(observations), J_(J), priors_(residual.priors().rows()) {
    gram_ = Eigen::MatrixXd::Zero(J.cols(), J.cols());
    Vector prior;
    Eigen::MatrixXd prior_J;
    if (priors_ > 0 && residual.priors().evaluate(theta, prior, &prior_J).ok()) gram_ = prior_J.transpose() * prior_J;
    whole_ = rank_of(gram_ + J.transpose() * J);
  }
  /// Whether the data before the horizon are a valid problem with the same rank as all data.
  bool is_enough(double horizon) const {
    const std::vector<Index> counts = count_rows(rows_, observations_, horizon);
    Eigen::MatrixXd gram = gram_;
    Index total = priors_;
    for (std::size_t s = 0; s < counts.size(); ++s) {
      if (counts[s] == 0 && rows_.measurement(s).rows() > 0) return false;
      const auto mine = J_.middleRows(rows_.first_row(s), counts[s]);
      gram += mine.transpose() * mine;
      total += counts[s];
    }
    return total >= J_.cols() && rank_of(gram) >= whole_;
  }

 private:
  const TrajectoryResidual& rows_;
  const std::vector<Observation>& observations_;
  const Eigen::MatrixXd& J_;
  Index priors_ = 0, whole_ = 0;
  Eigen::MatrixXd gram_;
};

}  // namespace

std::vector<SearchStage> HorizonSchedule::stages() const {
  std::vector<SearchStage> stages;
  for (const double horizon : horizons) stages.push_back({.horizon = horizon, .function_tolerance = near_enough});
  return stages;
}

std::string HorizonSchedule::sentence() const {
  if (horizons.empty()) return "";
  std::string text = "the search started with the early frames: ";
  for (std::size_t k = 0; k < horizons.size(); ++k)
    text += (k == 0 ? "the first " : ", then ") + formatted("%.3g s", horizons[k]);
  return text + ", then all; from " + formatted("%.3g s", first) + " on, a change of " + parameter +
         " by 1 % moves the markers of " + recording + " by more than a tenth of their motion";
}

HorizonSchedule find_horizons(const FitResidual& residual, const std::vector<Observation>& observations,
                              const Vector& theta, const Eigen::MatrixXd& J) {
  HorizonSchedule found = find_first(residual, observations, theta, J);
  if (!std::isfinite(found.first)) return {};
  double last = 0;
  for (std::size_t s = 0; s < observations.size(); ++s)
    for (const MeasurementModel::Sample& sample : residual.trajectories().measurement(s).samples())
      last = std::max(last, observations[s].simulated_time(sample.frame));
  if (!(found.first > 0 && found.first < last)) return {};
  const Information information(residual, observations, theta, J);
  const double ways = last / found.first, count = std::max(1.0, std::round(std::log2(ways)));
  for (double j = 0; j < count; ++j) {
    const double horizon = found.first * std::pow(ways, j / count);
    if (information.is_enough(horizon)) found.horizons.push_back(horizon);
  }
  return found.horizons.empty() ? HorizonSchedule{} : found;
}

}  // namespace pithball::optim
