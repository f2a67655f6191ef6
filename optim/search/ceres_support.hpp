#pragma once
// Code shared by the two users of Ceres. Ceres headers are included in .cpp files only, so its types are declared here.

#include <functional>
#include <memory>
#include <string>

#include "optim/search/minimizer.hpp"

namespace ceres {
class IterationCallback;
}

namespace pithball::optim {

/// Suppresses Ceres's logging (glog) on standard error while this object exists; libraries do not print.
class QuietLog {
 public:
  QuietLog();
  ~QuietLog();
  QuietLog(const QuietLog&) = delete;
  QuietLog& operator=(const QuietLog&) = delete;

 private:
  int level_;
};

/// Ceres callback: reports iterations to the user, stores the cost history in the report, checks the stop flag, and
/// ends the search if `at_minimum` says so. (Ceres's own gradient test depends on units and is disabled.)
class IterationWatch {
 public:
  /// What the callback needs from the search.
  struct Search {
    double cost_unit = 1;             ///< unit of the costs in Ceres
    std::function<Vector()> current;  ///< θ at the best point so far
    /// Why the best point so far, with this cost and this largest gradient component in Ceres's units, is a minimum,
    /// after an accepted or rejected step; null: not known to be one.
    std::function<const char*(double cost, double gradient, bool accepted)> at_minimum;
  };
  /// Watch and report must outlive this object.
  IterationWatch(const MinimizerWatch& watch, MinimizerReport& report, Search search);
  ~IterationWatch();
  /// Belongs to this object; for `Solver::Options::callbacks`.
  ceres::IterationCallback* callback();
  /// Writes status and message into the report; `termination` is a ceres::TerminationType, `last_failure` the reason of
  /// the last failed evaluation.
  void conclude(int termination, const std::string& message, const std::string& last_failure);

 private:
  class Callback;
  std::unique_ptr<Callback> callback_;
};

/// The power of two below a magnitude, so that dividing by it does not round; 1 for 0.
double binary_unit(double size);

}  // namespace pithball::optim
