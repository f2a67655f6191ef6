#pragma once
// What the two users of Ceres share. Ceres itself appears in .cpp files only, so its types are declared here, not
// included.

#include <functional>
#include <memory>
#include <string>

#include "optim/minimizer.hpp"

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

/// Passes iterations on to the user, keeps the cost history in `report`, and heeds the stop flag.
class IterationWatch {
 public:
  /// current(): θ at the best point so far. Options and report must outlive this object.
  IterationWatch(const MinimizerOptions& options, MinimizerReport& report, std::function<Vector()> current);
  ~IterationWatch();
  ceres::IterationCallback* callback() { return callback_.get(); }

 private:
  std::unique_ptr<ceres::IterationCallback> callback_;
};

/// Status and message from how Ceres ended; `termination` is a ceres::TerminationType.
void conclude(int termination, const std::string& message, const std::string& last_failure, MinimizerReport& report);

}  // namespace pithball::optim
