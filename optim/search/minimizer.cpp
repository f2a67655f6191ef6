#include "optim/search/minimizer.hpp"

#include "sim/core/error.hpp"

namespace pithball::optim {

void MinimizerReport::add_iteration(double cost_there, const Vector& theta_there) {
  cost_history.push_back(cost_there);
  if (theta_there.size() <= most_path_parameters) path.push_back(theta_there);
}

std::string to_string(MinimizerStatus status) {
  switch (status) {
    case MinimizerStatus::Converged:
      return "converged";
    case MinimizerStatus::MaxIterations:
      return "max_iterations";
    case MinimizerStatus::Stalled:
      return "stalled";
    case MinimizerStatus::Stopped:
      return "stopped";
    case MinimizerStatus::Failed:
      return "failed";
  }
  return "";
}

bool is_negligible(const Vector& step, const Vector& theta, double part) {
  return (step.array().abs() <= part * theta.array().abs()).all();
}

void check_start(const Vector& start, const Bounds& bounds, Index parameters) {
  const auto reject = [](const std::string& what, const std::string& required, const std::string& got) {
    throw InvalidArgument({"", what, required, got, ""});
  };
  if (parameters < 1) reject("start", "need at least one parameter", "0");
  if (start.size() != parameters)
    reject("start", "must have " + std::to_string(parameters) + " entries", std::to_string(start.size()));
  if (!start.allFinite()) reject("start", "must be finite", "a value that is not");
  for (const Vector* bound : {&bounds.lower, &bounds.upper})
    if (bound->size() != 0 && bound->size() != parameters)
      reject("bounds", "must have " + std::to_string(parameters) + " entries", std::to_string(bound->size()));
  for (Index k = 0; k < parameters; ++k) {
    const bool below = bounds.lower.size() > 0 && !(start[k] >= bounds.lower[k]);
    const bool above = bounds.upper.size() > 0 && !(start[k] <= bounds.upper[k]);
    if (below || above)
      reject("start[" + std::to_string(k) + "]", "must be within its bounds", std::to_string(start[k]));
  }
}

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
