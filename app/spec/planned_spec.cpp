#include "app/spec/planned_spec.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "sim/core/checked_product.hpp"

namespace pithball::app {

namespace {

/// The list with an entry for each marker that is written; null: there is none.
const Tree* find_channels(const Node& recording) {
  const Tree* measurement = recording.form_tree("measurement");
  if (measurement && measurement->kind == Tree::Kind::Map && measurement->entries.size() == 1)
    for (const char* list : {"between", "segments"})
      if (const Tree* channels = measurement->entries.front().find(list)) return channels;
  return recording.form_tree("markers");
}

}  // namespace

bool is_planned(const Node& recording) { return !recording.describing() && recording.is_written("planned"); }

// A duration is a decimal fraction: its last frame counts although rounding may put it past the end.
double count_frames(double rate, double duration) { return std::floor(duration * rate * (1 + 1e-9)) + 1; }

datasets::Capture read_planned(Node& recording, Index particles) {
  for (const char* made : {"file", "mesh_sequence"})
    if (!recording.describing() && recording.is_written(made))
      recording.reject("planned", fmt::format("must not be given together with `{}`", made), "both",
                       "a recording has either a file or is planned");
  Node planned =
      recording.child("planned", "instead of `file`, for `plan` and `identify`: a recording that does not exist yet");
  const double rate = planned.number("rate", "1/s", "frames per second", {}, sim::ValueSign::Positive);
  const double duration =
      planned.number("duration", "s", "duration of the recording, from the start", {}, sim::ValueSign::Positive);
  if (planned.describing()) return {};
  const double last = count_frames(rate, duration) - 1;
  if (!(last >= 1) || last > 1e7)
    planned.reject("duration", "must have 2 to 10 million frames", fmt::format("{:g}", last + 1),
                   "change duration or rate");
  datasets::Capture capture;
  capture.name = "planned";
  const Tree* markers = find_channels(recording);
  const bool is_list = markers && markers->kind == Tree::Kind::List;
  const std::size_t count = is_list ? markers->entries.size() : static_cast<std::size_t>(particles);
  for (std::size_t m = 0; m < count; ++m) {
    const Tree* item = is_list ? &markers->entries[m] : nullptr;
    capture.markers.push_back(item && item->kind == Tree::Kind::Scalar ? item->text : fmt::format("{}", m));
  }
  const auto frames = static_cast<std::size_t>(last) + 1;
  constexpr std::size_t most_samples = 50'000'000;
  if (!checked_product(std::array{frames, count}, most_samples))
    planned.reject("duration", fmt::format("must have at most {} marker samples", most_samples),
                   fmt::format("{} frames of {} markers", frames, count), "change duration or rate, or choose markers");
  capture.time = Vector::LinSpaced(frames, 0, last / rate);
  capture.positions.assign(frames, Points::Constant(3, count, std::numeric_limits<double>::quiet_NaN()));
  capture.present.assign(frames, std::vector<bool>(count, true));
  return capture;
}

}  // namespace pithball::app
