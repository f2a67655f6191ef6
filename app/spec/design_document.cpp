#include "app/spec/design_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pithball::app {
namespace {

/// Whether a key of a recording from a file describes more than the file.
bool is_kept(const std::string& key) {
  constexpr std::array kept{"label", "set",  "initial_state", "measurement", "placement", "clock",
                            "sigma", "role", "value_offsets", "reference",   "weight"};
  return std::ranges::find(kept, key) != kept.end();
}

/// What the recording assumes about its noise, where the designed one could not know it.
void keep_sigma(const Recording& written, Tree& item) {
  const optim::Observation& seen = written.observation;
  if (item.find("sigma") || seen.noise.sigma.size() == 0 || seen.noise.origin == optim::SigmaOrigin::Guess) return;
  const bool is_own =
      seen.noise.origin == optim::SigmaOrigin::Tracks || seen.noise.sigma.minCoeff() < seen.noise.sigma.maxCoeff();
  if (!is_own) return;
  const double rms = std::sqrt(seen.noise.sigma.squaredNorm() / static_cast<double>(seen.noise.sigma.size()));
  put(item, "sigma", make_scalar(fmt::format("{:.6g}", rms)));
}

Tree designed_item(const Tree& written, const Recording& recording, const DesignedRecording& designed) {
  Tree item = written;
  item.key.clear();
  if (!recording.planned) std::erase_if(item.entries, [](const Tree& entry) { return !is_kept(entry.key); });
  keep_sigma(recording, item);
  put(item, "name", quoted_scalar(designed.name));
  Tree planned = empty_tree(Tree::Kind::Map);
  put(planned, "rate", make_scalar(fmt::format("{:.12g}", designed.rate)));
  put(planned, "duration", make_scalar(fmt::format("{:.12g}", designed.duration)));
  put(item, "planned", std::move(planned));
  if (!designed.markers.empty()) {
    Tree markers = empty_tree(Tree::Kind::List);
    for (const Index particle : designed.markers) markers.entries.push_back(make_scalar(std::to_string(particle)));
    put(item, "markers", std::move(markers));
  } else if (const Tree* markers = written.find("markers")) {
    put(item, "markers", *markers);
  }
  if (!designed.set.empty()) {
    Tree set = item.find("set") ? *item.find("set") : empty_tree(Tree::Kind::Map);
    for (const auto& [path, value] : designed.set) put(set, path, value);
    put(item, "set", std::move(set));
  }
  return item;
}

Tree replaced_numbers(const Tree& tree, const std::string& unit, const double*& next) {
  if (tree.kind != Tree::Kind::List) {
    Tree value = make_scalar(fmt::format("{:.9g}{}{}", *next++, unit.empty() ? "" : " ", unit));
    value.place = tree.place;
    return value;
  }
  Tree list = tree;
  for (Tree& entry : list.entries) entry = replaced_numbers(entry, unit, next);
  return list;
}

}  // namespace

ExperimentDocument design_document(const ExperimentDocument& document, const FitSpec& written,
                                   const OptimizeSpec& optimize, const std::vector<DesignedRecording>& recordings,
                                   bool without_files) {
  ExperimentDocument own = document;
  std::erase_if(own.root.entries, [](const Tree& entry) { return entry.key == "plan"; });
  Tree& list = *own.root.find("fit")->find("recordings");
  std::vector<Tree> items;
  for (std::size_t s = 0; s < list.entries.size(); ++s)
    if (s == optimize.recording)
      for (const DesignedRecording& designed : recordings)
        items.push_back(designed_item(list.entries[s], written.recordings[s], designed));
    else if (!without_files || written.recordings[s].planned)
      items.push_back(list.entries[s]);
  list.entries = std::move(items);
  return own;
}

Tree with_numbers(const DesignVariable& variable, const double* numbers) {
  return replaced_numbers(variable.written, variable.unit, numbers);
}

}  // namespace pithball::app
