#pragma once
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::optim {

using sim::Index;
using sim::Vector;

/// What a design minimizes (Atkinson, Donev & Tobias, Optimum Experimental Designs, with SAS, 2007, chapter 10).
enum class Optimality {
  D,  ///< the volume of the confidence ellipsoid of the chosen entries of θ: det C
  A,  ///< their mean variance: tr C
};

/// A criterion of optimal design for some entries of θ; all others are nuisance values, which count as unknown (D_S-
/// optimality). θ is in log or scaled units, so that entries can be compared.
struct Criterion {
  Optimality optimality = Optimality::D;  ///< which mean of the standard errors
  std::vector<Index> of;                  ///< at least one entry of θ, all different
};

/// The logarithm of a mean standard error, smaller is better. With C the block of M⁻¹ of the q chosen entries:
///    D: ln det C / (2q), the log of the geometric mean over the axes of the ellipsoid,
///    A: ln(tr C / q) / 2, the log of the RMS standard error.
/// A difference of two values is therefore the log of a ratio of errors for either criterion. `information`: M, P×P,
/// symmetric. ∞ if M is singular: a pivot of its column-scaled Cholesky factor is below 1e-7.
double log_mean_error(const Criterion& criterion, const Eigen::MatrixXd& information);

}  // namespace pithball::optim
