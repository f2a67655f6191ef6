#include "app/spec/key_frames.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/spec/value_kind.hpp"
#include "optim/measurement/recording_frame.hpp"
#include "optim/parameter/value_entries.hpp"

namespace pithball::app {
namespace {

/// The entries of the model's values that an item selects, all of one value.
std::vector<Index> read_framed_entries(const std::string& name, Node& settings, const ValueKind& kind, const Body& body,
                                       const diff::Scenario& scenario) {
  const std::vector<Index> selected = read_selection(settings, kind, body);
  const std::string components = settings.text("components", "components of a vector that change: x, xz, …", "");
  if (components.find_first_not_of("xyz") != std::string::npos)
    settings.reject("components", "must consist of x, y, z", "'" + components + "'", "write x, or xz");
  if (settings.describing()) return {};
  diff::Scenario constant = scenario;  // finds the entries themselves, whatever key frames there are
  constant.model = constant.model.at(constant.initial.t);
  std::vector<Index> entries;
  for (const optim::ValueEntry& entry : optim::find_value_entries(constant, name).entries) {
    if (!selected.empty() && std::find(selected.begin(), selected.end(), entry.owner) == selected.end()) continue;
    if (entry.component >= 0 && !components.empty() && components.find("xyz"[entry.component]) == std::string::npos)
      continue;
    entries.push_back(entry.index);
  }
  if (entries.empty())
    settings.reject("select", "must select something", fmt::format("no entry of '{}'", name), "omit it to take all");
  return entries;
}

/// One number for each key time; empty if left out.
std::vector<double> read_at_times(Node& settings, const char* key, const std::string& unit, const char* meaning,
                                  std::size_t count, sim::ValueSign sign) {
  if (settings.describing()) return settings.document(key, "list", "optional", meaning), std::vector<double>{};
  if (!settings.has(key)) return {};
  const std::vector<double> list = settings.numbers(key, unit, meaning, sign);
  if (list.size() != count)
    settings.reject(key, fmt::format("must have one number for each of the {} key times", count),
                    fmt::format("{}", list.size()), "give as many as `times`");
  return list;
}

void read_item(const std::string& name, Node settings, const Body& body, diff::Scenario& scenario) {
  for (const optim::RecordingFrameValue& value : optim::recording_frame_values())
    if (value.name == name)
      settings.reject("", "must be a value of the body or its forces", "'" + name + "' of a recording",
                      "describe it by `clock` and `placement` of the recording");
  const ValueKind kind = find_value_kind(settings, name, scenario);
  if (name == "position" || name == "velocity")
    settings.reject("", "must be a value of the body or its forces", "'" + name + "' of the initial state",
                    "give particles a path with `system.driven`");
  const std::vector<double> times = settings.numbers("times", "s",
                                                     "key times, ascending; values are interpolated linearly between "
                                                     "them, and constant before the first and after the last");
  const std::vector<Index> entries = read_framed_entries(name, settings, kind, body, scenario);
  const std::vector<double> values = read_at_times(
      settings, "values", kind.unit, "value of every selected entry at each key time (default: its constant value)",
      times.size(), kind.sign);
  const std::vector<double> factors =
      read_at_times(settings, "factors", "",
                    "factor that multiplies the constant value of each entry at each key time; instead of `values`",
                    times.size(), sim::ValueSign::Any);
  if (settings.describing()) return;
  if (!values.empty() && !factors.empty())
    settings.reject("factors", "must not be given together with values", "both", "remove one of them");
  sim::Model& model = scenario.model;
  settings.located("", [&] {
    model = model.with_key_frames(entries, times);
    const sim::KeyFrames& frames = model.key_frames().back();
    Vector data = model.values().data();
    for (std::size_t j = 0; j < times.size(); ++j)
      for (Index e = 0; e < frames.count(); ++e) {
        double& value = data[frames.key(e, j)];
        if (!values.empty()) value = values[j];
        if (!factors.empty()) value *= factors[j];
      }
    // The entries themselves are read by no force; where somebody looks at them, it is the start that they see.
    frames.interpolate(scenario.initial.t, data);
    model = model.with_values(data);
  });
}

}  // namespace

sim::Model read_key_frames(Node& root, const Body& body, diff::Scenario scenario) {
  for (Node& item : root.items("key_frames", "time-dependent values: a list of `value: settings`")) {
    if (item.describing()) {
      read_item("VALUE", item.child("VALUE", "name of the value: charge, stiffness, …"), body, scenario);
      continue;
    }
    auto [name, settings] = read_value_item(item, "values");
    read_item(name, std::move(settings), body, scenario);
  }
  return std::move(scenario.model);
}

}  // namespace pithball::app
