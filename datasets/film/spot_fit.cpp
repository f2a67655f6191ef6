#include "datasets/film/spot_fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "datasets/film/spot_sums.hpp"

namespace pithball::datasets {
namespace {

using Eigen::ArrayXd;
using Eigen::MatrixXd;

/// Half of a window's width: the spot and a margin of its surroundings.
double window_radius(const Spot& spot) {
  constexpr double margin = 3.5, least = 4;  // standard deviations; pixels
  const double longer = spot.form == SpotForm::Elliptical ? std::sqrt(spot.elongation()) : 1;
  const double inner = spot.form == SpotForm::Ring ? spot.shape[0] : 0;
  return std::max(least, inner + margin * spot.sigma() * longer + 1);
}

/// Side of the squares: at most half a standard deviation, so that they lose next to no information.
double bin_of(const Spot& spot) { return std::max(1.0, std::floor(spot.sigma() / 2)); }

/// A fit on its way, of a form with `count` parameters. At every place and shape, height and background are those that
/// fit best, for which the sums give them (variable projection: Golub and Pereyra, SIAM J. Numer. Anal. 10, 413, 1973,
/// with Kaufman's slopes); so that steps are those of place and shape only.
template <int count>
class Minimization {
 public:
  Minimization(const SpotWindow& window, const Spot& start, const PixelNoise& noise)
      : window_(window), noise_(noise), start_(start) {
    weigh(start);
  }

  /// Returns whether a minimum was found.
  bool run(double least_significance) {
    constexpr int most_weightings = 4;
    now_.spot = start_;
    if (!compute(now_)) return false;
    if (!descend(least_significance)) return false;
    for (int k = 0; noise_.gain > 0 && k < most_weightings; ++k) {  // with the noise at the brightness of the fit
      weigh(now_.spot);
      if (!compute(now_)) return false;
      const int steps = steps_;
      if (!descend(least_significance)) return false;
      if (steps_ == steps + 1) break;
    }
    return true;
  }

  /// The result at the minimum.
  FittedSpot fitted() const {
    FittedSpot result;
    result.spot = now_.spot;
    result.background = now_.background;
    const Normal information = information_of(now_);
    result.covariance = information.inverse().template topLeftCorner<2, 2>();
    result.chi_square = now_.chi_square;
    result.significance = std::sqrt(std::max(0.0, flat() - now_.chi_square));
    return result;
  }

 private:
  static constexpr int columns = count + 1, of_height = 2, of_background = count;
  using Normal = Eigen::Matrix<double, columns, columns>;
  using Column = Eigen::Vector<double, columns>;

  /// A place and a shape, and what they give.
  struct State {
    Spot spot;
    double background = 0, chi_square = 0;
    SlopeSums sums;
  };

  /// Weights for the noise at the brightness of a spot.
  void weigh(const Spot& spot) {
    compute_weights(window_.x, window_.y, spot, noise_, weights_);
    weights_ *= window_.bin * window_.bin;
    squares_ = (weights_ * window_.brightness.square()).sum();
  }

  /// Finds sums, height, background and χ² of a place and a shape. Returns whether there are.
  bool compute(State& state) const {
    state.sums = sum_slopes(
        {window_.x.data(), window_.y.data(), window_.brightness.data(), weights_.data(), window_.x.size()}, state.spot);
    const auto& [products, right] = state.sums;
    const double uu = products(of_height, of_height), u1 = products(of_background, of_height);
    const double ones = products(of_background, of_background), uy = right[of_height], y = right[of_background];
    constexpr double flatness = 1e-9;  // of a form beside the background, squared
    const double determinant = uu * ones - u1 * u1;
    if (!(determinant > flatness * uu * ones)) return false;
    state.spot.height = (ones * uy - u1 * y) / determinant;
    state.background = (uu * y - u1 * uy) / determinant;
    state.chi_square = squares_ - state.spot.height * uy - state.background * y;
    return std::isfinite(state.chi_square);
  }

  /// χ² of an even background.
  double flat() const {
    const double ones = now_.sums.products(of_background, of_background), y = now_.sums.with_brightness[of_background];
    return squares_ - y * y / ones;
  }

  /// Slopes of a spot of height 1 become those of the spot.
  static Column scales_of(const State& state) {
    Column scales = Column::Constant(state.spot.height);
    scales[of_height] = scales[of_background] = 1;
    return scales;
  }

  static Normal information_of(const State& state) {
    const Column scales = scales_of(state);
    const Normal lower =
        scales.asDiagonal() * state.sums.products.template topLeftCorner<columns, columns>() * scales.asDiagonal();
    return lower.template selfadjointView<Eigen::Lower>();
  }

  static Column right_of(const State& state) {
    const Normal products =
        state.sums.products.template topLeftCorner<columns, columns>().template selfadjointView<Eigen::Lower>();
    const Column residual = state.sums.with_brightness.template head<columns>() -
                            state.spot.height * products.col(of_height) -
                            state.background * products.col(of_background);
    return scales_of(state).cwiseProduct(residual);
  }

  /// Levenberg and Marquardt. Returns whether a minimum was found that may be as significant as is required.
  bool descend(double least_significance) {
    constexpr int most_iterations = 15;
    constexpr double settled = 0.01;         // decrease of χ² that a further step promises
    constexpr double most_damping = 100000;  // beyond it steps are too short to find anything
    constexpr double surprise = 4;           // χ² may decrease by this many times what a step promises
    double damping = 0.001;
    for (int k = 0; k < most_iterations; ++k, ++steps_) {
      Normal damped = information_of(now_);
      damped.diagonal() *= 1 + damping;
      const Column right = right_of(now_), step = damped.llt().solve(right);
      if (!step.allFinite()) return false;
      const double promise = right.dot(step);
      if (flat() - now_.chi_square + surprise * promise < least_significance * least_significance) return false;
      const bool better = take(step);
      if (promise < settled) {
        ++steps_;
        return better || damping < 1;
      }
      damping = better ? damping / 10 : damping * 10;
      if (damping > most_damping) return false;
    }
    return false;
  }

  /// Takes a step if it decreases χ².
  bool take(const Column& step) {
    State next;
    next.spot = now_.spot.moved(step);
    next.spot.height = now_.spot.height;
    if (!next.spot.is_valid() || !is_near(next.spot) || !compute(next)) return false;
    if (!(next.chi_square <= now_.chi_square)) return false;
    now_ = next;
    return true;
  }

  /// Whether a spot is still that of the start, and not a neighbor or a part of a ring.
  bool is_near(const Spot& spot) const {
    const double reach = std::max(2.0, start_.size());
    const double dx = spot.x - start_.x, dy = spot.y - start_.y;
    return dx * dx + dy * dy < reach * reach && spot.sigma() < window_.radius &&
           (spot.form != SpotForm::Ring || spot.shape[0] < window_.radius);
  }

  const SpotWindow& window_;
  const PixelNoise noise_;
  const Spot start_;
  State now_;
  ArrayXd weights_;
  double squares_ = 0;  // Σ weight · brightness²
  int steps_ = 0;
};

template <int count>
std::optional<FittedSpot> fit_form(const SpotWindow& window, const Spot& start, const PixelNoise& noise,
                                   double least_significance) {
  Minimization<count> minimization(window, start, noise);
  if (!minimization.run(least_significance)) return std::nullopt;
  FittedSpot fitted = minimization.fitted();
  const double uncertainty = fitted.covariance.trace(), size = fitted.spot.size();
  // A center that is uncertain by the size of its spot is that of nothing.
  if (!(fitted.covariance(0, 0) > 0 && fitted.covariance(1, 1) > 0 && uncertainty < size * size)) return std::nullopt;
  return fitted;
}

}  // namespace

SpotWindow::SpotWindow(const Picture& picture, const Spot& spot) : bin(bin_of(spot)), radius(window_radius(spot)) {
  const auto side = static_cast<Index>(bin);
  const auto half = static_cast<Index>(std::ceil(radius / bin));
  const Index left = std::llround(spot.x - 0.5 * (bin - 1)), top = std::llround(spot.y - 0.5 * (bin - 1));
  const Index most = (2 * half + 1) * (2 * half + 1);
  x.resize(most);
  y.resize(most);
  brightness.resize(most);
  const double middle = 0.5 * (bin - 1);  // of a square
  Index count = 0;
  for (Index j = -half; j <= half; ++j) {
    const Index y0 = top + j * side;
    const double dy = y0 + middle - spot.y, reach2 = radius * radius - dy * dy;
    if (y0 < 0 || y0 + side > picture.rows() || reach2 < 0) continue;
    // Squares whose centers are within the disc, and which lie within the picture.
    const double reach = std::sqrt(reach2), first_center = spot.x - reach - middle,
                 last_center = spot.x + reach - middle;
    Index i = static_cast<Index>(std::ceil((first_center - left) / bin));
    Index last = static_cast<Index>(std::floor((last_center - left) / bin));
    while (left + i * side < 0) ++i;
    while (left + (last + 1) * side > picture.cols()) --last;
    for (; i <= last; ++i) {
      const Index x0 = left + i * side;
      x[count] = x0 + middle;
      y[count] = y0 + middle;
      brightness[count++] = side == 1 ? picture(y0, x0) : picture.block(y0, x0, side, side).mean();
    }
  }
  x.conservativeResize(count);
  y.conservativeResize(count);
  brightness.conservativeResize(count);
}

std::optional<FittedSpot> fit_spot(const SpotWindow& window, const Spot& start, const PixelNoise& noise,
                                   double least_significance) {
  if (window.x.size() < 3 * (start.parameters() + 1)) return std::nullopt;  // at the edge of the picture
  switch (start.form) {
    case SpotForm::Round:
      return fit_form<4>(window, start, noise, least_significance);
    case SpotForm::Elliptical:
      return fit_form<6>(window, start, noise, least_significance);
    case SpotForm::Ring:
      break;
  }
  return fit_form<5>(window, start, noise, least_significance);
}

FittedHeight fit_height(const SpotWindow& window, const Spot& shape, const PixelNoise& noise) {
  const ArrayXd ones = ArrayXd::Ones(window.x.size());
  const auto& [products, right] =
      sum_slopes({window.x.data(), window.y.data(), window.brightness.data(), ones.data(), ones.size()}, shape);
  const int last = shape.parameters();
  // The brightness of the shape less its mean, multiplied with itself and with that of the pixels.
  const double power = products(2, 2) - products(last, 2) * products(last, 2) / products(last, last);
  const double height = (right[2] - products(last, 2) * right[last] / products(last, last)) / power;
  return {height, std::abs(height) * std::sqrt(power) * window.bin / noise.floor};
}

std::optional<Spot> find_ring(const SpotWindow& window, const FittedSpot& fitted, const PixelNoise& noise) {
  constexpr double certain = 4;  // standard errors
  const double sign = fitted.spot.height < 0 ? -1 : 1;
  const auto bins = static_cast<std::size_t>(std::ceil(window.radius / window.bin)) + 1;
  std::vector<double> sum(bins, 0.0), count(bins, 0.0);
  for (Index k = 0; k < window.x.size(); ++k) {
    const double r = std::hypot(window.x[k] - fitted.spot.x, window.y[k] - fitted.spot.y) / window.bin;
    const auto bin = std::min(bins - 1, static_cast<std::size_t>(r));
    sum[bin] += sign * (window.brightness[k] - fitted.background);
    count[bin] += 1;
  }
  const auto mean = [&](std::size_t bin) { return count[bin] > 0 ? sum[bin] / count[bin] : 0.0; };
  std::size_t peak = 0;
  for (std::size_t k = 1; k < bins; ++k)
    if (count[k] > 2 && mean(k) > mean(peak)) peak = k;
  if (peak == 0 || count[0] == 0) return std::nullopt;
  const double error = noise.floor / window.bin * std::sqrt(1 / count[0] + 1 / count[peak]);
  if (mean(peak) - mean(0) < certain * error) return std::nullopt;
  std::size_t outer = peak;  // where it has fallen to half
  while (outer + 1 < bins && mean(outer) > 0.5 * mean(peak)) ++outer;
  constexpr double half_by_sigma = 1.18;
  Spot ring{SpotForm::Ring, fitted.spot.x, fitted.spot.y, sign * mean(peak), Eigen::Vector3d::Zero()};
  ring.shape[0] = window.bin * (peak + 0.5);
  ring.shape[1] = window.bin * std::max(0.5, (outer - peak) / half_by_sigma);
  return ring;
}

void GainSums::add(const SpotWindow& window, const FittedSpot& fitted, const PixelNoise& noise) {
  constexpr double bright = 10, inner = 0.1;  // of the noise; of the height
  if (window.bin > 1 || fitted.spot.height < bright * noise.floor) return;
  const int count = fitted.spot.parameters();
  Spot::Slopes slopes(window.x.size(), count + 1);
  ArrayXd u;
  fitted.spot.compute(window.x, window.y, u, &slopes);
  slopes.col(count).setOnes();
  const ArrayXd variance = noise.floor * noise.floor + noise.gain * u;
  const MatrixXd weighted = slopes.array().colwise() / variance;
  const MatrixXd covariance = (weighted.transpose() * slopes).inverse();
  const ArrayXd taken = ((slopes * covariance).array() * weighted.array()).rowwise().sum();  // leverages
  for (Index k = 0; k < u.size(); ++k) {
    if (u[k] < inner * fitted.spot.height || taken[k] > 0.9) continue;
    const double residual = window.brightness[k] - fitted.background - u[k];
    const double excess = residual * residual / (1 - taken[k]) - noise.floor * noise.floor;
    const Eigen::Vector2d powers(u[k], u[k] * u[k]);
    const double weight = 1 / (2 * variance[k] * variance[k]);  // of a squared normal number
    normal += weight * powers * powers.transpose();
    right += weight * excess * powers;
  }
}

double GainSums::gain() const {
  constexpr double certain = 3;
  const Eigen::Matrix2d covariance = normal.inverse();
  if (!covariance.allFinite()) return 0;
  const double gain = (covariance * right)[0];
  return gain > certain * std::sqrt(covariance(0, 0)) ? gain : 0;
}

}  // namespace pithball::datasets
