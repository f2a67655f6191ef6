#include "optim/fit/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "optim/fit/multiple_shooting.hpp"
#include "optim/fit/problem.hpp"
#include "optim/residual/prior_residual.hpp"
#include "optim/residual/residual.hpp"
#include "optim/search/journal.hpp"
#include "optim/search/minimizer.hpp"
#include "optim/search/minimizer_registry.hpp"
#include "optim/search/start_points.hpp"
#include "optim/weak_form/weak_form.hpp"
#include "sim/core/stop.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Where a search begins.
struct ChosenStart {
  Vector theta;          ///< P
  std::string sentence;  ///< which start this is and why; empty: there was no choice
};

/// Returns the start for a search by Gauss–Newton or L-BFGS: the weak-form estimate (`estimate_by_weak_form`), if there
/// is one and its cost in `residual`, which the search minimizes first, is lower than that of the given start. Costs
/// one run for each of the two.
ChosenStart choose_start(const ResolvedFit& fit, const Residual& residual, const Vector& given);

namespace {

/// The cost; infinite where it cannot be evaluated.
double cost_at(const Residual& residual, const Vector& theta) {
  Vector r;
  const double cost = residual.evaluate(theta, r, nullptr).ok() ? r.squaredNorm() / 2 : NAN;
  return std::isfinite(cost) ? cost : std::numeric_limits<double>::infinity();
}

bool is_for_few(const SearchStrategy& by) {
  const MinimizerInfo* const chosen = minimizers().find(by.solver);  // null: not chosen yet
  return chosen && chosen->is_for_few;
}

}  // namespace

bool is_better(const FoundMinimum& a, const FoundMinimum& b) {
  const auto cost = [](const FoundMinimum& m) {
    return std::isfinite(m.found.cost) ? m.found.cost : std::numeric_limits<double>::infinity();
  };
  return cost(a) < cost(b);
}

ChosenStart choose_start(const ResolvedFit& fit, const Residual& residual, const Vector& given) {
  const FitProblem& problem = fit.problem();
  if (!problem.search.weak_form_start || is_for_few(problem.search)) return {given, ""};
  const WeakFormEstimate estimate = estimate_by_weak_form(fit.map(), problem.observations);
  const std::string at_given = "the search began at the given start: ";
  if (estimate.theta.size() == 0)
    return {given, at_given + "the weak form has no estimate, because " + estimate.missing};
  const double before = cost_at(residual, given), there = cost_at(residual, estimate.theta);
  if (!(there < before)) return {given, at_given + "its cost is lower than that of the weak form's estimate"};
  return {estimate.theta,
          formatted("the search began at values estimated from the recorded motion without a simulation (weak form, "
                    "windows of %lld frames): ",
                    static_cast<long long>(2 * estimate.half_width + 3)) +
              (std::isfinite(before) ? formatted("their cost is %.2g times that of the given start", there / before)
                                     : "the given start cannot be simulated")};
}

namespace {

/// Points closer to each other than this in every θ, which is scaled so that 1 is a large change, are one start of the
/// next stage. Between stages no covariance is available as a metric (minima.hpp), and none is needed: two starts of
/// one minimum only cost an additional search, and minima this close would not be resolved by an easier stage anyway.
constexpr double same_point = 1e-3;
/// Stage number, in a journal, of the evaluation that precedes the first stage.
constexpr std::size_t before_stages = std::numeric_limits<std::size_t>::max();

/// Residuals and derivatives of the trajectories where the search starts.
struct StartDerivatives {
  Vector theta, r;
  Eigen::MatrixXd J;  ///< 0×0: not computed
};

std::vector<SearchStage> all_stages(const FitProblem& problem, const HorizonSchedule& schedule) {
  std::vector<SearchStage> stages = problem.search.stages.empty() ? schedule.stages() : problem.search.stages;
  stages.emplace_back();
  return stages;
}

MinimizerReport minimize_throughout(const SearchStrategy& by, const Residual& residual, const Vector& start,
                                    const Bounds& bounds, const MinimizerWatch& watch) {
  return choose_minimizer(by.solver, residual.parameters()).minimize(residual, start, bounds, by.minimizer, watch);
}

/// The report of a search that was stopped at a point.
MinimizerReport stopped_at(const Vector& theta) {
  const Ending stopped = stopped_on_request();
  MinimizerReport report;
  report.status = stopped.status;
  report.message = stopped.message;
  report.theta = theta;
  return report;
}

/// Minimizes; if the search is stopped within an evaluation, returns the best point before it.
MinimizerReport minimize(const SearchStrategy& by, const Residual& residual, const Vector& start, const Bounds& bounds,
                         const MinimizerWatch& watch) {
  MinimizerReport so_far = stopped_at(start);
  const auto keep = [&](const IterationReport& iteration) {
    so_far.add_iteration(iteration.cost, iteration.theta);
    so_far.theta = iteration.theta;
    so_far.cost = iteration.cost;
    if (watch.on_iteration) watch.on_iteration(iteration);
  };
  try {
    return minimize_throughout(by, residual, start, bounds, {keep, watch.stop});
  } catch (const sim::Stopped&) {
    return so_far;
  }
}

/// Limits each step to a change of 1 in a logarithm, which is a factor of e in a value.
Bounds bounds_of(const ParameterMap& map) {
  Bounds bounds{map.lower(), map.upper(), Vector(map.size())};
  for (Index k = 0; k < map.size(); ++k)
    bounds.step[k] =
        map.info()[k].transform.kind() == Transform::Kind::Log ? 1 : std::numeric_limits<double>::infinity();
  return bounds;
}

/// Returns the best distinct minima, as starts of the next stage.
std::vector<FoundMinimum> chosen(const StageReport& report) {
  std::vector<FoundMinimum> kept;
  for (const FoundMinimum& minimum : report.minima) {
    if (static_cast<Index>(kept.size()) == report.stage.keep) break;
    if (minimum.found.status == MinimizerStatus::Failed) continue;
    const bool is_known = std::any_of(kept.begin(), kept.end(), [&](const FoundMinimum& other) {
      return (other.found.theta - minimum.found.theta).lpNorm<Eigen::Infinity>() < same_point;
    });
    if (!is_known) kept.push_back(minimum);
  }
  return kept;
}

std::optional<Journal> open_journal(const std::string& file, const ParameterMap& map) {
  if (file.empty()) return std::nullopt;
  return std::make_optional<Journal>(file, map.physical(map.initial()));  // θ may be scaled by its own start
}

/// Whether stages may be chosen automatically. Solvers without a Jacobian are for so many values that a Jacobian would
/// cost more than their whole search.
bool may_choose_stages(const ResolvedFit& fit) {
  const SearchStrategy& by = fit.problem().search;
  return by.choose_stages && by.stages.empty() && by.starts.count == 1 && minimizers().at(by.solver).uses_jacobian &&
         fit.has_full_errors();
}

/// Chooses the stages from the sensitivity at the start, if they are automatic.
StartDerivatives choose_stages(const ResolvedFit& fit, Journal* journal, SearchReport& report) {
  const FitProblem& problem = fit.problem();
  if (!may_choose_stages(fit)) return {};
  StartDerivatives start{fit.map().initial(), {}, {}};
  const TrajectoryResidual rows(fit.map(), problem.observations);
  const Evaluation evaluation =
      journal ? JournaledResidual(rows, *journal, before_stages).evaluate(start.theta, start.r, &start.J)
              : rows.evaluate(start.theta, start.r, &start.J);
  report.evaluations += rows.counts();
  if (!evaluation.ok()) return {};  // the search will report it
  report.schedule = find_horizons(fit.residual(), problem.observations, start.theta, start.J);
  return start;
}

/// Returns the starting points; the range of a parameter that starts at 0 is estimated from the recordings.
std::vector<Vector> starting_points(const ResolvedFit& fit, SearchReport& report) {
  const ParameterMap& map = fit.map();
  bool needs_ranges = false;
  for (Index k = 0; k < map.size(); ++k) needs_ranges = needs_ranges || needs_range(map, k);
  if (fit.problem().search.starts.count == 1 || !needs_ranges)
    return make_start_points(map, fit.problem().search.starts);
  const TrajectoryResidual rows(map, fit.problem().observations);
  const Vector ranges = recorded_ranges(rows, fit.problem().observations, map.initial());
  report.evaluations += rows.counts();
  return make_start_points(map, fit.problem().search.starts, ranges);
}

/// Replaces the given start if a better one is found.
void choose_given_start(const ResolvedFit& fit, const Residual& residual, FoundMinimum& first, SearchReport& report) {
  if (first.start != 0) return;
  ChosenStart chosen = choose_start(fit, residual, first.found.theta);
  first.found.theta = std::move(chosen.theta);
  report.start = std::move(chosen.sentence);
}

/// Fills the report stage by stage; throws if stopped between two searches.
void search_all_stages(const ResolvedFit& fit, const SearchWatch& watch, SearchReport& report) {
  const FitProblem& problem = fit.problem();
  std::vector<FoundMinimum> candidates;
  for (const Vector& theta : starting_points(fit, report)) {
    candidates.push_back({static_cast<Index>(candidates.size()), {}});
    candidates.back().found.theta = theta;
  }
  if (const std::optional<Index> only = problem.search.starts.only)
    std::erase_if(candidates, [&](const FoundMinimum& one) { return one.start != *only; });
  std::optional<Journal> journal = open_journal(watch.journal, fit.map());
  StartDerivatives given = choose_stages(fit, journal ? &*journal : nullptr, report);
  const std::vector<SearchStage> stages = all_stages(problem, report.schedule);
  const std::size_t chosen_stages = problem.search.stages.empty() ? stages.size() - 1 : 0;
  for (std::size_t k = 0; k < stages.size() && !candidates.empty(); ++k) {
    const FitProblem here = at_stage(problem, stages[k]);
    FitResidual residual(here, fit.map_of(here));
    if (is_for_few(here.search)) residual.compute_derivatives_ahead();
    if (stages.size() == 1 && given.J.size() > 0)
      residual.set_known_point(std::move(given.theta), std::move(given.r), std::move(given.J));
    const Bounds bounds = bounds_of(residual.map());
    report.stages.push_back({stages[k], {}});
    std::vector<FoundMinimum>& minima = report.stages.back().minima;
    const PullResidual pull(fit.map());
    const StackedResidual pulled(residual.all(), pull);
    const Residual& wanted = k < chosen_stages ? static_cast<const Residual&>(pulled) : residual.all();
    std::optional<JournaledResidual> journaled;
    if (journal) journaled.emplace(wanted, *journal, k);
    const Residual& minimized = journaled ? static_cast<const Residual&>(*journaled) : wanted;
    const auto search_from = [&](const Vector& start) {
      if (stages[k].segments > 1)  // not a function of θ alone, so that a resumed search repeats it, which is fast
        return multiple_shooting(here, stages[k].segments, start, report.evaluations, watch.minimizer);
      return minimize(here.search, minimized, start, bounds, watch.minimizer);
    };
    if (k == 0) choose_given_start(fit, minimized, candidates.front(), report);
    for (const FoundMinimum& candidate : candidates) {
      minima.push_back({candidate.start, search_from(candidate.found.theta)});
      if (watch.minimizer.is_stopped()) break;
      // An automatic stage must not lead to a point where the whole problem cannot be simulated.
      if (chosen_stages > 0 && k == chosen_stages && minima.back().found.status == MinimizerStatus::Failed)
        minima.back().found = search_from(fit.map().initial());
    }
    std::stable_sort(minima.begin(), minima.end(), is_better);
    report.evaluations += residual.counts();
    report.best = minima.front().found;
    if (watch.minimizer.is_stopped()) break;
    std::vector<FoundMinimum> next = chosen(report.stages.back());
    if (k >= chosen_stages || !next.empty()) candidates = std::move(next);
  }
}

}  // namespace

MinimizerReport search_from(const FitProblem& problem, const ParameterMap& map, const Vector& start,
                            EvaluationCounts& counts, const MinimizerWatch& watch) {
  FitResidual residual(problem, map);
  if (is_for_few(problem.search)) residual.compute_derivatives_ahead();
  MinimizerReport found = minimize(problem.search, residual.all(), start, bounds_of(map), watch);
  counts += residual.counts();
  return found;
}

SearchReport search(const ResolvedFit& fit, const SearchWatch& watch) {
  SearchReport report;
  try {
    search_all_stages(fit, watch, report);
  } catch (const sim::Stopped&) {  // between two searches
    if (report.best.theta.size() == 0) report.best = stopped_at(fit.map().initial());
    report.best.status = MinimizerStatus::Stopped;
    std::erase_if(report.stages, [](const StageReport& stage) { return stage.minima.empty(); });
  }
  return report;
}

}  // namespace pithball::optim
