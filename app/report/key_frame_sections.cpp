#include <fmt/format.h>

#include <algorithm>

#include "app/report/sections.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// Plots one set of key frames over the run: one curve if all entries have equal values, otherwise their minimum and
/// maximum.
Section framed_values(const sim::Model& model, const sim::KeyFrames& frames, double last_time) {
  const sim::Values& values = model.values();
  const sim::ValueBlock& block = values.block(values.block_of(frames.entries.front()));
  std::vector<double> times{0, last_time}, least, largest;
  for (const double t : frames.times)
    if (t > 0 && t < last_time) times.push_back(t);
  std::ranges::sort(times);
  for (const double t : times) {
    const sim::Vector now = model.at(t).values().data()(frames.entries);
    least.push_back(now.minCoeff());
    largest.push_back(now.maxCoeff());
  }
  ordered_json series = ordered_json::array();
  if (least == largest) {
    series.push_back({{"label", block.name}, {"values", least}, {"style", "line"}});
  } else {
    series.push_back({{"label", "least"}, {"values", least}, {"style", "line"}});
    series.push_back({{"label", "largest"}, {"values", largest}, {"style", "line"}});
  }
  return {"plot",
          {{"title", fmt::format("{} over time", block.name)},
           {"note", fmt::format("Values of {} of {} entries, as given by key_frames. Changing values do work on the "
                                "body, so its energy is not conserved.",
                                frames.count(), block.size)},
           {"time", true},
           {"x", {{"label", "time"}, {"unit", "s"}, {"values", times}}},
           {"y", {{"label", block.name}, {"unit", block.unit}}},
           {"series", series}}};
}

}  // namespace

Sections key_frame_sections(const Run& run, const SimulationResults& simulation) {
  const sim::Model& model = run.experiment.scenario.model;
  Sections sections;
  for (const sim::KeyFrames& frames : model.key_frames())
    sections.push_back(framed_values(model, frames, simulation.energy.back().t));
  return sections;
}

}  // namespace pithball::app
