#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "diff/rollout/rollout.hpp"
#include "optim/observation/observation.hpp"

namespace pithball::optim {

/// What a recording contains and what the model would record, frame by frame, in the recording's frame of reference
/// and in the unit of its kind.
struct StartReadings {
  std::vector<Points> recorded,  ///< F arrays 3×M; NaN: missing
      simulated;                 ///< likewise; NaN: cannot be simulated or read
  Points sigma;                  ///< 3×M, standard deviation of the noise
  bool knows_noise = true;       ///< false: sigma is only a weight
  double period = 0;             ///< readings that differ by it are equal; 0: none

  /// Number of frames, F.
  Index frames() const { return static_cast<Index>(recorded.size()); }
  /// Number of markers, M.
  Index markers() const { return sigma.cols(); }
};

/// Simulates the scenario once up to the last of the first `frames` frames that contain a sample. Frames that the
/// simulation does not reach have no simulated readings. Throws InvalidArgument as `MeasurementModel` does.
StartReadings simulate_readings(const diff::Scenario& scenario, const Observation& observation, Index frames);

/// Number of residuals and the sum of their squares in units of sigma.
struct SquareSum {
  double sum = 0;   ///< dimensionless
  Index count = 0;  ///< number of residuals, less the values that were fitted to them

  double mean() const { return sum / static_cast<double>(count); }  ///< NaN without residuals
  /// Adds a residual.
  void add(double residual) {
    sum += residual * residual;
    ++count;
  }
};

/// A test of another reading of the recording against the reading as written, over the same residuals: it is better if
/// the reading as written is more than 3 standard deviations of the noise off (RMS) and the other one reduces what is
/// beyond the noise to a tenth, with a likelihood ratio 2 ln Λ ≥ 50, which does not occur by chance among a thousand
/// readings. Where the noise is unknown, all that remains counts as beyond it.
struct ReadingTest {
  bool knows_noise = true;  ///< `StartReadings::knows_noise`

  /// Whether these residuals cannot be noise.
  bool is_off(const SquareSum& written) const;
  /// Mean square beyond the noise, with what chance allows subtracted; ≥ 0.
  double excess(const SquareSum& squares) const;
  /// Whether the other reading is better.
  bool is_better(const SquareSum& other, const SquareSum& written) const;
};

/// The ratio of RMS residuals that makes another reading better.
inline constexpr double least_improvement = 10;
/// The smallest number of residuals from which anything is concluded.
inline constexpr Index least_residuals = 6;

/// The first 1, 2, 4, … and all frames: ends of the windows over which readings are compared. Early ones depend least
/// on values that a fit is to find.
std::vector<Index> window_ends(Index frames);

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
