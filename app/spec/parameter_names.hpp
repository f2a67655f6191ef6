#pragma once
#include <string>
#include <vector>

namespace pithball::app {

/// A physical value, as `parameters:` names it.
struct ParameterName {
  std::string name, unit, owner;
  bool differentiable = true;  ///< false: fits, which need derivatives, reject it
};

/// The blocks of values that the registered forces, springs, dampers and constraints declare, and the initial state.
std::vector<ParameterName> parameter_names();

}  // namespace pithball::app
