#include "optim/diagnosis/marker_clocks.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "optim/fit/problem.hpp"
#include "optim/uncertainty/significance.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Half width of the bounds in standard errors.
constexpr double standard_errors_of_bounds = 5;

/// The lag of one marker, with its error [s].
struct MarkerLag {
  Index marker = 0;
  double offset = 0, error = 0;
};

/// The lags of the markers that show one, ascending.
std::vector<MarkerLag> find_lags(const MarkerClocks& clocks, const ScoreTester& tester) {
  const ScoreTest all = tester.test(clocks.G, false);
  std::vector<MarkerLag> lags;
  if (std::isnan(all.p)) return lags;
  for (Index m = 0; m < clocks.G.cols(); ++m)
    if (clocks.G.col(m).norm() > 0 && all.error[m] > 0) lags.push_back({m, all.shift[m], all.error[m]});
  std::ranges::sort(lags, {}, &MarkerLag::offset);
  return lags;
}

/// The weighted mean of some lags.
struct MeanLag {
  double sum = 0, weight = 0;

  explicit MeanLag(std::span<const MarkerLag> lags) {
    for (const MarkerLag& lag : lags) {
      const double w = 1 / (lag.error * lag.error);
      sum += w * lag.offset;
      weight += w;
    }
  }
  double mean() const { return sum / weight; }
};

/// Two groups of markers, the first of which is farther from the recording's clock.
struct MarkerGroups {
  std::vector<Index> far, others;
};

MarkerGroups divide(const std::vector<MarkerLag>& lags) {
  std::size_t best = 1;
  double largest = -1;
  const std::span<const MarkerLag> all = lags;
  for (std::size_t k = 1; k < lags.size(); ++k) {
    const MeanLag low(all.first(k)), high(all.subspan(k));
    const double difference =
        std::pow(high.mean() - low.mean(), 2) * low.weight * high.weight / (low.weight + high.weight);
    if (difference > largest) {
      largest = difference;
      best = k;
    }
  }
  const MeanLag low(all.first(best)), high(all.subspan(best));
  MarkerGroups groups;
  for (std::size_t k = 0; k < lags.size(); ++k) {
    const bool is_far = (k < best) == (std::abs(low.mean()) > std::abs(high.mean()));
    (is_far ? groups.far : groups.others).push_back(lags[k].marker);
  }
  std::ranges::sort(groups.far);
  std::ranges::sort(groups.others);
  return groups;
}

Vector sum_of(const Eigen::SparseMatrix<double>& G, const std::vector<Index>& markers) {
  Vector sum = Vector::Zero(G.rows());
  for (const Index m : markers) sum += G.col(m);
  return sum;
}

std::string list_of(const std::vector<Marker>& markers, const std::vector<Index>& numbers) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t k = 0; k < std::min(numbers.size(), most); ++k)
    text += (k == 0 ? "" : ", ") + markers[numbers[k]].name;
  return numbers.size() > most ? text + ", …" : text;
}

/// "[4, 5, {vertices: [6], role: validation}]": the list of markers of a recording that fits only those that are in the
/// first group, or only the others; empty where markers are attached otherwise than to one particle each, or have a
/// sigma of their own.
std::string fitted_list(const Observation& o, const std::vector<Index>& far, bool fits_far) {
  const Vector& sigma = o.noise.sigma;
  if (o.noise.origin == SigmaOrigin::Written && (sigma.array() != sigma[0]).any()) return {};
  std::string text;
  for (std::size_t m = 0; m < o.markers.size(); ++m) {
    const auto& vertices = o.markers[m].vertices;
    if (vertices.size() != 1 || vertices.front().second != 1) return {};
    const std::string particle = std::to_string(vertices.front().first);
    const bool is_fitted = std::ranges::binary_search(far, static_cast<Index>(m)) == fits_far &&
                           (o.validation.markers.empty() || !o.validation.markers[m]);
    text += (m == 0 ? "[" : ", ") + (is_fitted ? particle : "{vertices: [" + particle + "], role: validation}");
  }
  return text + "]";
}

/// Whether a name needs no quotes.
bool is_plain(const std::string& name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
}

/// The digits of a number that reads back as the same.
std::string exactly(double x) {
  std::array<char, 32> digits;
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr};
}

/// At least six digits of x, as few as read back as a number that is not above it, or not below it.
std::string beyond(double x, bool is_below) {
  for (int digits = 6; digits < std::numeric_limits<double>::max_digits10; ++digits) {
    const std::string text = formatted("%.*g", digits, x);
    const double written = std::strtod(text.c_str(), nullptr);
    if (is_below ? written <= x : written >= x) return text;
  }
  return exactly(x);
}

/// NAME-2, or the first of NAME-3, NAME-4, … that no recording has.
std::string free_name(const std::string& name, const std::vector<diff::Scenario>& scenarios) {
  for (int n = 2;; ++n) {
    const std::string other = name + "-" + std::to_string(n);
    if (std::ranges::find(scenarios, other, &diff::Scenario::name) == scenarios.end()) return other;
  }
}

/// The recording twice, each with the markers of one group, and with a clock of its own for the first group.
std::string split_key(const Observation& o, const std::array<std::string, 2>& names, const MarkerGroups& groups,
                      const std::string& clock) {
  const auto& [name, second] = names;
  const std::string own = fitted_list(o, groups.far, true), others = fitted_list(o, groups.far, false);
  if (own.empty() || clock.empty() || !is_plain(name)) return {};
  return "recordings: [{name: " + name + ", markers: " + others + "}, {name: " + second + ", markers: " + own +
         ", time_offset: " + exactly(o.recording_frame.clock_offset) + " s, " + clock + "}], same_motion: [[" + name +
         ", " + second + "]]";
}

}  // namespace

ClockBounds::ClockBounds(const PredictedClock& clock) {
  const double width = std::max(standard_errors_of_bounds * clock.error, std::abs(clock.shift));
  lower = std::min(clock.held, clock.held + clock.shift - width);
  upper = std::max(clock.held, clock.held + clock.shift + width);
}

std::string ClockBounds::text() const { return "[" + beyond(lower, true) + ", " + beyond(upper, false) + "]"; }

std::string clock_key(const PredictedClock& clock, const Observation& observation) {
  if (observation.noise.thermal_energy > 0) return {};  // its weights suppose known times
  const ClockBounds bounds(clock);
  const double earliest = -observation.times.front();
  const std::string upper = beyond(bounds.upper, false);
  std::string lower = beyond(bounds.lower, true);
  const double written = std::strtod(lower.c_str(), nullptr);
  if (written < earliest && std::min(clock.held, clock.held + clock.shift) >= earliest) lower = exactly(earliest);
  const std::string key = "clock: {offset: [" + lower + " s, " + upper + " s]}";
  const double least = std::strtod(lower.c_str(), nullptr);
  if (least >= earliest) return key;
  const auto from = std::ranges::find_if(observation.times, [&](double time) { return time + least >= 0; });
  if (from == observation.times.end()) return {};
  return key + ", frames: {from: " + exactly(*from) + " s}";
}

std::optional<GroupedClocks> group_marker_clocks(const ResolvedFit& fit, const FittedEnd& end,
                                                 const MarkerClocks& clocks, const ScoreTester& tester) {
  const std::vector<MarkerLag> lags = find_lags(clocks, tester);
  if (lags.size() < 2) return {};
  const MarkerGroups groups = divide(lags);
  Eigen::MatrixXd G(clocks.G.rows(), 2);
  G << sum_of(clocks.G, groups.far), sum_of(clocks.G, groups.others);
  ScoreTester beside = tester;
  const Eigen::MatrixXd common = G.rowwise().sum();
  if (!std::isnan(tester.test(common, false).p)) beside.take(common);
  const ScoreTest apart = beside.test(G.leftCols(1), false);
  if (std::isnan(apart.p)) return {};
  const Observation& seen = end.seen.observations[clocks.recording];
  GroupedClocks found;
  const auto numbers = static_cast<double>(lags.size() - 1);
  found.p = f_tail(apart.gain / (numbers * apart.unit), numbers, apart.degrees);
  Candidate& candidate = found.effect.candidate;
  candidate.name =
      "clocks of markers " + list_of(seen.markers, groups.far) + " and of " + list_of(seen.markers, groups.others);
  const std::string& recording = end.scenarios[clocks.recording].name;
  if (end.scenarios.size() > 1) candidate.name += " of recording '" + recording + "'";
  candidate.value = "marker_clocks";
  candidate.unit = "s";
  candidate.recording = recording;
  candidate.held = Vector::Constant(2, seen.recording_frame.clock_offset);
  candidate.concern = Concern::Measurement;
  candidate.key = split_key(seen, {recording, free_name(recording, end.scenarios)}, groups,
                            clock_key({candidate.held[0], apart.shift[0], apart.error[0]}, seen));
  found.effect.G = G.sparseView();
  found.effect.run = [&fit, lag = found.effect.G](const Vector& theta, const Vector& beta, Vector& r) {
    Evaluation evaluation = fit.residual().trajectories().evaluate(theta, r, nullptr);
    if (evaluation.ok()) r += lag * beta;
    return evaluation;
  };
  return found;
}

}  // namespace pithball::optim
