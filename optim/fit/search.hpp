#pragma once
#include <string>
#include <vector>

#include "optim/fit/horizon_schedule.hpp"
#include "optim/residual/trajectory_residual.hpp"
#include "optim/search/minimizer.hpp"
#include "optim/search/search_stage.hpp"

namespace pithball::optim {

class ResolvedFit;
struct FitProblem;

/// End of the search from one start in one stage.
struct FoundMinimum {
  Index start = 0;        ///< index of the start; 0: the given one
  MinimizerReport found;  ///< its path and its end
  /// In the last stage: 0 at the estimates, k at their k-th alternative (minima.hpp); −1: at a worse place, not at a
  /// minimum, or not examined.
  Index place = -1;
};

/// Result of a stage, lowest cost first; costs of different stages are not comparable.
struct StageReport {
  SearchStage stage;                 ///< as requested, or chosen from the sensitivity
  std::vector<FoundMinimum> minima;  ///< one for each start, lowest cost first
};

/// Result of all stages.
struct SearchReport {
  MinimizerReport best;  ///< of the last stage reached
  /// In the order in which they ran; the last is the problem itself, unless the search ended before.
  std::vector<StageReport> stages;
  HorizonSchedule schedule;      ///< horizons of the stages, if chosen automatically
  std::string start;             ///< from where the first search began, if there was a choice: a sentence
  EvaluationCounts evaluations;  ///< of all stages and starts together
};

/// The problem of a stage: with its integrator and time step, and frames beyond its horizon not fitted.
FitProblem at_stage(FitProblem problem, const SearchStage& stage);

/// Throws InvalidArgument if a stage leaves nothing to fit or starts cannot be drawn, without running anything. `map`:
/// the problem's parameters.
void check_search(const FitProblem& problem, const ParameterMap& map);

/// Searches the problem itself from one point: no other starts, no stages, no journal. `map`: of the problem's
/// scenarios.
MinimizerReport search_from(const FitProblem& problem, const ParameterMap& map, const Vector& start,
                            EvaluationCounts& counts);

/// Searches from every start through all stages, each starting where the previous one ended; the last stage is the
/// problem itself. After a stage the best different points (by more than 1e-3 in some θ) continue, as many as it keeps.
/// If stages are chosen automatically (`choose_stages`), the search evaluates residuals and derivatives at the start,
/// which a search of the whole needs anyway, and begins with the horizons from `find_horizons`; a failed horizon does
/// not fail the fit. A stop request ends the current stage. Evaluations are stored in the problem's journal, if it has
/// one.
SearchReport search(const ResolvedFit& fit);

}  // namespace pithball::optim
