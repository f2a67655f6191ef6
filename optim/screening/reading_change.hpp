#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "optim/screening/start_readings.hpp"

namespace pithball::optim {

/// Another meaning of a recording's numbers: recorded − center = scale · axes · (true − center), with a signed
/// permutation of the axes.
struct ReadingChange {
  Mat3 axes = Mat3::Identity();  ///< entries −1, 0, 1
  double scale = 1;              ///< > 0
  Index frames = 0;              ///< the first frames over which it was compared
  SquareSum written,             ///< residuals as written
      other;                     ///< with this meaning

  /// Whether any axis changes.
  bool turns() const { return axes != Mat3::Identity(); }
};

/// Which other meanings are possible.
struct ReadingChoices {
  std::vector<Mat3> axes;      ///< signed permutations without the identity
  std::vector<double> scales;  ///< without 1
  Vec3 center = Vec3::Zero();  ///< where axes are mirrored: in an image, the principal point
  bool shifts = false;         ///< the placement is a start value: a common shift is subtracted
};

/// All 47 signed permutations of three axes besides the identity; with `components` 2 or 1, those of the first two axes
/// or the first one.
std::vector<Mat3> signed_permutations(int components);

/// Residuals of a recording with this meaning of its numbers over its first frames, evenly thinned to 64 frames and 64
/// markers.
SquareSum residuals_of(const StartReadings& readings, const ReadingChoices& choices, const ReadingChange& change,
                       Index frames);

/// Readings of a start that itself was found from the recording, if its numbers have another meaning.
using RereadStart = std::function<StartReadings(const ReadingChange& change)>;

/// Compares the recording with the simulated start in every meaning of its numbers, over growing windows of frames.
/// The one that is better (`ReadingTest`) in the longest window counts; of several that explain the recording equally
/// well, the one that changes least. A scale must also explain the recorded numbers themselves to a tenth: beside a
/// marker that rests at 0, any small scale would be better. Empty: the meaning as written is right, or nothing is
/// decidable. `reread`: if given, each meaning has its own simulated start; it is called only if the recording does not
/// fit as written.
std::optional<ReadingChange> find_reading_change(const StartReadings& readings, const ReadingChoices& choices,
                                                 const RereadStart& reread = {});

}  // namespace pithball::optim
