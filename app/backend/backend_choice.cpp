#include "app/backend/backend_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/backend/jax_md.hpp"
#include "app/backend/lammps.hpp"
#include "app/backend/plain_forces.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

const std::vector<BackendInfo>& backends() {
  static const std::vector<BackendInfo> all{lammps_backend(), jax_md_backend()};
  return all;
}

void require_own_backend(const BackendInfo* chosen, const std::string& command) {
  if (chosen)
    throw InvalidArgument({"simulation.backend", "", "must be pithball for `pithball " + command + "`", chosen->name,
                           "omit it; only `pithball simulate` and `compare.integrators` support others"});
}

const BackendInfo* find_backend(const std::string& name) {
  std::string known = own_backend;
  for (const BackendInfo& backend : backends()) {
    if (backend.name == name) return &backend;
    known += ", " + backend.name;
  }
  if (name == own_backend) return nullptr;
  throw InvalidArgument({"backend", "", "must be one of " + known, "'" + name + "'", "choose one of them"});
}

void require_counterparts(const BackendInfo& backend, const sim::Model& model, double time, const std::string& where) {
  const PlainForces forces(model, time);
  std::vector<std::string> missing;
  for (const auto& [name, sentence] : forces.missing) missing.push_back(name);
  if (!forces.drag.isZero(0)) missing.push_back("linear_drag");
  if (forces.softening != 0 && !backend.softening) missing.push_back("softening");
  if (!missing.empty())
    throw InvalidArgument({where, "", "needs a model that " + backend.title + " has counterparts for",
                           fmt::format("{}", fmt::join(missing, ", ")), "remove it, or use the backend pithball"});
}

}  // namespace pithball::app
