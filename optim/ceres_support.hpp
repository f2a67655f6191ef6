#pragma once
// What the two users of Ceres share; included by their .cpp files only.

#include <ceres/iteration_callback.h>
#include <ceres/types.h>
#include <glog/logging.h>

#include "optim/minimizer.hpp"

namespace pithball::optim {

/// Keeps Ceres's logging (glog) from writing to standard error while a search runs; libraries do not print.
class QuietLog {
 public:
  QuietLog() : level_(FLAGS_minloglevel) { FLAGS_minloglevel = google::GLOG_FATAL; }
  ~QuietLog() { FLAGS_minloglevel = level_; }
  QuietLog(const QuietLog&) = delete;
  QuietLog& operator=(const QuietLog&) = delete;

 private:
  int level_;
};

/// Passes iterations on to the user, keeps the cost history, and heeds the stop flag.
class IterationWatch final : public ceres::IterationCallback {
 public:
  /// current(): θ at the best point so far.
  IterationWatch(const MinimizerOptions& options, MinimizerReport& report, std::function<Vector()> current)
      : options_(options), report_(report), current_(std::move(current)) {}

  ceres::CallbackReturnType operator()(const ceres::IterationSummary& s) override {
    if (s.iteration == 0 && !report_.cost_history.empty()) return ceres::SOLVER_CONTINUE;  // a search taken up again
    // For a rejected step Ceres reports the cost of the point that it did not take.
    const bool keeps_point = !s.step_is_successful && !report_.cost_history.empty();
    const double cost = keeps_point ? report_.cost_history.back() : s.cost;
    report_.cost_history.push_back(cost);
    if (options_.on_iteration)
      options_.on_iteration({static_cast<int>(report_.cost_history.size()) - 1, cost, s.gradient_max_norm, s.step_norm,
                             s.step_is_successful, current_()});
    return options_.stop && *options_.stop ? ceres::SOLVER_TERMINATE_SUCCESSFULLY : ceres::SOLVER_CONTINUE;
  }

 private:
  const MinimizerOptions& options_;
  MinimizerReport& report_;
  std::function<Vector()> current_;
};

/// Status and message from how Ceres ended.
inline void conclude(ceres::TerminationType type, const std::string& message, const std::string& last_failure,
                     MinimizerReport& report) {
  report.message = message;
  switch (type) {
    case ceres::CONVERGENCE:
      report.status = MinimizerStatus::Converged;
      break;
    case ceres::NO_CONVERGENCE:
      report.status = MinimizerStatus::MaxIterations;
      break;
    case ceres::USER_SUCCESS:
      report.status = MinimizerStatus::Stopped;
      report.message = "stopped on request";
      break;
    case ceres::FAILURE:
    case ceres::USER_FAILURE:
      // Ceres calls it a failure too when no step helps any more; after a first good evaluation that is a result.
      report.status = report.cost_history.empty() ? MinimizerStatus::Failed : MinimizerStatus::Stalled;
      if (!last_failure.empty()) report.message = "cannot evaluate: " + last_failure;
      break;
  }
}

}  // namespace pithball::optim
