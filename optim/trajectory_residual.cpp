#include "optim/trajectory_residual.hpp"

#include <cmath>
#include <exception>

#include "diff/step/step_derivative.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

Evaluation as_evaluation(const diff::Scenario& scenario, const diff::RolloutStatus& status) {
  if (status.ok()) return {};
  return {"recording '" + scenario.name + "': " + sim::to_string(status.status) + " at step " +
          std::to_string(status.step)};
}

}  // namespace

TrajectoryResidual::TrajectoryResidual(ParameterMap map, std::vector<Observation> observations) : map_(std::move(map)) {
  const std::vector<diff::Scenario>& scenarios = map_.scenarios();
  if (observations.size() != scenarios.size())
    throw InvalidArgument({"", "observations",
                           "must be one for each recording (" + std::to_string(scenarios.size()) + ")",
                           std::to_string(observations.size()), ""});
  for (const diff::Scenario& scenario : scenarios)
    diff::step_derivative(scenario.integrator.name(), scenario.model);  // there is one
  first_row_.push_back(0);
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    observers_.emplace_back(observations[s], scenarios[s], Part::Fit);
    first_row_.push_back(first_row_.back() + observers_.back().rows());
  }
  if (rows() == 0)
    throw InvalidArgument({"", "observations", "must hold at least one position to fit", "none",
                           "look at masks and at what is marked as forecast"});
}

std::vector<Index> TrajectoryResidual::samples() const {
  std::vector<Index> first;
  for (std::size_t s = 0; s < observers_.size(); ++s)
    for (const Observer::Sample& sample : observers_[s].samples()) first.push_back(first_row_[s] + sample.first_row);
  first.push_back(rows());
  return first;
}

template <class Work>
Evaluation TrajectoryResidual::for_each_recording(const Vector& theta, Work work) const {
  const auto count = static_cast<int>(observers_.size());
  std::vector<Evaluation> evaluations(observers_.size());
  std::vector<std::exception_ptr> errors(observers_.size());
  // With one recording the force sums inside may use the threads instead.
#pragma omp parallel for schedule(dynamic, 1) if (count > 1)
  for (int k = 0; k < count; ++k) {
    const auto s = static_cast<std::size_t>(k);
    if (row_count(s) == 0) continue;
    try {
      diff::Scenario scenario = map_.scatter(theta, k);
      scenario.steps = observers_[s].last_step();
      evaluations[s] = work(s, scenario);
    } catch (const InvalidArgument& error) {
      evaluations[s].failure = "recording '" + map_.scenarios()[s].name + "': " + error.what();
    } catch (...) {
      errors[s] = std::current_exception();
    }
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  for (const Evaluation& evaluation : evaluations)
    if (!evaluation.ok()) return evaluation;
  return {};
}

Evaluation TrajectoryResidual::evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const {
  ++(jacobian ? counts_.tangent : counts_.forward);
  r.resize(rows());
  if (jacobian) jacobian->setZero(rows(), parameters());
  Evaluation evaluation = for_each_recording(theta, [&](std::size_t s, const diff::Scenario& scenario) {
    const Observer& observer = observers_[s];
    auto mine = r.segment(first_row_[s], row_count(s));
    mine = observer.initial_residual();
    const std::vector<Index>& active = map_.active(static_cast<Index>(s));
    if (!jacobian || active.empty())
      return as_evaluation(scenario, diff::run_forward(scenario, [&](Index n, const sim::State& state) {
                             observer.add_state(n, state, mine);
                           }));
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(observer.rows(), static_cast<Index>(active.size()));
    const diff::RolloutStatus status =
        diff::run_tangent(scenario, map_.directions(theta, static_cast<Index>(s)),
                          [&](Index n, const sim::State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
                            observer.add_state(n, state, mine);
                            observer.add_tangent(n, dx, dv, J);
                          });
    for (std::size_t c = 0; c < active.size(); ++c)
      jacobian->col(active[c]).segment(first_row_[s], row_count(s)) = J.col(static_cast<Index>(c));
    return as_evaluation(scenario, status);
  });
  if (evaluation.ok() && !(r.allFinite() && (!jacobian || jacobian->allFinite())))
    evaluation.failure = "a residual is not finite";
  return evaluation;
}

Evaluation TrajectoryResidual::jvp(const Vector& theta, const Vector& d, Vector& Jd) const {
  ++counts_.tangent;
  Jd.setZero(rows());
  return for_each_recording(theta, [&](std::size_t s, const diff::Scenario& scenario) -> Evaluation {
    const std::vector<Index>& active = map_.active(static_cast<Index>(s));
    if (active.empty()) return {};
    const Eigen::MatrixXd direction = map_.directions(theta, static_cast<Index>(s)) * d(active);
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(row_count(s), 1);
    const diff::RolloutStatus status = diff::run_tangent(
        scenario, direction, [&](Index n, const sim::State&, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
          observers_[s].add_tangent(n, dx, dv, J);
        });
    Jd.segment(first_row_[s], row_count(s)) = J;
    return as_evaluation(scenario, status);
  });
}

template <class Weights>
Evaluation TrajectoryResidual::reverse(const Vector& theta, Weights weights, Vector& gradient) const {
  ++counts_.adjoint;
  std::vector<Vector> share(observers_.size());
  const double budget = adjoint_budget_mb_ / static_cast<double>(observers_.size());
  const Evaluation evaluation = for_each_recording(theta, [&](std::size_t s, const diff::Scenario& scenario) {
    const Observer& observer = observers_[s];
    Vector r = observer.initial_residual();
    diff::AdjointRollout rollout(scenario, budget);
    const diff::RolloutStatus status =
        rollout.forward([&](Index n, const sim::State& state) { observer.add_state(n, state, r); });
    if (!status.ok()) return as_evaluation(scenario, status);
    const Vector w = weights(s, r);
    const Vector values =
        rollout.backward([&](Index n, const sim::State&, Points& gx, Points& gv) { observer.add_seed(n, w, gx, gv); });
    share[s] = Vector::Zero(parameters());
    map_.pull_back(theta, static_cast<Index>(s), values, share[s]);
    return Evaluation{};
  });
  gradient = Vector::Zero(parameters());
  for (const Vector& g : share)
    if (g.size() > 0) gradient += g;
  if (evaluation.ok() && !gradient.allFinite()) return {"the gradient is not finite"};
  return evaluation;
}

Evaluation TrajectoryResidual::vjp(const Vector& theta, const Vector& w, Vector& Jtw) const {
  return reverse(
      theta, [&](std::size_t s, const Vector&) -> Vector { return w.segment(first_row_[s], row_count(s)); }, Jtw);
}

Evaluation TrajectoryResidual::loss(const Vector& theta, const RobustLoss& loss, double& value,
                                    Vector* gradient) const {
  std::vector<double> share(observers_.size(), 0.0);
  // ∂L/∂r of one recording; notes its share of the loss on the way.
  const auto weigh = [&](std::size_t s, const Vector& r) {
    Vector w = r;
    for (const Observer::Sample& sample : observers_[s].samples()) {
      auto part = w.segment(sample.first_row, sample.row_count);
      const double square = part.squaredNorm();
      share[s] += loss.value(square) / 2;
      part *= loss.derivative(square);
    }
    return w;
  };
  Evaluation evaluation;
  if (gradient) {
    evaluation = reverse(theta, weigh, *gradient);
  } else {
    Vector r;
    evaluation = evaluate(theta, r, nullptr);
    if (evaluation.ok())
      for (std::size_t s = 0; s < observers_.size(); ++s) weigh(s, r.segment(first_row_[s], row_count(s)));
  }
  value = 0;
  for (double part : share) value += part;
  if (evaluation.ok() && !std::isfinite(value)) return {"the loss is not finite"};
  return evaluation;
}

}  // namespace pithball::optim
