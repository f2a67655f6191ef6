#pragma once
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/body.hpp"
#include "app/yaml/node.hpp"
#include "diff/rollout/rollout.hpp"
#include "sim/constraint/constraint.hpp"
#include "sim/integrator/integrator_choice.hpp"
#include "sim/population/population.hpp"

namespace pithball::app {

/// The terms of a model, in the order of the file.
using ForceTerms = std::vector<std::shared_ptr<sim::ForceTerm>>;

/// An item of `forces:` as it was written.
struct ListedForce {
  std::string name;                ///< key of the force
  Tree settings;                   ///< below the key
  std::vector<Index> selected;     ///< particles that feel it, ascending; empty: all
  std::vector<std::string> terms;  ///< names of the terms that it adds
};

/// The forces of an experiment.
struct ForceList {
  ForceTerms terms;                ///< of all items, then the joints of adjoining chains
  std::vector<ListedForce> items;  ///< in the order of the file

  /// Forces that act on the same particles more than once, a sentence each: equal items, two of a force of which one is
  /// enough (`sim::ForceInfo::is_single`), and a force beside the one that it replaces.
  std::vector<std::string> notes() const;
};

/// Reads the list `forces:` (`root`: the document): each item is the name of a force, with its settings below it and
/// perhaps `select` beside it. Throws InvalidArgument at unknown names and invalid settings.
ForceList read_forces(Node& root, const Body& body);

/// Reads the list `constraints:` of an experiment (below its root): each item is the name of a constraint with its
/// settings. Throws InvalidArgument at any invalid value.
std::vector<std::shared_ptr<sim::Constraint>> read_constraints(Node& root, const Body& body);

/// Reads `integrator:` of a section, a name or `{name: settings}`; default: `sim::default_integrator`.
sim::IntegratorChoice read_integrator(Node& section, const Body& body);

/// Reads an item that is an integrator: its name or `{name: settings}`.
sim::IntegratorChoice read_named_integrator(Node& item, const Body& body);

/// The most iterations that a key may ask of a solver; a number that an `int` does not hold would be another one.
inline constexpr Index most_iterations = 1'000'000;

/// Reads how many iterations a solver may make. Throws InvalidArgument for less than `least` and more than
/// `most_iterations`.
inline int read_iteration_count(Node& node, std::string_view key, std::string_view meaning, Index fallback,
                                Index least = 1) {
  const Index count = node.integer(key, meaning, fallback, least);
  if (count > most_iterations)
    node.reject(key, fmt::format("must be at most {}", most_iterations), fmt::format("{}", count),
                fmt::format("omit it for {}", fallback));
  return static_cast<int>(count);
}

/// Reads `population:`, the emitters and sinks of an experiment, after its other sections; empty if the key is absent.
std::optional<sim::PopulationRules> read_population(Node& root, const Body& body, const diff::Scenario& scenario);

}  // namespace pithball::app
