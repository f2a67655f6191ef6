#include "experiments/bench/stopwatch.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <limits>
#include <string>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace pithball::experiments {
namespace {

double now(Counted counted) {
  if (counted == Counted::LeastProcessorTime) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double seconds_of(const std::function<void()>& piece, int runs, Counted counted) {
  const double start = now(counted);
  for (int k = 0; k < runs; ++k) piece();
  return (now(counted) - start) / runs;
}

}  // namespace

double upper_median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<double> interleaved_seconds(const std::vector<std::function<void()>>& pieces, int rounds, Counted counted) {
  constexpr double shortest = 1e-3, budget = 2;
  std::vector<int> runs;
  double turn = 0;
  for (const auto& piece : pieces) {
    const double once = seconds_of(piece, 1, counted);
    // The first run includes page faults, so a short piece is timed again.
    const double again = std::max(1e-7, once < shortest ? seconds_of(piece, 10, counted) : once);
    runs.push_back(std::max(1, static_cast<int>(shortest / again)));
    turn += runs.back() * again;
  }
  const int turns = std::max(rounds, std::min(15, static_cast<int>(budget / turn)));
  std::vector<std::vector<double>> times(pieces.size());
  for (int t = 0; t < turns; ++t)
    for (std::size_t k = 0; k < pieces.size(); ++k) times[k].push_back(seconds_of(pieces[k], runs[k], counted));
  std::vector<double> seconds;
  for (const auto& samples : times)
    seconds.push_back(counted == Counted::Median ? upper_median(samples)
                                                 : *std::min_element(samples.begin(), samples.end()));
  return seconds;
}

void reset_peak_memory() {
#ifdef __GLIBC__
  malloc_trim(0);  // otherwise freed memory that the allocator keeps would count
#endif
  std::ofstream("/proc/self/clear_refs") << 5;
}

double peak_memory_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmHWM:") continue;
    double kib = 0;
    if (status >> kib) return kib / 1024;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace pithball::experiments
