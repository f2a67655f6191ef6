#pragma once
#include <string>
#include <vector>

namespace pithball::app {

/// A physical value as named in `parameters:`.
struct ParameterName {
  std::string name,            ///< word in `fit.parameters`
      unit,                    ///< in base units of SI; empty: a pure number
      owner;                   ///< "particle", "spring", "force", "constraint" or "body"
  bool differentiable = true;  ///< false: fits reject it, because they need derivatives
};

/// The blocks of values of the registered forces, springs, dampers and constraints, and of the initial state.
std::vector<ParameterName> parameter_names();

}  // namespace pithball::app
