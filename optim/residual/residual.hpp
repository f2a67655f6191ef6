#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::optim {

using sim::Index;
using sim::Vector;

/// Whether a function could be evaluated at θ. A diverged rollout is not a program error: minimizers then take a
/// shorter step.
struct Evaluation {
  std::string failure;  ///< reason of the failure, in one phrase; empty on success
  /// Whether the function has a value at θ.
  bool ok() const { return failure.empty(); }
};

/// A residual at one θ with its derivative J = ∂r/∂θ prepared for products, which do not evaluate the function again.
class Linearization {
 public:
  virtual ~Linearization() = default;
  virtual const Vector& residual() const = 0;                                  ///< r, R
  virtual Evaluation jvp(const Vector& d, Vector& Jd) const = 0;               ///< J d, R
  virtual Evaluation vjp(const Vector& w, Vector& Jtw) const = 0;              ///< Jᵀ w, P
  virtual Evaluation gradient(Vector& g) const { return vjp(residual(), g); }  ///< Jᵀ r, P
  virtual Evaluation normal_product(const Vector& d, Vector& JtJd) const;      ///< Jᵀ J d, P
  /// J D (R×s) and Jᵀ W (P×s), for all columns at once if that is cheaper; by default one after the other.
  virtual Evaluation jvp_block(const Eigen::MatrixXd& D, Eigen::MatrixXd& JD) const;
  /// Jᵀ W.
  virtual Evaluation vjp_block(const Eigen::MatrixXd& W, Eigen::MatrixXd& JtW) const;
  /// An estimate of diag JᵀJ (P), with an error of about half: the mean of (Jᵀz)² over eight vectors z of random signs,
  /// from a fixed seed (Bekas, Kokiopoulou & Saad 2007). Exact if J is available.
  virtual Evaluation normal_diagonal(Vector& diagonal) const;
};

/// Which rows of a residual depend on which parameters.
struct ResidualStructure {
  std::vector<Index> block_sizes;  ///< sizes of the blocks that successive parameters form
  /// The derivatives with respect to a block, side by side.
  struct Use {
    Index block = 0,  ///< its number
        column = 0;   ///< of the Jacobian as it is stored: where they begin
  };
  /// Successive rows that depend on the same blocks.
  struct Part {
    Index first_row = 0,    ///< where they begin
        rows = 0;           ///< how many
    std::vector<Use> uses;  ///< the blocks that they depend on
  };
  std::vector<Part> parts;  ///< together they hold all rows
};

/// A vector-valued function r(θ) whose sum of squares is minimized. Implementations do not throw because of θ.
class Residual {
 public:
  virtual ~Residual() = default;
  virtual Index rows() const = 0;        ///< R
  virtual Index parameters() const = 0;  ///< P
  /// r (R) and, unless null, the Jacobian ∂r/∂θ (R×P, or as wide as `structure` needs it).
  virtual Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const = 0;
  /// The residual and its derivative at θ for products; null if it cannot be evaluated. This residual must outlive the
  /// result. The default computes the whole Jacobian; override it for many parameters.
  virtual Evaluation linearize(const Vector& theta, std::unique_ptr<Linearization>& at) const;
  /// How the Jacobian is stored. By default column k is that of θ_k in all rows. One with more than one part leaves out
  /// derivatives that are zero; `levenberg_marquardt` alone can minimize it.
  virtual ResidualStructure structure() const;
};

/// A scalar function L(θ) to be minimized. Implementations do not throw because of θ.
class Objective {
 public:
  virtual ~Objective() = default;
  virtual Index parameters() const = 0;  ///< P
  /// L and, unless null, its gradient (P).
  virtual Evaluation evaluate(const Vector& theta, double& loss, Vector* gradient) const = 0;
};

/// L = ½|r(θ)|² with its gradient Jᵀr, for minimizers that use only gradients.
class LeastSquares final : public Objective {
 public:
  /// `residual` must outlive this object.
  explicit LeastSquares(const Residual& residual) : residual_(residual) {}
  Index parameters() const override { return residual_.parameters(); }
  Evaluation evaluate(const Vector& theta, double& loss, Vector* gradient) const override;

 private:
  const Residual& residual_;
};

/// Two residuals of the same θ, stacked: r = [above; below], so that their costs add up. Usually data above, priors
/// below.
class StackedResidual final : public Residual {
 public:
  /// Both must outlive this object; throws InvalidArgument unless they have the same number of parameters.
  StackedResidual(const Residual& above, const Residual& below);
  Index rows() const override { return above_.rows() + below_.rows(); }
  Index parameters() const override { return above_.parameters(); }
  Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const override;
  Evaluation linearize(const Vector& theta, std::unique_ptr<Linearization>& at) const override;

 private:
  const Residual& above_;
  const Residual& below_;
};

/// A residual whose value and derivative at one θ are known: the first evaluation of both at that θ returns them. All
/// other evaluations are passed on.
///
/// Levenberg–Marquardt needs the value at each point that it tries, and both at those that it accepts. After
/// `compute_derivatives_ahead`, an evaluation of a value computes the derivative too, as long as the last one was used.
class KnownResidual final : public Residual {
 public:
  /// `inner` must outlive this object.
  explicit KnownResidual(const Residual& inner) : inner_(inner) {}
  /// r (R) and J (R×P) at θ (P). They are kept until they are requested.
  void set_known_point(Vector theta, Vector r, Eigen::MatrixXd jacobian);
  /// From now on the derivative is computed together with each value, if it is cheap: a few columns.
  void compute_derivatives_ahead();
  Index rows() const override { return inner_.rows(); }
  Index parameters() const override { return inner_.parameters(); }
  Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const override;
  Evaluation linearize(const Vector& theta, std::unique_ptr<Linearization>& at) const override;

 private:
  Evaluation evaluate_both(const Vector& theta, Vector& r, Eigen::MatrixXd& jacobian) const;
  Evaluation evaluate_value(const Vector& theta, Vector& r) const;

  const Residual& inner_;
  bool may_compute_ahead_ = false;
  mutable bool computes_ahead_ = false;  ///< whether the derivative of the last value was requested
  mutable Vector theta_, r_;             ///< empty: nothing is known
  mutable Eigen::MatrixXd jacobian_;
};

}  // namespace pithball::optim
