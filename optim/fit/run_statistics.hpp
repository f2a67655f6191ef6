#pragma once
#include <limits>
#include <string>
#include <vector>

#include "optim/fit/problem.hpp"
#include "optim/fit/report.hpp"
#include "optim/residual/whole_run.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Correlation and size of the residuals of a fit, without samples that a loss sets aside.
struct ResidualStatistics {
  std::vector<RecordingWhiteness> whiteness;  ///< by recording with fitted samples
  FitQuality quality;                         ///< misfit compared with the recordings' own noise
};

/// From a run of all recordings at θ; empty if it failed or there are no residuals. `undetermined`: number of
/// directions of θ that are known to be undetermined, which cost no degree of freedom.
ResidualStatistics compute_residual_statistics(const ResolvedFit& fit, const WholeRun& run,
                                               const ResidualScales& scales, std::size_t undetermined);

/// Notes on residuals that are correlated, or large beside the recordings' own noise, one sentence each.
std::vector<std::string> say_residuals(const ResolvedFit& fit, const WholeRun& run,
                                       const ResidualStatistics& statistics);

/// Measures during a run how often the body of each recording moves to and fro between its first state and its last
/// fitted frame,
///    f = √(Σ|Δx/h|² / Σ|x − x̄|²) / 2π [Hz],
/// with sums over steps and particles and x̄ the mean of each particle: the root mean square of the frequencies of its
/// motion, weighted with their power. A drifting body has a low frequency. Δx/h is the mean velocity of a step: in a
/// viscous medium, velocities of a trapezoidal scheme alternate from step to step about it.
class MotionMeter {
 public:
  /// For the recordings of this problem.
  explicit MotionMeter(const FitProblem& problem);
  MotionMeter(const MotionMeter&) = delete;

  /// Passes each step on to `show` (may be empty). Must not outlive this object; a run that begins again is measured
  /// anew. Can be called for several recordings concurrently.
  ShowStep watching(const ShowStep& show);
  /// f of each recording; 0: its body is at rest, or goes to and fro less than once (a path of less than four times the
  /// largest distance from its start), as one that falls or comes to rest.
  std::vector<double> frequencies() const;

 private:
  struct Sums {
    double until = 0;  // simulated time of the last fitted frame
    double steps = 0, squares = 0, speeds = 0;
    double path = 0, farthest = 0;  // length of the path, and largest |x − begin|, of all particles together [m]
    Points begin, shift;            // of the first state; Σ(x − begin)
    sim::State last;                // the one before
  };
  std::vector<Sums> sums_;
};

/// Whether a motion could as well be another one that oscillates n times more often between two frames.
struct MotionAliases {
  double frequency = 0;  ///< of the fitted motion [Hz], the largest of all recordings (MotionMeter)
  /// Δt: the longest interval of which all intervals between fitted frames are multiples, to a twentieth [s]; NaN:
  /// there is none, so that frames at uneven times tell frequencies apart.
  double interval = std::numeric_limits<double>::quiet_NaN();

  /// Whether the period of the motion is shorter than 2 Δt: then f − n/Δt or n/Δt − f gives as slow a motion.
  bool are_possible() const { return 2 * interval * frequency > 1; }
  /// "aliases cannot be excluded: the fitted motion oscillates 2.5 times a second and frames are taken 2.5 times a
  /// second"
  std::string sentence() const;
};

/// From the frequency of each recording's motion.
MotionAliases find_motion_aliases(const std::vector<Observation>& observations, const std::vector<double>& frequencies);

}  // namespace pithball::optim
