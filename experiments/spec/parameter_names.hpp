#pragma once
#include <string>
#include <vector>

namespace pithball::experiments {

/// A physical value that a fit can vary, as `parameters:` names it.
struct ParameterName {
  std::string name, unit, owner;
};

/// The blocks of values that the registered forces, springs, dampers and constraints declare, and the initial state.
std::vector<ParameterName> parameter_names();

}  // namespace pithball::experiments
