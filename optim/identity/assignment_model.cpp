#include "optim/identity/assignment_model.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "optim/measurement/instrument.hpp"
#include "optim/screening/reading_change.hpp"

namespace pithball::optim {
namespace {

constexpr double farthest_square = 30;  // χ² of a detection: by chance, less than one in 10⁵ is farther away
constexpr double least_missed = 1e-3;   // nobody knows that a particle cannot be missed

/// Median of χ² with this number of degrees of freedom.
double median_square(Index degrees) { return std::array{0.4549, 1.3863, 2.3660}[degrees - 1]; }

}  // namespace

PredictedReadings predict_readings(const diff::Scenario& fitted, const Observation& observation,
                                   const std::vector<Points>& known) {
  Observation everywhere = observation;
  everywhere.present.clear();
  everywhere.supposed.clear();
  everywhere.noise.sample_factor.clear();
  everywhere.validation = {};
  const auto markers = static_cast<Index>(observation.markers.size());
  for (std::size_t f = 0; f < everywhere.positions.size(); ++f)
    everywhere.positions[f] =
        known.empty() ? Points(Points::Zero(3, markers)) : Points(known[f].array().isFinite().select(known[f], 0));
  const StartReadings readings = simulate_readings(fitted, everywhere, std::numeric_limits<Index>::max());
  PredictedReadings predicted{readings.simulated, {}};
  for (const Points& frame : predicted.places) {
    std::vector<bool>& inside = predicted.in_picture.emplace_back();
    for (Index m = 0; m < frame.cols(); ++m)
      inside.push_back(!observation.instrument || observation.instrument->reject(frame.col(m)).empty());
  }
  return predicted;
}

AssignmentModel::AssignmentModel(const Detections& detections, const Observation& observation)
    : detections_(detections), observation_(observation), components_(found_components(detections.frames)) {
  Vec3 least = Vec3::Constant(INFINITY), most = Vec3::Constant(-INFINITY);
  double sum = 0, count = 0;
  for (const FrameDetections& frame : detections.frames)
    for (Index j = 0; j < frame.size(); ++j) {
      least = least.cwiseMin(frame.places.col(j));
      most = most.cwiseMax(frame.places.col(j));
    }
  for (std::size_t f = 0; f < detections.frames.size(); ++f)
    for (Index j = 0; j < detections.frames[f].size(); ++j) {
      sum += sigma(f, j, 0, components_.front());
      ++count;
    }
  constexpr double margin = 6;  // standard deviations: points on a line have a width
  for (const int a : components_) volume_ *= most[a] - least[a] + margin * sum / count;
}

double AssignmentModel::sigma(std::size_t f, Index j, Index m, int a) const {
  const FrameDetections& frame = detections_.frames[f];
  return frame.variances.size() > 0 ? std::sqrt(frame.variances(a, j)) : observation_.noise.component_sigma(m, a);
}

AssignmentModel::Normal AssignmentModel::compare(std::size_t f, Index j, Index m, const Vec3& place,
                                                 double scale) const {
  const FrameDetections& frame = detections_.frames[f];
  const Vec3 off = frame.places.col(j) - place;
  Mat3 R = Mat3::Zero();
  for (const int a : components_) R(a, a) = std::pow(scale * sigma(f, j, m, a), 2);
  if (frame.covariances.size() > 0 && components_.size() > 1) {
    const int one = components_[0], other = components_[1];
    R(one, other) = R(other, one) = scale * scale * frame.covariances[j];
  }
  const Eigen::LLT<Eigen::MatrixXd> factors(R(components_, components_));
  const Vector r = factors.matrixL().solve(Vector(off(components_)));
  const double chi_square = r.squaredNorm(),
               log_volume = factors.matrixLLT().diagonal().array().log().sum() +
                            static_cast<double>(r.size()) * std::log(2 * std::numbers::pi) / 2;
  return {chi_square, -chi_square / 2 - log_volume};
}

bool AssignmentModel::is_beyond(std::size_t f, Index j, Index m, const Vec3& place, double scale) const {
  for (const int a : components_) {
    const double off = (detections_.frames[f].places(a, j) - place[a]) / (scale * sigma(f, j, m, a));
    if (!(off * off <= farthest_square)) return true;  // χ² is at least that of one component
  }
  return false;
}

double AssignmentModel::distance(std::size_t f, Index j, Index m, const Vec3& place) const {
  return compare(f, j, m, place, 1).chi_square;
}

DetectionRates AssignmentModel::first_rates() const {
  double mean = 0;
  for (const FrameDetections& frame : detections_.frames)
    mean += static_cast<double>(frame.size()) / static_cast<double>(detections_.frames.size());
  DetectionRates rates;
  rates.volume = volume_;
  const double markers = static_cast<double>(observation_.markers.size());
  constexpr double few = 0.05;  // of the particles: the share of false detections that is taken for possible
  rates.false_density = std::max(few * markers, mean - rates.detected * markers) / volume_;
  return rates;
}

FrameOdds AssignmentModel::odds_of(std::size_t f, const PredictedReadings& predicted, const DetectionRates& rates,
                                   double widening) const {
  const FrameDetections& frame = detections_.frames[f];
  const auto markers = static_cast<Index>(observation_.markers.size());
  FrameOdds odds{Eigen::MatrixXd::Zero(markers, frame.size())};
  const double others = std::max<double>(1, static_cast<double>(markers - 1));
  for (Index i = 0; i < markers; ++i) {
    if (!predicted.is_read(f, i, components_)) continue;
    const double missed = predicted.in_picture[f][i] ? 1 - rates.detected : 1;
    for (Index j = 0; j < frame.size(); ++j) {
      if (is_beyond(f, j, i, predicted.places[f].col(i), widening * rates.scale)) continue;
      const Normal normal = compare(f, j, i, predicted.places[f].col(i), widening * rates.scale);
      if (!(normal.chi_square <= farthest_square)) continue;
      const double name = frame.named.empty()   ? 1
                          : frame.named[j] == i ? 1 - rates.exchanged
                                                : rates.exchanged / others;
      odds.pair(i, j) = rates.detected * std::exp(normal.log_density) / rates.false_density * name / missed;
    }
  }
  return odds;
}

std::vector<FrameMarginals> AssignmentModel::compute(const PredictedReadings& predicted, const DetectionRates& rates,
                                                     double widening) const {
  std::vector<FrameMarginals> all;
  for (std::size_t f = 0; f < detections_.frames.size(); ++f)
    all.push_back(compute_marginals(odds_of(f, predicted, rates, widening)));
  return all;
}

DetectionRates AssignmentModel::fit_rates(const PredictedReadings& predicted,
                                          const std::vector<FrameMarginals>& marginals) const {
  double seen = 0, visible = 0, spurious = 0, renamed = 0;
  std::vector<double> squares;
  for (std::size_t f = 0; f < marginals.size(); ++f) {
    const FrameMarginals& here = marginals[f];
    const FrameDetections& frame = detections_.frames[f];
    spurious += here.spurious.sum();
    for (Index i = 0; i < here.pair.rows(); ++i) {
      if (!predicted.is_read(f, i, components_) || !predicted.in_picture[f][i]) continue;
      ++visible;
      seen += 1 - here.missed[i];
      for (Index j = 0; j < here.pair.cols(); ++j) {
        if (!frame.named.empty() && frame.named[j] != i) renamed += here.pair(i, j);
        if (here.pair(i, j) > 0.5) squares.push_back(distance(f, j, i, predicted.places[f].col(i)));
      }
    }
  }
  DetectionRates rates = first_rates();
  // Half an event more of each kind: the mean of Jeffreys' posterior, so that no rate becomes 0 or 1.
  rates.detected = std::min(1 - least_missed, (seen + 0.5) / (visible + 1));
  rates.false_density = (spurious + 0.5) / static_cast<double>(marginals.size()) / volume_;
  rates.exchanged = (renamed + 0.5) / (seen + 1);
  if (squares.empty()) return rates;
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::ranges::nth_element(squares, middle);
  rates.scale = std::sqrt(*middle / median_square(std::ssize(components_)));
  const bool is_stated = observation_.noise.origin == SigmaOrigin::Written;
  if (is_stated || !(rates.scale > 0)) rates.scale = std::max(rates.scale, 1.0);
  return rates;
}

double AssignmentModel::log_likelihood(const PredictedReadings& predicted, const DetectionRates& rates,
                                       const std::vector<FrameMarginals>& marginals) const {
  double sum = 0;
  for (std::size_t f = 0; f < marginals.size(); ++f) {
    sum += marginals[f].log_sum + static_cast<double>(detections_.frames[f].size()) * std::log(rates.false_density);
    for (Index i = 0; i < marginals[f].pair.rows(); ++i)
      if (predicted.is_read(f, i, components_) && predicted.in_picture[f][i]) sum += std::log(1 - rates.detected);
  }
  return sum - static_cast<double>(marginals.size()) * rates.false_per_frame();
}

}  // namespace pithball::optim
