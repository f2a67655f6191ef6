#include "sim/integrator/stage_objective.hpp"

#include <cmath>
#include <limits>

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
  elastic_.x = problem_->place(change);
  damping_.v = problem_->velocity_at(change);
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
  at.gradient = at.change * model_->mass().asDiagonal();
  at.gradient -= s.g * s.g * (at.force + s.force);
  model_->clear_held(at.gradient);
  at.residual = at.gradient.colwise().norm().transpose();
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
