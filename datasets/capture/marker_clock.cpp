#include "datasets/capture/marker_clock.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::datasets {

void take_times(std::vector<double> time, const StatedRates& rates, MarkerFile& file) {
  if (time.empty() || std::ranges::any_of(time, [](double t) { return std::isnan(t); })) return;
  const double duration = time.back() - time.front();
  const double intervals = file.frames.empty() ? static_cast<double>(time.size() - 1)  //
                                               : file.frames.back() - file.frames.front();
  bool any = false, agrees = false;
  std::string stated;
  for (const auto& [key, rate] : rates) {
    if (!(rate > 0)) continue;
    any = true;
    // Half a frame, or clocks that are half a percent apart (29.97 and 30 frames per second are a tenth of one).
    agrees = agrees || std::abs(duration * rate - intervals) <= std::max(0.5, 0.005 * intervals);
    stated += (stated.empty() ? "" : ", ") + formatted("%g", rate) + " (" + key + ")";
  }
  if (any && !agrees && duration > 0)
    throw InvalidArgument({file.path, "times", "must agree with the frames per second in the header, " + stated,
                           formatted("%.6g", intervals / duration) + " by the column of times",
                           "correct the header or the times, or export the trial again"});
  file.time = std::move(time);
}

void note_on_length(const std::string& key, Index announced, MarkerFile& file) {
  const auto frames = static_cast<Index>(file.positions.size());
  if (announced != frames)
    file.notes.push_back(key + " is " + std::to_string(announced) + ", but the file has " + std::to_string(frames) +
                         " rows, which are read");
}

}  // namespace pithball::datasets
