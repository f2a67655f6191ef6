#pragma once
#include <vector>

#include "optim/uncertainty/uncertainty.hpp"

namespace pithball::optim {

/// Values of a recording that a fit holds although they have an uncertainty: an initial state estimated from its first
/// frames, a placement registered in one of them, a rest from which its displacements count.
struct ValueError {
  std::vector<Index> entries;  ///< as in `compute_value_gradients`
  Eigen::MatrixXd root;        ///< entries × k: their covariance is root rootᵀ, in SI units
};

/// Adds a covariance to that of θ, C ← C + `added`, and updates standard errors, half widths and correlations. Does
/// nothing if the residuals have no scale, or for a θ that is not identifiable.
void carry_error(const Eigen::MatrixXd& added, Uncertainty& u);

}  // namespace pithball::optim
