#pragma once
#include <chrono>
#include <string>

namespace pithball::app {

/// A progress bar with the remaining time on standard error. If that is not a terminal: nothing, or a line per tenth of
/// the work.
class Progress {
 public:
  enum class Piped { Silent, Lines };
  /// `total`: amount of work, in any unit.
  Progress(std::string title, double total, bool wanted, Piped piped = Piped::Silent);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Draws immediately the first time, then at most ten times a second.
  void update(double done);

 private:
  using Clock = std::chrono::steady_clock;
  void draw(double fraction, const std::string& left) const;
  void print_line(double fraction, const std::string& left);
  std::string title_;
  double total_, first_ = -1;  ///< first_: work done before this program started (resume)
  bool shown_, lines_;
  int tenths_ = 0;  ///< number of lines printed
  Clock::time_point start_, drawn_;
};

}  // namespace pithball::app
