#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/yaml/node.hpp"
#include "datasets/capture/capture_reader.hpp"
#include "optim/identity/detections.hpp"
#include "optim/observation/observation.hpp"
#include "optim/screening/finding.hpp"
#include "optim/screening/start_findings.hpp"

namespace pithball::app {

class Node;
using sim::Index;
using sim::Points;

/// The frames whose mean is the rest of a recording, `rest_frames:`, given by number or by recorded time.
struct RestFrames {
  Index first = 0,  ///< number of frames at the beginning; 0: not given by number
      last = 0;     ///< number of frames at the end; 0: likewise
  double from = 0,  ///< recorded time [s]; used if no number is given
      to = 0;       ///< [s], inclusive

  /// Mean position of every marker over the frames that contain it, 3×M [m]; NaN: a missing coordinate.
  Points mean(const datasets::Capture& capture) const;
  /// Standard error of each of these means, 3×M [m]: s √((1+ρ)/((1−ρ) n)), with the scatter s of its n frames and the
  /// autocorrelation ρ from one to the next, the same for all (`optim::frame_autocorrelation`). NaN: fewer than two
  /// frames.
  Points error(const datasets::Capture& capture) const;
};
/// Reads `rest_frames:` of a recording; none without the key. Rejects anything but one of `first`, `last`, `from` and
/// `to`.
std::optional<RestFrames> read_rest_frames(Node& recording);

/// A marker and a distance from its rest.
struct Excursion {
  std::string marker;   ///< as in the experiment file
  double distance = 0;  ///< [m]

  /// For each frame, whether the marker is farther from its rest than that; false where it is missing. Rejects a marker
  /// that the recording does not have, at `node`.
  std::vector<bool> frames_beyond(const Node& node, const datasets::Capture& capture, const Points& rest) const;
};
/// Reads {marker: tip, farther_than: 4 mm}; both keys are required. A distance without a unit is in `file_unit` [m].
Excursion read_excursion(Node& node, double file_unit);

/// The selected frames of a recording, and its rest.
struct RecordedMotion {
  datasets::Capture capture;   ///< the selected frames
  datasets::Capture lead_in;   ///< up to 25 frames right before them in the same part; often none
  Points rest;                 ///< 3×M [m]; empty without `rest_frames`
  Points rest_error;           ///< its standard error, 3×M [m]; NaN: from a single frame
  bool begins_within = false;  ///< its first frame is that of a part or was found by a trigger: its time has no meaning
  optim::Detections detections = {};  ///< its points, if their identities are not known (recorded_identities.hpp)
};

/// Selects the recording within a file, and its frames: the keys `part`, `rest_frames` and `frames`.
class FrameChoice {
 public:
  /// Reads the keys. Throws InvalidArgument where they contradict each other.
  explicit FrameChoice(Node& recording);
  /// What the reader of the file selects. If frames are selected by the motion, it reads all of them.
  datasets::FrameSubset of_reader() const { return by_motion() ? datasets::FrameSubset() : subset_; }
  /// Selects the frames of what the reader returned. Throws InvalidArgument at a key that leaves none.
  RecordedMotion choose(Node& recording, datasets::Capture whole) const;

 private:
  struct Span {
    double from, to;  ///< [s]
  };
  bool by_motion() const { return part_ || after_ || count_ > 0 || rest_; }
  std::vector<Index> frames_of(Node& recording, const datasets::Capture& capture, const Points& rest) const;

  datasets::FrameSubset subset_;
  std::optional<Span> part_;
  std::optional<RestFrames> rest_;
  std::optional<Excursion> after_;
  Index count_ = 0;  ///< 0: all
};

/// Reads `weight:` of a recording: the weight of its frames, at these simulated times [s], as an expression in the time
/// t or a table {times, values} with linear interpolation. Empty without the key. Throws InvalidArgument if a weight is
/// not positive.
std::vector<double> read_weight(Node& recording_node, const std::vector<double>& times);

/// How the experiment file answers findings about a recording (optim/screening/finding.hpp).
struct FindingAnswers {
  std::set<optim::FindingKind> accepted;  ///< `accept_findings`
  std::set<std::string> keys;             ///< keys whose presence answers a finding: "repeated_samples"

  /// Whether the file answers this finding: its kind is accepted, or the key that it names is written.
  bool answer(const optim::Finding& finding) const;
};

/// Reads `accept_findings`, and which other keys of the recording answer findings: `missing: none`,
/// `repeated_samples`, `filled_samples`, `unwrap`.
FindingAnswers read_finding_answers(Node& recording_node);

/// Reads `unwrap`: whether readings are continued from sample to sample by less than half of their period. Throws
/// InvalidArgument for a kind without a period.
bool read_unwrap(Node& recording_node, const optim::MeasurementKind& kind);

/// Continues the first component of each marker by less than half a period from frame to frame.
void unwrap(double period, std::vector<Points>& frames);

/// Reads `filled_samples`: with `mask`, samples that screening considers filled by interpolation become missing. The
/// markers must be known.
void mask_filled_samples(Node& recording_node, optim::Observation& seen);

}  // namespace pithball::app
