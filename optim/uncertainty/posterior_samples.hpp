#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "optim/search/conjugate_gradients.hpp"
#include "optim/uncertainty/fit_rows.hpp"

namespace pithball::optim {

/// A fit of many values at its end, with a Jacobian available only for products.
struct ManyValues {
  const Linearization& data;               ///< r of the data without a loss, in units of sigma, and J (R×P)
  const Linearization* priors = nullptr;   ///< in units of their own standard deviations; null: none
  RobustLoss loss;                         ///< of the data; default: none
  RowOrder order;                          ///< which rows form a frame and a sample
  std::vector<std::vector<Index>> blocks;  ///< related values (BlockScaling), each once, all of them
  std::vector<bool> held;                  ///< P: treated as known; empty: none
  std::vector<Index> exact;                ///< values whose errors are computed exactly
};

/// Scores of the data, without rows of derivatives.
Scores compute_scores(const ManyValues& fit);

/// Number of samples for errors. Their mean square is distributed like χ² with this number of degrees of freedom, so
/// intervals use Student's t with it.
inline constexpr Index error_samples = 20;

/// The first 2·sample_pairs samples are pairs that differ by random signs of frames.
inline constexpr Index sample_pairs = 5;
/// Number of further columns, scores with random signs of frames.
inline constexpr Index sign_columns = 4;

/// A column of random signs z, ±1 for all rows of a frame, over all rows of the data.
Vector frame_signs(const ManyValues& fit, std::uint64_t seed, Index number);

/// H = J_dᵀJ_d/s² + J_pᵀJ_p for products, at one scale s of the data at a time. Rows of held values are 0.
class CurvatureProducts {
 public:
  /// `fit` must outlive this object.
  CurvatureProducts(const ManyValues& fit, Index parameters);

  /// From here on with this s².
  void set_scale(double square) { weight_ = 1 / square; }
  /// Products with H; this object must outlive the function.
  BlockProduct product();
  /// Number of columns that were multiplied, with J and with Jᵀ each.
  Index products() const { return products_; }
  /// Sets the rows of held values to 0.
  void mask(Eigen::MatrixXd& X) const;
  /// Whether value k is treated as known.
  bool is_held(Index k) const { return held_[k]; }
  /// Number of values, P.
  Index size() const { return held_.size(); }
  /// Number of values that are not held.
  Index free() const { return held_.size() - held_.count(); }

 private:
  Evaluation multiply(const Eigen::MatrixXd& X, Eigen::MatrixXd& HX);

  const ManyValues& fit_;
  Eigen::Array<bool, Eigen::Dynamic, 1> held_;
  double weight_ = 1;  ///< 1/s²
  Index products_ = 0;
};

/// Right-hand sides of all systems, before the scale of the data.
struct DrawnSides {
  Eigen::MatrixXd of_data;    ///< J_dᵀε of the samples, then J_dᵀ(zψ) of the sign columns, P×n
  Eigen::MatrixXd of_priors;  ///< J_pᵀη of the samples, P×error_samples
  Eigen::MatrixXd probes;     ///< random signs, which have a component along every direction, P×2
};

/// Draws them; psi: the scores of the data.
Evaluation draw_sides(const ManyValues& fit, const Vector& psi, std::uint64_t seed, const CurvatureProducts& H,
                      DrawnSides& drawn);

/// Directions of θ without information.
struct NullDirections {
  Eigen::MatrixXd directions;  ///< P×d; no columns: none
  /// The same as if all columns of J had one length, of length 1 together: a value counts by what its part of a
  /// direction does alone.
  Eigen::MatrixXd parts;
};

/// Solutions of all systems at one scale.
struct SamplesAtScale {
  double square = 1;                    ///< s²
  std::optional<BlockScaling> scaling;  ///< of H; always there after `solve_at_scale`
  Eigen::MatrixXd samples;              ///< δ, P×error_samples
  Eigen::MatrixXd of_signs;             ///< H⁻¹J_dᵀ(zψ)/s², P×sign_columns
  Vector errors;                        ///< RMS of the samples, P
  std::vector<bool> is_settled;         ///< P: whether the RMS has settled (SampleSettling)
  NullDirections null;                  ///< which no sample contains
  Index iterations = 0;                 ///< of block conjugate gradients
};

/// Solves them with H at this s². The values of `solved` are replaced.
Evaluation solve_at_scale(const ManyValues& fit, const DrawnSides& sides, double square, CurvatureProducts& H,
                          SamplesAtScale& solved);

}  // namespace pithball::optim
