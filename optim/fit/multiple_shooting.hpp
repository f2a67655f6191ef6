#pragma once
#include <vector>

#include "diff/rollout/segmented_rollout.hpp"
#include "optim/residual/prior_residual.hpp"
#include "optim/residual/trajectory_residual.hpp"
#include "optim/search/minimizer.hpp"

namespace pithball::optim {

struct FitProblem;

/// Whether times of a recording's frames depend on θ.
bool moves_clock(const ParameterMap& map, const Vector& theta, Index recording);

/// Residuals of multiple shooting, as a function of (θ, s): those of the data, the gaps between the segments, and the
/// priors. s are changes of the states from which segments begin, in units of the recording's standard deviation σ, and
/// for velocities of σ over the duration of a segment; so are the gaps, which are multiplied by their weight.
class ShootingResidual final : public Residual {
 public:
  /// Each recording is cut into `segments`, as `check_shooting` requires. `problem` and `counts` must outlive this
  /// object; each evaluation adds to `counts`.
  ShootingResidual(const FitProblem& problem, Index segments, EvaluationCounts& counts);
  ~ShootingResidual() override;
  ShootingResidual(const ShootingResidual&) = delete;
  ShootingResidual& operator=(const ShootingResidual&) = delete;

  /// Takes the states of the segments as the recordings suggest them at θ. Required before any evaluation.
  Evaluation cut(const Vector& theta);
  /// Sets the weight of the gaps, which is 1 at first.
  void set_gap_weight(double weight) { gap_weight_ = weight; }

  /// The parameters that the fit estimates, which come first in x; the states of the segments follow them.
  const ParameterMap& map() const { return map_; }
  Index parameters() const override { return parameters_; }
  Index rows() const override { return rows_; }
  /// θ one by one, then the states; readings, gaps and priors.
  ResidualStructure structure() const override;
  Evaluation evaluate(const Vector& x, Vector& r, Eigen::MatrixXd* jacobian) const override;
  /// The cost of a residual without that of the gaps.
  double cost(const Vector& r) const;

 private:
  struct SegmentedRecording;
  struct Recording;
  Evaluation evaluate_recording(const Recording& recording, const Vector& x, Vector& r,
                                Eigen::MatrixXd* jacobian) const;
  Evaluation run_alone(const Recording& recording, const diff::Segments& segments, std::vector<sim::State>& gaps,
                       Vector& r) const;
  Evaluation run_with_tangents(const Recording& recording, const diff::Segments& segments, diff::GapTangents& between,
                               Vector& r, Eigen::MatrixXd& jacobian) const;
  void write_gap_rows(const SegmentedRecording& segmented, const std::vector<diff::StateTangents>& tangents,
                      const std::vector<Index>& active, Eigen::MatrixXd& jacobian) const;
  /// Columns of the Jacobian after those of θ.
  Index width() const;

  const FitProblem& problem_;
  Index segments_;
  TrajectoryResidual trajectories_;
  const ParameterMap& map_;
  PriorResidual priors_;
  EvaluationCounts& counts_;
  std::vector<SegmentedRecording> segmented_;
  Index parameters_ = 0, rows_ = 0;
  double gap_weight_ = 1;
};

/// Minimizes the cost of a fit by multiple shooting (Bock & Plitt 1984): every recording is cut into
/// `segments`, each simulated from its own state, initially estimated from the recording (`states_from_recording`).
/// Values and states are optimized together, by Levenberg–Marquardt, for the minimum of
///    ½ |r(θ, s)|² + ½ w² Σ |gap/unit|²,
/// with gaps between the segments in units of the recordings' standard deviation (velocities: over a segment's
/// duration) and weights w from 0.1 to 1000, each search starting where the previous one ended. With loose segments the
/// values are determined from motion over short times; at the end the segments join. This is the penalty form of the
/// method: eliminating the states would bring back the growth of errors along the run. Losses and priors count as in
/// the fit itself.
///
/// A Jacobian costs one tangent run of P + 6·(free particles) directions, and a step the factorization of normal
/// equations in which only successive segments are coupled: proportional to the number of segments. The report's cost
/// excludes the gaps; its history includes them, one search after the other. The result is a starting point for the
/// same problem in one segment. Throws as `check_shooting` does. `counts` is incremented by the evaluations.
MinimizerReport multiple_shooting(const FitProblem& problem, Index segments, const Vector& start,
                                  EvaluationCounts& counts, const MinimizerWatch& watch = {});

/// Largest number of entries of a stored Jacobian: 256 MiB, and a search holds about five copies.
inline constexpr Index largest_shooting = Index{1} << 25;

/// Throws InvalidArgument if `segments` < 2, a recording is not one of points, or the Jacobian would have more than
/// `largest_shooting` numbers.
void check_shooting(const FitProblem& problem, Index segments);

}  // namespace pithball::optim
