#include "app/spec/value_kind.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/spec/groups.hpp"
#include "app/spec/parameter_names.hpp"
#include "app/yaml/nearest.hpp"
#include "optim/measurement/recording_frame.hpp"
#include "optim/parameter/value_entries.hpp"

namespace pithball::app {

namespace {

/// Settings of a value are a mapping below its name: not a number, and not keys next to the name.
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
    // Several forces may have a value of one name; their entries are numbered through.
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
  const bool bare = item.is_scalar();
  if (item.is_map()) reject_misplaced_settings(item, usual_setting);
  if (!bare && !(item.is_map() && item.tree()->entries.size() == 1))
    item.reject("", "must be one value: `name: settings`",
                item.is_map() ? fmt::format("{} keys", item.tree()->entries.size()) : "something else",
                "begin each value with its own dash");
  const std::string name = bare ? item.tree()->text : item.tree()->entries.front().key;
  return {name, bare ? item.without_value(name) : item.form(name)};
}

}  // namespace pithball::app
