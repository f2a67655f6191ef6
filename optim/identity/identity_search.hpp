#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "optim/fit/problem.hpp"
#include "optim/identity/labelled_observation.hpp"

namespace pithball::optim {

/// Where expectation maximization ended.
struct IdentityEnd {
  bool is_found = false;                                   ///< false: a search failed or was stopped
  Vector theta;                                            ///< P
  std::vector<std::optional<SettledAssignment>> assigned;  ///< by recording; empty: its identities are known
  double log_likelihood = 0;                               ///< of all detections
  int rounds = 0;                                          ///< number of E steps
};

/// Searches for parameters and identities from given labels (find_identities.hpp).
class IdentitySearch {
 public:
  /// All outlive this object. `detections`: one for each recording.
  IdentitySearch(const FitProblem& problem, const std::vector<Detections>& detections, const MinimizerWatch& watch);

  Vector given_start() const { return map_.initial(); }  ///< θ at the start of the problem
  /// A start with the fitted initial positions and velocities of two markers' particles exchanged.
  Vector exchanged_start(Vector start, std::size_t recording, const std::pair<Index, Index>& markers) const;

  /// Begins at a robust fit to these tracks (by recording, F×M), through all stages of the problem if `start` is its
  /// own.
  IdentityEnd run(const std::vector<std::vector<std::vector<Index>>>& linked, const Vector& start);

  const EvaluationCounts& evaluations() const { return evaluations_; }  ///< of all runs so far

 private:
  /// The problem with other observations, and with a robust loss unless `is_final`.
  FitProblem problem_with(std::vector<Observation> observations, bool is_final) const;
  std::vector<Observation> linked_observations(const std::vector<std::vector<std::vector<Index>>>& linked) const;
  /// θ of a robust fit to these observations; empty: it failed.
  std::optional<Vector> fit_linked(std::vector<Observation> observations, const Vector& start);
  std::vector<PredictedReadings> predict(const Vector& theta) const;
  /// How much wider than stated readings scatter about the model where tracks were linked; ≥ 1.
  double first_widening(const std::vector<PredictedReadings>& predicted,
                        const std::vector<std::vector<std::vector<Index>>>& linked) const;
  /// One E step; `widening`: of the stated standard deviations.
  void assign_at(const std::vector<PredictedReadings>& predicted, double widening, IdentityEnd& end) const;
  /// One M step, from end.theta; false: it failed.
  bool maximize(bool is_final, IdentityEnd& end);
  void sum_likelihood(IdentityEnd& end) const;

  const FitProblem& problem_;
  const std::vector<Detections>& detections_;
  const MinimizerWatch& watch_;
  ParameterMap map_;
  std::vector<std::optional<AssignmentModel>> models_;  ///< by recording; empty: its identities are known
  EvaluationCounts evaluations_;
};

}  // namespace pithball::optim
