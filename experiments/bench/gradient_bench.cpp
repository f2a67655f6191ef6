#include "experiments/bench/gradient_bench.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace pithball::experiments {
namespace {

template <class Work>
double seconds_of(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

GradientFigures measure(const diff::Scenario& scenario, double budget_mb, int repeats, bool gradient) {
  GradientFigures figures;
  figures.parameters = scenario.size();
  const auto ignore = [](Index, const diff::State&) {};
  figures.status = diff::run_forward(scenario, ignore).status;  // warm-up
  figures.steps = scenario.steps;
  if (figures.status != sim::StepStatus::Ok) return figures;
  const double never = std::numeric_limits<double>::infinity();
  figures.forward.seconds = figures.recording.seconds = figures.adjoint.seconds = never;
  for (int k = 0; k < repeats; ++k) {
    diff::RolloutCost cost;
    figures.forward.seconds =
        std::min(figures.forward.seconds, seconds_of([&] { diff::run_forward(scenario, ignore, &cost); }));
    figures.forward.cost = cost;
    if (!gradient) continue;
    diff::AdjointRollout rollout(scenario, budget_mb);
    figures.recording.seconds =
        std::min(figures.recording.seconds, seconds_of([&] { figures.status = rollout.forward(ignore).status; }));
    figures.recording.cost = rollout.forward_cost();
    if (figures.status != sim::StepStatus::Ok) return figures;
    const auto seed = [&](Index n, const diff::State& state, diff::Points& gx, diff::Points&) {
      if (n == scenario.steps) gx += state.x;
    };
    figures.adjoint.seconds = std::min(figures.adjoint.seconds, seconds_of([&] { rollout.backward(seed); }));
    figures.adjoint.cost = rollout.backward_cost();
  }
  return figures;
}

}  // namespace pithball::experiments
