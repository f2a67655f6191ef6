#include "optim/fit/fit_optimum.hpp"

#include "optim/fit/limits.hpp"
#include "optim/fit/resolved_fit.hpp"
#include "optim/fit/roughness.hpp"
#include "optim/fit/settled_scales.hpp"

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

}  // namespace

FitOptimum find_optimum(const ResolvedFit& fit, const SearchWatch& watch) {
  FitOptimum optimum;
  optimum.notes = fit.map().notes();
  optimum.search = fit.map().size() > 0 ? search(fit, watch) : search_of_nothing();
  optimum.end = end_of(optimum.search);
  add_sentence(optimum.search.schedule.sentence(), optimum.summary);
  add_sentence(optimum.search.start, optimum.summary);
  if (optimum.end.status == MinimizerStatus::Failed || fit.map().size() == 0) return optimum;
  SettledScales settled = settle_scales(fit, std::move(optimum.end), watch.minimizer);
  optimum.scales = settled.scales;
  optimum.end = std::move(settled.end);
  add_sentence(std::move(settled.failure), optimum.notes);
  if (!fit.has_full_errors()) return optimum;
  ScannedEnd scanned = leave_rough_place(fit, optimum.scales, std::move(optimum.end), watch.minimizer);
  optimum.rough = std::move(scanned.rough);
  add_sentence(std::move(scanned.summary), optimum.summary);
  optimum.end = raise_vanished(fit, optimum.scales, std::move(scanned.end));
  return optimum;
}

}  // namespace pithball::optim
