#pragma once
// What the two users of Ceres share. Ceres itself appears in .cpp files only, so its types are declared here, not
// included.

#include <functional>
#include <memory>
#include <string>

#include "optim/search/minimizer.hpp"

namespace ceres {
class IterationCallback;
}

namespace pithball::optim {

/// Keeps Ceres's logging (glog) from writing to standard error while a search runs; libraries do not print.
class QuietLog {
 public:
  QuietLog();
  ~QuietLog();
  QuietLog(const QuietLog&) = delete;
  QuietLog& operator=(const QuietLog&) = delete;

 private:
  int level_;
};

/// Watches a search by Ceres: passes iterations on to the user, keeps the cost history in the report, heeds the stop
/// flag, and ends the search where `at_minimum` says so. (Ceres's own test of the gradient has units, and is switched
/// off.)
class IterationWatch {
 public:
  struct Search {
    double cost_unit = 1;             ///< of the costs that Ceres sees
    std::function<Vector()> current;  ///< θ at the best point so far
    /// Why the best point so far, with this cost and this largest component of the gradient as Ceres sees them, is a
    /// minimum, after a step that was accepted or not; null: it need not be one.
    std::function<const char*(double cost, double gradient, bool accepted)> at_minimum;
  };
  /// Options and report must outlive this object.
  IterationWatch(const MinimizerOptions& options, MinimizerReport& report, Search search);
  ~IterationWatch();
  ceres::IterationCallback* callback();
  /// Writes status and message into the report; `termination` is a ceres::TerminationType, `last_failure` why a point
  /// could not be evaluated.
  void conclude(int termination, const std::string& message, const std::string& last_failure);

 private:
  class Callback;
  std::unique_ptr<Callback> callback_;
};

/// The power of two below a size, so that division by it does not round; 1 for 0.
double binary_unit(double size);

}  // namespace pithball::optim
