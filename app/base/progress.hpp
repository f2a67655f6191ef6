#pragma once
#include <chrono>
#include <string>

namespace pithball::app {

/// A progress bar with the time left on standard error. Where that is no terminal: nothing, or a line for each tenth of
/// the work.
class Progress {
 public:
  enum class Piped { Silent, Lines };
  /// `total`: amount of work, in any unit.
  Progress(std::string title, double total, bool wanted, Piped piped = Piped::Silent);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Draws at once the first time, then at most ten times a second.
  void update(double done);

 private:
  using Clock = std::chrono::steady_clock;
  void draw(double fraction, const std::string& left) const;
  void print_line(double fraction, const std::string& left);
  std::string title_;
  double total_, first_ = -1;  ///< first_: what was done before this program began, on resuming
  bool shown_, lines_;
  int tenths_ = 0;  ///< how many lines were printed
  Clock::time_point start_, drawn_;
};

}  // namespace pithball::app
