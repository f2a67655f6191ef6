#include "app/backend/backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/integrator/integrator.hpp"

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
  } else if (outcome.step <= last) {  // the program did not report the step
    outcome.step = job.wanted[std::min(received, job.wanted.size() - 1)];
  }
  if (outcome.status == sim::StepStatus::Ok && received < job.wanted.size() && !outcome.interrupted) {
    throw std::runtime_error(fmt::format("{} returned {} of {} states", version_, received, job.wanted.size()));
  }
  return outcome;
}

}  // namespace pithball::app
