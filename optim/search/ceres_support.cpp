#include "optim/search/ceres_support.hpp"

#include <ceres/iteration_callback.h>
#include <ceres/types.h>
#include <glog/logging.h>

#include <cmath>

namespace pithball::optim {
namespace {

/// Returns our message for the tolerance that ended the search according to Ceres.
std::string convergence_message(const std::string& ceres) {
  if (ceres.find("Function tolerance") != std::string::npos) return function_message;
  if (ceres.find("Parameter tolerance") != std::string::npos) return parameter_message;
  if (ceres.find("Gradient tolerance") != std::string::npos) return gradient_message;
  return ceres;
}

}  // namespace

class IterationWatch::Callback final : public ceres::IterationCallback {
 public:
  Callback(const MinimizerWatch& watch, MinimizerReport& report, Search search)
      : watch_(watch), report_(report), search_(std::move(search)) {}

  ceres::CallbackReturnType operator()(const ceres::IterationSummary& s) override {
    // In a resumed search, iteration 0 is already known.
    if (s.iteration > 0 || report_.cost_history.empty()) tell(s);
    is_stopped_ = watch_.is_stopped();
    minimum_ = search_.at_minimum(s.cost, s.gradient_max_norm, s.step_is_successful);
    return is_stopped_ || minimum_ ? ceres::SOLVER_TERMINATE_SUCCESSFULLY : ceres::SOLVER_CONTINUE;
  }

  void conclude(ceres::TerminationType termination, const std::string& message, const std::string& last_failure) {
    report_.message = message;
    switch (termination) {
      case ceres::CONVERGENCE:
        report_.status = MinimizerStatus::Converged;
        report_.message = convergence_message(message);
        break;
      case ceres::NO_CONVERGENCE:
        report_.status = MinimizerStatus::MaxIterations;
        break;
      case ceres::USER_SUCCESS:
        report_.status = is_stopped_ ? MinimizerStatus::Stopped : MinimizerStatus::Converged;
        report_.message = is_stopped_ ? "stopped on request" : minimum_;
        break;
      case ceres::FAILURE:
      case ceres::USER_FAILURE:
        // Ceres also reports a failure if no further step helps; if any evaluation has succeeded, the search has only
        // stalled.
        report_.status = report_.cost_history.empty() ? MinimizerStatus::Failed : MinimizerStatus::Stalled;
        if (!last_failure.empty()) report_.message = "cannot evaluate: " + last_failure;
        break;
    }
  }

 private:
  void tell(const ceres::IterationSummary& s) {
    const std::vector<double>& history = report_.cost_history;
    // For a rejected step Ceres reports the cost of the point that it did not take.
    const bool keeps_point = !s.step_is_successful && !history.empty();
    report_.add_iteration(keeps_point ? history.back() : s.cost * search_.cost_unit, search_.current());
    if (watch_.on_iteration)
      watch_.on_iteration(
          {static_cast<int>(history.size()) - 1, history.back(), s.step_is_successful, search_.current()});
  }

  const MinimizerWatch& watch_;
  MinimizerReport& report_;
  Search search_;
  bool is_stopped_ = false;
  const char* minimum_ = nullptr;  ///< why the search ended, if at a minimum
};

QuietLog::QuietLog() : level_(FLAGS_minloglevel) { FLAGS_minloglevel = google::GLOG_FATAL; }
QuietLog::~QuietLog() { FLAGS_minloglevel = level_; }

IterationWatch::IterationWatch(const MinimizerWatch& watch, MinimizerReport& report, Search search)
    : callback_(std::make_unique<Callback>(watch, report, std::move(search))) {}
IterationWatch::~IterationWatch() = default;
ceres::IterationCallback* IterationWatch::callback() { return callback_.get(); }
void IterationWatch::conclude(int termination, const std::string& message, const std::string& last_failure) {
  callback_->conclude(static_cast<ceres::TerminationType>(termination), message, last_failure);
}

double binary_unit(double size) { return size > 0 && std::isfinite(size) ? std::exp2(std::ilogb(size)) : 1; }

}  // namespace pithball::optim
