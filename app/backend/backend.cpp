#include "app/backend/backend.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "app/backend/jax_md.hpp"
#include "app/backend/lammps.hpp"
#include "app/backend/plain_forces.hpp"
#include "sim/core/error.hpp"
#include "sim/integrator/absurd_flight.hpp"

namespace pithball::app {

BackendOutcome Backend::run(const BackendJob& job, const BackendVisitor& visit) {
  sim::State before = job.start;
  std::size_t received = 0;
  Index last = 0;
  bool diverged = false;
  const auto receive = [&](const Points& x, const Points& v) {
    if (diverged) return;
    if (received == job.wanted.size()) throw std::runtime_error(version_ + " returned more states than requested");
    const Index step = job.wanted[received++];
    sim::State state{job.start.t + step * job.time_step, x, v};
    diverged = sim::has_diverged(*job.model, before, state, job.time_step);
    visit(step, state);
    before = std::move(state);
    last = step;
  };
  BackendOutcome outcome = do_run(job, receive);
  const bool told = !diverged && outcome.status != sim::StepStatus::Ok;
  if (diverged) outcome.status = sim::StepStatus::Diverged;
  if (!told) {
    outcome.step = last;
  } else if (outcome.step <= last) {  // it does not know the step
    outcome.step = job.wanted[std::min(received, job.wanted.size() - 1)];
  }
  if (outcome.status == sim::StepStatus::Ok && received < job.wanted.size() && !outcome.interrupted) {
    throw std::runtime_error(fmt::format("{} returned {} of {} states", version_, received, job.wanted.size()));
  }
  return outcome;
}

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
