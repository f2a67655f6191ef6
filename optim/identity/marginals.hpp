#pragma once
#include <Eigen/Core>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::optim {

using sim::Index;
using sim::Vector;

/// Odds of everything that the detections of one frame can be: M particles, D detections.
struct FrameOdds {
  /// M×D, ≥ 0: that detection j is particle i, relative to a missed particle and a false detection; 0: too far away.
  Eigen::MatrixXd pair;

  Index particles() const { return pair.rows(); }   ///< M
  Index detections() const { return pair.cols(); }  ///< D
};

/// Probabilities of what the detections of one frame are.
struct FrameMarginals {
  Eigen::MatrixXd pair;    ///< M×D: that detection j is particle i
  Vector missed;           ///< M: that a particle has no detection
  Vector spurious;         ///< D: that a detection is no particle
  double log_sum = 0;      ///< logarithm of the sum over all joint events (approximated groups: of the best event)
  Index approximated = 0;  ///< particles in groups that are too large for the sum over all joint events
};

/// Particles or detections of one group, the smaller number of the two, up to which its joint events are summed
/// exactly.
inline constexpr Index most_exact = 10;

/// The probabilities under the rule that a particle has at most one detection, and a detection is at most one particle:
///    P(i ↔ j) = Σ over joint events with i ↔ j of Π odds / Σ over all joint events of Π odds.
/// Particles and detections fall into groups that share no pair (Bar-Shalom & Fortmann 1988, joint probabilistic data
/// association). In each the sum is exact, by a recursion over sets; in groups with more than `most_exact` particles
/// and detections, it is approximated by belief propagation, which converges there and is too sure rather than too
/// unsure (Williams & Lau, IEEE Trans. Aerosp. Electron. Syst. 50, 2014, doi:10.1109/TAES.2014.120568).
FrameMarginals compute_marginals(const FrameOdds& odds);

/// The joint event with the largest product of marginals: the detection of each particle (M), −1: missed.
std::vector<Index> find_best_event(const FrameMarginals& marginals);

}  // namespace pithball::optim
