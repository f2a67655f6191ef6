#include "app/experiment/value_kind.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/experiment/mesh_source.hpp"
#include "app/experiment/parameter_names.hpp"
#include "app/yaml/nearest.hpp"
#include "optim/measurement/recording_frame.hpp"
#include "optim/parameter/value_entries.hpp"

namespace pithball::app {

namespace {

/// Rejects a number, or keys beside the name: the settings of a value must be a mapping below its name.
void reject_misplaced_settings(Node& item, const std::string& usual_setting) {
  const std::vector<Tree>& entries = item.tree()->entries;
  const auto is_setting = [](const Tree& entry) {
    return entry.kind == Tree::Kind::Scalar || entry.kind == Tree::Kind::List;
  };
  if (entries.empty()) return;
  const std::string& name = entries.front().key;
  if (is_setting(entries.front()))
    item.reject(name, "must be a mapping of settings", shown(entries.front()),
                fmt::format("write `{}: {{{}: {}}}`", name, usual_setting,
                            entries.front().kind == Tree::Kind::Scalar ? entries.front().text : "…"));
  const auto beside = std::find_if(entries.begin() + 1, entries.end(), is_setting);
  if (beside != entries.end())
    item.reject(beside->key, fmt::format("must be one of the settings of `{}`", name), "a key next to it",
                fmt::format("indent it below `{}`, or write `{}: {{{}: …}}`", name, name, beside->key));
}

}  // namespace

ValueKind find_value_kind(const Node& item, const std::string& name, const diff::Scenario& base) {
  if (item.describing()) return {};
  if (name == "position") return {"m", false, false, base.model.particles()};
  if (name == "velocity") return {"m/s", false, false, base.model.particles()};
  for (const optim::RecordingFrameValue& value : optim::recording_frame_values()) {
    if (value.name != name) continue;
    if (name.starts_with("clock"))
      item.reject("", "must be made a fit parameter in its recording, because the simulation has to cover it",
                  "'" + name + "'", "write `clock: {" + name.substr(6) + ": [lower, upper]}` there");
    if (name == "row_time")
      item.reject("", "must be made a fit parameter in its recording, because the simulation has to cover it",
                  "'row_time'", "write `measurement: {camera: {fit: [row_time], …}}` there");
    return {value.unit, false, true, 1, value.sign};
  }
  const sim::Values& values = base.model.values();
  if (const auto block = values.find(name); block && !values.block(*block).key_time) {
    const sim::ValueBlock& info = values.block(*block);
    const bool of_term = info.owner == sim::ValueOwner::Term;
    // Several forces may have a value of the same name; their entries are numbered consecutively.
    const Index size = of_term ? optim::find_value_entries(base, name).entries.back().owner + 1 : info.size;
    return {info.unit, info.owner == sim::ValueOwner::Spring, of_term, size, info.sign};
  }
  std::vector<std::string> here{"position", "velocity"};
  for (const sim::ValueBlock& block : values.blocks())
    if (!block.key_time) here.push_back(block.name);
  for (const ParameterName& known : parameter_names())
    if (known.name == name && known.owner == "spring" && base.model.springs().empty())
      item.reject("", "requires a body with springs", "'" + name + "' in a body without springs",
                  "write `springs: {edges: [[0, 1], …], stiffness: 10}` below system, or use a mesh with edges");
  for (const ParameterName& known : parameter_names())
    if (known.name == name)
      item.reject("", "requires a force, spring or damper with this value",
                  "'" + name + "', which no force in this file has", "add it; this file has " + joined(here));
  item.reject("", "must be a value of this body or its forces", "'" + name + "'", suggestion(name, here));
}

std::vector<Index> read_selection(Node& settings, const ValueKind& kind, const Body& body) {
  const char* meaning = "entries that change: numbers and group names, of particles or springs (default: all)";
  const Index count = kind.of_springs ? body.springs().count : kind.of_term ? kind.size : body.particles().count;
  const Groups none;
  return read_particles(settings, "select", meaning, count,
                        kind.of_term      ? none
                        : kind.of_springs ? body.spring_groups
                                          : body.vertex_groups);
}

std::pair<std::string, Node> read_value_item(Node& item, const char* usual_setting) {
  if (item.describing()) return {"VALUE", item.child("VALUE", "name of the value: charge, stiffness, …")};
  const bool bare = item.is_scalar();
  if (item.is_map()) reject_misplaced_settings(item, usual_setting);
  if (!bare && !(item.is_map() && item.tree()->entries.size() == 1))
    item.reject("", "must be one value: `name: settings`",
                item.is_map() ? fmt::format("{} keys", item.tree()->entries.size()) : "something else",
                "begin each value with its own dash");
  const std::string name = bare ? item.tree()->text : item.tree()->entries.front().key;
  return {name, bare ? item.without_value(name) : item.form(name)};
}

namespace {

/// Reads which entries of one of the model's values are selected.
std::vector<Index> read_framed_entries(const std::string& name, Node& settings, const ValueKind& kind, const Body& body,
                                       const diff::Scenario& scenario) {
  const std::vector<Index> selected = read_selection(settings, kind, body);
  const std::string components = settings.text("components", "components of a vector that change: x, xz, …", "");
  if (components.find_first_not_of("xyz") != std::string::npos)
    settings.reject("components", "must consist of x, y, z", "'" + components + "'", "write x, or xz");
  if (settings.describing()) return {};
  diff::Scenario constant = scenario;  // without key frames, to find the entries of the value itself
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

/// Reads one number for each key time; empty if the key is omitted.
std::vector<double> read_at_times(Node& settings, const char* key, const std::string& unit, const char* meaning,
                                  std::size_t count, sim::ValueSign sign) {
  if (!settings.has(key) || !settings.document(key, "list", "optional", meaning)) return {};
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
    // No force uses the constant entries of a value with key frames; they are set to its start value for display.
    frames.interpolate(scenario.initial.t, data);
    model = model.with_values(data);
  });
}

}  // namespace

sim::Model read_key_frames(Node& root, const Body& body, diff::Scenario scenario) {
  for (Node& item : root.items("key_frames", "time-dependent values: a list of `value: settings`")) {
    auto [name, settings] = read_value_item(item, "values");
    read_item(name, std::move(settings), body, scenario);
  }
  return std::move(scenario.model);
}

}  // namespace pithball::app
