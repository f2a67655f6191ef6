#pragma once
#include <cstdint>
#include <vector>

#include "optim/uncertainty/posterior.hpp"

namespace pithball::optim {

/// An orthonormal basis of the space of these columns: R×rank. Columns that the others explain up to 1e-8 do not count
/// as independent.
Eigen::MatrixXd independent_basis(const Eigen::MatrixXd& columns);

/// Rows without the part that a first-order autoregression explains: x_t − ρ x_{t−1} of the same series, and
/// √(1 − ρ²) x_t where no row precedes (Prais & Winsten, Cowles Commission Discussion Paper 383, 1954). `previous`: as
/// in RowOrder.
Eigen::MatrixXd filter_rows(const std::vector<Index>& previous, const Eigen::MatrixXd& rows, double rho);

/// Rows of a linear model that has no column in common with other rows.
struct LinearRows {
  std::vector<Index> previous;  ///< as in RowOrder, within these rows
  Eigen::MatrixXd columns;      ///< independent columns of the model, and its residuals as the last one
};

/// An upper estimate of the ρ of a first-order autoregression in each series, r_t = ρ r_{t−1} + u_t. The ρ of largest
/// restricted likelihood (Cooper & Thompson, Biometrika 64, 1977) given all columns, so that what is fitted does not
/// count as color, is found at lags of l = 1, 2 and 4 frames. The result is the largest ρ_l^(1/l), where those beyond l
/// = 1 count only if ρ_l > 2/√F, because white noise on top of slow noise hides it at lag 1; plus one standard error
/// √((1 − ρ²)/F) of an estimate from a single series, because markers can have all their noise in common; at most 0.99.
/// F: the number of frames of all parts, which share the variance of u.
double upper_autocorrelation(std::vector<LinearRows> parts, Index frames);

using sim::Vector;

/// Block length in frames for residuals with autocorrelation ρ, 0 ≤ ρ < 1, in a recording with this number of frames:
/// (2ρ/(1 − ρ²))^{2/3} F^{1/3}, which minimizes the error of the resampled variance (Carlstein, Ann. Stat. 14, 1986),
/// at least 1 and at most an eighth of the frames.
Index block_length(double autocorrelation, Index frames);

/// Resamples residuals: all residuals of a block of consecutive frames get the same random sign (the dependent wild
/// bootstrap; Shao, J. Am. Stat. Assoc. 105, 2010). This preserves correlations between markers in a frame and between
/// frames in a block, gaps, and unequal noise. All residuals are scaled by √(true/resampled) variance of the mean of an
/// autoregression,
///    (1 + ρ)/(1 − ρ) / (1 + 2 Σ_{j<ℓ} (1 − j/ℓ) ρʲ),
/// to compensate for the correlation lost between blocks. Blocks begin at a different frame in each draw.
class BlockSigns {
 public:
  /// `autocorrelation` ρ from 0 to below 1. The order must outlive this object.
  BlockSigns(const RowOrder& order, double autocorrelation);

  /// The resampled residuals r, R, of draw number `draw` for the seed.
  Vector resample(const Vector& r, std::uint64_t seed, Index draw) const;

 private:
  const RowOrder& order_;
  std::vector<Index> length_;  // of a block, by recording with rows
  std::vector<Index> frame_;   // of each frame: its index within its recording
  double stretch_ = 1;
};

/// The ends of a percentile interval with bias correction (Efron, J. Am. Stat. Assoc. 82, 1987, with a = 0): the
/// quantiles Φ(2 z₀ ± z) of the draws, z₀ = Φ⁻¹(share of draws below the estimate), z the normal quantile of the
/// confidence. Quantiles are interpolated between draws.
struct PercentileEnds {
  double lower = 0,  ///< quantile Φ(2 z₀ − z), in the unit of the draws
      upper = 0;     ///< quantile Φ(2 z₀ + z), likewise
};
/// The interval of these draws.
PercentileEnds percentile_interval(std::vector<double> draws, double estimate, double confidence);

}  // namespace pithball::optim
