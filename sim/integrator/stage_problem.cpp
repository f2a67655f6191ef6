#include "sim/integrator/stage_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/core/parallel_for.hpp"
#include "sim/linear/block_matrix.hpp"

namespace pithball::sim {

std::size_t StageSolution::bytes() const {
  const auto of = [](const Points& p) { return p.size() * sizeof(double); };
  return of(problem.start) + of(problem.move) + of(problem.velocity) + of(problem.lagged) + of(problem.force) +
         of(change) + (preconditioner ? preconditioner->bytes() : 0) + (hessian ? hessian->bytes() : 0);
}

void assemble_constant_hessian(const Model& model, const StageProblem& s, const StageStates& at, BlockMatrix& H) {
  H.set_zero();
  particle_parts(model.particles(), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) H.add_diagonal(i, model.mass()[i] * Mat3::Identity());
  });
  for (const auto& term : model.terms())
    if (const auto* damper = term->as<LinearDissipation>()) damper->add_velocity_blocks(model, at.damping, -s.g, H);
}

void add_changing_hessian(const Model& model, const StageProblem& s, const StageStates& at, bool definite,
                          BlockMatrix& H) {
  for (const auto& term : model.terms()) {
    if (const auto* stiff = term->as<StiffPotential>())
      stiff->add_position_blocks(model, at.elastic, -s.g * s.g, definite, H);
    if (const auto* drag = s.damping(*term); drag && !term->as<LinearDissipation>())
      drag->add_velocity_blocks(model, at.damping, -s.g, H);
  }
}

void assemble_stage_hessian(const Model& model, const StageProblem& s, const Points& change, bool definite,
                            BlockMatrix& H) {
  const State elastic = s.elastic_state(change), damping = s.damping_state(change);
  assemble_constant_hessian(model, s, {elastic, damping}, H);
  add_changing_hessian(model, s, {elastic, damping}, definite, H);
}

std::shared_ptr<BlockMatrix> zero_hessian(const Model& model, const StageSolution& solution) {
  if (solution.pattern) return std::make_shared<BlockMatrix>(solution.pattern);
  return std::make_shared<BlockMatrix>(model.topology());
}

std::shared_ptr<const BlockMatrix> stage_hessian(const Model& model, const StageSolution& solution) {
  if (solution.hessian) return solution.hessian;
  auto H = zero_hessian(model, solution);
  assemble_stage_hessian(model, solution.problem, solution.change, false, *H);
  return H;
}

void book_stage(const Model& model, const StageSolution& solution, double duration, Losses& book) {
  const StageProblem& s = solution.problem;
  Impulses impulses(model);
  Points force = Points::Zero(3, solution.change.cols());
  impulses.add_forces(model, s.damping_state(solution.change), force, duration,
                      [&](const ForceTerm& term) { return s.damping(term) != nullptr; });
  if (impulses.driven()) {  // elastic forces have a potential
    model.add_forces(s.elastic_state(solution.change), force, StageProblem::is_elastic);
    impulses.add_reactions(model, duration, force);
  }
  book.add(1, impulses.work(solution.velocity()));
}

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

void StageLimits::begin(const Model& model, const StageProblem& s, double tolerance) {
  g_ = s.g;
  tolerance_ = std::max(tolerance, rounding);
  mass_ = model.mass();
  explicit_.setZero(model.particles());
  const Index n = model.particles();
  farthest_ = parallel_maximum(n, particle_work(n), [&](Index i) { return (s.start.col(i) + s.move.col(i)).norm(); });
  fastest_ = parallel_maximum(n, particle_work(n), [&](Index i) { return s.velocity.col(i).norm(); });
  if (s.force.size() > 0) explicit_ = g_ * g_ * s.force.colwise().norm().transpose();
}

void StageLimits::set(const BlockMatrix& H, const Vector& reach, const Points& force) {
  H.multiply_magnitudes(reach, limits_);
  const double most = reach.maxCoeff();
  const double coordinates = rounding * ((farthest_ + most) + g_ * (fastest_ + most / g_));
  particle_parts(limits_.size(), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      limits_[i] = tolerance_ * (limits_[i] + g_ * g_ * force.col(i).norm() + explicit_[i]);
      if (H.is_held(i)) continue;
      limits_[i] += coordinates * std::sqrt(squared_norm(H.symmetric_diagonal(i).data(), mass_[i]));
    }
  });
}

double StageLimits::ratio(const Vector& residual) const {
  const double worst = parallel_maximum(residual.size(), particle_work(residual.size()), [&](Index i) {
    return residual[i] > 0 ? residual[i] / limits_[i] : residual[i];  // 0, NaN
  });
  return std::max(worst, 0.0);  // this order of arguments keeps NaN
}

}  // namespace pithball::sim
