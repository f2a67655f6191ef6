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

/// Where a search from one start ended in one stage.
struct FoundMinimum {
  Index start = 0;  ///< number of the start, 0: the given one
  MinimizerReport found;
  /// In the last stage: 0 at the place of the estimates, k at that of their k-th alternative (minima.hpp); −1: at a
  /// worse place, at no minimum, or not looked at.
  Index place = -1;
};

/// What a stage found, the lowest cost first; costs of different stages do not compare.
struct StageReport {
  SearchStage stage;
  std::vector<FoundMinimum> minima;
};

/// What all stages found.
struct SearchReport {
  MinimizerReport best;  ///< of the last stage that was reached
  std::vector<StageReport> stages;
  HorizonSchedule schedule;  ///< of the stages, where the search chose them
  EvaluationCounts evaluations;
};

/// The problem as a stage sees it: its integrator and step instead of the scenarios' own, and frames from its horizon
/// on left to forecast.
FitProblem at_stage(FitProblem problem, const SearchStage& stage);

/// Throws InvalidArgument if a stage leaves nothing to fit or starts cannot be drawn, without running anything. `map`:
/// the problem's parameters.
void check_search(const FitProblem& problem, const ParameterMap& map);

/// Searches the problem itself from one point: no other starts, no stages, no journal. `map`: of the problem's
/// scenarios.
MinimizerReport search_from(const FitProblem& problem, const ParameterMap& map, const Vector& start,
                            EvaluationCounts& counts);

/// Searches from every start through all stages, each beginning where the stage before it ended; the last stage is the
/// problem itself. After a stage as many points go on as it keeps, the best that differ (by more than 1e-3 in some θ).
/// Where the problem leaves stages to the search (`choose_stages`) it looks at residuals and derivatives at the start,
/// which a search of the whole needs anyway, and begins with the horizons that `find_horizons` finds; none of them can
/// fail the fit. A request to stop ends the stage under way. Evaluations pass through the problem's journal, if it has
/// one.
SearchReport search(const ResolvedFit& fit);

}  // namespace pithball::optim
