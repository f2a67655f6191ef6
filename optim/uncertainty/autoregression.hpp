#pragma once
#include <vector>

#include "optim/uncertainty/row_order.hpp"

namespace pithball::optim {

/// An orthonormal basis of the space of these columns: R×rank. Columns of which others leave less than 1e-8 are not
/// independent of them.
Eigen::MatrixXd independent_basis(const Eigen::MatrixXd& columns);

/// Rows without the part that a first-order autoregression explains: x_t − ρ x_{t−1} of the same series, and
/// √(1 − ρ²) x_t where none comes before (Prais & Winsten, Cowles Commission Discussion Paper 383, 1954).
/// `previous`: as in RowOrder.
Eigen::MatrixXd filter_rows(const std::vector<Index>& previous, const Eigen::MatrixXd& rows, double rho);

/// Rows of a linear model that has no column in common with other rows.
struct LinearRows {
  std::vector<Index> previous;  ///< as in RowOrder, within these rows
  Eigen::MatrixXd columns;      ///< independent columns of the model, and its residuals as the last one
};

/// An upper estimate of the ρ of a first-order autoregression in each series, r_t = ρ r_{t−1} + u_t. The ρ of largest
/// restricted likelihood (Cooper & Thompson, Biometrika 64, 1977) given all columns, so that what is fitted does not
/// count as color, is found at lags of l = 1, 2 and 4 frames. The result is the largest ρ_l^(1/l), of those beyond
/// l = 1 only if ρ_l > 2/√F, because white noise on top of slow noise hides it at lag 1; plus one standard error
/// √((1 − ρ²)/F) of an estimate from a single series, because markers can have all their noise in common; at most
/// 0.99. F: the number of frames of all parts, which share the variance of u.
double upper_autocorrelation(std::vector<LinearRows> parts, Index frames);

}  // namespace pithball::optim
