#include "experiments/compare/compare_spec.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/spec/integrator_spec.hpp"

namespace pithball::experiments {
namespace {

/// "theta (theta 0.5, newton_steps 1)".
std::string label_of(const Tree& item) {
  if (item.kind == Tree::Kind::Scalar) return item.text;
  const Tree& settings = item.entries.front();
  std::string written;
  for (const Tree& setting : settings.entries)
    written += fmt::format("{}{} {}", written.empty() ? "" : ", ", setting.key,
                           setting.kind == Tree::Kind::Scalar ? setting.text : shown(setting));
  return written.empty() ? settings.key : fmt::format("{} ({})", settings.key, written);
}

/// One method, of a list or the reference.
Method read_method(Node& item, const Body& body) {
  sim::Scheme scheme = read_scheme(item, body);
  return {label_of(*item.tree()), std::move(scheme)};
}

void read_methods(Node& compare, const Body& body, std::vector<Method>& methods) {
  const std::string fallback = "[imex_euler, imex_midpoint, velocity_verlet]";
  compare.document("methods", "list of names, or {name: settings}", fallback,
                   "the schemes to compare, each written as `simulation.integrator` is");
  if (compare.describing()) return;
  if (!compare.has("methods")) {
    compare.fill("methods", fallback);
    methods = {
        {"imex_euler", "imex_euler"}, {"imex_midpoint", "imex_midpoint"}, {"velocity_verlet", "velocity_verlet"}};
    return;
  }
  for (Node& item : compare.items("methods", "")) {
    Method method = read_method(item, body);
    const auto same = [&](const Method& other) { return other.label == method.label; };
    if (std::ranges::any_of(methods, same))
      item.refuse("", "must differ from the other methods", "'" + method.label + "' again", "leave it out");
    methods.push_back(std::move(method));
  }
  if (methods.empty())
    compare.refuse("methods", "must hold at least one method", "none", "write [imex_euler, imex_midpoint]");
}

void read_time_steps(Node& compare, const diff::Scenario& scenario, std::vector<double>& steps) {
  compare.document("time_steps", "list of numbers > 0 [s]", "simulation.time_step, a half and a tenth of it",
                   "the steps that each method takes; each at most the duration");
  if (compare.describing()) return;
  const double own = scenario.time_step, duration = own * static_cast<double>(scenario.steps);
  if (!compare.has("time_steps")) {
    steps = {own, own / 2, own / 10};
    compare.fill("time_steps", fmt::format("[{}, {}, {}]", steps[0], steps[1], steps[2]));
    return;
  }
  steps = compare.numbers("time_steps", "s", "", sim::ValueSign::Positive);
  if (steps.empty()) compare.refuse("time_steps", "must hold at least one step", "none", "write [0.01, 0.005]");
  for (auto step = steps.begin(); step != steps.end(); ++step) {
    const std::string written = fmt::format("{} s", *step);
    if (*step > duration * (1 + 1e-9))
      compare.refuse("time_steps", fmt::format("must be at most the duration, {} s", duration), written,
                     "shorten the step or simulate longer");
    if (std::find(steps.begin(), step, *step) != step)
      compare.refuse("time_steps", "must differ from one another", written + " again", "leave it out");
  }
}

Method read_reference(Node reference, const Body& body, const std::vector<double>& steps, double& time_step) {
  const std::string fallback = "velocity_verlet";
  reference.document("integrator", "name, or {name: settings}", fallback,
                     "what the others are measured against, written as `simulation.integrator` is");
  const char* meaning = "its step; half of it must change the result by little, which is checked";
  if (reference.describing()) {
    reference.document("time_step", "number > 0 [s]", "a tenth of the smallest of `time_steps`", meaning);
    return {fallback, fallback};
  }
  const double smallest = std::ranges::min(steps);
  time_step = reference.number("time_step", "s", meaning, smallest / 10, sim::ValueSign::Positive);
  if (time_step > smallest)
    reference.refuse("time_step", fmt::format("must be at most the smallest of time_steps, {} s", smallest),
                     fmt::format("{} s", time_step), "leave it out for a tenth of that");
  if (reference.has("integrator")) {
    Node item = reference.form("integrator");
    return read_method(item, body);
  }
  reference.fill("integrator", fallback);
  return {fallback, fallback};
}

/// The section itself, once the rest of the document is read.
void read_section(Node& root, const Body& body, const diff::Scenario& scenario, CompareSpec& spec) {
  Node compare = root.child("compare", "one experiment by several schemes at several steps, against a fine reference");
  read_methods(compare, body, spec.methods);
  read_time_steps(compare, scenario, spec.time_steps);
  spec.reference = read_reference(compare.child("reference", "a run that is finer than all others"), body,
                                  spec.time_steps, spec.reference_step);
}

}  // namespace

CompareSpec read_compare(const ExperimentDocument& document) {
  Reading reading(document.root, document.folder);
  Node root = reading.root();
  CompareSpec spec{read_sections(reading, root, {}), {}, {}, {"", "velocity_verlet"}, 0, {}};
  read_section(root, spec.base.body, spec.base.scenario, spec);
  root.ignore("fit");
  reading.refuse_unknown_keys();
  spec.filled = reading.filled();
  return spec;
}

void describe_compare(Node& root, const Experiment& placeholder) {
  CompareSpec spec{placeholder, {}, {}, {"", "velocity_verlet"}, 0, {}};
  read_section(root, placeholder.body, placeholder.scenario, spec);
}

}  // namespace pithball::experiments
