#pragma once
#include <string>

namespace pithball::optim {

/// Robust loss: the cost is ½ Σ ρ(|r_j|²) over samples j. A sample is one marker in one frame with all its components:
/// a mistracked marker is wrong as a whole, and the cost does not depend on the axes.
struct RobustLoss {
  /// The function ρ(s) of s = |r_j|².
  enum class Kind {
    None,    ///< ρ(s) = s
    Huber,   ///< ρ(s) = s for s ≤ a², 2a√s − a² beyond
    Cauchy,  ///< ρ(s) = a² log(1 + s/a²)
  };
  Kind kind = Kind::None;  ///< None: least squares
  /// a, in standard deviations (residuals are divided by sigma). The default, about the 95 % quantile of the length of
  /// a Gaussian 3-vector, hardly changes clean data.
  double threshold = 2.8;

  double value(double s) const;       ///< ρ(s), s ≥ 0
  double derivative(double s) const;  ///< ρ′(s), in (0, 1]
  double bend(double s) const;        ///< ρ″(s), ≤ 0; at Huber's threshold that of the inside
};

/// "none", "huber", "cauchy": the words in experiment files.
std::string to_string(RobustLoss::Kind kind);

}  // namespace pithball::optim
