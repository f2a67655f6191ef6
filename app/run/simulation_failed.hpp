#pragma once
#include <stdexcept>

namespace pithball::app {

/// A run that did not reach its last step: "diverged at step 12".
class SimulationFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pithball::app
