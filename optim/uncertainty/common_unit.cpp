#include "optim/uncertainty/common_unit.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>
#include <utility>

#include "optim/uncertainty/significance.hpp"
#include "sim/core/counter_noise.hpp"
#include "sim/core/error.hpp"
#include "sim/core/parallel_for.hpp"

namespace pithball::optim {
namespace {

/// Values closer to zero than this many errors are set aside: zero is a multiple of every unit.
constexpr double errors_from_zero = 3;
/// Errors beyond this part of a unit leave a value without information on it: exp(−2π²·4) of its mean cosine.
constexpr double largest_error = 2;
/// Samples of the quantogram for each period of its fastest cosine.
constexpr double samples_of_period = 10;
/// Largest number of cosines for one set of values.
constexpr double most_cosines = 1 << 24;
/// Part of the probability from which a unit is the only one.
constexpr double sure_share = 0.95;
/// A unit that is found with this probability is resolvable, and one with less than the other cannot be expected to
/// show.
constexpr double resolvable_power = 0.9, hopeless_power = 0.5;
/// p-value of the scatter below which errors are too small.
constexpr double misfit_level = 0.01;
/// Degrees of freedom at which F is χ² divided by its own degrees of freedom.
constexpr double known_variance = 1e9;

/// Streams of random numbers for one seed.
enum UnitStreams : std::uint64_t { Smooth = 401, Multiple };

constexpr double two_pi = 2 * std::numbers::pi;

void check(const MeasuredValues& values) {
  if (values.value.size() != values.error.size())
    throw InvalidArgument({"", "errors", "must be as many as values (" + std::to_string(values.value.size()) + ")",
                           std::to_string(values.error.size()), "give each value its standard error"});
  if (values.value.size() < 2)
    throw InvalidArgument(
        {"", "values", "must be at least two", std::to_string(values.value.size()), "a unit needs several values"});
  for (Index i = 0; i < values.value.size(); ++i) {
    if (!std::isfinite(values.value[i]))
      throw InvalidArgument({"", "values[" + std::to_string(i) + "]", "must be a number", to_text(values.value[i]),
                             "leave out what was not measured"});
    if (!(values.error[i] > 0) || !std::isfinite(values.error[i]))
      throw InvalidArgument({"", "errors[" + std::to_string(i) + "]", "must be > 0", to_text(values.error[i]),
                             "give its standard error"});
  }
}

void check(const UnitSearch& search) {
  if (!(search.low > 0) || !(search.high > search.low) || !std::isfinite(search.high))
    throw InvalidArgument({"", "range", "must be two units > 0, the smaller first",
                           to_text(search.low) + ", " + to_text(search.high), "for charges about e: 1e-19, 2.5e-19"});
  if (!(search.level > 0 && search.level < 1))
    throw InvalidArgument(
        {"", "level", "must lie between 0 and 1", to_text(search.level), "0.01 is one false alarm in a hundred"});
  if (!std::isnan(search.supposed) && !(search.supposed >= search.low && search.supposed <= search.high))
    throw InvalidArgument({"", "supposed", "must lie in the range", to_text(search.supposed), "widen the range"});
  if (!(search.scale_error >= 0) || !std::isfinite(search.scale_error))
    throw InvalidArgument({"", "scale_error", "must be >= 0", to_text(search.scale_error),
                           "give the relative standard error of the common factor"});
  if (static_cast<double>(search.simulations) * search.level < 1)
    throw InvalidArgument({"", "simulations", "must be at least 1/level = " + to_text(1 / search.level),
                           std::to_string(search.simulations), "2000 tell a level of 0.01"});
}

/// What an error leaves of the mean cosine of a multiple.
double attenuation(double error, double u) { return std::exp(-0.5 * std::pow(two_pi * error / u, 2)); }

/// Whether a value is far enough from zero to tell of a unit.
bool tells(double value, double error) { return std::abs(value) > errors_from_zero * error; }

/// The frequencies 1/u of the range, evenly spaced, and what the values' errors leave there.
class FrequencyGrid {
 public:
  FrequencyGrid(const MeasuredValues& values, const UnitSearch& search) : errors_(values.error) {
    // Simulated values are moved by half the largest unit; four of these steps reach beyond all but a few.
    const double largest = values.value.cwiseAbs().maxCoeff() + 2 * search.high;
    const double steps = samples_of_period * largest * (1 / search.low - 1 / search.high);
    if (!(steps * static_cast<double>(values.value.size()) <= most_cosines))
      throw InvalidArgument({"", "range", "must need no more than 2^24 cosines for a set",
                             to_text(steps) + " units for " + std::to_string(values.value.size()) + " values",
                             "raise the smallest unit"});
    frequency_.setLinSpaced(static_cast<Index>(steps) + 2, 1 / search.high, 1 / search.low);
    step_ = frequency_[1] - frequency_[0];
    const double least = errors_.minCoeff();  // relative to the most exact value: squares of all others may vanish
    left_.resize(size(), errors_.size());
    for (Index i = 0; i < errors_.size(); ++i)
      left_.col(i) = (-0.5 * two_pi * two_pi * (errors_[i] - least) * (errors_[i] + least) * frequency_.square()).exp();
  }
  Index size() const { return frequency_.size(); }
  double frequency(Index j) const { return frequency_[j]; }
  double unit(Index j) const { return 1 / frequency_[j]; }

  /// φ at all frequencies for values with these errors; those near zero have no part.
  Eigen::ArrayXd quantogram(const Vector& value) const {
    Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(size()), squares = Eigen::ArrayXd::Zero(size()), cosines(size());
    for (Index i = 0; i < value.size(); ++i) {
      if (!tells(value[i], errors_[i])) continue;
      fill_cosines(value[i], cosines);
      sum += left_.col(i) * cosines;
      squares += left_.col(i).square();
    }
    return (squares > 0).select(std::sqrt(2.0) * sum / squares.sqrt(), Eigen::ArrayXd::Zero(size()));
  }

 private:
  void fill_cosines(double q, Eigen::ArrayXd& cosines) const {
    constexpr Index renewed = 64;  // steps of a turning pointer, whose rounding stays below 1e-13
    const std::complex<double> turn = std::polar(1.0, two_pi * q * step_);
    for (Index first = 0; first < size(); first += renewed) {
      std::complex<double> pointer = std::polar(1.0, two_pi * q * frequency(first));
      for (Index j = first; j < std::min(first + renewed, size()); ++j, pointer *= turn) cosines[j] = pointer.real();
    }
  }

  Vector errors_;
  Eigen::ArrayXd frequency_;
  double step_ = 0;
  Eigen::ArrayXXd left_;  ///< frequencies × n
};

/// Sets of values that are drawn like the measured ones.
class DrawnSets {
 public:
  DrawnSets(const MeasuredValues& values, const UnitSearch& search)
      : values_(values), reach_(search.high / 2), smooth_(search.seed, Smooth), noise_(search.seed, Multiple) {}

  /// Set number k of a smooth alternative. The errors are in the values, which the steps exceed.
  Vector smooth(Index k) const {
    Vector drawn = values_.value;
    for (Index i = 0; i < drawn.size(); ++i) drawn[i] += reach_ * smooth_.normal(k, i, 0);
    return drawn;
  }
  /// The multiples of u nearest to that set, measured with the errors.
  Vector multiples(Index k, double u) const {
    Vector drawn = smooth(k);
    for (Index i = 0; i < drawn.size(); ++i)
      drawn[i] = u * std::round(drawn[i] / u) + values_.error[i] * noise_.normal(k, i, 0);
    return drawn;
  }

 private:
  const MeasuredValues& values_;
  double reach_ = 0;
  sim::CounterNoise smooth_, noise_;
};

/// The values that are not set aside.
MeasuredValues telling(const MeasuredValues& all) {
  std::vector<Index> kept;
  for (Index i = 0; i < all.value.size(); ++i)
    if (tells(all.value[i], all.error[i])) kept.push_back(i);
  return {all.value(kept), all.error(kept)};
}

/// Moments of the multiple k of a value q ± s at the unit u, of probability ∝ exp(−(q − k u)²/2s²).
struct MultipleMoments {
  double mean = 0, square = 0;  ///< E k, E k²
  double spread = 0;            ///< variance of k (q − k u)
  double log_density = 0;       ///< ln of u Σ_k exp(−(q − k u)²/2s²)/(√(2π) s)
};

MultipleMoments find_moments(double q, double s, double u) {
  const double nearest = std::round(q / u), base = std::pow((q - nearest * u) / s, 2) / 2;
  const double reach = std::ceil(6 * s / u) + 1;  // beyond six errors nothing is left
  double sum = 0, score = 0, score_square = 0;
  MultipleMoments moments;
  for (double k = nearest - reach; k <= nearest + reach; ++k) {
    const double off = q - k * u, weight = std::exp(base - std::pow(off / s, 2) / 2);
    sum += weight;
    moments.mean += weight * k;
    moments.square += weight * k * k;
    score += weight * k * off;
    score_square += weight * std::pow(k * off, 2);
  }
  moments.mean /= sum;
  moments.square /= sum;
  moments.spread = score_square / sum - std::pow(score / sum, 2);
  moments.log_density = std::log(sum) - base + std::log(u / (std::sqrt(two_pi) * s));
  return moments;
}

/// A maximum of ln L(u).
struct FittedUnit {
  double unit = 0, error = 0;
  double log_density = 0;  ///< of the values beside a flat density
};

/// Climbs from `start` by expectation of the multiples and least squares in turn; empty: no maximum in the range.
std::optional<FittedUnit> fit_unit(const MeasuredValues& values, double start, const UnitSearch& search) {
  constexpr int most_rounds = 500;
  constexpr double settled = 1e-10;  // relative
  FittedUnit fitted{start, 0, 0};
  for (int round = 0; round < most_rounds; ++round) {
    double products = 0, squares = 0, information = 0;
    fitted.log_density = 0;
    for (Index i = 0; i < values.value.size(); ++i) {
      const double q = values.value[i], s = values.error[i];
      if (s > largest_error * fitted.unit) continue;
      const MultipleMoments k = find_moments(q, s, fitted.unit);
      products += q * k.mean / (s * s);
      squares += k.square / (s * s);
      information += k.square / (s * s) - k.spread / std::pow(s, 4);
      fitted.log_density += k.log_density;
    }
    if (!(squares > 0)) return {};
    const double better = products / squares, change = better - fitted.unit;
    if (!(better >= search.low && better <= search.high)) return {};
    if (std::abs(change) <= settled * better) {
      if (!(information > 0)) return {};
      fitted.error = 1 / std::sqrt(information);
      return fitted;
    }
    fitted.unit = better;
  }
  return {};
}

/// Maxima of the quantogram, the highest first.
std::vector<Index> find_maxima(const Eigen::ArrayXd& phi) {
  constexpr std::size_t most = 50;  // further ones are chance
  std::vector<Index> maxima;
  for (Index j = 0; j < phi.size(); ++j)
    if (phi[j] > 0 && (j == 0 || phi[j] >= phi[j - 1]) && (j + 1 == phi.size() || phi[j] > phi[j + 1]))
      maxima.push_back(j);
  std::ranges::sort(maxima, [&](Index a, Index b) { return phi[a] > phi[b]; });
  if (maxima.size() > most) maxima.resize(most);
  return maxima;
}

/// The units at which ln L has a maximum, each once, the most probable first.
std::vector<FittedUnit> fit_units(const MeasuredValues& values, const FrequencyGrid& grid, const Eigen::ArrayXd& phi,
                                  const UnitSearch& search) {
  std::vector<FittedUnit> units;
  for (const Index j : find_maxima(phi))
    if (const auto found = fit_unit(values, grid.unit(j), search))
      if (std::ranges::none_of(units, [&](const FittedUnit& u) { return std::abs(u.unit - found->unit) < u.error; }))
        units.push_back(*found);
  std::ranges::sort(units, [](const FittedUnit& a, const FittedUnit& b) {
    return a.log_density + std::log(a.error / a.unit) > b.log_density + std::log(b.error / b.unit);
  });
  return units;
}

/// The part of the probability of all units that the first has, with a flat prior of ln u.
double share_of_first(const std::vector<FittedUnit>& units) {
  double sum = 0;
  for (const FittedUnit& one : units) sum += std::exp(one.log_density - units[0].log_density) * one.error / one.unit;
  return units[0].error / units[0].unit / sum;
}

/// Takes the unit, its error and the multiples into the result.
void take_unit(const FittedUnit& fitted, const MeasuredValues& values, double scale_error, CommonUnit& found) {
  found.unit = fitted.unit;
  found.statistical_error = fitted.error;
  double squares = 0;
  long degrees = -1;
  for (Index i = 0; i < values.value.size(); ++i) {
    const double q = values.value[i], s = values.error[i], multiple = std::round(q / fitted.unit);
    found.multiples.push_back(static_cast<long>(multiple));
    // Rounding to the nearest multiple cuts off larger deviations, which matters beyond three errors in half a unit.
    if (!tells(q, s) || 2 * errors_from_zero * s > fitted.unit) continue;
    squares += std::pow((q - multiple * fitted.unit) / s, 2);
    ++degrees;
  }
  if (degrees > 0) {
    found.misfit = squares / static_cast<double>(degrees);
    if (found.misfit > 1 && f_tail(found.misfit, static_cast<double>(degrees), known_variance) < misfit_level)
      found.statistical_error *= std::sqrt(found.misfit);
  }
  found.error = std::hypot(found.statistical_error, scale_error * fitted.unit);
}

/// Probability that multiples of u make a peak of at least `critical`, by the mean and variance of φ there:
/// cosines of normal errors have the mean a and the variance (1 − a²)²/2.
double expected_power(const MeasuredValues& values, double u, double critical) {
  double squares = 0, variance = 0;
  for (Index i = 0; i < values.value.size(); ++i) {
    const double left = std::pow(attenuation(values.error[i], u), 2);
    squares += left;
    variance += left * std::pow(1 - left, 2);
  }
  if (!(squares > 0)) return 0;
  const double beyond = std::sqrt(2 * squares) - critical;
  return 0.5 * std::erfc(-beyond / std::sqrt(2 * variance / squares));
}

/// The smallest unit down to which all have the wanted power; NaN: not even the largest has it.
double find_smallest_resolvable(const MeasuredValues& values, const FrequencyGrid& grid, double critical) {
  double smallest = std::numeric_limits<double>::quiet_NaN();
  for (Index j = 0; j < grid.size(); ++j) {
    if (expected_power(values, grid.unit(j), critical) < resolvable_power) break;
    smallest = grid.unit(j);
  }
  return smallest;
}

/// Part of the drawn sets of multiples of u that show it: the highest peak is high enough, and within the width of one.
double simulate_power(const MeasuredValues& values, const UnitSearch& search, const FrequencyGrid& grid,
                      double critical, double u) {
  const DrawnSets sets(values, search);
  const double width = 0.25 / std::sqrt(values.value.squaredNorm() / static_cast<double>(values.value.size()));
  std::vector<char> shows(search.simulations, 0);
  sim::parallel_for(search.simulations, static_cast<double>(search.simulations * grid.size() * values.value.size()),
                    [&](Index k) {
                      Index at = 0;
                      const double height = grid.quantogram(sets.multiples(k, u)).maxCoeff(&at);
                      shows[k] = height >= critical && std::abs(grid.frequency(at) - 1 / u) <= width;
                    });
  return static_cast<double>(std::ranges::count(shows, 1)) / static_cast<double>(search.simulations);
}

/// The largest φ of each smooth set, sorted.
std::vector<double> simulate_maxima(const MeasuredValues& values, const UnitSearch& search, const FrequencyGrid& grid) {
  const DrawnSets sets(values, search);
  std::vector<double> maxima(search.simulations, 0);
  sim::parallel_for(search.simulations, static_cast<double>(search.simulations * grid.size() * values.value.size()),
                    [&](Index k) { maxima[k] = grid.quantogram(sets.smooth(k)).maxCoeff(); });
  std::ranges::sort(maxima);
  return maxima;
}

UnitStatus judge(const CommonUnit& found, const UnitSearch& search) {
  const bool is_there = found.p_value <= search.level && std::isfinite(found.unit);
  if (is_there) return found.share >= sure_share ? UnitStatus::Resolved : UnitStatus::Ambiguous;
  const bool could_show =
      std::isnan(search.supposed) ? std::isfinite(found.smallest_resolvable) : found.power >= hopeless_power;
  return could_show ? UnitStatus::NotResolved : UnitStatus::CannotBeResolved;
}

}  // namespace

std::string word_of(UnitStatus status) {
  switch (status) {
    case UnitStatus::Resolved:
      return "resolved";
    case UnitStatus::Ambiguous:
      return "ambiguous";
    case UnitStatus::NotResolved:
      return "not_resolved";
    case UnitStatus::CannotBeResolved:
      break;
  }
  return "cannot_be_resolved";
}

double quantogram(const MeasuredValues& values, double u) {
  check(values);
  if (!(u > 0) || !std::isfinite(u))
    throw InvalidArgument({"", "unit", "must be > 0", to_text(u), "give a unit in the unit of the values"});
  const double least = values.error.minCoeff();
  double sum = 0, squares = 0;
  for (Index i = 0; i < values.value.size(); ++i) {
    const double s = values.error[i], left = attenuation(std::sqrt((s - least) * (s + least)), u);
    sum += left * std::cos(two_pi * values.value[i] / u);
    squares += left * left;
  }
  return std::sqrt(2 / squares) * sum;
}

CommonUnit find_common_unit(const MeasuredValues& values, const UnitSearch& search) {
  check(values);
  check(search);
  const FrequencyGrid grid(values, search);
  const MeasuredValues kept = telling(values);
  CommonUnit found;
  found.set_aside = values.value.size() - kept.value.size();
  if (kept.value.size() < 2) return found;

  const Eigen::ArrayXd phi = grid.quantogram(values.value);
  const std::vector<double> maxima = simulate_maxima(values, search, grid);
  found.peak = phi.maxCoeff();
  const auto higher = maxima.end() - std::ranges::lower_bound(maxima, found.peak);
  found.p_value = static_cast<double>(higher + 1) / static_cast<double>(maxima.size() + 1);
  const auto beyond = static_cast<std::size_t>(search.level * static_cast<double>(maxima.size() + 1));
  const double critical = maxima[maxima.size() - std::max<std::size_t>(beyond, 1)];

  const std::vector<FittedUnit> units = fit_units(kept, grid, phi, search);
  if (!units.empty()) {
    take_unit(units[0], values, search.scale_error, found);
    found.share = share_of_first(units);
  }
  const double asked = std::isnan(search.supposed) ? found.unit : search.supposed;
  if (asked > 0) found.power = simulate_power(values, search, grid, critical, asked);
  found.smallest_resolvable = find_smallest_resolvable(kept, grid, critical);
  found.status = judge(found, search);
  return found;
}

}  // namespace pithball::optim
