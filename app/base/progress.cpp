#include "app/base/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "app/base/print_message.hpp"

namespace pithball::app {
namespace {

std::string clock_text(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

MakeProgressView& make_view() {
  static MakeProgressView make;
  return make;
}

}  // namespace

void show_progress_by(MakeProgressView make) { make_view() = std::move(make); }

Progress::Progress(std::string title, double total, bool wanted, Piped piped)
    : title_(std::move(title)),
      view_(wanted && make_view() ? make_view()(title_, total) : nullptr),
      total_(total),
      shown_(wanted && (view_ || isatty(STDERR_FILENO))),
      lines_(wanted && !shown_ && piped == Piped::Lines),
      start_(Clock::now()),
      drawn_(start_) {}

Progress::~Progress() {
  if (shown_ && !view_) print_message("\r\x1b[K");  // clear the line
}

void Progress::update(double done) {
  if ((!shown_ && !lines_) || total_ <= 0) return;
  const bool begins = first_ < 0;
  if (begins) first_ = done;
  const auto now = Clock::now();
  if (shown_ && !begins && now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  if (view_) return view_->update(std::min(done, total_));
  const double fraction = std::clamp(done / total_, 0.0, 1.0);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const std::string left = done > first_ ? clock_text(elapsed * (total_ - done) / (done - first_)) : "?";
  shown_ ? draw(fraction, left) : print_line(fraction, left);
}

void Progress::print_line(double fraction, const std::string& left) {
  const int tenths = static_cast<int>(10 * fraction + 1e-9);
  if (tenths <= tenths_) return;
  tenths_ = tenths;
  print_message("{}: {} %, {} left\n", title_, 10 * tenths, left);
}

void Progress::draw(double fraction, const std::string& left) const {
  const int width = 30, filled = static_cast<int>(fraction * width);
  print_message("\r\x1b[K{} [{}{}] {:3.0f} % {} left", title_, std::string(filled, '#'),
                std::string(width - filled, '.'), 100 * fraction, left);
}

}  // namespace pithball::app
