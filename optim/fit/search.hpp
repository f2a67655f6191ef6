#pragma once
#include <string>
#include <vector>

#include "optim/fit/horizon_schedule.hpp"
#include "optim/fit/report.hpp"
#include "optim/residual/trajectory_residual.hpp"
#include "optim/search/minimizer.hpp"

namespace pithball::optim {

class ResolvedFit;

/// How the searches of a fit are watched.
struct SearchWatch {
  MinimizerWatch minimizer = {};  ///< of every search
  /// File that stores every evaluation of the search; a file left by an interrupted search of the same problem is
  /// continued. Empty: none.
  std::string journal = {};
};

/// End of the search from one start in one stage.
struct FoundMinimum {
  Index start = 0;           ///< index of the start; 0: the given one
  MinimizerReport found;     ///< its path and its end
  bool is_reversal = false;  ///< its depth is that of the first search's end reversed (depth_reversal.hpp)
};

/// Whether the first one's cost is lower; those that could not be evaluated come last.
bool is_better(const FoundMinimum& a, const FoundMinimum& b);

/// Result of a stage, lowest cost first; costs of different stages are not comparable.
struct StageReport {
  SearchStage stage;                 ///< as requested, or chosen from the sensitivity
  std::vector<FoundMinimum> minima;  ///< one for each start, lowest cost first
};

/// Where χ² is rough, the values of one parameter that fit as well as the best within the scatter of χ².
struct RoughInterval {
  Index entry = 0;  ///< index in θ
  /// Physical values: the nearest ones tried on either side that fit worse; ±∞: none does.
  double lower = 0,    ///< below the estimate
      upper = 0;       ///< above it
  double scatter = 0;  ///< standard deviation of ln χ² about a smooth curve through the values tried
};

/// Result of all stages.
struct SearchReport {
  MinimizerReport best;  ///< of the last stage reached
  /// In the order in which they ran; the last is the problem itself, unless the search ended before.
  std::vector<StageReport> stages;
  HorizonSchedule schedule;      ///< horizons of the stages, if chosen automatically
  std::string start;             ///< a sentence on where the first search began, if there was a choice
  EvaluationCounts evaluations;  ///< of all stages and starts together
};

/// Where a search ended, and what it took to get there.
struct SearchEnd {
  MinimizerStatus status = MinimizerStatus::Failed;  ///< how it ended
  std::string message;                               ///< why, in a sentence
  Vector theta;                                      ///< P
  EvaluationCounts evaluations;                      ///< of all searches so far
  int failed_evaluations = 0;                        ///< points at which a simulation failed
};

/// The end of all searches of a fit.
struct FitOptimum {
  SearchEnd end;                      ///< the estimates θ, and how the last search ended
  ResidualScales scales;              ///< scales of the residuals in that search
  std::vector<RoughInterval> rough;   ///< where χ² is rough there; empty: it is smooth
  SearchReport search;                ///< the searches with the scales as given: every minimum, by stage
  std::vector<std::string> summary;   ///< how the searches went, one sentence each: no warnings
  std::vector<std::string> notes;     ///< notes for the user, one sentence each
  bool has_searched_further = false;  ///< further starts were tried (further_starts.hpp)
  bool has_all_aliases = false;       ///< every alias of its motion was searched from (further_starts.hpp)
  std::vector<Index> reversed;        ///< as `FurtherStart::reversed`, of the searches so far
  std::vector<PriorWidth> widths;     ///< of smooth priors that were given none (fit_prior.hpp)
};

/// Searches the problem itself from one point: no other starts, no stages, no journal. `map`: of the problem's
/// scenarios.
MinimizerReport search_from(const FitProblem& problem, const ParameterMap& map, const Vector& start,
                            EvaluationCounts& counts, const MinimizerWatch& watch = {});

/// Searches from every start through all stages, each starting where the previous one ended; the last stage is the
/// problem itself. After a stage, the best distinct points (different by more than 1e-3 in some θ) continue, as many as
/// the stage keeps. If stages are chosen automatically (`choose_stages`), the search evaluates residuals and
/// derivatives at the start, which a search of the whole needs anyway, and begins with the horizons from
/// `find_horizons`; a failed horizon does not fail the fit. A stop request ends the current stage.
SearchReport search(const ResolvedFit& fit, const SearchWatch& watch = {});

}  // namespace pithball::optim
