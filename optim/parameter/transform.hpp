#pragma once
#include <string>

namespace pithball::optim {

/// The physical value p as a strictly increasing function of the number θ that the minimizer varies. With a good
/// transform a change of θ by 1 is large but meaningful, so that one tolerance suits all parameters.
class Transform {
 public:
  /// The function p(θ).
  enum class Kind {
    Automatic,  ///< chosen by the parameter map: Log if the value's sign is fixed, Scaled otherwise
    Identity,   ///< p = θ
    Log,        ///< p = exp θ; keeps p positive; a standard error of θ is a relative error of p
    Scaled,     ///< p = scale·θ
  };

  Transform() = default;
  /// kind must not be Automatic; scale (> 0, unit of p) is only used by Scaled.
  explicit Transform(Kind kind, double scale = 1);

  /// The function; never Automatic.
  Kind kind() const { return kind_; }
  /// p at θ = 1 of Scaled, in the unit of p; not used by the other kinds.
  double scale() const { return scale_; }
  double value(double theta) const;       ///< p(θ)
  double theta(double value) const;       ///< the inverse; −∞ for Log at 0, NaN for Log below 0
  double derivative(double theta) const;  ///< dp/dθ > 0

 private:
  Kind kind_ = Kind::Identity;
  double scale_ = 1;
};

/// "auto", "identity", "log", "scaled": the words in experiment files.
std::string to_string(Transform::Kind kind);

}  // namespace pithball::optim
