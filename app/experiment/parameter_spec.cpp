#include "app/experiment/parameter_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/base/estimate_text.hpp"
#include "app/experiment/mesh_source.hpp"
#include "app/experiment/recording/recording_parameters.hpp"
#include "app/experiment/sphere_masses.hpp"
#include "app/experiment/value_kind.hpp"
#include "app/yaml/node.hpp"
#include "app/yaml/quantity.hpp"
#include "optim/parameter/parameter.hpp"

namespace pithball::app {

/// Reads `prior:` of a parameter with this unit (`settings`: the node above it): any number of kinds by name.
std::vector<optim::Prior> read_priors(Node& settings, const std::string& unit);

namespace {

using sim::ValueSign;

optim::GaussianPrior read_gaussian(Node node, const std::string& unit) {
  const double mean = node.number("mean", unit, "expected value, in the value's unit");
  return {mean,
          node.number("standard_deviation", unit, "standard deviation, in the value's unit", {}, ValueSign::Positive)};
}

optim::LognormalPrior read_lognormal(Node node, const std::string& unit) {
  const double median = node.number("median", unit, "median, in the value's unit", {}, ValueSign::Positive);
  return {median, node.number("standard_deviation", "",
                              "standard deviation of the logarithm, about equal to the relative one: 0.2 or 20 %", {},
                              ValueSign::Positive)};
}

optim::LaplacePrior read_laplace(Node node, const std::string& unit) {
  const double location = node.number("location", unit, "value of most entries, in the value's unit");
  return {location,
          node.number("scale", unit, "mean distance of the exceptions from the location", {}, ValueSign::Positive)};
}

optim::SmoothPrior read_smooth(Node node, const std::string& unit) {
  const auto absolute = node.optional_number(
      "standard_deviation", unit, "standard deviation of the differences between neighbors, in the value's unit",
      ValueSign::Positive);
  const auto relative = node.optional_number("relative_standard_deviation", "",
                                             "standard deviation of the differences between logarithms of neighbors, "
                                             "0.05 or 5 %; instead of `standard_deviation`",
                                             ValueSign::Positive);
  if (absolute && relative)
    node.reject("", "must have at most one of standard_deviation and relative_standard_deviation", "both",
                "write `smooth: {relative_standard_deviation: 5 %}`, or `smooth: {}` to find it from the recordings");
  if (relative) return {*relative, true};
  if (absolute) return {*absolute, false};
  return {.open = true};
}

}  // namespace

std::vector<optim::Prior> read_priors(Node& settings, const std::string& unit) {
  if (!settings.has("prior")) return {};
  Node prior =
      settings.child("prior", "prior distribution, of one or several kinds; enters the cost like a measurement");
  std::vector<optim::Prior> priors;
  const auto kind = [&](const char* name, const char* meaning, auto read) {
    if (prior.has(name)) priors.push_back(read(prior.child(name, meaning), unit));
  };
  kind(optim::GaussianPrior::name, "normal distribution around a value", read_gaussian);
  kind(optim::LognormalPrior::name, "lognormal distribution: known to within a factor", read_lognormal);
  kind(optim::LaplacePrior::name, "most entries at one value, with few exceptions (smoothed Laplace distribution)",
       read_laplace);
  kind(optim::SmoothPrior::name,
       "similar values of neighbors on the mesh; with `share: none` or `group`. {}: a fit finds how similar",
       read_smooth);
  if (priors.empty())
    settings.reject("prior", "must be a kind of prior", "none",
                    "write gaussian, lognormal, laplace or smooth below it");
  return priors;
}

namespace {

/// Returns the groups whose entries share a parameter: those named, otherwise all groups defined in the file
/// (particles) or by the mesh (springs).
std::vector<optim::NamedEntries> read_sharing_groups(Node& settings, const ValueKind& kind, const Experiment& base) {
  const Groups& groups = kind.of_springs ? base.body.spring_groups : base.body.vertex_groups;
  std::vector<std::string> names;
  if (settings.has("groups"))
    names =
        settings.optional_texts("groups", "list of group names", "those of system.groups, or the mesh's spring groups",
                                "for `share: group`: groups with one parameter each");
  else
    names = kind.of_springs ? base.body.mesh_spring_groups() : base.body.user_groups;
  std::vector<optim::NamedEntries> found;
  for (const std::string& name : names) {
    const auto group = groups.find(name);
    if (group == groups.end())
      settings.reject("groups", fmt::format("must be groups of {}", kind.of_springs ? "springs" : "particles"),
                      "'" + name + "'", "see `pithball mesh`");
    found.push_back({name, group->second});
  }
  settings.require(!found.empty(), "share", "group needs groups", "none",
                   "define them under system.groups, or list them as `groups: […]`");
  return found;
}

void read_sharing(Node& settings, const ValueKind& kind, const Experiment& base,
                  const std::vector<Recording>& recordings, optim::Parameter& parameter) {
  const std::string share =
      settings.choice("share", {"all", "group", "recording", "none", "smooth"},
                      "all: one parameter; group: one per group; recording: one per recording; none: one per particle, "
                      "spring or entry; smooth: interpolated from control points",
                      "all");
  parameter.entries.sharing = share == "group"    ? optim::EntrySharing::Group
                              : share == "none"   ? optim::EntrySharing::None
                              : share == "smooth" ? optim::EntrySharing::Smooth
                                                  : optim::EntrySharing::All;
  if (settings.applies(share == "smooth"))
    parameter.entries.control_points = settings.integer("points", "for `share: smooth`: number of control points",
                                                        parameter.entries.control_points, 1);
  if (settings.applies(share == "group")) parameter.entries.groups = read_sharing_groups(settings, kind, base);
  const std::string across = settings.choice("recordings", {"all", "label", "each"},
                                             "recordings that share one parameter; `share: recording` has one for each",
                                             share == "recording" ? "each" : "all");
  parameter.recordings.sharing = across == "each"    ? optim::RecordingSharing::Each
                                 : across == "label" ? optim::RecordingSharing::Label
                                                     : optim::RecordingSharing::All;
  for (const Recording& recording : recordings) parameter.recordings.labels.push_back(recording.label);
  if (across != "label") parameter.recordings.labels.clear();
  parameter.entries.selected = read_selection(settings, kind, base.body);
}

/// Returns the known part of the value in one recording, in the order of the block; empty if there is none.
Vector known_part(const std::string& name, const Recording& recording) {
  const auto written = recording.known.offsets.find(name);
  if (written != recording.known.offsets.end()) return written->second;
  const Vector& payload = recording.own.body.known_mass.payload;
  return name == "mass" && payload.any() ? payload : Vector();
}

/// Returns the known part of the value in each recording; empty if no recording has one.
std::vector<Vector> collect_offsets(const std::string& name, const ValueKind& kind,
                                    const std::vector<Recording>& recordings) {
  std::vector<Vector> offsets;
  bool any = false;
  for (const Recording& recording : recordings) {
    offsets.push_back(known_part(name, recording));
    any = any || offsets.back().size() > 0;
    if (offsets.back().size() == 0) offsets.back() = Vector::Zero(kind.size);
  }
  return any ? offsets : std::vector<Vector>();
}

/// Reads `tied_to`: the value depends on another parameter, so that the only other key allowed is its selection.
std::optional<optim::Tie> read_tie(Node& settings, const std::string& unit) {
  Node tied = settings.child(
      "tied_to", "makes the value depend on another parameter: factor · other^power + offset, for each entry");
  if (!settings.applies(tied.tree())) return {};
  optim::Tie tie{tied.text("parameter", "name of the other parameter in this list")};
  tie.factor = tied.number("factor", "", "factor, in SI units of the value per SI unit of the other^power", tie.factor);
  tie.power = tied.number("power", "", "power of the other, which must stay positive unless it is 1", tie.power);
  const auto density = tied.optional_number("density", "kg/m3",
                                            "density ρ of spheres whose mass is tied to their radius, m = 4/3 π ρ r³",
                                            ValueSign::Positive);
  tie.offset = tied.number("offset", unit, "offset, in the value's unit", tie.offset);
  if (density) {
    if (tied.is_written("factor") || tied.is_written("power"))
      tied.reject("density", "must not be given together with `factor` or `power`", "both", "keep one of them");
    tie.factor = mass_per_cube(*density);
    tie.power = 3;
  }
  for (const char* key : {"share", "groups", "recordings", "initial", "bounds", "transform", "multiplier", "points"})
    if (settings.is_written(key))
      settings.reject(key, "must not be given together with `tied_to`", "it", "write it at '" + tie.to + "'");
  return tie;
}

/// Adds the selection to the names of parameters that declare the same value: "charge[left]".
void name_by_selection(const std::vector<std::string>& selections, std::vector<optim::Parameter>& parameters) {
  const std::vector<optim::Parameter> written = parameters;
  for (std::size_t k = 0; k < selections.size(); ++k) {
    const auto same = [&](const optim::Parameter& other) {
      return other.value == written[k].value && other.name.empty() && other.entries.sharing == optim::EntrySharing::All;
    };
    if (same(written[k]) && !selections[k].empty() && std::count_if(written.begin(), written.end(), same) > 1)
      parameters[k].name = written[k].value + "[" + selections[k] + "]";
  }
}

/// Returns the selection as text: "left", "0,3"; empty if `select` is omitted.
std::string selection_text(const Node& settings) {
  const Tree* select = settings.form_tree("select");
  if (!select || select->kind == Tree::Kind::Scalar) return select ? select->text : "";
  std::string text;
  for (const Tree& entry : select->entries) text += (text.empty() ? "" : ",") + entry.text;
  return text;
}

optim::Parameter read_parameter(const std::string& value, Node settings, const Experiment& base,
                                const std::vector<Recording>& recordings) {
  const ValueKind kind = find_value_kind(settings, value, base.scenario);
  optim::Parameter parameter;
  parameter.value = value;
  parameter.name = settings.text("name", "name of the parameter in tables (default: the name of the value)", "");
  read_sharing(settings, kind, base, recordings, parameter);
  parameter.tie = read_tie(settings, kind.unit);
  parameter.entries.components = settings.text("components", "fitted components of a vector: x, xz, …", "");
  if (settings.document(
          "multiplier", "true or false",
          "true if entries that share the parameter differ, other than by zeros, and there is no `initial` or "
          "`prior`",
          "the parameter multiplies the values given, which keep their ratios; false: it replaces them"))
    parameter.factor = settings.flag("multiplier", "");
  const std::string unit = parameter.factor.value_or(false) ? "" : kind.unit;
  parameter.initial =
      settings.optional_number("initial", unit, "starting value, in the value's unit (default: the value in the file)");
  if (settings.document("bounds", "[lower, upper]", "none",
                        "smallest and largest allowed value, in the value's unit")) {
    const auto bounds = settings.numbers("bounds", unit, "");
    if (bounds.size() == 2 && bounds[0] > bounds[1])
      settings.reject("bounds", "must be [lower, upper]", fmt::format("[{:g}, {:g}]", bounds[0], bounds[1]),
                      fmt::format("exchange the two: [{:g}, {:g}]", bounds[1], bounds[0]));
    if (bounds.size() == 2 && bounds[0] == bounds[1])
      settings.reject("bounds", "must be [lower, upper]", fmt::format("{:g} twice", bounds[0]),
                      "give two different bounds, or omit the parameter to keep its value fixed");
    if (bounds.size() != 2 || !(bounds[0] < bounds[1]))
      settings.reject("bounds", "must be [lower, upper]", fmt::format("a list of {}", bounds.size()),
                      decimal_comma_remedy(*settings.form_tree("bounds"), "write two quantities, the smaller first"));
    parameter.range.lower = bounds[0];
    parameter.range.upper = bounds[1];
  }
  const std::string transform = settings.choice(
      "transform", {"auto", "identity", "log", "scaled"},
      "scale on which the solver varies the parameter; auto: log where the sign is fixed, scaled otherwise", "auto");
  for (const auto known : {optim::Transform::Kind::Automatic, optim::Transform::Kind::Identity,
                           optim::Transform::Kind::Log, optim::Transform::Kind::Scaled})
    if (optim::to_string(known) == transform) parameter.range.transform = known;
  parameter.priors = read_priors(settings, unit);
  parameter.offset = collect_offsets(value, kind, recordings);
  return parameter;
}

}  // namespace

std::vector<optim::Parameter> read_parameters(Node& fit, const Experiment& base,
                                              const std::vector<Recording>& recordings) {
  std::vector<optim::Parameter> parameters;
  std::vector<std::string> selections;
  for (Node& item : fit.items(
           "parameters",
           "fit parameters: a list of `value: settings`; see `pithball list parameters`. May be left out if every "
           "recording has `role: validation`: the recordings are then only predicted")) {
    const auto [value, settings] = read_value_item(item, "initial");
    parameters.push_back(read_parameter(value, settings, base, recordings));
    selections.push_back(selection_text(settings));
  }
  name_by_selection(selections, parameters);
  tie_sphere_masses(fit, base, recordings, parameters);
  add_recording_parameters(recordings, parameters);
  // Nuisance parameters last, because the user did not list them.
  std::ranges::stable_partition(parameters, [](const optim::Parameter& p) { return !p.is_nuisance; });
  return parameters;
}

std::string say_differing(const optim::DifferingValues& values) {
  const std::string range = range_text(values.lowest, values.highest, values.unit);
  if (values.keeps_zeros)
    return fmt::format("{} is the value of the entries that are not 0; the others stay 0", values.name);
  if (values.keeps_ratios)
    return fmt::format("{} multiplies the values given, {}, which keep their ratios", values.name, range);
  return fmt::format("{} replaces the values given, {}, by one; `multiplier: true` keeps their ratios", values.name,
                     range);
}

}  // namespace pithball::app
