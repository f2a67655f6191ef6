#include "optim/observation/noise_floor.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>

#include "optim/observation/track_differences.hpp"

namespace pithball::optim {
namespace {

/// Samples per window: enough that the faster part distinguishes lines and a slope from noise, while a motion with 4
/// frames per period is still smooth.
constexpr int most_samples = 16;
/// More windows would add little information.
constexpr std::size_t most_windows = 64;
/// Largest gap between neighbors in a window, in median intervals.
constexpr double longest_gap = 3.5;
/// Fraction of the degrees that may contain motion: with 10 frames per period, the other degrees contain less than a
/// hundredth of the motion.
constexpr double slow_part = 0.5625;
/// Largest ratio of the noise of differences to the level, due to outliers and to motion that remains in one of them.
constexpr double same_level = 1.1;
/// Largest fraction of the degrees of freedom lost to impacts and small outliers; an intermittent motion causes a
/// larger loss.
constexpr double most_spoiled = 0.1;
/// A sample that deviates by more standard deviations, which include the motion, is not part of a motion.
constexpr double no_motion = 20;
constexpr int most_outliers = 2;  // of a window
/// A sample can no longer be judged if less than this fraction of its share in the faster part is left.
constexpr double least_judged = 0.05;

/// The frames of one window.
using Frames = std::vector<std::size_t>;

/// Returns orthonormal polynomials of the frames' times, degrees `first` and above, in rows: by Lanczos' recursion,
/// orthogonalized twice.
Eigen::MatrixXd orthonormal_polynomials(const std::vector<double>& times, const Frames& frames, int first) {
  const auto size = static_cast<Index>(frames.size());
  Vector place(size);
  for (Index i = 0; i < size; ++i) place[i] = times[frames[i]] - times[frames.front()];
  place = 2 * place / place[size - 1] - Vector::Ones(size);
  Eigen::MatrixXd basis(size, size);
  basis.col(0).setConstant(1 / std::sqrt(static_cast<double>(size)));
  for (Index k = 1; k < size; ++k) {
    Vector next = place.cwiseProduct(basis.col(k - 1));
    for (int twice = 0; twice < 2; ++twice) next -= basis.leftCols(k) * (basis.leftCols(k).transpose() * next);
    basis.col(k) = next.normalized();
  }
  return basis.rightCols(size - first).transpose();
}

/// Returns the runs of samples without long gaps.
std::vector<Frames> unbroken_runs(const std::vector<double>& times, const std::vector<double>& x) {
  std::vector<double> own, steps;
  Frames seen;
  for (std::size_t f = 0; f < x.size(); ++f) {
    if (std::isnan(x[f])) continue;
    if (!seen.empty()) steps.push_back(times[f] - times[seen.back()]);
    seen.push_back(f);
  }
  const double longest = longest_gap * quantile(steps, 0.5);
  std::vector<Frames> runs;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (i == 0 || steps[i - 1] > longest) runs.emplace_back();
    runs.back().push_back(seen[i]);
  }
  return runs;
}

/// Coefficients of one window of one series, without its outliers.
struct WindowCoefficients {
  Vector values;       ///< K, in units of σ
  Vector freedom;      ///< remaining degree of freedom of each
  double spoiled = 0;  ///< degrees of freedom lost to impacts, and to outliers that may be a motion

  WindowCoefficients(Eigen::MatrixXd basis, const Vector& x) : values(basis * x), freedom(Vector::Ones(basis.rows())) {
    const Vector share = basis.colwise().squaredNorm().transpose();
    for (int removed = 0;; ++removed) {
      const Vector left = basis.colwise().squaredNorm().transpose();
      const Vector deviation = basis.transpose() * values;
      Index worst = 0;
      double most = 0;
      for (Index f = 0; f < left.size(); ++f) {
        if (!(left[f] > least_judged * share[f])) continue;
        const double size = std::abs(deviation[f]) / std::sqrt(left[f]);
        if (size > most) worst = f, most = size;
      }
      if (most <= robust_cut) return;
      if (removed == most_outliers) break;
      const Vector direction = basis.col(worst).normalized();
      values -= direction * direction.dot(values);
      freedom -= direction.cwiseAbs2();
      basis -= direction * (direction.transpose() * basis).eval();
      spoiled += most < no_motion ? 1 : 0;
    }
    spoiled = static_cast<double>(freedom.size());
    values.setZero();
    freedom.setZero();
  }
};

/// The coefficients of all windows, with a row for each window and degree and a column for each series, so that noise
/// common to several series is visible.
class FastHalf {
 public:
  FastHalf(const std::vector<double>& times, int samples, std::size_t series)
      : times_(times),
        samples_(samples),
        first_(std::max(lowest_order, static_cast<int>(std::lround(slow_part * samples)))),
        stride_((times.size() / static_cast<std::size_t>(samples) + most_windows - 1) / most_windows),
        columns_(static_cast<Index>(series)),
        square_(Vector::Zero(degrees())),
        count_(Vector::Zero(degrees())) {}

  void add(Index column, const NoisySeries& one, const std::vector<Frames>& runs) {
    const auto length = static_cast<std::ptrdiff_t>(samples_);
    for (const Frames& run : runs)
      for (auto at = run.begin(); run.end() - at >= length; at += length) {
        const std::size_t row = *at / static_cast<std::size_t>(samples_);
        if (row % stride_ == 0) add_window(column, one, row, Frames(at, at + length));
      }
  }

  NoiseFloor floor() const {
    NoiseFloor found;
    if (!(count_.minCoeff() > 0)) return found;
    found.degrees = static_cast<int>(degrees());
    found.spoiled = spoiled_ / all_;
    const Vector variances = square_.cwiseQuotient(count_);
    found.level = variances.mean();
    found.values = count_.mean() * independent_series() / static_cast<double>(columns_);
    // Bartlett, Proc. R. Soc. A 160, 1937, with his correction.
    const double correction = 1 + (1 + 1.0 / found.degrees) / (3 * found.values);
    found.ratio = found.values * (found.level / variances.array()).log().sum() / correction;
    const Index half = degrees() / 2;
    found.tilt = std::log(variances.head(half).mean() / variances.tail(half).mean());
    return found;
  }

 private:
  struct SpectrumWindow {
    Frames frames;
    Eigen::MatrixXd basis;
    Eigen::MatrixXd coefficients;  ///< K x series
  };

  Index degrees() const { return samples_ - first_; }

  void add_window(Index column, const NoisySeries& one, std::size_t row, const Frames& frames) {
    SpectrumWindow& window = windows_of_[row];
    if (window.frames != frames) {
      window.frames = frames;
      window.basis = orthonormal_polynomials(times_, frames, first_);
    }
    if (window.coefficients.size() == 0) window.coefficients = Eigen::MatrixXd::Zero(degrees(), columns_);
    Vector x(samples_);
    for (Index i = 0; i < x.size(); ++i) x[i] = (one.values[frames[i]] - one.values[frames[0]]) / one.sigma;
    const WindowCoefficients found(window.basis, x);
    window.coefficients.col(column) = found.values;
    square_ += found.values.cwiseAbs2();
    count_ += found.freedom;
    all_ += static_cast<double>(degrees());
    spoiled_ += found.spoiled;
  }

  /// Returns (tr C)²/tr C² for the covariance C of the series, corrected for the bias of tr C² for normal variables:
  /// the number of independent series whose sums of squares would scatter as much.
  double independent_series() const {
    Eigen::MatrixXd all(static_cast<Index>(windows_of_.size()) * degrees(), columns_);
    Index row = 0;
    for (const auto& [at, window] : windows_of_) {
      all.middleRows(row, degrees()) = window.coefficients;
      row += degrees();
    }
    const auto n = static_cast<double>(row);
    const Eigen::MatrixXd products =
        row < columns_ ? Eigen::MatrixXd(all * all.transpose()) : Eigen::MatrixXd(all.transpose() * all);
    const double trace = all.squaredNorm();
    const double square = (products.squaredNorm() - trace * trace / n) * n * n / ((n - 1) * (n + 2));
    const auto series = static_cast<double>(columns_);
    return square > 0 ? std::clamp(trace * trace / square, 1.0, series) : series;
  }

  const std::vector<double>& times_;
  int samples_, first_;
  std::size_t stride_;
  Index columns_;
  Vector square_, count_;         ///< by degree
  double all_ = 0, spoiled_ = 0;  ///< degrees of freedom
  std::map<std::size_t, SpectrumWindow> windows_of_;
};

}  // namespace

bool NoiseFloor::is_level(double deviations) const {
  if (degrees < 2 || spoiled > most_spoiled || !(level > 0)) return false;
  // The quantile of χ² after Wilson and Hilferty, Proc. Natl. Acad. Sci. 17, 1931.
  const double part = 2 / (9.0 * (degrees - 1));
  if (ratio > (degrees - 1) * std::pow(1 - part + deviations * std::sqrt(part), 3)) return false;
  // `scatter` is that of the logarithm of a χ² variable. Differences and level share their samples, so only half of
  // the variance remains.
  const double scatter = std::sqrt(2 / (values * degrees));
  const double between = std::sqrt(0.5) * deviations * scatter;
  if (std::abs(std::log(level)) > 2 * std::log(same_level) + between) return false;
  return std::abs(tilt) < 2 * deviations * scatter;
}

NoiseFloor find_noise_floor(const std::vector<double>& times, const std::vector<NoisySeries>& series) {
  std::vector<std::vector<Frames>> runs;
  std::size_t longest = 0;
  for (const NoisySeries& one : series) {
    runs.push_back(unbroken_runs(times, one.values));
    for (const Frames& run : runs.back()) longest = std::max(longest, run.size());
  }
  if (longest < static_cast<std::size_t>(lowest_order) + 2) return {};
  const int samples = static_cast<int>(std::min<std::size_t>(longest, most_samples));
  FastHalf half(times, samples, series.size());
  for (std::size_t s = 0; s < series.size(); ++s) half.add(static_cast<Index>(s), series[s], runs[s]);
  return half.floor();
}

}  // namespace pithball::optim
