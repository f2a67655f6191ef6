#pragma once
#include <string>

#include "optim/residual/residual.hpp"
#include "optim/search/minimizer.hpp"

namespace pithball::optim {

/// What is minimized, from where and how; all outlive a search.
struct LeastSquaresSearch {
  const Residual& residual;         ///< r(θ)
  const Vector& start;              ///< where it begins, P
  const Bounds& bounds;             ///< of θ
  const MinimizerOptions& options;  ///< when it ends
  const MinimizerWatch& watch;      ///< who is told
};

/// Why a search ended.
struct Ending {
  MinimizerStatus status = MinimizerStatus::Failed;  ///< how
  std::string message;                               ///< why, in a sentence
};

/// The end that a watch asked for.
Ending stopped_on_request();

/// Evaluations that failed.
class FailedEvaluations {
 public:
  /// Whether a value exists; notes why it does not.
  bool check(const Evaluation& evaluation, const Vector& value);
  void forget_last() { last_.clear(); }             ///< a new point is tried
  bool has_last() const { return !last_.empty(); }  ///< whether the last one failed
  Ending end(MinimizerStatus status) const;         ///< an end because of the last one
  int count() const { return count_; }              ///< of all

 private:
  std::string last_;
  int count_ = 0;
};

/// Tells the history and the user of an iteration, whose best point is that of the report.
void tell_iteration(const MinimizerWatch& watch, bool accepted, MinimizerReport& report);

}  // namespace pithball::optim
