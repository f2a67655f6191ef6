#include "experiments/bench/gradient_bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace pithball::experiments {
namespace {

template <class Work>
double seconds_of(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A direction along which each block of values changes the loss by the same, so that none hides behind another.
diff::Vector through_all_blocks(const diff::Scenario& scenario, const diff::Vector& gradient) {
  diff::Vector direction = diff::Vector::Zero(gradient.size());
  const auto add = [&](Index offset, Index size) {
    const double square = gradient.segment(offset, size).squaredNorm();
    if (square > 0) direction.segment(offset, size) = gradient.segment(offset, size) / square;
  };
  for (const auto& block : scenario.model.values().blocks()) add(block.offset, block.size);
  add(scenario.position_offset(), 3 * scenario.model.particles());
  add(scenario.velocity_offset(), 3 * scenario.model.particles());
  return direction;
}

/// How far adjoint and tangent of the loss ½ Σ |x|² at the last step are apart; NaN where there is no tangent.
double disagreement_of(const diff::Scenario& scenario, diff::AdjointRollout& rollout, const diff::Vector& gradient) {
  const diff::Vector direction = through_all_blocks(scenario, gradient);
  double tangent = std::numeric_limits<double>::quiet_NaN();
  rollout.tangent(direction, [&](Index n, const diff::State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd&) {
    if (n == scenario.steps) tangent = state.x.reshaped().dot(dx.col(0));
  });
  const double adjoint = gradient.dot(direction);
  return std::abs(adjoint - tangent) / std::abs(adjoint);
}

}  // namespace

GradientFigures measure(const diff::Scenario& scenario, double budget_mb, int repeats, bool gradient,
                        const std::function<void(double)>& progress) {
  GradientFigures figures;
  figures.parameters = scenario.size();
  const auto ignore = [](Index, const diff::State&) {};
  double passes = 0;
  const auto pass_done = [&, all = 1.0 + repeats * (gradient ? 3 : 1)] {
    if (progress) progress(++passes / all);
  };
  if (progress) progress(0);
  figures.status = diff::run_forward(scenario, ignore).status;  // warm-up
  figures.steps = scenario.steps;
  if (figures.status != sim::StepStatus::Ok) return figures;
  pass_done();
  const double never = std::numeric_limits<double>::infinity();
  figures.forward.seconds = figures.recording.seconds = figures.adjoint.seconds = never;
  for (int k = 0; k < repeats; ++k) {
    diff::RolloutCost cost;
    figures.forward.seconds =
        std::min(figures.forward.seconds, seconds_of([&] { diff::run_forward(scenario, ignore, &cost); }));
    figures.forward.cost = cost;
    pass_done();
    if (!gradient) continue;
    diff::AdjointRollout rollout(scenario, budget_mb);
    figures.recording.seconds =
        std::min(figures.recording.seconds, seconds_of([&] { figures.status = rollout.forward(ignore).status; }));
    figures.recording.cost = rollout.forward_cost();
    pass_done();
    if (figures.status != sim::StepStatus::Ok) return figures;
    const auto seed = [&](Index n, const diff::State& state, diff::Points& gx, diff::Points&) {
      if (n == scenario.steps) gx += state.x;
    };
    diff::Vector found;
    figures.adjoint.seconds = std::min(figures.adjoint.seconds, seconds_of([&] { found = rollout.backward(seed); }));
    figures.adjoint.cost = rollout.backward_cost();
    pass_done();
    if (k + 1 == repeats) figures.disagreement = disagreement_of(scenario, rollout, found);
  }
  return figures;
}

}  // namespace pithball::experiments
