#include "optim/fit/further_starts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <utility>

#include "optim/fit/fit_optimum.hpp"
#include "optim/fit/problem.hpp"
#include "optim/search/start_points.hpp"
#include "optim/weak_form/weak_form.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Grid points per width of a spectral line, so that no line falls between them.
constexpr double places_per_line = 4;
/// Largest number of grid points: more would cost more than the few runs that they save.
constexpr double most_places = 4096;

}  // namespace

FrameSpectrum::FrameSpectrum(const TrajectoryResidual& residual) : series_(residual.rows()) {
  for (std::size_t s = 0; s < residual.map().scenarios().size(); ++s) {
    const MeasurementModel& measurement = residual.measurement(s);
    if (measurement.rows() == 0) continue;
    const Index first_row = residual.first_row(s);
    const double begin = measurement.samples().front().time;
    Index frame = -1;
    for (const MeasurementModel::Sample& sample : measurement.samples()) {
      const Index row = first_row + sample.first_row;
      if (std::exchange(frame, sample.frame) != sample.frame) frames_.push_back({sample.time, row, row});
      frames_.back().end = row + sample.row_count;
      for (Index i = 0; i < sample.row_count; ++i)
        series_[row + i] = series_count_ + 3 * sample.marker + measurement.row(sample.first_row + i).component;
      duration_ = std::max(duration_, sample.time - begin);
    }
    series_count_ += 3 * measurement.markers();
  }
}

double FrameSpectrum::power(const Vector& y, double frequency) const {
  Vector cosine = Vector::Zero(series_count_), sine = Vector::Zero(series_count_);
  for (const SeenFrame& frame : frames_) {
    const double phase = 2 * std::numbers::pi * frequency * frame.time, c = std::cos(phase), s = std::sin(phase);
    for (Index row = frame.first; row < frame.end; ++row) {
      cosine[series_[row]] += c * y[row];
      sine[series_[row]] += s * y[row];
    }
  }
  return cosine.squaredNorm() + sine.squaredNorm();
}

std::vector<double> FrameSpectrum::peaks(const Vector& y, double lowest, double highest) const {
  if (!(duration_ > 0 && lowest < highest)) return {};
  const double step = std::max(1 / (places_per_line * duration_), (highest - lowest) / most_places);
  std::vector<double> powers;
  for (double f = lowest - step; f <= highest + step; f += step) powers.push_back(power(y, f));
  std::vector<std::pair<double, double>> found;
  for (std::size_t n = 1; n + 1 < powers.size(); ++n) {
    const double before = powers[n - 1], here = powers[n], after = powers[n + 1];
    if (!(here > before && here >= after)) continue;
    const double bend = before - 2 * here + after, shift = bend < 0 ? 0.5 * (before - after) / bend : 0;
    found.emplace_back(here, lowest + step * (static_cast<double>(n) - 1 + shift));
  }
  std::ranges::stable_sort(found, std::greater<>(), &std::pair<double, double>::first);
  std::vector<double> frequencies;
  for (const auto& [power_there, frequency] : found) frequencies.push_back(frequency);
  return frequencies;
}

namespace {

/// Largest ratio of frequencies, which is a factor of nine in stiffness. Starts farther away are not plausible.
constexpr double farthest_frequency = 3;
/// Starts of each kind: each start costs a run.
constexpr std::size_t most_of_a_kind = 12;
constexpr Index drawn_starts = 8;
/// Largest number of instants between two frames. It resolves oscillations up to eight times as fast as the frames do.
constexpr double most_instants = 16;
/// With fewer periods than this, a frequency is known only to within a factor.
constexpr double least_periods = 2;
/// Part of the budget for comparing starts; the rest is for searches.
constexpr double part_for_comparing = 0.5;

/// Marks the components of each marker that are recorded in any frame.
Points recorded_components(const Observation& o) {
  Points seen = Points::Constant(3, static_cast<Index>(o.markers.size()), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t f = 0; f < o.times.size(); ++f)
    for (Index m = 0; m < seen.cols(); ++m) {
      const Vec3 place = o.sight(f, m);
      for (int a = 0; a < 3; ++a)
        if (std::isfinite(place[a])) seen(a, m) = 0;
    }
  return seen;
}

/// Returns the recording with additional instants between its fitted frames, at which nothing was recorded, so that
/// only the derivatives of its residuals are meaningful.
Observation with_instants(const Observation& given, double time_step) {
  Observation o = given;
  o.times.clear();
  o.present.clear();
  o.frame_numbers.clear();
  o.frame_weight.clear();
  o.noise.sample_factor.clear();
  for (std::size_t f = 0; f < given.times.size() && !given.is_validation(f); ++f) {
    if (f > 0) {
      const double interval = given.times[f] - given.times[f - 1];
      const double parts = std::clamp(std::floor(interval / time_step), 1.0, most_instants);
      for (double part = 1; part < parts; part += 1) o.times.push_back(given.times[f - 1] + part / parts * interval);
    }
    o.times.push_back(given.times[f]);
  }
  o.positions.assign(o.times.size(), recorded_components(given));
  return o;
}

/// Collects frequencies other than f within the range, at least half a spectral line apart.
class OtherFrequencies {
 public:
  OtherFrequencies(double f, double duration) : f_(f), apart_(0.5 / duration), known_{f} {}

  double lowest() const { return f_ / farthest_frequency; }
  double highest() const { return f_ * farthest_frequency; }
  bool knows(double frequency) const {
    return std::ranges::any_of(known_, [&](double known) { return std::abs(frequency - known) < apart_; });
  }
  /// Adds a frequency if it is new; returns whether it was.
  bool add(double frequency) {
    if (!(frequency > lowest() && frequency < highest()) || knows(frequency)) return false;
    known_.push_back(frequency);
    return true;
  }

 private:
  double f_, apart_;
  std::vector<double> known_;
};

/// Returns the aliases of f, nearest first.
std::vector<double> aliases_of(double f, double interval, double highest) {
  std::vector<double> all;
  for (double n = 1; n / interval < highest + f; n += 1)
    for (const double other : {std::abs(f - n / interval), f + n / interval}) all.push_back(other);
  std::ranges::sort(all, {}, [&](double other) { return std::abs(other - f); });
  return all;
}

/// Returns the peaks of the residuals' spectrum, beginning with the likeliest: the one nearest to f among those about
/// as high as the highest, because evenly spaced frames repeat the spectrum.
std::vector<double> likeliest_first(const FrameSpectrum& spectrum, const Vector& r, double f,
                                    const OtherFrequencies& others) {
  constexpr double as_high = 0.5;
  std::vector<double> peaks = spectrum.peaks(r, others.lowest(), others.highest());
  std::erase_if(peaks, [&](double peak) { return others.knows(peak); });
  if (peaks.empty()) return peaks;
  const double highest = spectrum.power(r, peaks.front());
  const auto end =
      std::ranges::find_if(peaks, [&](double peak) { return spectrum.power(r, peak) < as_high * highest; });
  const auto nearest =
      std::min_element(peaks.begin(), end, [&](double a, double b) { return std::abs(a - f) < std::abs(b - f); });
  std::rotate(peaks.begin(), nearest, nearest + 1);
  return peaks;
}

/// Returns starts at other frequencies of the elastic motion.
std::vector<FurtherStart> starts_of_frequency(const FurtherBasis& basis, EvaluationCounts& counts) {
  const ParameterMap& map = basis.fit.map();
  const Vector& theta = basis.optimum.end.theta;
  const FrequencyScaling scaling = find_frequency_scaling(map);
  if (scaling.names.empty()) return {};
  const double f = find_elastic_frequency(basis.fit, scaling, theta, counts);
  if (!std::isfinite(f)) return {};
  const FrameSpectrum spectrum(basis.fit.residual().trajectories());
  OtherFrequencies others(f, spectrum.duration());
  std::vector<FurtherStart> peaks, aliases, neighbors;
  const auto add = [&](double frequency, bool is_alias, std::vector<FurtherStart>& starts) {
    if (starts.size() >= most_of_a_kind || !others.add(frequency)) return;
    const double ratio = frequency / f;
    starts.push_back({scaling.scaled(map, theta, ratio),
                      scaling.names + formatted(" as of %.3g instead of %.3g oscillations a second", frequency, f),
                      is_alias, false});
    starts.back().is_from_end = true;
  };
  if (std::isfinite(basis.aliases.interval))
    for (const double other : aliases_of(f, basis.aliases.interval, others.highest())) add(other, true, aliases);
  if (!basis.is_off) return aliases;
  for (const double peak : likeliest_first(spectrum, basis.r, f, others)) add(peak, false, peaks);
  if (!peaks.empty()) peaks.front().is_likeliest = true;
  for (const double periods : {1, -1, 2, -2}) add(f + periods / spectrum.duration(), false, neighbors);
  std::vector<FurtherStart> starts;  // interleaved, since the last ones are cut off
  for (std::size_t n = 0; n < most_of_a_kind; ++n)
    for (const std::vector<FurtherStart>* kind : {&peaks, &aliases, &neighbors})
      if (n < kind->size()) starts.push_back((*kind)[n]);
  return starts;
}

/// Returns random starts, drawn from ranges on the scale of the recordings.
std::vector<FurtherStart> drawn(const ResolvedFit& fit, EvaluationCounts& counts) {
  const ParameterMap& map = fit.map();
  SearchStarts wanted = fit.problem().search.starts;
  wanted.count = 1 + drawn_starts;
  Vector ranges;
  bool needs_ranges = false;
  for (Index k = 0; k < map.size(); ++k) needs_ranges = needs_ranges || needs_range(map, k);
  if (needs_ranges) {
    const TrajectoryResidual rows(map, fit.problem().observations);
    ranges = recorded_ranges(rows, fit.problem().observations, map.initial());
    counts += rows.counts();
  }
  std::vector<FurtherStart> starts;
  try {
    const std::vector<Vector> points = make_start_points(map, wanted, ranges);
    for (std::size_t n = 1; n < points.size(); ++n)
      starts.push_back({points[n], formatted("a point drawn within a factor of %g of the given start", wanted.factor)});
  } catch (const InvalidArgument&) {  // a value without effect has no range
  }
  return starts;
}

std::string say_search(const FurtherCall& call, std::size_t tried, const FurtherSearch& search,
                       const std::vector<FurtherStart>& starts, double cost) {
  std::string text = formatted(
      "further starts (%s; `starts: none` turns them off): %zu points were compared, %zu "
      "searched from",
      call.why.c_str(), tried, search.ends.size());
  std::size_t best = 0;
  for (std::size_t n = 1; n < search.ends.size(); ++n)
    if (search.ends[n].found.cost < search.ends[best].found.cost) best = n;
  if (search.ends.empty() || !(search.ends[best].found.cost < cost)) return text + "; none led to a better fit";
  return text + formatted("; the best (%s) ended at χ² = %.4g instead of %.4g", starts[best].why.c_str(),
                          2 * search.ends[best].found.cost, 2 * cost);
}

}  // namespace

Vector FrequencyScaling::direction(const ParameterMap& map, const Vector& theta) const {
  const Vector p = map.physical(theta), slope = map.physical_derivative(theta);
  Vector d = Vector::Zero(theta.size());
  for (Index k = 0; k < d.size(); ++k)
    if (powers[k] != 0) d[k] = powers[k] * p[k] / slope[k];
  return d;
}

Vector FrequencyScaling::scaled(const ParameterMap& map, const Vector& theta, double ratio) const {
  const Vector p = map.physical(theta);
  Vector other = theta;
  for (Index k = 0; k < other.size(); ++k)
    if (powers[k] != 0)
      other[k] =
          std::clamp(map.info()[k].transform.theta(p[k] * std::pow(ratio, powers[k])), map.lower()[k], map.upper()[k]);
  return other;
}

FrequencyScaling find_frequency_scaling(const ParameterMap& map) {
  FrequencyScaling scaling;
  const auto take = [&](sim::ValueScaling role, int power) {
    for (Index k = 0; k < map.size(); ++k) {
      const ParameterInfo& info = map.info()[k];
      if (info.is_nuisance || info.scaling != role) continue;
      scaling.powers[k] = power;
      if (!(", " + scaling.names).ends_with(", " + info.value))
        scaling.names += (scaling.names.empty() ? "" : ", ") + info.value;
    }
  };
  scaling.powers.assign(map.size(), 0);
  take(sim::ValueScaling::Stiffness, 2);
  take(sim::ValueScaling::Compliance, -2);
  if (scaling.names.empty()) take(sim::ValueScaling::Inertia, -2);
  return scaling;
}

double find_elastic_frequency(const ResolvedFit& fit, const FrequencyScaling& scaling, const Vector& theta,
                              EvaluationCounts& counts) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const FitProblem& problem = fit.problem();
  std::vector<Observation> observations;
  double shortest = std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < problem.observations.size(); ++s) {
    observations.push_back(with_instants(problem.observations[s], problem.scenarios[s].time_step));
    const std::vector<double>& times = observations.back().times;
    for (std::size_t f = 1; f < times.size(); ++f) shortest = std::min(shortest, times[f] - times[f - 1]);
  }
  try {
    const TrajectoryResidual residual(fit.map(), observations);
    const FrameSpectrum spectrum(residual);
    std::unique_ptr<Linearization> at;
    Vector change;
    const bool is_known =
        residual.linearize(theta, at).ok() && at->jvp(scaling.direction(fit.map(), theta), change).ok();
    counts += residual.counts();
    if (!is_known || !(spectrum.duration() > 0)) return unknown;
    const std::vector<double> peaks = spectrum.peaks(change, least_periods / spectrum.duration(), 0.5 / shortest);
    return peaks.empty() ? unknown : peaks.front();
  } catch (const InvalidArgument&) {
    return unknown;
  }
}

std::vector<FurtherStart> find_further_starts(const FurtherBasis& basis, EvaluationCounts& counts) {
  std::vector<FurtherStart> starts = starts_of_frequency(basis, counts);
  if (!basis.is_off) return starts;
  if (const WeakFormEstimate estimate = estimate_by_weak_form(basis.fit.map(), basis.fit.problem().observations);
      estimate.theta.size() > 0)
    starts.insert(starts.begin(), {estimate.theta, "the weak form's estimate"});
  std::ranges::move(drawn(basis.fit, counts), std::back_inserter(starts));
  return starts;
}

std::vector<FurtherStart> compared(const ResolvedFit& fit, std::vector<FurtherStart> starts, double budget,
                                   EvaluationCounts& counts) {
  FitResidual residual(fit.problem(), fit.map());
  starts.resize(std::min(starts.size(), static_cast<std::size_t>(std::max(budget, 0.0))));
  for (FurtherStart& start : starts) start.square = square_at(residual.all(), start.theta);
  counts += residual.counts();
  std::erase_if(starts, [](const FurtherStart& start) { return !std::isfinite(start.square); });
  std::ranges::stable_sort(starts, {},
                           [](const FurtherStart& start) { return std::pair(!start.is_likeliest, start.square); });
  return starts;
}

double runs_of(const EvaluationCounts& counts, Index parameters) {
  return static_cast<double>(counts.forward + counts.adjoint) +
         static_cast<double>(counts.tangent) * static_cast<double>(1 + parameters);
}

FurtherSearch search_further(const FurtherBasis& basis, const FurtherCall& call, const MinimizerWatch& watch) {
  const ResolvedFit& fit = basis.fit;
  const Index P = fit.map().size();
  FurtherSearch search;
  const double budget = runs_of(basis.optimum.search.evaluations, P);
  const auto left = [&] { return budget - runs_of(search.evaluations, P); };
  std::vector<FurtherStart> starts = find_further_starts(basis, search.evaluations);
  const auto is_alias = [](const FurtherStart& start) { return start.is_alias; };
  const auto aliases = std::ranges::count_if(starts, is_alias);
  starts = compared(fit, std::move(starts), part_for_comparing * left(), search.evaluations);
  const FoundMinimum& from = basis.optimum.search.stages.back().minima.front();
  const double cost = from.found.cost;
  FitProblem limited = fit.problem();
  for (const FurtherStart& start : starts) {
    const double iterations = left() / static_cast<double>(2 + P);  // a run and a tangent each
    if (!(iterations >= 1) || watch.is_stopped()) break;
    limited.search.minimizer.max_iterations =
        static_cast<int>(std::min<double>(fit.problem().search.minimizer.max_iterations, iterations));
    search.ends.push_back({static_cast<Index>(search.ends.size()) + 1,
                           search_from(limited, fit.map(), start.theta, search.evaluations, watch.silent()),
                           start.is_from_end && from.is_reversal});
    if (2 * search.ends.back().found.cost <= call.enough) break;
  }
  std::ptrdiff_t searched = 0;
  for (std::size_t n = 0; n < search.ends.size(); ++n)
    searched += starts[n].is_alias && search.ends[n].found.status == MinimizerStatus::Converged;
  search.has_all_aliases = aliases > 0 && searched == aliases;
  search.sentence = say_search(call, starts.size(), search, starts, cost);
  return search;
}

}  // namespace pithball::optim
