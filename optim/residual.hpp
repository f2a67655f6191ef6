#pragma once
#include <string>

#include "sim/core/types.hpp"

namespace pithball::optim {

using sim::Index;
using sim::Vector;

/// Whether a function could be evaluated at θ. A rollout that diverges is no error of the program: minimisers take a
/// shorter step.
struct Evaluation {
  std::string failure;  ///< why not, in one phrase; empty: it could
  bool ok() const { return failure.empty(); }
};

/// A vector-valued function r(θ) whose square is to be made small. Implementations do not throw on account of θ.
class Residual {
 public:
  virtual ~Residual() = default;
  virtual Index rows() const = 0;        ///< R
  virtual Index parameters() const = 0;  ///< P
  /// r (R) and, unless null, the Jacobian ∂r/∂θ (R×P).
  virtual Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const = 0;
};

/// A scalar function L(θ) to be made small. Implementations do not throw on account of θ.
class Objective {
 public:
  virtual ~Objective() = default;
  virtual Index parameters() const = 0;  ///< P
  /// L and, unless null, its gradient (P).
  virtual Evaluation evaluate(const Vector& theta, double& loss, Vector* gradient) const = 0;
};

}  // namespace pithball::optim
