#include "optim/ceres_support.hpp"

#include <ceres/iteration_callback.h>
#include <ceres/types.h>
#include <glog/logging.h>

namespace pithball::optim {
namespace {

class Callback final : public ceres::IterationCallback {
 public:
  Callback(const MinimizerOptions& options, MinimizerReport& report, std::function<Vector()> current)
      : options_(options), report_(report), current_(std::move(current)) {}

  ceres::CallbackReturnType operator()(const ceres::IterationSummary& s) override {
    std::vector<double>& history = report_.cost_history;
    if (s.iteration == 0 && !history.empty()) return ceres::SOLVER_CONTINUE;  // a search taken up again
    // For a rejected step Ceres reports the cost of the point that it did not take.
    const bool keeps_point = !s.step_is_successful && !history.empty();
    history.push_back(keeps_point ? history.back() : s.cost);
    if (options_.on_iteration)
      options_.on_iteration({static_cast<int>(history.size()) - 1, history.back(), s.gradient_max_norm, s.step_norm,
                             s.step_is_successful, current_()});
    return options_.stop && *options_.stop ? ceres::SOLVER_TERMINATE_SUCCESSFULLY : ceres::SOLVER_CONTINUE;
  }

 private:
  const MinimizerOptions& options_;
  MinimizerReport& report_;
  std::function<Vector()> current_;
};

}  // namespace

QuietLog::QuietLog() : level_(FLAGS_minloglevel) { FLAGS_minloglevel = google::GLOG_FATAL; }
QuietLog::~QuietLog() { FLAGS_minloglevel = level_; }

IterationWatch::IterationWatch(const MinimizerOptions& options, MinimizerReport& report,
                               std::function<Vector()> current)
    : callback_(std::make_unique<Callback>(options, report, std::move(current))) {}
IterationWatch::~IterationWatch() = default;

void conclude(int termination, const std::string& message, const std::string& last_failure, MinimizerReport& report) {
  report.message = message;
  switch (static_cast<ceres::TerminationType>(termination)) {
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
