#include "experiments/spec/parameter_spec.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/spec/groups.hpp"
#include "experiments/spec/parameter_names.hpp"
#include "experiments/yaml/nearest.hpp"

namespace pithball::experiments {
namespace {

/// What a value belongs to and is measured in.
struct ValueKind {
  std::string unit;
  bool of_springs = false, of_term = false;
  Index size = 0;
};

ValueKind find_kind(const Node& item, const std::string& name, const Experiment& base) {
  if (item.describing()) return {"", false, false, 0};
  if (name == "position") return {"m", false, false, base.scenario.model.particles()};
  if (name == "velocity") return {"m/s", false, false, base.scenario.model.particles()};
  const sim::Values& values = base.scenario.model.values();
  if (const auto block = values.find(name)) {
    const sim::ValueBlock& info = values.block(*block);
    return {info.unit, info.owner == sim::ValueOwner::Spring, info.owner == sim::ValueOwner::Term, info.size};
  }
  std::vector<std::string> here{"position", "velocity"};
  for (const sim::ValueBlock& block : values.blocks()) here.push_back(block.name);
  for (const ParameterName& known : parameter_names())
    if (known.name == name)
      item.refuse("", "needs a force, spring or damper that has it", "'" + name + "', which nothing in this file has",
                  "add it; this file has " + joined(here));
  const auto meant = nearest(name, here);
  item.refuse("", "must be a value of this body or its forces", "'" + name + "'",
              meant ? "did you mean '" + *meant + "'?" : "known are " + joined(here));
}

/// The groups that a parameter is shared by: those named, else all that the file (particles) or the mesh (springs)
/// defines.
std::vector<optim::NamedEntries> read_sharing_groups(Node& settings, const ValueKind& kind, const Experiment& base) {
  const Groups& groups = kind.of_springs ? base.body.spring_groups : base.body.vertex_groups;
  std::vector<std::string> names;
  if (settings.describing()) {
    settings.document("groups", "list of group names", "those of system.groups, or the mesh's spring groups",
                      "for `share: group`: which groups");
    return {};
  }
  if (settings.has("groups"))
    names = settings.texts("groups", "");
  else
    names = kind.of_springs ? base.body.mesh_spring_groups() : base.body.user_groups;
  std::vector<optim::NamedEntries> found;
  for (const std::string& name : names) {
    const auto group = groups.find(name);
    if (group == groups.end())
      settings.refuse("groups", fmt::format("must be groups of {}", kind.of_springs ? "springs" : "particles"),
                      "'" + name + "'", "see `pithball mesh`");
    found.push_back({name, group->second});
  }
  if (found.empty())
    settings.refuse("share", "group needs groups", "none",
                    "define them under system.groups, or list them as `groups: […]`");
  return found;
}

std::vector<Index> read_selection(Node& settings, const ValueKind& kind, const Experiment& base) {
  const char* meaning = "only these: numbers and group names, of particles or springs";
  const Index count = kind.of_springs ? base.body.springs().count
                      : kind.of_term  ? kind.size
                                      : base.body.particles().count;
  const Groups none;
  return read_particles(settings, "select", meaning, count,
                        kind.of_term      ? none
                        : kind.of_springs ? base.body.spring_groups
                                          : base.body.vertex_groups);
}

void read_sharing(Node& settings, const ValueKind& kind, const Experiment& base,
                  const std::vector<Recording>& recordings, optim::Parameter& parameter) {
  const std::string share = settings.choice(
      "share", {"all", "group", "recording", "none"},
      "one number for all; for each group; for each recording; or for each particle, spring or entry", "all");
  parameter.entries = share == "group"  ? optim::EntrySharing::Group
                      : share == "none" ? optim::EntrySharing::None
                                        : optim::EntrySharing::All;
  if (share == "group" || settings.describing()) parameter.groups = read_sharing_groups(settings, kind, base);
  const std::string across = settings.choice("recordings", {"all", "label", "each"},
                                             "which recordings share a number; `share: recording` means each",
                                             share == "recording" ? "each" : "all");
  parameter.recordings = across == "each"    ? optim::RecordingSharing::Each
                         : across == "label" ? optim::RecordingSharing::Label
                                             : optim::RecordingSharing::All;
  for (const Recording& recording : recordings) parameter.labels.push_back(recording.label);
  if (across != "label") parameter.labels.clear();
  parameter.selected = read_selection(settings, kind, base);
}

/// Known parts of the value in each recording, in the order of the block.
std::vector<Vector> collect_offsets(const std::string& name, const ValueKind& kind,
                                    const std::vector<Recording>& recordings) {
  const auto has = [&](const Recording& recording) { return recording.offsets.count(name) > 0; };
  if (std::none_of(recordings.begin(), recordings.end(), has)) return {};
  std::vector<Vector> offsets;
  for (const Recording& recording : recordings)
    offsets.push_back(has(recording) ? recording.offsets.at(name) : Vector::Zero(kind.size));
  return offsets;
}

optim::Parameter read_parameter(const std::string& value, Node settings, const Experiment& base,
                                const std::vector<Recording>& recordings) {
  const ValueKind kind = find_kind(settings, value, base);
  optim::Parameter parameter;
  parameter.value = value;
  parameter.name = settings.text("name", "in tables, instead of the value's", "");
  read_sharing(settings, kind, base, recordings, parameter);
  parameter.components = settings.text("components", "of vectors: x, xz, …", "");
  parameter.factor =
      settings.flag("factor", "the parameter multiplies the given values, which keep their ratios", false);
  const std::string unit = parameter.factor ? "" : kind.unit;
  parameter.initial =
      settings.optional_number("initial", unit, "start, in the value's unit; by default the value of the system");
  if (settings.describing()) {
    settings.document("bounds", "[lower, upper]", "none", "in the value's unit");
  } else if (settings.has("bounds")) {
    const auto bounds = settings.numbers("bounds", unit, "");
    if (bounds.size() != 2 || !(bounds[0] < bounds[1]))
      settings.refuse("bounds", "must be [lower, upper]", fmt::format("{} numbers", bounds.size()),
                      "write two quantities, the smaller first");
    parameter.lower = bounds[0];
    parameter.upper = bounds[1];
  }
  settings.ignore("bounds");
  const std::string transform = settings.choice(
      "transform", {"automatic", "identity", "log", "scaled"},
      "of the number that the solver moves; automatic: log where the sign is fixed, scaled otherwise", "automatic");
  for (const auto known : {optim::Transform::Kind::Automatic, optim::Transform::Kind::Identity,
                           optim::Transform::Kind::Log, optim::Transform::Kind::Scaled})
    if (optim::to_string(known) == transform) parameter.transform = known;
  parameter.offset = collect_offsets(value, kind, recordings);
  return parameter;
}

}  // namespace

std::vector<optim::Parameter> read_parameters(Node& fit, const Experiment& base,
                                              const std::vector<Recording>& recordings) {
  std::vector<optim::Parameter> parameters;
  for (Node& item :
       fit.items("parameters", "what is free: a list of `value: settings`; see `pithball list parameters`")) {
    if (item.describing()) {
      read_parameter("VALUE", item.child("VALUE", "the value's name: charge, stiffness, …"), base, recordings);
      continue;
    }
    const bool bare = item.is_scalar();
    if (!bare && !(item.is_map() && item.tree()->entries.size() == 1))
      item.refuse("", "must be one value: `name: settings`",
                  item.is_map() ? fmt::format("{} keys", item.tree()->entries.size()) : "something else",
                  "begin each parameter with its own dash");
    const std::string value = bare ? item.tree()->text : item.tree()->entries.front().key;
    parameters.push_back(read_parameter(value, bare ? item.without_value(value) : item.form(value), base, recordings));
  }
  for (std::size_t k = 0; k < recordings.size(); ++k)
    add_free_initial_state(recordings[k], static_cast<Index>(k), parameters);
  if (parameters.empty() && !fit.describing())
    fit.refuse("parameters", "must hold at least one parameter", "none", "write `parameters: [charge]`");
  return parameters;
}

}  // namespace pithball::experiments
