#include "app/experiment/compare_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/backend/backend_choice.hpp"
#include "app/experiment/dynamics_spec.hpp"
#include "app/yaml/yaml_settings.hpp"
#include "sim/core/checked_product.hpp"
#include "sim/core/error.hpp"
#include "sim/coulomb/coulomb_registry.hpp"

namespace pithball::app {
namespace {

/// Returns the settings as written, "theta 0.5, newton_iterations 1", without the key `but`, which names the item.
std::string written_settings(const Tree& settings, const std::string& but = "") {
  std::string written;
  for (const Tree& setting : settings.entries)
    if (setting.key != but)
      written += fmt::format("{}{} {}", written.empty() ? "" : ", ", setting.key,
                             setting.kind == Tree::Kind::Scalar ? setting.text : shown(setting));
  return written;
}

std::string with_settings(const std::string& name, const std::string& written) {
  return written.empty() ? name : fmt::format("{} ({})", name, written);
}

/// Returns a label such as "theta (theta 0.5, newton_iterations 1)".
std::string label_of(const Tree& item) {
  if (item.kind == Tree::Kind::Scalar) return item.text;
  const Tree& settings = item.entries.front();
  return with_settings(settings.key, written_settings(settings));
}

/// Reads an integrator of Pithball: an entry of the list, or the reference.
Method read_own_method(Node& item, const Body& body) {
  sim::IntegratorChoice integrator = read_named_integrator(item, body);
  return {label_of(*item.tree()), std::move(integrator)};
}

/// Reads an integrator of Pithball, or the bare name of another program.
Method read_method(Node& item, const Experiment& base) {
  if (item.is_scalar())
    for (const BackendInfo& backend : backends())
      if (backend.name == item.tree()->text) {
        require_counterparts(backend, base.scenario.model, base.scenario.initial.t, item.where() + " " + item.path());
        return {backend.name, "velocity_verlet", &backend};
      }
  return read_own_method(item, base.body);
}

/// Finds the Coulomb force of the model; null if there is none.
std::shared_ptr<const sim::CoulombForce> find_coulomb(const sim::Model& model) {
  std::shared_ptr<const sim::CoulombForce> found;
  for (const auto& term : model.given_terms())
    if (auto coulomb = std::dynamic_pointer_cast<const sim::CoulombForce>(term)) found = std::move(coulomb);
  return found;
}

/// Reads settings of the force `coulomb` that replace those of the experiment; the physics must stay the same.
std::shared_ptr<const sim::CoulombForce> read_coulomb(Node& item, const Experiment& base) {
  if (!item.is_map())
    item.reject("", "must be settings of the force `coulomb`", shown(*item.tree()), "write {method: direct}");
  YamlSettings settings(item, base.body.particles());
  auto force = std::dynamic_pointer_cast<const sim::CoulombForce>(sim::CoulombForce::make(settings).front());
  const auto own = find_coulomb(base.scenario.model);
  if (!own)
    item.reject("", "needs an experiment with the force `coulomb`", "none",
                "add `- coulomb` to `forces`, or leave this out");
  if (force->softening() != own->softening())
    item.reject("softening", fmt::format("must be the experiment's, {} m", own->softening()),
                fmt::format("{}", force->softening()), "integrators are compared for the same forces");
  return force;
}

/// Combines each of Pithball's methods with each Coulomb sum in the list; without a list, leaves the methods unchanged.
void read_coulomb_sums(Node& compare, const Experiment& base, std::vector<Method>& methods) {
  if (!compare.document("coulomb", "list, each as `forces[].coulomb`", "the experiment's own",
                        "Coulomb methods to compare; each of Pithball's integrators runs with each of them"))
    return;
  std::vector<std::pair<std::string, std::shared_ptr<const sim::CoulombForce>>> sums;
  for (Node& item : compare.items("coulomb", "")) {
    auto force = read_coulomb(item, base);
    const Tree* method = item.tree()->find("method");
    std::string label = with_settings(method ? method->text : "auto", written_settings(*item.tree(), "method"));
    if (std::ranges::any_of(sums, [&](const auto& other) { return other.first == label; }))
      item.reject("", "must differ from the other Coulomb methods", "'" + label + "' again", "omit it");
    sums.emplace_back(std::move(label), std::move(force));
  }
  if (sums.empty())
    compare.reject("coulomb", "must contain at least one Coulomb method", "none",
                   "write [{method: direct}, {method: fmm}]");
  std::vector<Method> all;
  for (const Method& method : methods) {
    if (method.backend)
      all.push_back(method);
    else
      for (const auto& [label, force] : sums)
        all.push_back({method.label + ", " + label, method.integrator, nullptr, force});
  }
  methods = std::move(all);
}

void read_methods(Node& compare, const Experiment& base, std::vector<Method>& methods) {
  const std::string fallback = "[imex_euler, imex_midpoint, velocity_verlet]";
  if (!compare.document(
          "integrators", "list of names, or {name: settings}", fallback,
          "integrators to compare, each written as `simulation.integrator`, and names of other programs (`lammps`)")) {
    compare.fill("integrators", fallback);
    methods = {
        {"imex_euler", "imex_euler"}, {"imex_midpoint", "imex_midpoint"}, {"velocity_verlet", "velocity_verlet"}};
    return;
  }
  for (Node& item : compare.items("integrators", "")) {
    Method method = read_method(item, base);
    const auto same = [&](const Method& other) { return other.label == method.label; };
    if (std::ranges::any_of(methods, same))
      item.reject("", "must differ from the other integrators", "'" + method.label + "' again", "omit it");
    methods.push_back(std::move(method));
  }
  if (methods.empty())
    compare.reject("integrators", "must contain at least one integrator", "none", "write [imex_euler, imex_midpoint]");
}

/// Rejects a step so short that no run would end, as `simulation` does.
void require_steps(Node& node, const char* key, double step, double duration) {
  if (!(duration / step <= most_steps))
    node.reject(key, fmt::format("must make at most 1e{:.0f} steps", std::log10(most_steps)),
                fmt::format("{:.3g} of {:g} s", duration / step, step), "increase it, or reduce the duration");
}

void read_time_steps(Node& compare, const diff::Scenario& scenario, std::vector<double>& steps) {
  const double own = scenario.time_step, duration = own * scenario.steps;
  if (!compare.document("time_steps", "list of numbers > 0 [s]", "simulation.time_step, a half and a tenth of it",
                        "time steps that each integrator runs with; none may exceed the duration")) {
    steps = {own, own / 2, own / 10};
    compare.fill("time_steps", fmt::format("[{}, {}, {}]", steps[0], steps[1], steps[2]));
    return;
  }
  steps = compare.numbers("time_steps", "s", "", sim::ValueSign::Positive);
  if (steps.empty()) compare.reject("time_steps", "must contain at least one time step", "none", "write [0.01, 0.005]");
  for (auto step = steps.begin(); step != steps.end(); ++step) {
    const std::string written = fmt::format("{} s", *step);
    if (*step > duration * (1 + 1e-9))
      compare.reject("time_steps", fmt::format("must be at most the duration, {} s", duration), written,
                     "reduce the time step or increase the duration");
    require_steps(compare, "time_steps", *step, duration);
    if (std::find(steps.begin(), step, *step) != step)
      compare.reject("time_steps", "must differ from one another", written + " again", "omit it");
  }
}

/// Returns the Coulomb sum of the reference: the exact one if sums are compared, otherwise that of the experiment.
std::shared_ptr<const sim::CoulombForce> read_reference_coulomb(Node& reference, const Experiment& base,
                                                                bool compared) {
  if (reference.document("coulomb", "as `forces[].coulomb`",
                         "`{method: direct}` if `compare.coulomb` is a list, else the experiment's own",
                         "Coulomb method of the reference")) {
    Node item = reference.form("coulomb");
    return read_coulomb(item, base);
  }
  if (!compared) return nullptr;
  sim::CoulombOptions exact;
  exact.method = "direct";
  exact.softening = find_coulomb(base.scenario.model)->softening();
  reference.fill("coulomb", fmt::format("{{method: direct, softening: {}}}", exact.softening));
  return std::make_shared<sim::CoulombForce>(sim::make_coulomb_sum(exact), exact.softening);
}

Method read_reference(Node reference, const Experiment& base, CompareSpec& spec) {
  const std::string fallback = "velocity_verlet";
  const bool is_chosen =
      reference.document("integrator", "as `simulation.integrator`", fallback, "integrator of the reference");
  const double smallest = std::ranges::min(spec.time_steps);
  spec.reference_step = reference.number_or(
      "time_step", "s", "time step of the reference; the command checks that halving it hardly changes the result",
      {"a tenth of the smallest of `time_steps`", smallest / 10}, sim::ValueSign::Positive);
  if (spec.reference_step > smallest)
    reference.reject("time_step", fmt::format("must be at most the smallest of time_steps, {} s", smallest),
                     fmt::format("{} s", spec.reference_step), "omit it for a tenth of that");
  require_steps(reference, "time_step", spec.reference_step, base.scenario.time_step * base.scenario.steps);
  Method method{fallback, fallback};
  if (is_chosen) {
    Node item = reference.form("integrator");
    method = read_own_method(item, base.body);
  } else {
    reference.fill("integrator", fallback);
  }
  const bool compared = std::ranges::any_of(spec.methods, [](const Method& each) { return each.coulomb != nullptr; });
  method.coulomb = read_reference_coulomb(reference, base, compared);
  return method;
}

/// Reads the section `compare`, after the rest of the document.
void read_section(Node& root, const Experiment& base, CompareSpec& spec) {
  Node compare = root.child("compare", "compare integrators and time steps with a fine reference");
  read_methods(compare, base, spec.methods);
  read_coulomb_sums(compare, base, spec.methods);
  read_time_steps(compare, base.scenario, spec.time_steps);
  const std::string scale =
      compare.choice("energy_scale", {"exchanged", "total"},
                     "what errors of the energy are relative to: the energy that the reference exchanges between its "
                     "kinds, or its largest total energy, whose zero is arbitrary",
                     "exchanged");
  spec.energy_scale = scale == "total" ? EnergyScale::Total : EnergyScale::Exchanged;
  spec.reference = read_reference(compare.child("reference", "a run that is finer than all others"), base, spec);
}

}  // namespace

std::string to_string(EnergyScale scale) { return scale == EnergyScale::Total ? "total" : "exchanged"; }

CompareSpec read_compare_sections(Reading& reading, Node& root, BuiltMeshes& meshes) {
  CompareSpec spec{
      read_sections(reading, root, meshes, {}), {}, {}, {"", "velocity_verlet"}, 0, EnergyScale::Exchanged, {}};
  reject_population(spec.base, root.where());
  read_section(root, spec.base, spec);
  root.ignore("fit");
  root.ignore("plan");
  root.ignore("sweep");
  return spec;
}

CompareSpec read_compare(const ExperimentDocument& document) {
  reject_unlisted_keys(document);
  Reading reading(document.root, document.folder, document.inputs);
  Node root = reading.root();
  CompareSpec spec = read_compare_sections(reading, root, *document.meshes);
  root.ignore("scan");
  reading.reject_unknown_keys();
  spec.filled = reading.filled();
  require_own_backend(spec.base.backend, "compare");
  return spec;
}

diff::Scenario scenario_of(const CompareSpec& spec, const Method& method) {
  diff::Scenario scenario = spec.base.scenario;
  if (!method.coulomb) return scenario;
  scenario.model = scenario.model.with_terms([&](const std::shared_ptr<sim::ForceTerm>& term) {
    const bool replaced = dynamic_cast<const sim::CoulombForce*>(term.get());  // neither declares values
    return replaced ? std::make_shared<sim::CoulombForce>(*method.coulomb) : term;
  });
  return scenario;
}

void describe_compare(Node& root, const Experiment& placeholder) {
  CompareSpec spec{placeholder, {}, {}, {"", "velocity_verlet"}, 0, EnergyScale::Exchanged, {}};
  read_section(root, placeholder, spec);
}

namespace {

constexpr std::size_t most_axes = 2;        // as many as a picture can show
constexpr std::size_t most_cells = 10'000;  // each is an experiment in memory

/// The path of an axis in the document, and the values to be set there.
struct Values {
  ScanAxis axis;
  std::vector<Tree> trees;
};

Values read_axis(const std::string& key, Node node) {
  Values values{{key, {}}, {}};
  const char* remedy = "write system.charge: [3 uC, 6 uC]";
  if (key.rfind("scan", 0) == 0 || key.rfind("fit", 0) == 0)
    node.reject("", "must be a key of the experiment outside `scan:` and `fit:`", "'" + key + "'", remedy);
  if (!node.is_list()) node.reject("", "must be a list of values", shown(*node.tree()), remedy);
  for (const Tree& value : node.tree()->entries) {
    const std::string text = value.kind == Tree::Kind::Scalar ? value.text : shown(value);
    if (std::ranges::find(values.axis.values, text) != values.axis.values.end())
      node.reject("", "must contain different values", text + " twice", "leave one out");
    values.axis.values.push_back(text);
    values.trees.push_back(value);
  }
  if (values.trees.empty()) node.reject("", "must contain at least one value", "none", remedy);
  return values;
}

std::vector<Values> read_axes(Node& root) {
  Node scan = root.child("scan", "repeats the comparison of `compare:` at every point of a grid of values", true);
  std::vector<Values> axes;
  for (auto& [key, node] :
       scan.entries_of("over", "{PATH: [value, …]}", "required",
                       "one or two keys of this file and their values: {system.charge: [3 uC, 6 uC]}"))
    axes.push_back(read_axis(key, node));
  scan.require(!axes.empty() && axes.size() <= most_axes, "over", "must contain one or two keys",
               fmt::format("{}", axes.size()), "scan the others in separate files");
  return axes;
}

/// Reads `document` with one value set per axis. Errors in such a path or value are reported at its position in
/// `scan.over`.
CompareSpec read_cell(ExperimentDocument document, const std::vector<std::pair<std::string, const Tree*>>& at) {
  try {
    for (const auto& [key, value] : at) set_at(document.root, key, *value, value->place.text());
    return read_compare(document);
  } catch (const InvalidArgument& error) {
    InvalidArgument::Parts parts = error.parts();
    for (const auto& [key, value] : at) {
      if (parts.where != value->place.text()) continue;
      parts.what = "scan.over: " + parts.what;
      throw InvalidArgument(std::move(parts));
    }
    throw;
  }
}

}  // namespace

ScanSpec read_scan(const ExperimentDocument& document) {
  reject_unlisted_keys(document);
  Reading reading(document.root, document.folder, document.inputs);
  Node root = reading.root();
  const CompareSpec base = read_compare_sections(reading, root, *document.meshes);
  const std::vector<Values> axes = read_axes(root);
  reading.reject_unknown_keys();

  ScanSpec spec{base.base.name, {}, {}, reading.filled()};
  std::vector<std::size_t> lengths;
  for (const Values& values : axes) {
    spec.axes.push_back(values.axis);
    lengths.push_back(values.trees.size());
  }
  const std::optional<std::size_t> cells = checked_product(lengths, most_cells);
  if (!cells)
    root.reject("scan", fmt::format("must make at most {} points", most_cells),
                fmt::format("{}", fmt::join(lengths, " x ")), "give fewer values");
  ExperimentDocument bare = document;
  std::erase_if(bare.root.entries, [](const Tree& entry) { return entry.key == "scan"; });
  for (std::size_t number = 0; number < *cells; ++number) {
    std::vector<std::pair<std::string, const Tree*>> at(axes.size());
    std::vector<std::string> texts(axes.size());
    std::size_t rest = number;
    for (std::size_t k = axes.size(); k-- > 0;) {  // the last axis varies fastest
      const std::size_t which = rest % axes[k].trees.size();
      rest /= axes[k].trees.size();
      at[k] = {axes[k].axis.key, &axes[k].trees[which]};
      texts[k] = axes[k].axis.values[which];
    }
    spec.cells.push_back({std::move(texts), read_cell(bare, at)});
  }
  return spec;
}

void describe_scan(Node& root) { read_axes(root); }

}  // namespace pithball::app
