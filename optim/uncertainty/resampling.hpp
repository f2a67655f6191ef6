#pragma once
#include <cstdint>
#include <vector>

#include "optim/uncertainty/row_order.hpp"

namespace pithball::optim {

using sim::Vector;

/// How many frames hang together where residuals are an autoregression with this ρ, 0 ≤ ρ < 1, in a recording of this
/// many frames: (2ρ/(1 − ρ²))^{2/3} F^{1/3}, which makes the error of the resampled variance least (Carlstein, Ann.
/// Stat. 14, 1986), at least 1 and at most an eighth of the frames.
Index block_length(double autocorrelation, Index frames);

/// Residuals of another recording of the same motion: those of every block of consecutive frames, all markers together,
/// under one random sign (the dependent wild bootstrap; Shao, J. Am. Stat. Assoc. 105, 2010). Whatever markers share in
/// a frame, and frames in a block, is kept; so are gaps and unequal noise. All are stretched by √(true/resampled)
/// variance of the mean of an autoregression,
///    (1 + ρ)/(1 − ρ) / (1 + 2 Σ_{j<ℓ} (1 − j/ℓ) ρʲ),
/// as blocks cut what hangs together. Blocks begin at another frame in each draw.
class BlockSigns {
 public:
  BlockSigns(const RowOrder& order, double autocorrelation);

  /// Draw number `draw` of the seed: the residuals r, R, resampled.
  Vector resample(const Vector& r, std::uint64_t seed, Index draw) const;

 private:
  const RowOrder& order_;
  std::vector<Index> length_;  // of a block, by recording with rows
  std::vector<Index> frame_;   // of each frame: its number within its recording
  double stretch_ = 1;
};

/// The ends of a percentile interval with bias correction (Efron, J. Am. Stat. Assoc. 82, 1987, with a = 0): the
/// quantiles Φ(2 z₀ ± z) of the draws, z₀ = Φ⁻¹(share of draws below the estimate), z the normal quantile of the
/// confidence. Quantiles are interpolated between draws.
struct PercentileEnds {
  double lower = 0, upper = 0;
};
PercentileEnds percentile_interval(std::vector<double> draws, double estimate, double confidence);

}  // namespace pithball::optim
