#pragma once
#include <memory>
#include <mutex>

#include "app/spec/fit_spec.hpp"

namespace pithball::app {

/// A logarithm of a probability density, up to a constant, and its gradient.
struct LogDensity {
  double value = 0;        ///< natural logarithm
  optim::Vector gradient;  ///< P
};

/// The residuals that a fit minimizes as a function of the fitted values p, in SI units and whatever their `transform`:
/// those of the recordings divided by their sigma, with their loss, followed by those of the priors. (With priors or a
/// loss and unknown sigma, a fit also settles the scale of the data, `settle_scales`; here sigma is as it was read.)
/// Derivatives are those of the discrete steps. All members may be called from several threads, one after the other.
class ValueResidual {
 public:
  /// Reads the recordings. Throws InvalidArgument as `read_fit` does.
  explicit ValueResidual(ExperimentDocument document);

  /// Names, units and bounds of p, P.
  const std::vector<optim::ParameterInfo>& values() const { return fit().map().info(); }
  optim::Vector start() const;  ///< p as the experiment has it, P
  /// Number of residuals, R, those of the priors last.
  Index rows() const { return fit().residual().all().rows(); }
  Index data_rows() const { return rows() - fit().residual().priors().rows(); }  ///< of the recordings: the first ones
  const std::vector<std::string>& notes() const { return spec_.doubts; }         ///< what to know of the recordings

  /// Why derivatives at p are not those of the motion, one sentence each; empty: nothing is known against them.
  std::vector<std::string> doubts(const optim::Vector& p) const;

  // All throw InvalidArgument for a wrong number of values or one that is not finite, SimulationFailed where a run
  // fails.
  optim::Vector residual(const optim::Vector& p) const;                                ///< r, R
  Eigen::MatrixXd jacobian(const optim::Vector& p) const;                              ///< ∂r/∂p, R×P
  optim::Vector pull_back(const optim::Vector& p, const optim::Vector& w) const;       ///< Jᵀ w, P
  optim::Vector normal_product(const optim::Vector& p, const optim::Vector& d) const;  ///< Jᵀ J d, P
  /// Of independent Gaussian noise: −S/2 with S the sum of squares over the recordings if their sigma is known
  /// (`absolute_sigma`). Otherwise −(n/2) ln S, the likelihood averaged over a common factor s of all n sigmas with the
  /// density 1/s. Throws InvalidArgument for a robust loss, whose noise has no such density.
  LogDensity log_likelihood(const optim::Vector& p) const;
  /// Of the priors, as a density of p; 0 without priors: flat.
  LogDensity log_prior(const optim::Vector& p) const;

 private:
  const optim::ResolvedFit& fit() const { return *spec_.fit; }
  /// θ at p.
  optim::Vector theta_at(const optim::Vector& p) const;
  /// Derivatives in p from those in θ: divided by dp/dθ.
  optim::Vector by_value(const optim::Vector& theta, const optim::Vector& gradient) const;
  std::unique_ptr<optim::Linearization> linearize(const optim::Vector& theta) const;

  FitSpec spec_;
  mutable std::mutex one_at_a_time_;
};

}  // namespace pithball::app
