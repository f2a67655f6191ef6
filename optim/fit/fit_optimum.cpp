#include "optim/fit/fit_optimum.hpp"

#include <algorithm>
#include <cmath>

#include "optim/fit/limits.hpp"
#include "optim/fit/resolved_fit.hpp"
#include "optim/fit/roughness.hpp"
#include "optim/fit/settled_scales.hpp"
#include "optim/search/least_squares_search.hpp"
#include "sim/core/stop.hpp"

namespace pithball::optim {
namespace {

/// Of a prediction: no parameter is free, and nothing is looked for.
SearchReport search_of_nothing() {
  SearchReport found;
  found.best.status = MinimizerStatus::Converged;
  found.best.message = "nothing was fitted";
  found.best.theta = Vector(0);
  return found;
}

SearchEnd end_of(const SearchReport& search) {
  SearchEnd end{search.best.status, search.best.message, search.best.theta, search.evaluations, 0};
  for (const StageReport& stage : search.stages)
    for (const FoundMinimum& minimum : stage.minima) end.failed_evaluations += minimum.found.failed_evaluations;
  return end;
}

void add_sentence(std::string sentence, std::vector<std::string>& list) {
  if (!sentence.empty()) list.push_back(std::move(sentence));
}

/// L at the optimum, which may lie beside the end of the search.
double cost_at_optimum(const ResolvedFit& fit, const FitOptimum& optimum, EvaluationCounts& counts) {
  const MinimizerReport& best = optimum.search.best;
  if (best.theta == optimum.end.theta) return best.cost;
  FitResidual residual(fit.problem(), fit.map());
  const double square = square_at(residual.all(), optimum.end.theta);
  counts += residual.counts();
  return std::isnan(square) ? best.cost : square / 2;
}

/// Where a search ended: scales, a rough place, vanished values.
FitOptimum settled_optimum(const ResolvedFit& fit, FitOptimum optimum, const MinimizerWatch& watch) {
  SettledScales settled = settle_scales(fit, std::move(optimum.end), watch);
  optimum.scales = settled.scales;
  optimum.end = std::move(settled.end);
  add_sentence(std::move(settled.failure), optimum.notes);
  if (!fit.has_full_errors()) return optimum;
  ScannedEnd scanned = leave_rough_place(fit, optimum.scales, std::move(optimum.end), watch);
  optimum.rough = std::move(scanned.rough);
  add_sentence(std::move(scanned.summary), optimum.summary);
  optimum.end = raise_vanished(fit, optimum.scales, std::move(scanned.end));
  return optimum;
}

}  // namespace

void note_stop(SearchEnd& end) {
  const Ending stopped = stopped_on_request();
  end.status = stopped.status;
  end.message = stopped.message;
}

FitOptimum find_optimum(const ResolvedFit& fit, const SearchWatch& watch) {
  FitOptimum optimum;
  optimum.notes = fit.map().notes();
  optimum.search = fit.map().size() > 0 ? search(fit, watch) : search_of_nothing();
  optimum.end = end_of(optimum.search);
  add_sentence(optimum.search.schedule.sentence(), optimum.summary);
  add_sentence(optimum.search.start, optimum.summary);
  const MinimizerStatus status = optimum.end.status;
  if (status == MinimizerStatus::Failed || status == MinimizerStatus::Stopped || fit.map().size() == 0) return optimum;
  try {
    return settled_optimum(fit, optimum, watch.minimizer);
  } catch (const sim::Stopped&) {
    note_stop(optimum.end);
    return optimum;
  }
}

FitOptimum searched_from(const ResolvedFit& fit, FitOptimum optimum, const MinimizerWatch& watch) {
  SearchEnd& end = optimum.end;
  MinimizerReport found = search_from(fit.problem(), fit.map(), end.theta, end.evaluations, watch);
  end.failed_evaluations += found.failed_evaluations;
  end.status = found.status;
  end.message = found.message;
  if (found.status == MinimizerStatus::Failed) return optimum;
  end.theta = found.theta;
  optimum.search.stages.back().minima = {{0, found}};
  optimum.search.best = std::move(found);
  return settled_optimum(fit, std::move(optimum), watch);
}

FitOptimum with_ends(const ResolvedFit& fit, FitOptimum optimum, std::vector<FoundMinimum> ends,
                     const EvaluationCounts& evaluations, const MinimizerWatch& watch) {
  optimum.end.evaluations += evaluations;
  std::erase_if(ends, [](const FoundMinimum& end) { return end.found.status == MinimizerStatus::Failed; });
  if (ends.empty()) return optimum;
  const double cost = cost_at_optimum(fit, optimum, optimum.end.evaluations);
  const auto best = std::ranges::min_element(ends, {}, [](const FoundMinimum& end) { return end.found.cost; });
  const bool is_better = best->found.cost < cost;
  if (is_better && best->found.status == MinimizerStatus::MaxIterations && !watch.is_stopped())
    best->found = search_from(fit.problem(), fit.map(), best->found.theta, optimum.end.evaluations, watch);
  std::vector<FoundMinimum>& minima = optimum.search.stages.back().minima;
  if (is_better) {
    optimum.search.best = best->found;
    optimum.end.status = best->found.status;
    optimum.end.message = best->found.message;
    optimum.end.theta = best->found.theta;
  }
  for (FoundMinimum& end : ends) {
    optimum.end.failed_evaluations += end.found.failed_evaluations;
    end.start = static_cast<Index>(minima.size());
    minima.push_back(std::move(end));
  }
  std::ranges::stable_sort(minima, {}, [](const FoundMinimum& minimum) { return minimum.found.cost; });
  return is_better ? settled_optimum(fit, std::move(optimum), watch) : optimum;
}

}  // namespace pithball::optim
