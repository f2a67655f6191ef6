#pragma once
#include <string>

namespace pithball::optim {

/// How a physical value p depends on the number θ that the minimizer moves: one strictly increasing function.
/// Good transforms make a step of θ by 1 a large but meaningful change, so that one tolerance serves every parameter.
class Transform {
 public:
  enum class Kind {
    Automatic,  ///< let the parameter map choose: Log where the value's sign is fixed, Scaled otherwise
    Identity,   ///< p = θ
    Log,        ///< p = exp θ; keeps p positive, and a standard error of θ is a relative one of p
    Scaled,     ///< p = scale·θ
  };

  Transform() = default;
  /// kind must not be Automatic; scale (> 0, unit of p) is used by Scaled only.
  explicit Transform(Kind kind, double scale = 1);

  Kind kind() const { return kind_; }
  double scale() const { return scale_; }
  double value(double theta) const;       ///< p(θ)
  double theta(double value) const;       ///< the inverse; −∞ for Log at 0, NaN for Log below 0
  double derivative(double theta) const;  ///< dp/dθ > 0

 private:
  Kind kind_ = Kind::Identity;
  double scale_ = 1;
};

/// "auto", "identity", "log", "scaled": the words of experiment files.
std::string to_string(Transform::Kind kind);

}  // namespace pithball::optim
