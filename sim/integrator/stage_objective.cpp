#include "sim/integrator/stage_objective.hpp"

#include <cmath>
#include <limits>

#include "sim/core/parallel_parts.hpp"

namespace pithball::sim {

void StageObjective::begin(const Model& model, const StageProblem& s) {
  model_ = &model;
  problem_ = &s;
  has_constant_ = false;
  elastic_.t = damping_.t = s.t;
  elastic_.v.setZero(3, model.particles());
  damping_.x = s.lagged;
}

void StageObjective::move_to(const Points& change) {
  const StageProblem& s = *problem_;
  const Index n = change.cols();
  elastic_.x.resize(3, n);
  damping_.v.resize(3, n);
  particle_parts(n, [&](Index begin, Index end) {
    const auto part = [=](auto& points) { return points.middleCols(begin, end - begin); };
    part(elastic_.x) = part(s.start) + (part(s.move) + part(change));
    part(damping_.v) = part(s.velocity) + part(change) / s.g;
  });
}

const State& StageObjective::elastic_state(const Points& change) {
  move_to(change);
  return elastic_;
}

void StageObjective::evaluate(StagePoint& at) {
  const StageProblem& s = *problem_;
  move_to(at.change);
  at.energy.reset();
  at.force.setZero(3, at.change.cols());
  for (const auto& term : model_->terms()) {
    if (StageProblem::is_elastic(*term))
      term->add_force(*model_, elastic_, at.force);
    else if (s.damping(*term))
      term->add_force(*model_, damping_, at.force);
  }
  find_residual(at);
}

void StageObjective::find_residual(StagePoint& at) const {
  const StageProblem& s = *problem_;
  const Index n = at.change.cols();
  at.gradient.resize(3, n);
  at.residual.resize(n);
  particle_parts(n, [&](Index begin, Index end) {
    const auto part = [=](auto& points) { return points.middleCols(begin, end - begin); };
    const auto masses = model_->mass().segment(begin, end - begin);
    part(at.gradient) = part(at.change) * masses.asDiagonal();
    part(at.gradient) -= s.g * s.g * (part(at.force) + part(s.force));
    at.residual.segment(begin, end - begin) = part(at.gradient).colwise().norm().transpose();
  });
  model_->clear_held(at.gradient);
  for (const Held& held : model_->topology().held) at.residual[held.particle] = 0;
}

const StageEnergy& StageObjective::energy(StagePoint& at) {
  if (at.energy) return *at.energy;
  const StageProblem& s = *problem_;
  const double g2 = s.g * s.g;
  move_to(at.change);
  StageEnergy& energy = at.energy.emplace();
  double magnitude = 0;
  const auto add = [&](double part) {
    energy.phi += part;
    magnitude += std::abs(part);
  };
  add(0.5 * (at.change.cwiseProduct(at.change) * model_->mass()).sum());
  add(-g2 * flat(s.force).dot(flat(at.change)));
  for (const auto& term : model_->terms()) {
    if (StageProblem::is_elastic(*term))
      add(g2 * term->energy(*model_, elastic_).value());
    else if (const auto* dissipation = s.damping(*term))
      add(g2 * s.g * dissipation->dissipation(*model_, damping_));
  }
  energy.rounding = 4 * std::numeric_limits<double>::epsilon() * magnitude;
  return energy;
}

void StageObjective::assemble_hessian(const Points& change, bool definite, BlockMatrix& H) {
  move_to(change);
  const StageStates at{elastic_, damping_};
  if (!has_constant_) assemble_constant_hessian(*model_, *problem_, at, constant_);
  has_constant_ = true;
  H.assign(constant_);
  add_changing_hessian(*model_, *problem_, at, definite, H);
}

}  // namespace pithball::sim
