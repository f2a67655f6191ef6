#include "datasets/capture/detection_links.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::datasets {
namespace {

/// Sights of a track from which its velocity is taken: few, so that it follows a force that is switched.
constexpr std::size_t remembered_sights = 5;
/// Sum of squared distances of another arrangement, beside that of the nearest, below which both are possible.
constexpr double clear_ratio = 4;
/// More spots than this in one picture are no spots.
constexpr std::size_t most_spots = 4096;

/// A track that can go on.
struct OpenTrack {
  std::size_t number = 0;   ///< of the spots of the first frame
  Index frames_unseen = 0;  ///< frames of the table since its last sight
};

/// A spot that may continue an open track.
struct Candidate {
  std::size_t track = 0,  ///< number among the open tracks
      spot = 0;           ///< of the frame
  double cost = 0;        ///< squared distance from where the track leads [px²]
};

/// A track that was cut, and the number of the frame.
struct Cut {
  std::size_t track = 0;
  Index frame = 0;
};

/// By open track or by spot of a frame, how it is joined; empty: not.
using Joined = std::vector<std::optional<Candidate>>;

/// Joins frame after frame.
class SpotLinker {
 public:
  SpotLinker(const Detections& detections, const LinkRule& rule) : all_(detections), rule_(rule) {}

  /// Spots of the first frame: each begins a track.
  void begin(std::size_t frame) {
    for (std::size_t spot = 0; spot < all_.frames[frame].spots.size(); ++spot) {
      open_.push_back({tracks_.size(), 0});
      tracks_.push_back({{frame, spot}});
    }
  }
  /// Spots of the next frame that has any.
  void take_frame(std::size_t frame) {
    const std::vector<Candidate> candidates = find_candidates(frame);
    Joined of_track(open_.size()), of_spot(all_.frames[frame].spots.size());
    for (const Candidate& one : candidates)
      if (!of_track[one.track] && !of_spot[one.spot]) of_track[one.track] = of_spot[one.spot] = one;
    const std::vector<bool> unclear = find_unclear(frame, candidates, of_track, of_spot);
    std::vector<OpenTrack> still_open;
    for (std::size_t t = 0; t < open_.size(); ++t) {
      OpenTrack track = open_[t];
      if (unclear[t]) {
        cuts_.push_back({track.number, all_.frames[frame].number});
        continue;
      }
      track.frames_unseen = of_track[t] ? 0 : track.frames_unseen + 1;
      if (of_track[t]) tracks_[track.number].push_back({frame, of_track[t]->spot});
      if (track.frames_unseen <= rule_.gap) still_open.push_back(track);
    }
    open_ = std::move(still_open);
  }

  const std::vector<SpotTrack>& tracks() const { return tracks_; }
  const std::vector<Cut>& cuts() const { return cuts_; }

 private:
  Eigen::Vector2d place(const SpotSight& sight) const {
    const Detection& spot = all_.frames[sight.frame].spots[sight.spot];
    return {spot.x, spot.y};
  }
  /// Frames from one to another, by their numbers.
  double frames_between(std::size_t from, std::size_t to) const {
    return static_cast<double>(all_.frames[to].number - all_.frames[from].number);
  }
  /// Squared distance of a spot from where an open track leads [px²]; empty: out of its reach.
  std::optional<double> cost(std::size_t t, const SpotSight& spot) const {
    const SpotTrack& track = tracks_[open_[t].number];
    const SpotSight &last = track.back(), &before = track[track.size() - std::min(track.size(), remembered_sights)];
    const double since = frames_between(last.frame, spot.frame);
    if (!((place(spot) - place(last)).norm() <= rule_.travel * since)) return {};
    Eigen::Vector2d expected = place(last);
    if (before.frame < last.frame)
      expected += (place(last) - place(before)) * (since / frames_between(before.frame, last.frame));
    return (place(spot) - expected).squaredNorm();
  }
  /// The nearest first; of equally near ones those of the first track.
  std::vector<Candidate> find_candidates(std::size_t frame) const {
    std::vector<Candidate> candidates;
    for (std::size_t t = 0; t < open_.size(); ++t)
      for (std::size_t spot = 0; spot < all_.frames[frame].spots.size(); ++spot)
        if (const auto found = cost(t, {frame, spot})) candidates.push_back({t, spot, *found});
    std::ranges::stable_sort(candidates, {}, &Candidate::cost);
    return candidates;
  }
  /// By open track, whether another arrangement is nearly as good.
  std::vector<bool> find_unclear(std::size_t frame, const std::vector<Candidate>& candidates, const Joined& of_track,
                                 const Joined& of_spot) const {
    std::vector<bool> unclear(open_.size(), false);
    for (const Candidate& other : candidates) {
      const std::optional<Candidate>&own = of_track[other.track], &holder = of_spot[other.spot];
      if (holder && holder->track == other.track) continue;
      const double chosen = (own ? own->cost : 0) + (holder ? holder->cost : 0);
      double rest = 0;
      if (own && holder) {  // the two change places
        const auto swapped = cost(holder->track, {frame, own->spot});
        if (!swapped) continue;
        rest = *swapped;
      }
      if (!(other.cost + rest < clear_ratio * chosen)) continue;
      unclear[other.track] = true;
      if (holder) unclear[holder->track] = true;
    }
    return unclear;
  }

  const Detections& all_;
  LinkRule rule_;
  std::vector<SpotTrack> tracks_;
  std::vector<OpenTrack> open_;
  std::vector<Cut> cuts_;
};

void check_rule(const LinkRule& rule, const std::string& path) {
  if (!(rule.travel > 0) || !std::isfinite(rule.travel))
    throw InvalidArgument({path, "travel", "must be > 0 px", to_text(rule.travel),
                           "give the largest distance that a spot moves from one frame to the next"});
  if (rule.lasting < 0 || rule.gap < 0)
    throw InvalidArgument({path, "lasting and gap", "must be >= 0 frames",
                           std::to_string(std::min(rule.lasting, rule.gap)), "give numbers of frames"});
}

void check_spots(const Detections& detections, const std::string& path) {
  for (const DetectionFrame& frame : detections.frames)
    if (frame.spots.size() > most_spots)
      throw InvalidArgument({path, "frame " + std::to_string(frame.number),
                             "must have at most " + std::to_string(most_spots) + " spots",
                             std::to_string(frame.spots.size()), "find the spots again with a higher threshold"});
}

/// The place of the rule's frame.
std::size_t find_first_frame(const Detections& detections, const LinkRule& rule, const std::string& path) {
  if (detections.frames.empty())
    throw InvalidArgument({path, "recording", "must contain detections", "none", "find the spots again"});
  const Index first = detections.frames.front().number, last = detections.frames.back().number;
  const Index wanted = rule.frame.value_or(first);
  const auto found = std::ranges::lower_bound(detections.frames, wanted, {}, &DetectionFrame::number);
  if (found == detections.frames.end() || found->number != wanted)
    throw InvalidArgument({path, "frame", "must be a frame with a spot", std::to_string(wanted),
                           "frames with spots lie between " + std::to_string(first) + " and " + std::to_string(last)});
  return static_cast<std::size_t>(found - detections.frames.begin());
}

/// Tracks that were cut: "spot 3 in frame 412 and spot 5 in frame 500".
std::string list_cuts(const std::vector<Cut>& cuts) {
  constexpr std::size_t shown = 5;
  std::vector<std::string> words;
  for (const Cut& cut : cuts) {
    if (words.size() == shown) {
      words.push_back(std::to_string(cuts.size() - shown) + " more");
      break;
    }
    words.push_back("spot " + std::to_string(cut.track) + " in frame " + std::to_string(cut.frame));
  }
  return in_words(words);
}

/// The tracks that last, and what is said of the others; tracks that were cut are named by their places among those
/// kept.
LinkedSpots keep_lasting(const SpotLinker& linker, const Detections& all, const LinkRule& rule,
                         const std::string& path) {
  LinkedSpots kept;
  std::vector<Cut> cuts;
  Index longest = 0;
  for (std::size_t number = 0; number < linker.tracks().size(); ++number) {
    const SpotTrack& track = linker.tracks()[number];
    const Index frames = all.frames[track.back().frame].number - all.frames[track.front().frame].number;
    longest = std::max(longest, frames);
    if (frames < rule.lasting) continue;
    for (const Cut& cut : linker.cuts())
      if (cut.track == number) cuts.push_back({kept.tracks.size(), cut.frame});
    kept.tracks.push_back(track);
  }
  const std::string frame = std::to_string(all.frames[linker.tracks().front().front().frame].number);
  const std::size_t spots = linker.tracks().size(), lost = spots - kept.tracks.size();
  if (kept.tracks.empty())
    throw InvalidArgument({path, "lasting", "must be reached by a spot of frame " + frame,
                           std::to_string(rule.lasting) + "; of " + std::to_string(spots) + " the longest lasts " +
                               std::to_string(longest),
                           "lower `lasting`, raise `travel` or `gap`, or begin with another `frame`"});
  if (lost > 0)
    kept.notes.push_back(formatted("%zu of %zu spots of frame %s last less than %lld frames and are left out", lost,
                                   spots, frame.c_str(), static_cast<long long>(rule.lasting)));
  if (!cuts.empty()) kept.notes.push_back("tracks end where two spots could continue them: " + list_cuts(cuts));
  return kept;
}

}  // namespace

LinkedSpots link_spots(const Detections& detections, const LinkRule& rule, const std::string& path) {
  check_rule(rule, path);
  check_spots(detections, path);
  const std::size_t first = find_first_frame(detections, rule, path);
  SpotLinker linker(detections, rule);
  linker.begin(first);
  for (std::size_t frame = first + 1; frame < detections.frames.size(); ++frame) linker.take_frame(frame);
  return keep_lasting(linker, detections, rule, path);
}

}  // namespace pithball::datasets
