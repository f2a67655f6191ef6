#pragma once
#include <Eigen/QR>
#include <Eigen/SparseCore>
#include <limits>
#include <vector>

#include "optim/uncertainty/posterior.hpp"

namespace pithball::optim {

/// What a change β (q entries) of further values, with columns G = ∂r/∂β, would do to a fit, judged at β = 0.
struct ScoreTest {
  double p = std::numeric_limits<double>::quiet_NaN();     ///< of β = 0; NaN: cannot be tested
  double gain = std::numeric_limits<double>::quiet_NaN();  ///< predicted decrease of χ² (in units of sigma²)
  Vector shift;  ///< predicted β, one Gauss–Newton step from 0 together with the fitted values: q
  Vector error;  ///< its standard errors, q
  /// Part of |G|² that a change of the fitted values does not explain, from 0 to 1.
  double share = std::numeric_limits<double>::quiet_NaN();
  double unit = std::numeric_limits<double>::quiet_NaN();  ///< s² κ: decrease of χ² by chance for each number
  double degrees = 0;                                      ///< of F, in its denominator
};

/// Below this share a value cannot be told apart from the fitted ones: its errors would be more than 10⁴ times those at
/// known fitted values, and derivatives are no more accurate than that.
inline constexpr double least_share = 1e-8;

/// An orthonormal basis of the space of independent columns, or of those that rounding leaves independent.
Eigen::MatrixXd basis_of(const Eigen::ColPivHouseholderQR<Eigen::MatrixXd>& qr);

/// A fit at its end, prepared for Lagrange multiplier tests (Rao's score tests: Rao, Math. Proc. Camb. Phil. Soc. 44,
/// 1948; Breusch & Pagan, Rev. Econ. Stud. 47, 1980) of values that it holds. The rows are those of the data,
/// √ρ′ r/τ, followed by those of the priors, so that all have standard deviation 1.
class ScoreTester {
 public:
  /// `scores`, `posterior`: of these rows, which must outlive this object.
  ScoreTester(const FitRows& fit, const Scores& scores, const Posterior& posterior);

  /// Whether the residuals have a scale, and rows are left over.
  bool ok() const { return degrees_ > 0 && weight_.allFinite(); }
  /// R, the number of residuals of the data.
  Index data_rows() const { return weight_.size(); }
  /// The same with the rows of the priors.
  Index all_rows() const { return residual_.size(); }
  /// s², the mean square of the residuals in units of sigma².
  double square_of_scale() const { return mean_square_ * tau_ * tau_; }
  /// ν, rows without determined values.
  double degrees() const { return degrees_; }

  /// w (R) such that Gᵀw is the score of further values with columns G.
  Vector score_seed() const;
  /// w (R) such that Gᵀw is the part of Gᵀv, for v with one entry for each of `all_rows()`, that fitted values do not
  /// explain: for independent v of standard deviation 1, its variance is the information on β.
  Vector probe_seed(const Vector& v) const;
  /// The part of the columns G (R×q), weighted as the rows are, that the fitted values do not explain.
  Eigen::MatrixXd unexplained(const Eigen::MatrixXd& G) const;
  /// The seeds for which an adjoint gives the effect of other values on the scores: R×q.
  Eigen::MatrixXd seeds_of(const Eigen::MatrixXd& unexplained) const;

  /// The test of columns G, R×q. With β estimated and its effect removed from the residuals,
  ///    F = Uᵀ I⁻¹ U/(q s² κ),   U = G̃ᵀ r,   I = G̃ᵀ G̃,
  /// where G̃ is the unexplained part of G, s² the mean square of the remaining residuals, and κ ≥ 1 the ratio of the
  /// variance of U by whole frames, with the factor of an autoregression (as RobustErrors), to that of independent
  /// residuals. Directions of β in which G̃ is less than `least_share` of G (of columns scaled to length 1) are not
  /// varied, and not counted in q. `carried`: covariance of U by errors of held values, q×q; empty: none. `one_sided`:
  /// q = 1 and β ≥ 0.
  ScoreTest test(const Eigen::MatrixXd& G, bool one_sided, const Eigen::MatrixXd& carried = {}) const;
  /// The same after a trial (lacking.hpp) that left these weighted rows: its gain is what χ² fell by, and s² and κ
  /// are those of what is left. If a cause has a large effect, residuals are correlated until it is removed. The number
  /// of frames does not limit the degrees of freedom: a short part of a recording can be tested.
  ScoreTest test_trial(const Eigen::MatrixXd& G, const Vector& rows) const;
  /// The columns of further values, R×q, weighted as all rows are.
  Eigen::MatrixXd weighted(const Eigen::MatrixXd& G) const;
  /// The weighted rows at the end of the fit.
  const Vector& rows() const { return residual_; }
  /// The same after a change `step` of the fitted values (P) by which the residuals of the data become r (R). Weights
  /// of a robust loss are those of the end.
  Vector rows_after(const Vector& r, const Vector& step) const;
  /// Orthonormal columns that span the changes of rows by fitted values.
  const Eigen::MatrixXd& basis() const { return basis_; }
  /// The change of the fitted values θ (P) whose linearized change of rows is nearest to `rows`.
  Vector explained_step(const Vector& rows) const;
  /// Decrease of χ² (in units of sigma²) from the end of the fit to |rows|² = `square`.
  double decrease_to(double square) const { return (residual_.squaredNorm() - square) * tau_ * tau_; }
  /// From now on these values count as fitted, too: the residuals are those after their step.
  void take(const Eigen::MatrixXd& G);
  /// The same for one column with few rows, with the scatter of all residuals of the fit: its cost is that of these
  /// rows, so that many can be tested. It has no `degrees` and no `unit`.
  ScoreTest screen(const Eigen::SparseVector<double>& g, bool one_sided) const;
  /// The same from the score U and an estimate I of its information by `probes` random probes, for one value.
  ScoreTest estimate(double score, double information, Index probes, bool one_sided) const;

 private:
  /// What a test uses in addition to the residuals.
  struct Judgement {
    double carried;       ///< trace of what errors of held values add to the covariance of scores
    double most_degrees;  ///< of F, in its denominator
  };
  /// Sets p, unit and degrees of a test with this gain, from the residuals that remain; returns the variance of scores
  /// by the columns `whitened`, which would be 1 for independent residuals of variance 1.
  double judge(const Eigen::MatrixXd& whitened, const Vector& remaining, const Judgement& by, ScoreTest& found) const;
  /// Σ over frames of |Uᵀ of the frame|², of scores by columns `whitened`, with the factor `color` of an
  /// autoregression.
  double scatter_ratio(const Eigen::MatrixXd& whitened, const Vector& remaining, double color) const;

  const FitRows& fit_;
  const Posterior& posterior_;
  double tau_ = 1;                                          ///< τ
  double degrees_ = 0;                                      ///< rows without determined values
  double mean_square_ = 1;                                  ///< of the weighted residuals, by degree of freedom
  double inflation_ = 1;                                    ///< κ of the fitted values, on average
  Vector weight_;                                           ///< √ρ′/τ by row of the data, R
  Vector residual_;                                         ///< weighted, all rows
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> determined_;  ///< of J in the directions that the fit determines
  Eigen::MatrixXd basis_;  ///< orthonormal, of the columns of what is determined: all rows × rank
};

/// p-values adjusted for the number of tests: q_(k) = max_{j ≤ k} min(1, (n − j + 1) p_(j)) with p in ascending order,
/// j = 1 … n. Whatever the dependence of the tests, any false one has q below a level with at most that probability
/// (Holm, Scand. J. Stat. 6, 1979). Same order as `p`.
std::vector<double> adjust_for_number(const std::vector<double>& p);

}  // namespace pithball::optim
