#pragma once
#include <map>
#include <string>

#include "optim/diagnosis/candidate.hpp"
#include "optim/diagnosis/diagnosis.hpp"
#include "optim/diagnosis/score_test.hpp"

namespace pithball::optim {

/// A search for the least χ² with further values, together with the fitted ones: Gauss–Newton from the end of the fit,
/// whose derivatives are those of the end, corrected after each run by the change of the residuals that it shows
/// (Broyden, Math. Comp. 19, 1965). A run whose rows are longer than the best ones so far is left again, with a shorter
/// step: d to all squared lengths in the normal equations, d = 1 first and four times as much after each such run, a
/// quarter after each better one (Marquardt, J. Soc. Indust. Appl. Math. 11, 1963). Lengths of steps are those of the
/// linearized rows, so that units play no part.
///
/// Steps have coordinates c in orthonormal columns Q: those of the fitted values, then those of the unexplained part of
/// G. The derivative of the rows with respect to c is Q + U Sᵀ, with one column in U and S for each run; Q is not
/// copied.
class TrialFit {
 public:
  /// `G`: ∂r/∂β of the further values, R×q. `tester` must outlive this object.
  TrialFit(const ScoreTester& tester, const Eigen::MatrixXd& G);

  /// The change of the fitted values (P) to be run next, from the end of the fit.
  Vector fitted_step() const;
  /// The change of the further values (q) with it.
  Vector beta() const;
  /// Takes the data's residuals r (R) of a run with these changes; plans the next step.
  void take(const Vector& r);
  /// Records that a run with these changes failed: the next one goes half as far, toward the same gain. After a second
  /// failure in a row the gain is −∞.
  void take_failure();
  /// The weighted rows of the best run; before the first run, those at the end of the fit.
  const Vector& rows() const { return rows_; }
  /// Whether no more than a tenth of what could be gained is left, as the derivatives predict it.
  bool is_settled() const;
  /// Decrease of χ² (in units of sigma²) from the end of the fit to that of the planned step, as the derivatives
  /// predict it; after a step that was too long, to that of the best run.
  double gain() const;

 private:
  Index fitted() const { return tester_->basis().cols(); }
  Vector times_columns(const Vector& c) const;                       ///< Q c
  Eigen::MatrixXd columns_times(const Eigen::MatrixXd& rows) const;  ///< Qᵀ rows
  Vector times_derivative(const Vector& c) const;                    ///< (Q + U Sᵀ) c
  void plan();
  void shorten();

  const ScoreTester* tester_;
  Eigen::MatrixXd G_;                                    ///< ∂r/∂β at the end of the fit
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> further_;  ///< of the unexplained part of G
  Eigen::MatrixXd more_;                                 ///< the last columns of Q
  Eigen::MatrixXd mends_, directions_;                   ///< U, S
  Vector rows_;                                          ///< of the best run, weighted
  Vector at_, step_;                                     ///< c of the best run; from there, the planned step
  double remaining_ = 0;                                 ///< predicted |rows|² after the step, without damping
  double damping_ = 0;                                   ///< d
  bool has_failed_ = false;                              ///< the last run
};

/// Part of the excess of χ² that a candidate must promise to explain for a trial, if it is not significant by itself.
inline constexpr double promising_part = 0.2;

/// Effects of the candidates that may be significant, or promise so much, by name.
using EffectsByName = std::map<std::string, CandidateEffect>;

/// θ at the end of a fit, and its bounds: P each.
struct BoundedPoint {
  Vector theta,  ///< θ
      lower,     ///< smallest
      upper;     ///< largest
};

/// Forward selection among the significant findings of exact derivatives: the one that improves the fit most is taken
/// into the model (`tester`), and the others are tested again; sets `order`, `same` and `explained`. With strong
/// evidence many are significant, so the likeliest and those with the largest gains are tried in runs (`TrialFit`).
///
/// Two candidates are one finding if the recordings cannot tell them apart: neither is significant beside the other,
/// by the score test of the second after the first, and because the first one's advantage in χ² after the trials is no
/// larger than one number gains by chance. Of such a group, the time step comes first, whose error is known, and then
/// what concerns the measurement: it can be checked without a model, and a force added in its place would make the
/// estimates wrong.
///
/// Where χ² has an excess, those that promise a part of it are tried, too, though they are not significant: for a large
/// fault, the residuals that a linear step leaves are so correlated that they hide the cause, whereas those that a
/// trial leaves are not. Their p is then that of the trial (`ScoreTester::test_trial`), for the number of all tests.
void find_lacking(const EffectsByName& effects, const BoundedPoint& at, ScoreTester& tester, Diagnosis& found);

}  // namespace pithball::optim
