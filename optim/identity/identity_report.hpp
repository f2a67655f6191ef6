#pragma once
#include <limits>
#include <string>
#include <vector>

#include "optim/measurement/recording_frame.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::optim {

/// A place where points change their particle: the file's names are exchanged, or tracks that were joined without the
/// model went on with another particle.
struct IdentitySwap {
  Index frame = 0;    ///< first frame, in the words of the file
  std::string track,  ///< the marker whose name the points have, or with which their track began
      particle;       ///< the marker that they are from this frame on
};

/// Frames in which a marker that should be in the picture was not detected.
struct IdentityLoss {
  std::string particle;  ///< the marker
  Index first = 0,       ///< first of the frames, in the words of the file
      last = 0,          ///< last of them
      frames = 0;        ///< number of recorded frames from the first to the last
};

/// Markers that may be exchanged in all frames.
struct OpenIdentity {
  std::string one,  ///< a marker
      other;        ///< the one with which it may be exchanged
  /// 2 ln of the likelihood ratio by which a fit with both exchanged is worse; NaN: it was not tried.
  double worse_by = std::numeric_limits<double>::quiet_NaN();
};

/// What one detection is.
struct DetectionIdentity {
  Index frame = 0,         ///< index among the frames of the recording
      detection = 0,       ///< number in the file's frame, from 0
      marker = -1;         ///< index of a marker; −1: a false detection
  double probability = 0;  ///< that it is this
  bool is_chosen = false;  ///< whether the fit uses it as this
};

/// How the detections of one recording were assigned to its particles.
struct RecordingIdentities {
  std::string recording;  ///< as in Scenario::name
  Index detections = 0,   ///< number of points in all frames
      assigned = 0;       ///< of them: assigned to a particle
  double smallest_probability =
      std::numeric_limits<double>::quiet_NaN();  ///< smallest probability of an assignment that was chosen
  double detection_rate = 0,                     ///< probability that a particle in the picture is detected
      false_per_frame = 0;                       ///< mean number of false detections in a frame
  double exchange_rate =
      std::numeric_limits<double>::quiet_NaN();  ///< probability of another particle's name; NaN: there are no names
  std::vector<IdentitySwap> swaps;               ///< in the order of the frames
  std::vector<IdentityLoss> losses;              ///< of at least 3 frames, by marker
  std::vector<OpenIdentity> open;                ///< what the recording does not determine
  Index approximated = 0;                        ///< particles, over all frames, in groups too large for exact sums
  std::vector<DetectionIdentity> identities;     ///< of every detection, all that have a probability above 0.001

  double share() const { return static_cast<double>(assigned) / static_cast<double>(detections); }  ///< assigned
  /// "tracks: 3412 of 3790 detections belong to a particle, the least certain with probability 0.83; …".
  std::string sentence() const;
};

/// An entry of `identities[].swaps` in fit.json.
void fields(FieldVisitor& v, IdentitySwap& swap);
/// An entry of `identities[].losses` in fit.json.
void fields(FieldVisitor& v, IdentityLoss& loss);
/// An entry of `identities[].open` in fit.json.
void fields(FieldVisitor& v, OpenIdentity& open);
/// An entry of `identities` in fit.json; `RecordingIdentities::identities` are in a file of their own.
void fields(FieldVisitor& v, RecordingIdentities& one);

}  // namespace pithball::optim
