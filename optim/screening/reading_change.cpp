#include "optim/screening/reading_change.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "optim/observation/marker_tracks.hpp"

namespace pithball::optim {
namespace {

/// Returns the first `count` frames that contain a sample.
Observation first_frames(const Observation& o, Index count) {
  Observation part = o;
  part.times.clear();
  part.positions.clear();
  part.present.clear();
  part.frame_weight.clear();
  part.noise.sample_factor.clear();
  part.validation.from = std::numeric_limits<double>::infinity();
  part.validation.markers.clear();
  for (std::size_t f = 0; f < o.times.size() && static_cast<Index>(part.times.size()) < count; ++f) {
    bool any = false;
    for (Index m = 0; m < static_cast<Index>(o.markers.size()) && !any; ++m) any = !o.sight(f, m).array().isNaN().all();
    if (!any) continue;
    part.times.push_back(o.times[f]);
    part.positions.push_back(o.positions[f]);
    if (!o.present.empty()) part.present.push_back(o.present[f]);
  }
  if (!part.times.empty()) {  // the clock's scale counts from the first frame of the whole recording
    RecordingFrame& frame = part.recording_frame;
    frame.clock_offset += (frame.clock_scale - 1) * (part.times.front() - o.times.front());
  }
  return part;
}

/// Returns the model's reading of a marker. For displacements, only the recorded components are known.
Vec3 reading_of(const Observation& o, const MarkerTracks& tracks, std::size_t f, Index m) {
  if (o.instrument) return tracks.model[f].col(m);
  const Vec3 model = tracks.model[f].col(m);
  if (o.reference.kind == Reference::Kind::Absolute) return o.recording_frame.to_recorded(Points(model)).col(0);
  const Vec3 off = tracks.model[f].col(m) - tracks.recorded[f].col(m);
  return o.sight(f, m) + o.recording_frame.rotation_matrix().transpose() * off / o.recording_frame.scale();
}

}  // namespace

StartReadings simulate_readings(const diff::Scenario& scenario, const Observation& observation, Index frames) {
  const Observation o = first_frames(observation, frames);
  const auto markers = static_cast<Index>(o.markers.size());
  StartReadings readings;
  readings.period = kind_of(o).period;
  readings.knows_noise = o.noise.origin != SigmaOrigin::Guess;
  readings.sigma.resize(3, markers);
  for (Index m = 0; m < markers; ++m)
    for (int a = 0; a < 3; ++a) readings.sigma(a, m) = o.noise.component_sigma(m, a);
  if (o.times.empty()) return readings;
  TrackRecorder recorder(scenario, o);
  diff::Scenario part = scenario;
  part.steps = std::min(part.steps, recorder.last_step());
  const diff::RolloutStatus status =
      diff::run_forward(part, [&](Index n, const sim::State& state) { recorder.add_state(n, state); });
  const MarkerTracks tracks = recorder.finish(status);
  for (std::size_t f = 0; f < o.times.size(); ++f) {
    Points& seen = readings.recorded.emplace_back(3, markers);
    Points& simulated = readings.simulated.emplace_back(3, markers);
    for (Index m = 0; m < markers; ++m) {
      seen.col(m) = o.sight(f, m);
      simulated.col(m) = reading_of(o, tracks, f, m);
    }
  }
  return readings;
}

bool ReadingTest::is_off(const SquareSum& written) const {
  constexpr double noise_multiple = 3;
  return written.count >= least_residuals && (!knows_noise || written.mean() > noise_multiple * noise_multiple);
}

double ReadingTest::excess(const SquareSum& squares) const {
  if (!knows_noise) return squares.mean();
  constexpr double deviations = 3;  // of a mean square of normal noise
  const double by_chance = 1 + deviations * std::sqrt(2 / static_cast<double>(squares.count));
  return std::max(0.0, squares.mean() - by_chance);
}

bool ReadingTest::is_better(const SquareSum& other, const SquareSum& written) const {
  if (!is_off(written) || other.count != written.count || !(other.sum < written.sum)) return false;
  constexpr double least_likelihood_ratio = 50;
  if (knows_noise && written.sum - other.sum < least_likelihood_ratio) return false;
  const double beyond = written.mean() - (knows_noise ? 1 : 0);
  return excess(other) * least_improvement * least_improvement <= beyond;
}

std::vector<Index> window_ends(Index frames) {
  std::vector<Index> ends;
  for (Index end = 1; end < frames; end *= 2) ends.push_back(end);
  if (frames > 0) ends.push_back(frames);
  return ends;
}

namespace {

/// At most this many frames and markers of a window, evenly spread over it, are compared.
constexpr Index most_compared_frames = 64, most_compared_markers = 64;

std::vector<Index> spread(Index count, Index most) {
  std::vector<Index> chosen;
  for (Index k = 0; k < std::min(count, most); ++k) chosen.push_back(count <= most ? k : k * (count - 1) / (most - 1));
  return chosen;
}

/// Rotates one axis at a time, so that an unknown coordinate does not affect the others.
Vec3 turned(const Mat3& axes, const Vec3& x) {
  Vec3 y = Vec3::Zero();
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      if (axes(a, b) != 0) y[a] = axes(a, b) * x[b];
  return y;
}

/// The residuals of one interpretation of the numbers over the first frames.
class Comparison {
 public:
  Comparison(const StartReadings& readings, const ReadingChoices& choices, Index frames)
      : readings_(readings),
        choices_(choices),
        frames_(spread(frames, most_compared_frames)),
        markers_(spread(readings.markers(), most_compared_markers)) {}

  SquareSum residuals(const ReadingChange& change) const {
    const Vec3 shift = choices_.shifts ? mean_off(change) : Vec3::Zero();
    SquareSum squares;
    for_each_off(change, [&](Index m, int a, double off) { squares.add((off - shift[a]) / readings_.sigma(a, m)); });
    if (choices_.shifts && squares.count > 3) squares.count -= 3;
    return squares;
  }

  /// Returns residuals of the sorted numbers of each component, regardless of their times: with a slightly wrong start,
  /// vibrations are soon out of phase.
  SquareSum sorted_residuals(const ReadingChange& change) const {
    std::vector<double> seen, expected;
    SquareSum squares;
    for (const Index m : markers_)
      for (int a = 0; a < 3; ++a) {
        seen.clear();
        expected.clear();
        for_each_pair(m, change, [&](int component, double one, double other) {
          if (component != a) return;
          seen.push_back(one);
          expected.push_back(other);
        });
        std::ranges::sort(seen);
        std::ranges::sort(expected);
        for (std::size_t k = 0; k < seen.size(); ++k) squares.add((seen[k] - expected[k]) / readings_.sigma(a, m));
      }
    return squares;
  }

  /// Returns the squares of the recorded numbers themselves.
  SquareSum signal() const {
    SquareSum squares;
    for (const Index f : frames_)
      for (const Index m : markers_)
        for (int a = 0; a < 3; ++a)
          if (const double seen = readings_.recorded[f](a, m); std::isfinite(seen))
            squares.add(seen / readings_.sigma(a, m));
    return squares;
  }

 private:
  template <class Visit>  // visit(marker, component, recorded − expected)
  void for_each_off(const ReadingChange& change, Visit visit) const {
    for (const Index m : markers_)
      for_each_pair(m, change, [&](int a, double seen, double expected) { visit(m, a, seen - expected); });
  }

  template <class Visit>  // visit(component, recorded, expected)
  void for_each_pair(Index m, const ReadingChange& change, Visit visit) const {
    const bool changes = change.turns() || change.scale != 1;
    const Vec3 center = turned(change.axes.cwiseAbs(), choices_.center);  // exchanged with the axes
    double turns = 0;
    bool begun = false;
    for (const Index f : frames_) {
      const Vec3 seen = readings_.recorded[f].col(m);
      Vec3 expected = readings_.simulated[f].col(m);
      if (readings_.period > 0 && changes) {
        // Readings that differ by a period are equal: shift the simulated ones to begin within half a period of the
        // recorded.
        if (!begun && std::isfinite(seen[0]) && std::isfinite(expected[0])) {
          const double meant = seen[0] / (change.scale * change.axes(0, 0));
          turns = readings_.period * std::round((meant - expected[0]) / readings_.period);
          begun = true;
        }
        expected[0] += turns;
      }
      expected = center + change.scale * turned(change.axes, expected - choices_.center);
      for (int a = 0; a < 3; ++a)
        if (std::isfinite(seen[a]) && std::isfinite(expected[a])) visit(a, seen[a], expected[a]);
    }
  }

  Vec3 mean_off(const ReadingChange& change) const {
    Vec3 sum = Vec3::Zero(), count = Vec3::Zero();
    for_each_off(change, [&](Index, int a, double off) {
      sum[a] += off;
      ++count[a];
    });
    return (count.array() > 0).select(sum.array() / count.array(), 0);
  }

  const StartReadings& readings_;
  const ReadingChoices& choices_;
  std::vector<Index> frames_, markers_;
};

/// Measures how much an interpretation changes: the number of changed axes, more for a mirror image, and the unit.
double complexity(const ReadingChange& change) {
  double changed = 0;
  for (int a = 0; a < 3; ++a) changed += change.axes(a, a) == 1 ? 0 : 1;
  const bool mirrors = change.axes.determinant() < 0;
  return changed + (mirrors && changed > 1 ? 0.5 : 0) + (change.scale != 1 ? 1 : 0);
}

/// Returns the interpretations to be tested; only the usual ones if each needs a start of its own.
std::vector<ReadingChange> possible_changes(const ReadingChoices& choices, bool few) {
  std::vector<ReadingChange> changes;
  std::vector<double> scales{1};
  scales.insert(scales.end(), choices.scales.begin(), choices.scales.end());
  std::vector<Mat3> axes{Mat3::Identity()};
  axes.insert(axes.end(), choices.axes.begin(), choices.axes.end());
  for (const double scale : scales)
    for (const Mat3& turn : axes) {
      ReadingChange change;
      change.axes = turn;
      change.scale = scale;
      const double changed = complexity(change);
      if (changed > 0 && (!few || changed <= 1 || (scale == 1 && changed <= 2.5))) changes.push_back(change);
    }
  return changes;
}

/// Chooses, among the interpretations that are better in this window, the least complex one that fits nearly as well as
/// the best.
std::optional<ReadingChange> choose(std::vector<ReadingChange> better) {
  if (better.empty()) return {};
  double least = INFINITY;
  for (const ReadingChange& change : better) least = std::min(least, change.other.sum);
  constexpr double times_as_large = 4, likelihood_ratio = 50;
  std::erase_if(better, [&](const ReadingChange& change) {
    return change.other.sum > times_as_large * least && change.other.sum > least + likelihood_ratio;
  });
  return *std::ranges::min_element(better, {}, [](const ReadingChange& change) { return complexity(change); });
}

/// Whether the residuals with another unit are at least `times` smaller (RMS) than the numbers themselves.
bool explains_numbers(const SquareSum& residuals, double times, const Comparison& window, const ReadingTest& test) {
  const SquareSum signal = window.signal();
  return test.is_off(signal) && test.excess(residuals) * times * times <= signal.mean();
}

bool explains(const Comparison& window, const ReadingChange& change, const ReadingTest& test) {
  return test.is_better(change.other, change.written) &&
         (change.scale == 1 || explains_numbers(change.other, least_improvement, window, test));
}

/// Whether another unit explains the sizes of the numbers, if not their times. In a few frames of a vibration in
/// another phase, the sizes usually differ by a fifth anyway.
bool explains_sizes(const Comparison& window, const ReadingChange& change, const ReadingTest& test) {
  constexpr Index least_count = 20;
  constexpr double times_smaller = 4;
  const SquareSum sizes = window.sorted_residuals(change);
  return sizes.count >= least_count && test.is_better(sizes, window.sorted_residuals({})) &&
         explains_numbers(sizes, times_smaller, window, test);
}

}  // namespace

SquareSum residuals_of(const StartReadings& readings, const ReadingChoices& choices, const ReadingChange& change,
                       Index frames) {
  return Comparison(readings, choices, frames).residuals(change);
}

std::vector<Mat3> signed_permutations(int components) {
  std::vector<Mat3> all;
  std::array<int, 3> order{0, 1, 2};
  do {
    bool fixed = true;
    for (int a = components; a < 3; ++a) fixed = fixed && order[a] == a;
    if (!fixed) continue;
    for (int signs = 0; signs < (1 << components); ++signs) {
      Mat3 axes = Mat3::Zero();
      for (int a = 0; a < 3; ++a) axes(a, order[a]) = signs >> a & 1 ? -1 : 1;
      if (axes != Mat3::Identity()) all.push_back(axes);
    }
  } while (std::ranges::next_permutation(order).found);
  return all;
}

std::optional<ReadingChange> find_reading_change(const StartReadings& readings, const ReadingChoices& choices,
                                                 const RereadStart& reread) {
  const ReadingTest test{readings.knows_noise};
  const std::vector<Index> ends = window_ends(readings.frames());
  std::vector<SquareSum> written;
  for (const Index end : ends) written.push_back(Comparison(readings, choices, end).residuals({}));
  if (std::ranges::none_of(written, [&](const SquareSum& squares) { return test.is_off(squares); })) return {};
  std::vector<std::vector<ReadingChange>> better(ends.size());  // by window
  for (ReadingChange change : possible_changes(choices, static_cast<bool>(reread))) {
    const StartReadings own = reread ? reread(change) : StartReadings{};
    const StartReadings& with = reread ? own : readings;
    for (std::size_t w = 0; w < ends.size(); ++w) {
      if (!test.is_off(written[w]) || with.frames() < ends[w]) continue;
      const Comparison window(with, choices, ends[w]);
      change.frames = ends[w];
      change.written = written[w];
      change.other = window.residuals(change);
      const bool by_size = !change.turns() && ends[w] == ends.back() && explains_sizes(window, change, test);
      if (!by_size && !explains(window, change, test)) continue;
      better[w].push_back(change);
    }
  }
  for (std::size_t w = ends.size(); w-- > 0;)
    if (std::optional<ReadingChange> found = choose(std::move(better[w]))) return found;
  return {};
}

}  // namespace pithball::optim
