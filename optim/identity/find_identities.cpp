#include "optim/identity/find_identities.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "optim/fit/search.hpp"
#include "optim/identity/identity_search.hpp"
#include "optim/observation/track_noise.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

constexpr double decided = 25;  // 2 ln Λ: an exchange that is this much worse is excluded

using Linked = std::vector<std::vector<std::vector<Index>>>;  // by recording, F×M

Linked linked_of(const std::vector<Detections>& detections) {
  Linked linked;
  for (const Detections& one : detections) linked.push_back(one.linked);
  return linked;
}

/// Returns the tracks cut to their first frames, at least one.
Linked first_quarter(Linked linked) {
  for (auto& frames : linked)
    for (std::size_t f = std::max<std::size_t>(1, frames.size() / 4); f < frames.size(); ++f)
      std::ranges::fill(frames[f], Index{-1});
  return linked;
}

/// Two markers of a recording that may be exchanged.
struct OpenPair {
  std::size_t recording;
  Index one, other;
};

Linked exchanged(Linked linked, const OpenPair& pair) {
  for (std::vector<Index>& frame : linked[pair.recording]) std::swap(frame[pair.one], frame[pair.other]);
  return linked;
}

std::vector<OpenPair> open_pairs(const std::vector<Detections>& detections) {
  std::vector<OpenPair> pairs;
  for (std::size_t s = 0; s < detections.size(); ++s)
    for (const auto& [one, other] : detections[s].open) pairs.push_back({s, one, other});
  return pairs;
}

/// Whether much of what the model shows was not detected.
bool is_poor(const IdentityEnd& end) {
  constexpr double poor = 0.5;
  return std::ranges::any_of(end.assigned, [](const auto& one) { return one && one->rates.detected < poor; });
}

/// Whether the second result has the two markers exchanged, rather than as in the first: a search may undo an exchange.
bool is_exchanged(const IdentityEnd& first, const IdentityEnd& second, const OpenPair& pair) {
  const auto& a = first.assigned[pair.recording]->events;
  const auto& b = second.assigned[pair.recording]->events;
  Index same = 0, other = 0;
  for (std::size_t f = 0; f < a.size(); ++f) {
    if (a[f][pair.one] < 0) continue;
    same += b[f][pair.one] == a[f][pair.one];
    other += b[f][pair.other] == a[f][pair.one];
  }
  return other > same;
}

/// Re-estimates a noise that was estimated from tracks, now that they are joined rightly.
void take_noise_again(const std::string& recording, Observation& observation) {
  if (observation.noise.origin == SigmaOrigin::Written) return;
  Observation again = observation;
  again.noise.sigma.setConstant(NAN);
  again.noise.factor.resize(3, 0);
  std::vector<TrackNoise> noise{estimate_track_noise(recording, again)};
  settle_noise(noise);
  if (!std::isfinite(noise.front().all.sigma)) return;
  take_sigma(noise.front(), again);
  if (again.noise.sigma.allFinite() && again.noise.sigma.minCoeff() > 0) observation.noise = again.noise;
}

/// The best of all starts, and the pairs that stay open.
struct BestStart {
  IdentityEnd end;
  std::vector<std::vector<OpenIdentity>> open;  ///< by recording
  Linked linked;                                ///< where it began
  Vector start;                                 ///< θ there
};

BestStart try_starts(IdentitySearch& search, const FitProblem& problem, const std::vector<Detections>& detections) {
  constexpr std::size_t most_exchanges = 3;
  const Vector given = search.given_start();
  BestStart best{search.run(linked_of(detections), given), {}, linked_of(detections), given};
  best.open.resize(detections.size());
  if (!best.end.is_found) return best;
  if (is_poor(best.end)) {
    const Linked early = first_quarter(best.linked);
    IdentityEnd end = search.run(early, given);
    if (end.is_found && end.log_likelihood > best.end.log_likelihood) best.end = std::move(end);
  }
  const std::vector<OpenPair> pairs = open_pairs(detections);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const OpenPair& pair = pairs[k];
    const std::vector<Marker>& markers = problem.observations[pair.recording].markers;
    OpenIdentity open{markers[pair.one].name, markers[pair.other].name};
    if (k < most_exchanges) {
      Linked other = exchanged(best.linked, pair);
      Vector start = search.exchanged_start(best.start, pair.recording, {pair.one, pair.other});
      IdentityEnd end = search.run(other, start);
      if (end.is_found) {
        open.worse_by = is_exchanged(best.end, end, pair) ? 2 * std::abs(best.end.log_likelihood - end.log_likelihood)
                                                          : std::numeric_limits<double>::infinity();
        if (end.log_likelihood > best.end.log_likelihood) {
          best.end = std::move(end);
          best.linked = std::move(other);
          best.start = std::move(start);
        }
      }
    }
    if (!(open.worse_by > decided)) best.open[pair.recording].push_back(std::move(open));
  }
  return best;
}

/// Returns the number of a frame in the words of the file.
Index frame_number(const Observation& o, std::size_t f) {
  return o.frame_numbers.empty() ? static_cast<Index>(f) : o.frame_numbers[f];
}

std::vector<IdentitySwap> find_swaps(const Observation& o, const std::vector<std::vector<Index>>& linked,
                                     const SettledAssignment& settled) {
  std::vector<IdentitySwap> swaps;
  std::vector<Index> now(o.markers.size());
  for (std::size_t m = 0; m < now.size(); ++m) now[m] = static_cast<Index>(m);
  for (std::size_t f = 0; f < settled.events.size(); ++f)
    for (std::size_t m = 0; m < now.size(); ++m) {
      if (linked[f][m] < 0) continue;
      const auto owner = std::ranges::find(settled.events[f], linked[f][m]);
      const Index particle = owner - settled.events[f].begin();
      if (owner == settled.events[f].end() || particle == now[m]) continue;
      now[m] = particle;
      swaps.push_back({frame_number(o, f), o.markers[m].name, o.markers[particle].name});
    }
  return swaps;
}

std::vector<IdentityLoss> find_losses(const Observation& o, const SettledAssignment& settled,
                                      const std::vector<int>& components) {
  constexpr Index least_frames = 3;
  std::vector<IdentityLoss> losses;
  for (std::size_t m = 0; m < o.markers.size(); ++m) {
    const auto marker = static_cast<Index>(m);
    std::size_t begin = 0, f = 0;
    const auto close = [&] {
      if (static_cast<Index>(f - begin) >= least_frames)
        losses.push_back(
            {o.markers[m].name, frame_number(o, begin), frame_number(o, f - 1), static_cast<Index>(f - begin)});
      begin = f + 1;
    };
    for (; f < settled.events.size(); ++f)
      if (settled.events[f][m] >= 0 || !settled.predicted.is_read(f, marker, components) ||
          !settled.predicted.in_picture[f][m])
        close();
    close();
  }
  return losses;
}

/// Lists what each detection of a recording is, and with which probability.
void list_identities(const Detections& detections, const SettledAssignment& settled, RecordingIdentities& report) {
  constexpr double least = 1e-3;
  report.smallest_probability = 1;
  for (std::size_t f = 0; f < settled.marginals.size(); ++f) {
    const FrameMarginals& marginals = settled.marginals[f];
    const auto frame = static_cast<Index>(f);
    report.approximated += marginals.approximated;
    for (Index j = 0; j < marginals.pair.cols(); ++j) {
      bool is_assigned = false;
      const Index number = detections.frames[f].number[j];
      for (Index i = 0; i < marginals.pair.rows(); ++i) {
        const bool is_chosen = settled.events[f][i] == j;
        is_assigned |= is_chosen;
        if (is_chosen) report.smallest_probability = std::min(report.smallest_probability, marginals.pair(i, j));
        if (is_chosen || marginals.pair(i, j) > least)
          report.identities.push_back({frame, number, i, marginals.pair(i, j), is_chosen});
      }
      ++report.detections;
      report.assigned += is_assigned;
      if (!is_assigned || marginals.spurious[j] > least)
        report.identities.push_back({frame, number, -1, marginals.spurious[j], !is_assigned});
    }
  }
  if (report.assigned == 0) report.smallest_probability = NAN;
}

[[noreturn]] void reject_motion() {
  throw InvalidArgument({"", "identities", "must be found by a motion that passes near the points", "none that does",
                         "correct the start positions under `system`, the units or the `placement`"});
}

/// Whether a recording has any reading.
bool has_readings(const Observation& observation) {
  return std::ranges::any_of(observation.positions, [](const Points& frame) { return !frame.array().isNaN().all(); });
}

}  // namespace

FoundIdentities find_identities(const FitProblem& problem, const std::vector<Detections>& detections,
                                const MinimizerWatch& watch) {
  FoundIdentities found{problem.observations, {}, {}, 0};
  if (std::ranges::none_of(detections, &Detections::are_open)) return found;
  IdentitySearch search(problem, detections, watch);
  const BestStart best = try_starts(search, problem, detections);
  found.evaluations = search.evaluations();
  found.rounds = best.end.rounds;
  if (!best.end.is_found && !watch.is_stopped()) reject_motion();
  for (std::size_t s = 0; s < detections.size(); ++s) {
    if (!best.end.is_found || !best.end.assigned[s]) continue;
    const SettledAssignment& settled = *best.end.assigned[s];
    const Observation& given = problem.observations[s];
    const AssignmentModel model(detections[s], given);
    Observation& labelled = found.observations[s];
    labelled = label_detections(given, detections[s], model, settled);
    if (!has_readings(labelled)) reject_motion();
    take_noise_again(problem.scenarios[s].name, labelled);
    RecordingIdentities& report = found.recordings.emplace_back();
    report.recording = problem.scenarios[s].name;
    report.detection_rate = settled.rates.detected;
    report.false_per_frame = settled.rates.false_per_frame();
    if (detections[s].identities == KnownIdentities::Partly) report.exchange_rate = settled.rates.exchanged;
    report.swaps = find_swaps(given, best.linked[s], settled);
    report.losses = find_losses(given, settled, model.components());
    report.open = best.open[s];
    list_identities(detections[s], settled, report);
  }
  return found;
}

}  // namespace pithball::optim
