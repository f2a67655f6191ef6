#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "optim/search/conjugate_gradients.hpp"
#include "optim/uncertainty/posterior.hpp"

namespace pithball::optim {

/// The iteration, counted from 0, that is a fifth of n before the n-th, and at least two.
std::size_t a_fifth_back(Index n);

/// Root mean square over the columns, by row.
Vector mean_roots(const Eigen::MatrixXd& columns);

/// Columns of a block of systems: first samples, then probes.
struct SampleColumns {
  Index samples = 0,  ///< number of the first columns
      probes = 0;     ///< number of the columns after them
};

/// Monitors block conjugate gradients for samples δ_n of a posterior, and for probes with a component along every
/// direction. A value's RMS over the samples is settled if it has grown by less than a tenth over the last fifth of the
/// iterations: errors converge from below. Along a direction without information probes grow without bound, while
/// samples have no component.
class SampleSettling {
 public:
  /// `free`: number of values, of which a hundredth need not settle. `scaling` must outlive this object.
  SampleSettling(const BlockScaling& scaling, SampleColumns columns, Index free)
      : scaling_(scaling), columns_(columns), free_(free) {}

  /// Call after every iteration.
  bool is_enough(const BlockIterate& at);

  /// Whether the RMS of value k has grown by less than a tenth; valid after an iteration.
  bool is_settled(Index k) const;
  /// Whether a direction without information has been found.
  bool has_null() const { return null_.cols() > 0; }
  /// Directions without information, in scaled coordinates, of length 1.
  const Eigen::MatrixXd& null() const { return null_; }
  const Vector& errors() const { return errors_.back(); }  ///< RMS of θ, P
  const Eigen::MatrixXd& x() const { return x_; }          ///< all columns, unscaled
  /// Number of iterations seen so far.
  Index iterations() const { return static_cast<Index>(errors_.size()); }

 private:
  void look_for_null(const BlockIterate& at, std::size_t before, bool is_growing);

  const BlockScaling& scaling_;
  SampleColumns columns_;
  Index free_ = 0;
  std::vector<Vector> errors_;
  std::vector<Eigen::MatrixXd> probes_, left_;  ///< by iteration: the probes' solutions and their residuals
  Eigen::MatrixXd x_, null_;
  Vector growth_;
  double first_ = 0;
};

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

  /// Uses this s² from now on.
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
  /// The same directions as if all columns of J had the same length, normalized to length 1 together: a value counts by
  /// the effect of its part of a direction alone.
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
