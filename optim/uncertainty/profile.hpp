#pragma once
#include <string>
#include <vector>

#include "optim/search/minimizer.hpp"

namespace pithball::optim {

/// The best fit with one entry of θ held at a value.
struct ProfilePoint {
  double theta = 0;  ///< of the held entry
  double rise = 0;  ///< Δχ² = (min over the others |r|² − |r(optimum)|²)/s²; below 0: a better fit than the optimum
};

/// One side of a profile interval.
struct ProfileEnd {
  double theta = 0;     ///< where the rise reaches the threshold, or the furthest point that was looked at
  bool closed = false;  ///< whether it does; if not, the data set no limit on this side
  std::string reason;   ///< why it is not closed: "a bound", "no limit as far as …", "diverged …"; empty if it is
};

/// How the best possible fit worsens as one entry of θ is moved away from its estimate. Unlike a standard error it
/// needs no linearity: the interval {Δχ² ≤ threshold} has the promised confidence to higher order (Venzon and
/// Moolgavkar, Applied Statistics 37, 1988), and stays open where the data set no limit.
struct Profile {
  std::vector<ProfilePoint> points;  ///< ascending in θ, the optimum included
  ProfileEnd lower, upper;
  /// Whether a point lies below the optimum by more than rounding: the search had ended in a local minimum.
  bool found_better() const;
  /// The search ends when the cost falls by 1e-10 of itself; rises are in units of a residual's variance.
  static constexpr double rounding = 0.01;
};

/// Settings of a profile.
struct ProfileOptions {
  double scale = 1;          ///< s > 0, the standard deviation of the residuals
  double threshold = 3.841;  ///< Δχ² at the ends: the square of the interval's half width in standard errors
  double step = 0.1;  ///< first distance from the optimum in θ, > 0; a quarter of the expected half width is good
  /// How far to look in θ. On a logarithmic scale 7 are three decades.
  double reach = 7;
  Bounds bounds;
  MinimizerOptions minimizer;  ///< of the fits of the others, Levenberg–Marquardt
};

/// Profiles entry `parameter` of θ about the optimum of |r|². Throws InvalidArgument on settings that are not positive,
/// an entry that does not exist or an optimum that cannot be evaluated.
Profile compute_profile(const Residual& residual, const Vector& optimum, Index parameter,
                        const ProfileOptions& options);

}  // namespace pithball::optim
