#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace pithball::app {

/// Shows the progress of one piece of work elsewhere than on a terminal; it ends with its destructor.
class ProgressView {
 public:
  virtual ~ProgressView() = default;
  /// `done`: completed amount, from 0 to `total`.
  virtual void update(double done) = 0;
};

/// Makes a view for work with this title and total amount.
using MakeProgressView = std::function<std::unique_ptr<ProgressView>(const std::string& title, double total)>;

/// From now on progress is shown by such views, whether or not standard error is a terminal; for programs that load
/// this library. Call it before any work.
void show_progress_by(MakeProgressView make);

/// A progress bar with the remaining time on standard error. If that is not a terminal: nothing, or a line per tenth of
/// the work.
class Progress {
 public:
  /// What is shown if standard error is not a terminal.
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
  std::unique_ptr<ProgressView> view_;  ///< null: the terminal
  double total_, first_ = -1;           ///< first_: work done before this program started (resume)
  bool shown_, lines_;
  int tenths_ = 0;  ///< number of lines printed
  Clock::time_point start_, drawn_;
};

}  // namespace pithball::app
