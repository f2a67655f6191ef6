#include "sim/run/equilibrium.hpp"

#include <cmath>

#include "sim/core/error.hpp"
#include "sim/integrator/stage_linear_solver.hpp"
#include "sim/linear/conjugate_gradients.hpp"

namespace pithball::sim {
namespace {

constexpr double force_tolerance = 1e-13;  // rounding leaves about 1e-15 of the largest single force
constexpr int max_newton_steps = 200;

/// Springs under tension count fully, compressed ones without their negative part; a little mass keeps loose ends
/// definite.
std::shared_ptr<const Preconditioner> precondition(const Model& model, const State& s) {
  BlockMatrix K(model.topology());
  for (const auto& term : model.terms())
    if (term->traits().implicit && !term->traits().velocity_dependent) term->add_position_blocks(model, s, -1, true, K);
  double stiffest = 0;
  for (Index i = 0; i < model.particles(); ++i) stiffest = std::max(stiffest, K.diagonal(i).norm());
  for (Index i = 0; i < model.particles(); ++i) K.add_diagonal(i, (1e-8 * stiffest + 1e-300) * Mat3::Identity());
  auto factor = StageLinearSolver("cholesky").factorize(K);
  if (factor) return std::make_shared<BlockFactor>(std::move(*factor));
  return std::make_shared<BlockJacobi>(K);
}

struct Forces {
  Points total;        // zero on held particles
  double energy = 0;   // of the conservative terms
  double largest = 0;  // of any single term on any particle
};

Forces evaluate(const Model& model, const State& s) {
  Forces f{Points::Zero(3, model.particles())};
  for (const auto& term : model.terms()) {
    Points own = Points::Zero(3, model.particles());
    term->add_force(model, s, own);
    f.largest = std::max(f.largest, own.colwise().norm().maxCoeff());
    f.total += own;
    f.energy += term->energy(model, s).value_or(0);
  }
  model.clear_held(f.total);
  return f;
}

/// Forces without a potential (a wind or field that swirls) have an unsymmetric ∂F/∂x, for which neither the line
/// search nor conjugate gradients are meant: two fixed vectors tell.
void require_potential(const Model& model, const State& s) {
  Points a(3, s.x.cols()), b = a, Ka, Kb;
  for (Index k = 0; k < a.size(); ++k) {
    a.data()[k] = std::sin(1.0 + 0.7 * static_cast<double>(k));
    b.data()[k] = std::cos(0.3 + 1.1 * static_cast<double>(k));
  }
  model.clear_held(a);
  model.clear_held(b);
  apply_stiffness(model, s, a, Ka);
  apply_stiffness(model, s, b, Kb);
  const double left = flat(b).dot(flat(Ka)), right = flat(a).dot(flat(Kb));
  if (std::abs(left - right) > 1e-9 * std::max(Ka.norm() * b.norm(), Kb.norm() * a.norm()))
    throw InvalidArgument({"", "initial_state", "can be a position of rest only if all forces have a potential",
                           "a wind or field whose Jacobian is not symmetric",
                           "use a uniform wind, or give the initial state"});
}

}  // namespace

void apply_stiffness(const Model& model, const State& at, const Points& in, Points& out) {
  Variation d{in, Points::Zero(3, in.cols()), Vector::Zero(model.values().size())};
  model.clear_held(d.x);
  out = Points::Zero(3, in.cols());
  for (const auto& term : model.terms()) term->add_jvp(model, at, d, out);
  out = -out;
  model.clear_held(out);
}

Equilibrium find_equilibrium(const Model& model, const State& near) {
  if (!model.constraints().empty())
    throw InvalidArgument({"", "initial_state", "can be a position of rest only without constraints", "constraints",
                           "give the initial state, or let the body come to rest with drag"});
  Equilibrium result;
  State s{near.t, near.x, Points::Zero(3, near.x.cols())};
  model.place_held(s.t, s.x);
  Forces now = evaluate(model, s);
  const auto stiffness = [&](const Points& in, Points& out) { apply_stiffness(model, s, in, out); };
  require_potential(model, s);
  bool moving = true;
  while (moving && result.iterations < max_newton_steps) {
    result.preconditioner = precondition(model, s);
    result.residual = now.largest > 0 ? now.total.colwise().norm().maxCoeff() / now.largest : 0;
    if (!std::isfinite(result.residual) || result.residual <= force_tolerance) break;
    ++result.iterations;
    Points step;
    const auto cg = solve_conjugate_gradients(stiffness, *result.preconditioner, now.total, 1e-10, 500, step);
    if (cg.negative_curvature && step.isZero(0))
      result.preconditioner->apply(now.total, step);  // downhill all the same
    moving = false;
    const double slope = -flat(step).dot(flat(now.total));
    for (double t = 1; t > 1e-9 && !moving; t /= 2) {
      const State trial{s.t, s.x + t * step, s.v};
      Forces there = evaluate(model, trial);
      if (there.energy <= now.energy + 1e-4 * t * slope || there.total.norm() < 0.5 * now.total.norm()) {
        s = trial;
        now = std::move(there);
        moving = true;
      }
    }
  }
  // A residual that rounding does not let fall further is good enough for a derivative of ten digits.
  result.found = std::isfinite(result.residual) && result.residual <= 1e-10;
  if (result.found) {  // stable?
    Points b = Points::Ones(3, s.x.cols()), x;
    model.clear_held(b);
    result.found = !solve_conjugate_gradients(stiffness, *result.preconditioner, b, 1e-8, 500, x).negative_curvature;
  }
  result.x = std::move(s.x);
  return result;
}

}  // namespace pithball::sim
