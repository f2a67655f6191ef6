#include "optim/verdict/marker_exchange.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "optim/verdict/fit_quality.hpp"

namespace pithball::optim {
namespace {

/// Largest number of markers whose pairs are compared: more would take longer than the run that made the tracks.
constexpr std::size_t most_compared = 40;

/// Squared distance of recorded marker `seen` from the place of marker `is` in the model; NaN: not a fitted sample.
double square(const MarkerTracks& tracks, std::size_t frame, Index seen, Index is) {
  if (tracks.part(frame, seen) != Part::Fit) return NAN;
  const Vec3 off = tracks.model[frame].col(is) - tracks.recorded[frame].col(seen);
  if (off.array().isNaN().all()) return NAN;
  return off.array().isNaN().select(0, off).matrix().squaredNorm();
}

/// Frames in a row in which an exchange of two markers gains most.
struct BestRun {
  double gain = 0;       ///< decrease of the squared distances
  double before = 0;     ///< these distances without it
  std::size_t from = 0,  ///< the first frame
      to = 0;            ///< the last one
};

BestRun find_best_run(const MarkerTracks& tracks, Index a, Index b) {
  BestRun best, now;
  for (std::size_t f = 0; f < tracks.times.size(); ++f) {
    const double before = square(tracks, f, a, a) + square(tracks, f, b, b),
                 gain = before - square(tracks, f, a, b) - square(tracks, f, b, a);
    if (std::isnan(gain)) continue;
    if (now.gain <= 0) now = {.from = f};
    now.gain += gain;
    now.before += before;
    now.to = f;
    if (now.gain > best.gain) best = now;
  }
  return best;
}

}  // namespace

std::optional<MarkerExchange> find_marker_exchange(const MarkerTracks& tracks) {
  if (tracks.kind->period > 0) return {};
  std::vector<double> squares(tracks.markers.size(), 0);
  for (std::size_t m = 0; m < squares.size(); ++m)
    for (std::size_t f = 0; f < tracks.times.size(); ++f)
      if (const double off = square(tracks, f, m, m); off > 0) squares[m] += off;
  const double all = std::accumulate(squares.begin(), squares.end(), 0.0);
  std::vector<Index> farthest(squares.size());
  std::iota(farthest.begin(), farthest.end(), Index{0});
  std::ranges::stable_sort(farthest, std::ranges::greater{}, [&](Index m) { return squares[m]; });
  farthest.resize(std::min(farthest.size(), most_compared));
  std::optional<MarkerExchange> found;
  for (std::size_t i = 0; i < farthest.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Index a = std::min(farthest[i], farthest[j]), b = std::max(farthest[i], farthest[j]);
      if (squares[a] + squares[b] < most_of_misfit * all) continue;
      const BestRun run = find_best_run(tracks, a, b);
      const double part = run.gain / all;
      if (!(part > most_of_misfit && run.gain > most_of_misfit * run.before)) continue;
      if (!found || part > found->part) found = {a, b, tracks.times[run.from], tracks.times[run.to], part};
    }
  return found;
}

}  // namespace pithball::optim
