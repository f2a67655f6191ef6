#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/spec/body.hpp"

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

}  // namespace pithball::app
