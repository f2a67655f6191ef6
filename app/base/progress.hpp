#pragma once
#include <chrono>
#include <string>

namespace pithball::app {

/// A progress bar with the time left on standard error; silent where that is no terminal.
class Progress {
 public:
  /// `total`: amount of work, in any unit.
  Progress(std::string title, double total, bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Draws at most ten times a second.
  void update(double done);

 private:
  using Clock = std::chrono::steady_clock;
  std::string title_;
  double total_, first_ = -1;  ///< first_: what was done before this program began, on resuming
  bool shown_;
  Clock::time_point start_, drawn_;
};

}  // namespace pithball::app
