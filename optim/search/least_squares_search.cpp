#include "optim/search/least_squares_search.hpp"

namespace pithball::optim {

Ending stopped_on_request() { return {MinimizerStatus::Stopped, "stopped on request"}; }

bool FailedEvaluations::check(const Evaluation& evaluation, const Vector& value) {
  last_ = !evaluation.ok() ? evaluation.failure : value.allFinite() ? "" : "a residual is not finite";
  if (!last_.empty()) ++count_;
  return last_.empty();
}

Ending FailedEvaluations::end(MinimizerStatus status) const { return {status, "cannot evaluate: " + last_}; }

void tell_iteration(const MinimizerWatch& watch, bool accepted, MinimizerReport& report) {
  report.add_iteration(report.cost, report.theta);
  const int iteration = static_cast<int>(report.cost_history.size()) - 1;
  if (watch.on_iteration) watch.on_iteration({iteration, report.cost, accepted, report.theta});
}

}  // namespace pithball::optim
