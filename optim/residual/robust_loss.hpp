#pragma once
#include <string>

#include "sim/core/registry.hpp"

namespace pithball::optim {

/// The function ρ(s) of the square s ≥ 0 of a sample's residual, with ρ(s) ≈ s near 0, and its derivatives. All take
/// the threshold a, near which ρ begins to grow more slowly than s.
struct LossInfo {
  std::string name;                                 ///< the word in experiment files: "huber"
  std::string summary;                              ///< one phrase with the equation
  double (*value)(double s, double a);              ///< ρ(s)
  double (*derivative)(double s, double a);         ///< ρ′(s), in (0, 1]
  double (*second_derivative)(double s, double a);  ///< ρ″(s), ≤ 0; where ρ′ has a kink, that of the smaller s
};

/// All losses; `none`, which is least squares, first.
sim::Registry<LossInfo>& losses();

/// Robust loss: the cost is ½ Σ ρ(|r_j|²) over samples j. A sample is one marker in one frame with all its components:
/// a mistracked marker is wrong as a whole, and the cost does not depend on the axes.
class RobustLoss {
 public:
  /// The default threshold, in standard deviations (residuals are divided by sigma): about the 95 % quantile of the
  /// length of a Gaussian 3-vector, so that clean data hardly change.
  static constexpr double usual_threshold = 2.8;

  /// The loss of this name in `losses()`; throws InvalidArgument for others. `threshold`: a, in standard deviations.
  explicit RobustLoss(const std::string& name = "none", double threshold = usual_threshold);

  const std::string& name() const { return function_->name; }  ///< "huber"
  bool is_robust() const;                                      ///< false: least squares
  double threshold() const { return threshold_; }              ///< a
  /// The same loss with this multiple of the threshold.
  RobustLoss scaled(double factor) const;

  double value(double s) const { return function_->value(s, threshold_); }            ///< ρ(s), s ≥ 0
  double derivative(double s) const { return function_->derivative(s, threshold_); }  ///< ρ′(s)
  /// ρ″(s)
  double second_derivative(double s) const { return function_->second_derivative(s, threshold_); }

 private:
  const LossInfo* function_;
  double threshold_;
};

}  // namespace pithball::optim
