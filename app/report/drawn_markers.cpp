#include "app/report/drawn_markers.hpp"

#include "app/base/json_text.hpp"
#include "app/report/fit_sections.hpp"
#include "app/report/packed.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

ordered_json pack_points(const std::vector<sim::Points>& frames) {
  std::vector<float> numbers;
  for (const sim::Points& frame : frames)
    for (const double coordinate : sim::flat(frame)) numbers.push_back(static_cast<float>(coordinate));
  return pack_float32({frames.size(), static_cast<std::size_t>(frames.front().cols()), 3}, numbers);
}

/// Where to draw what was recorded: a coordinate that is missing from a sight is the model's; no sight stays NaN.
std::vector<sim::Points> drawn_sights(const optim::MarkerTracks& tracks) {
  std::vector<sim::Points> sights = tracks.recorded;
  for (std::size_t g = 0; g < sights.size(); ++g)
    for (Index m = 0; m < sights[g].cols(); ++m) {
      auto sight = sights[g].col(m);
      if (!sight.array().isNaN().all()) sight = sight.array().isNaN().select(tracks.model[g].col(m), sight).eval();
    }
  return sights;
}

}  // namespace

ordered_json drawn_markers(const optim::MarkerTracks& tracks) {
  const auto from = validation_from(tracks);
  return {{"names", tracks.markers},
          {"times", tracks.times},
          {"recorded", pack_points(drawn_sights(tracks))},
          {"model", pack_points(tracks.model)},
          {"validation_from", value_or_null(from)}};
}

}  // namespace pithball::app
