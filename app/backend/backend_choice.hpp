#pragma once
#include <string>
#include <vector>

#include "app/backend/backend.hpp"

namespace pithball::app {

/// Name of the built-in backend, Pithball itself.
inline const std::string own_backend = "pithball";

/// All other backends, in the order of the documentation.
const std::vector<BackendInfo>& backends();

/// The backend with this name; null for `pithball`. Throws InvalidArgument listing the known names.
const BackendInfo* find_backend(const std::string& name);

/// Throws InvalidArgument unless `backend` is Pithball's own (null), which `command` requires.
void require_own_backend(const BackendInfo* chosen, const std::string& command);

/// Throws InvalidArgument at `where` ("torus.yaml:9:3 simulation.backend") unless the program can run the model exactly
/// from this time [s] on. The message lists everything that the program does not support. (LAMMPS has linear drag, but
/// only to first order in the step.)
void require_counterparts(const BackendInfo& backend, const sim::Model& model, double time, const std::string& where);

}  // namespace pithball::app
