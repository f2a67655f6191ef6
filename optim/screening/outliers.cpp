#include "optim/screening/outliers.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "optim/observation/track_differences.hpp"
#include "optim/observation/track_noise.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Fraction of recordings without outliers in which some sample is nevertheless suspected.
constexpr double suspicions = 1e-3;
/// Probability that a sample on a kink is this far from the predictions of both sides.
constexpr double apart_by_accident = 0.03;
/// Largest excess of the mean square in a window without its outliers over that of the noise, in standard errors.
constexpr double roughest_rest = 5;
constexpr int most_taken = 3, most_rounds_of_search = 4;
/// Largest fraction of a track's samples that is suspected: if more stand out, the track is rough rather than spoiled
/// by outliers.
constexpr double most_suspects = 0.25;
/// The search, largest suspects first, ends after this many false suspects in a row.
constexpr int most_acquitted = 16;
/// Least distance of an outlier from the prediction of its neighbors, in units of the noise.
constexpr double least_distance = 5;
constexpr double least_degrees = 6;

/// Returns the value that a normal variable exceeds with this probability (Abramowitz and Stegun, 26.2.23).
double normal_limit(double probability) {
  const double u = std::sqrt(-2 * std::log(probability));
  return u - (2.515517 + u * (0.802853 + u * 0.010328)) / (1 + u * (1.432788 + u * (0.189269 + u * 0.001308)));
}

/// Returns the length that a vector of normal variables exceeds with this probability (Wilson and Hilferty, PNAS 17,
/// 1931).
double length_limit(double probability, std::size_t components) {
  if (components == 1) return normal_limit(probability / 2);
  const double part = 2 / (9.0 * static_cast<double>(components));
  return std::sqrt(static_cast<double>(components) *
                   std::pow(1 - part + normal_limit(probability) * std::sqrt(part), 3));
}

/// Returns the factor by which a limit z of normal variables grows if their standard deviation is estimated with only ν
/// degrees of freedom (Student's t; Abramowitz and Stegun, 26.7.5).
double student_factor(double z, double degrees) {
  const double z2 = z * z;
  return 1 + (z2 + 1) / (4 * degrees) + (5 * z2 * z2 + 16 * z2 + 3) / (96 * degrees * degrees) +
         (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / (384 * degrees * degrees * degrees);
}

/// Returns the median of the sum of this many squared normal variables (Wilson and Hilferty).
double median_of_squares(std::size_t components) {
  const double part = 2 / (9.0 * static_cast<double>(components));
  return static_cast<double>(components) * std::pow(1 - part, 3);
}

/// A sample that stands out.
struct Outlying {
  std::size_t sample = 0;
  Vec3 distance = Vec3::Zero();  ///< from the prediction of its neighbors, in the unit of the kind
  double size = 0;               ///< its length, each component in units of its noise
};

/// Samples of a track in units of their noise, and which of them are suspected.
class NoiseUnits {
 public:
  explicit NoiseUnits(const TrackSamples& samples) : samples_(samples), longest_(longest_interval(samples.times)) {
    for (const int a : samples.components) order_ = std::max(order_, samples.roughness(a).order);
    if (order_ == 0) return;
    for (const int a : samples.components) {
      const std::vector<double> differences =
          normalized_differences(samples.times, samples.component(a), order_, longest_);
      // The scale of this order is known, unless another component needs a higher order.
      const Roughness& own = samples.roughness(a);
      double sigma = own.sigma, degrees = own.degrees;
      if (own.order != order_) {
        const RobustScale scale = robust_scale(differences, samples.resolution[a] / std::sqrt(12.0));
        sigma = std::max(scale.sigma, samples.resolution[a] / std::sqrt(12.0));
        degrees = static_cast<double>(scale.kept) * std::pow(binomial(2 * order_, order_), 2) /
                  binomial(4 * order_, 2 * order_);
      }
      noise_.push_back(std::max(sigma, samples.computed_scatter(a)));
      degrees_ = std::min(degrees_, degrees);
      squares_.resize(differences.size(), 0);
      for (std::size_t i = 0; i < differences.size(); ++i) squares_[i] += std::pow(differences[i] / noise_.back(), 2);
    }
  }

  bool is_judged() const { return order_ > 0 && degrees_ >= least_degrees; }
  int order() const { return order_; }
  double longest() const { return longest_; }
  const TrackSamples& samples() const { return samples_; }
  std::size_t components() const { return noise_.size(); }
  double noise(std::size_t k) const { return noise_[k]; }
  double value(std::size_t sample, std::size_t k) const {
    return samples_.values[sample][samples_.components[k]] / noise_[k];
  }

  /// Returns the suspects, most suspicious first; `samples_in_all`: number of samples in the recording.
  std::vector<std::size_t> suspects(double samples_in_all) const {
    const double z = length_limit(suspicions / samples_in_all, noise_.size());
    const double limit = std::pow(z * student_factor(z, degrees_), 2);
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < squares_.size(); ++i)
      if (squares_[i] > limit * roughness_around(i) && !(i > 0 && squares_[i - 1] > squares_[i]) &&
          !(i + 1 < squares_.size() && squares_[i + 1] > squares_[i]))
        found.push_back(i);
    if (static_cast<double>(found.size()) > most_suspects * static_cast<double>(samples_.size())) return {};
    std::stable_sort(found.begin(), found.end(),
                     [&](std::size_t i, std::size_t j) { return squares_[i] > squares_[j]; });
    for (std::size_t& i : found) i += static_cast<std::size_t>(order_) / 2;
    return found;
  }

 private:
  /// By what factor the squared differences around the i-th, without those that share samples with it, exceed those of
  /// the noise; 1 for less than `rough` or too few: one scale does not hold for a track that vibrates at first and then
  /// rests. Their median counts, which a few further outliers do not raise.
  double roughness_around(std::size_t i) const {
    constexpr double rough = 4;
    constexpr std::size_t least_around = 8;
    const auto own = static_cast<std::size_t>(order_), reach = 2 * own + 8;
    std::vector<double> around;
    for (std::size_t j = i > reach ? i - reach : 0; j < std::min(i + reach + 1, squares_.size()); ++j)
      if (j + own < i || j > i + own) around.push_back(squares_[j]);
    if (around.size() < least_around) return 1;
    const double excess = quantile(std::move(around), 0.5) / median_of_squares(noise_.size());
    return excess > rough ? excess : 1;
  }

  const TrackSamples& samples_;
  double longest_;
  int order_ = 0;
  double degrees_ = INFINITY;
  std::vector<double> noise_;    ///< by recorded component
  std::vector<double> squares_;  ///< of the differences around each sample except the first and last order/2
};

/// The samples around a suspected one, and their prediction of its value.
class Window {
 public:
  Window(const NoiseUnits& units, std::size_t center) {
    const std::vector<double>& times = units.samples().times;
    const std::size_t half = 4 + static_cast<std::size_t>(units.order()) / 2;
    std::size_t first = center, last = center;
    while (first > 0 && center - first < half && times[first] - times[first - 1] <= units.longest()) --first;
    while (last + 1 < times.size() && last - center < half && times[last + 1] - times[last] <= units.longest()) ++last;
    before_ = static_cast<Index>(center - first);
    after_ = static_cast<Index>(last - center);
    terms_ = units.order() + 2;
    const Index count = before_ + after_ + 1;
    const double scale = std::max(times[last] - times[center], times[center] - times[first]);
    powers_.resize(count, terms_);
    values_.resize(count, static_cast<Index>(units.components()));
    time_.resize(count);
    for (Index i = 0; i < count; ++i) {
      const std::size_t sample = first + static_cast<std::size_t>(i);
      time_[i] = scale > 0 ? (times[sample] - times[center]) / scale : 0;
      for (std::size_t k = 0; k < units.components(); ++k)
        values_(i, static_cast<Index>(k)) = units.value(sample, k) - units.value(center, k);
      powers_(i, 0) = 1;
      for (Index k = 1; k < terms_; ++k) powers_(i, k) = powers_(i, k - 1) * time_[i];
    }
  }

  bool is_judged() const { return before_ >= 2 && after_ >= 2 && values_.rows() >= terms_ + 3 && values_.allFinite(); }

  /// Whether the other samples are as smooth as the noise; `distance` receives that of the center from their
  /// prediction, in units of the noise.
  bool is_smooth_without_center(Vector& distance) {
    taken_ = {before_};
    while (static_cast<int>(taken_.size()) <= most_taken) {
      const Fit fit = fit_without_taken(powers_);
      if (fit.degrees < 2) return false;
      const auto degrees = static_cast<double>(fit.degrees * values_.cols());
      if (fit.square <= degrees + roughest_rest * std::sqrt(2 * degrees)) {
        distance = fit.pulse;
        return true;
      }
      taken_.push_back(fit.worst);
    }
    return false;
  }

  /// Returns the distance of the center, in standard deviations, from the samples on the side that it is assigned to
  /// (after it if `with_after`), when the track may have a step and a change of slope between the sides.
  Vector distance_from_side(bool with_after) const {
    Eigen::MatrixXd design(powers_.rows(), terms_ + 2);
    design.leftCols(terms_) = powers_;
    for (Index i = 0; i < design.rows(); ++i) {
      const bool other = with_after ? i >= before_ : i > before_;
      design(i, terms_) = other ? 1 : 0;
      design(i, terms_ + 1) = other ? time_[i] : 0;
    }
    const Fit fit = fit_without_taken(design);
    return fit.error > 0 ? Vector(fit.pulse / fit.error) : Vector(Vector::Zero(values_.cols()));
  }

 private:
  struct Fit {
    double square = 0;  ///< of the residuals of the fitted samples
    Index degrees = 0;  ///< degrees of freedom of the fit, for each component
    Vector pulse;       ///< distance of the center from the fit
    double error = 0;   ///< standard error of that distance, in standard deviations of one sample; 0: not determined
    Index worst = 0;    ///< the fitted sample that stands out most
  };

  Fit fit_without_taken(const Eigen::MatrixXd& design) const {
    // Giving each excluded sample a column of its own is equivalent to leaving it out.
    const Index terms = design.cols(), rows = design.rows(), pulses = static_cast<Index>(taken_.size());
    Fit fit;
    fit.degrees = rows - terms - pulses;
    if (fit.degrees < 0) return fit;
    Eigen::MatrixXd all(rows, terms + pulses);
    all << design, Eigen::MatrixXd::Zero(rows, pulses);
    for (Index k = 0; k < pulses; ++k) all(taken_[k], terms + k) = 1;
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(all);
    if (qr.rank() < all.cols()) {
      fit.degrees = -1;
      return fit;
    }
    const Eigen::MatrixXd solution = qr.solve(values_), residual = values_ - all * solution;
    fit.square = residual.squaredNorm();
    fit.pulse = solution.row(terms);
    // The variance of the pulse is the squared norm of its row of the pseudoinverse R⁻¹Qᵀ, which equals that of R⁻¹.
    const Vector unit = qr.colsPermutation().transpose() * Vector::Unit(all.cols(), terms);
    fit.error = qr.matrixR()
                    .topLeftCorner(all.cols(), all.cols())
                    .template triangularView<Eigen::Upper>()
                    .transpose()
                    .solve(unit)
                    .norm();
    const Eigen::MatrixXd basis = qr.householderQ() * Eigen::MatrixXd::Identity(rows, all.cols());
    double most = -1;
    for (Index i = 0; i < rows; ++i) {
      const double free = 1 - basis.row(i).squaredNorm(), square = residual.row(i).squaredNorm();
      constexpr double least_free = 1e-9;  // rounding
      if (free > least_free && square / free > most) {
        most = square / free;
        fit.worst = i;
      }
    }
    return fit;
  }

  Index before_ = 0, after_ = 0;  ///< number of samples on either side
  Index terms_ = 0;
  Eigen::MatrixXd powers_, values_;
  Vector time_;
  std::vector<Index> taken_;
};

/// Returns the distance of the sample from its neighbors' prediction, in units of the noise; empty if it is not an
/// outlier.
Vector distance_if_outlying(const NoiseUnits& units, std::size_t center) {
  const double apart = length_limit(apart_by_accident, units.components());
  Window window(units, center);
  Vector distance;
  if (!window.is_judged() || !window.is_smooth_without_center(distance) || distance.norm() < least_distance) return {};
  const Vector before = window.distance_from_side(true), after = window.distance_from_side(false);
  if (before.norm() < apart || after.norm() < apart || !(before.dot(after) > 0)) return {};
  return distance;
}

std::vector<Outlying> search_track(const TrackSamples& samples, double samples_in_all) {
  std::vector<Outlying> found;
  const NoiseUnits units(samples);
  if (!units.is_judged()) return found;
  int acquitted = 0;
  for (const std::size_t center : units.suspects(samples_in_all)) {
    if (acquitted == most_acquitted) break;
    ++acquitted;
    const Vector distance = distance_if_outlying(units, center);
    if (distance.size() == 0) continue;
    acquitted = 0;
    Outlying one{center, Vec3::Zero(), distance.norm()};
    for (std::size_t k = 0; k < units.components(); ++k)
      one.distance[samples.components[k]] = distance[k] * units.noise(k);
    found.push_back(one);
  }
  return found;
}

/// Whether some outliers point in opposite directions; those of a contact never do.
bool point_both_ways(const std::vector<Outlying>& found) {
  return std::any_of(found.begin(), found.end(), [&](const Outlying& one) {
    return std::any_of(found.begin(), found.end(),
                       [&](const Outlying& other) { return one.distance.dot(other.distance) < 0; });
  });
}

}  // namespace

std::vector<Finding> find_outliers(const Observation& observation, std::vector<TrackSamples>& tracks) {
  const MeasurementKind& kind = kind_of(observation);
  double all = 0;
  for (const TrackSamples& samples : tracks) all += static_cast<double>(samples.size());
  std::vector<Finding> findings;
  for (TrackSamples& samples : tracks) {
    Finding finding{FindingKind::Outlier,     observation.markers[samples.marker].name, {}, 0, "",
                    "residual: {loss: huber}"};
    double farthest = 0;
    Index shown_frame = 0;
    for (int round = 0; round < most_rounds_of_search; ++round) {
      std::vector<bool> taken(samples.size(), false);
      bool any = false;
      const std::vector<Outlying> found = search_track(samples, all);
      if (kind.at_impact == AtImpact::Spike && round == 0 && !point_both_ways(found)) break;
      for (const Outlying& one : found) {
        any = taken[one.sample] = true;
        if (one.size < finding.number) continue;
        finding.number = one.size;
        farthest = one.distance.norm();
        shown_frame = samples.frames[one.sample];
      }
      if (!any) break;
      for (std::size_t i = 0; i < taken.size(); ++i)
        if (taken[i]) finding.frames.push_back(samples.frames[i]);
      samples = samples.without(taken);
    }
    if (finding.frames.empty()) continue;
    std::sort(finding.frames.begin(), finding.frames.end());
    finding.sentence = say_frames(finding.frames) + " of '" + finding.marker +
                       (finding.frames.size() == 1 ? "' is an outlier" : "' are outliers") + ": " +
                       (finding.frames.size() == 1 ? "" : formatted("frame %td is ", shown_frame)) +
                       kind.shown(farthest) +
                       formatted(" from what the frames around predict, %.3g times the noise", finding.number);
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace pithball::optim
