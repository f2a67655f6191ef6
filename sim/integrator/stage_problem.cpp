#include "sim/integrator/stage_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "sim/core/error.hpp"
#include "sim/integrator/stage_linear_solver.hpp"
#include "sim/linear/conjugate_gradients.hpp"

namespace pithball::sim {
namespace {

bool is_elastic(const ForceTraits& t) { return t.implicit && !t.velocity_dependent; }
bool is_damping(const ForceTraits& t) { return t.implicit && t.velocity_dependent; }

/// Largest column norm of G_i/m_i, in units of the length scale.
double scaled_maximum(const Points& G, const Model& model) {
  double worst = 0;
  for (Index i = 0; i < G.cols(); ++i) {
    const double here = G.col(i).norm() / model.mass()[i];
    if (std::isnan(here)) return here;
    worst = std::max(worst, here);
  }
  return worst / model.length_scale();
}

/// Φ (up to a constant) and its gradient at one z.
struct Evaluation {
  double phi = 0;
  double rounding = 0;  // differences of Φ below this are rounding
  Points gradient;      // M(z−y) − g²(f+p), zero on held particles
};

Evaluation evaluate(const Model& model, const StageProblem& s, const Points& z) {
  const double g2 = s.g * s.g;
  const State at_z{s.t, z, Points::Zero(3, z.cols())};
  Points force = s.force;
  model.add_forces(at_z, force, is_elastic);
  Evaluation e;
  const Points offset = z - s.predictor;
  double magnitude = 0;
  const auto add = [&](double part) {
    e.phi += part;
    magnitude += std::abs(part);
  };
  add(0.5 * (offset.cwiseProduct(offset) * model.mass()).sum());
  add(-g2 * flat(s.force).dot(flat(offset)));
  for (const auto& term : model.terms())
    if (is_elastic(term->traits())) add(g2 * term->energy(model, at_z).value());

  const auto damping = [&](const Points& at) {
    Points f = Points::Zero(3, z.cols());
    model.add_forces(damping_state(s, at), f, is_damping);
    return f;
  };
  const Points now = damping(z), at_rest = damping(s.reference);
  force += now;
  add(-0.5 * g2 * (now + at_rest).cwiseProduct(z - s.reference).sum());
  e.rounding = 4 * std::numeric_limits<double>::epsilon() * magnitude;

  e.gradient = offset * model.mass().asDiagonal();
  e.gradient -= g2 * force;
  model.clear_held(e.gradient);
  return e;
}

/// A fixed vector with a component in every direction of the free particles.
Points scattered_points(const Model& model) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Points p(3, model.particles());
  for (double& entry : p.reshaped()) entry = uniform(generator);
  model.clear_held(p);
  return p;
}

}  // namespace

std::size_t StageSolution::bytes() const {
  const auto of = [](const Points& p) { return static_cast<std::size_t>(p.size()) * sizeof(double); };
  return of(problem.predictor) + of(problem.reference) + of(problem.lagged) + of(problem.force) + of(z) +
         (preconditioner ? preconditioner->bytes() : 0) + (hessian ? hessian->bytes() : 0);
}

State damping_state(const StageProblem& s, const Points& z) { return {s.t, s.lagged, (z - s.reference) / s.g}; }

void assemble_stage_hessian(const Model& model, const StageProblem& s, const Points& z, bool definite, BlockMatrix& H) {
  H.set_zero();
  for (Index i = 0; i < z.cols(); ++i) H.add_diagonal(i, model.mass()[i] * Mat3::Identity());
  const State at_z{s.t, z, Points::Zero(3, z.cols())};
  const State lagged = damping_state(s, z);
  for (const auto& term : model.terms()) {
    if (is_elastic(term->traits())) term->add_position_blocks(model, at_z, -s.g * s.g, definite, H);
    if (is_damping(term->traits())) term->add_velocity_blocks(model, lagged, -s.g, H);
  }
}

std::shared_ptr<const BlockMatrix> stage_hessian(const Model& model, const StageSolution& solution) {
  if (solution.hessian) return solution.hessian;
  auto H = std::make_shared<BlockMatrix>(model.topology());
  assemble_stage_hessian(model, solution.problem, solution.z, false, *H);
  return H;
}

double stage_rounding_floor(const Model& model, const BlockMatrix& H, const Points& z) {
  double stiffest = 0;
  for (Index i = 0; i < z.cols(); ++i)
    if (!model.is_held(i)) stiffest = std::max(stiffest, H.diagonal(i).norm() / model.mass()[i]);
  return 16 * std::numeric_limits<double>::epsilon() * stiffest * z.colwise().norm().maxCoeff() / model.length_scale();
}

struct StageSolver::Impl {
  explicit Impl(StageOptions o) : options(std::move(o)), linear(options.linear_solver) {}

  StageReport solve(const Model& model, const StageProblem& problem, StageSolution& solution);
  Points newton_direction(const Model& model, const StageProblem& s, const Points& z, const Points& gradient,
                          double forcing, std::shared_ptr<const Preconditioner>& preconditioner, bool& regularised,
                          StageReport& report);
  bool line_search(const Model& model, const StageProblem& s, const Points& direction, bool regularised, Points& z,
                   Evaluation& now) const;
  bool escape_saddle(const Model& model, const StageProblem& s, Points& z, Evaluation& now);
  enum class Curvature { Positive, NearlySingular, Negative };
  Curvature curvature(const Model& model, const StageProblem& s, const Points& z);

  StageOptions options;
  StageLinearSolver linear;
  std::optional<BlockMatrix> H;
};

/// −H⁻¹ ∇Φ to the relative accuracy `forcing`; where H is not positive definite, the same with the regularised matrix,
/// and `regularised` says so.
Points StageSolver::Impl::newton_direction(const Model& model, const StageProblem& s, const Points& z,
                                           const Points& gradient, double forcing,
                                           std::shared_ptr<const Preconditioner>& preconditioner, bool& regularised,
                                           StageReport& report) {
  Points step;
  ++report.linear_solves;
  for (const bool definite : {false, true}) {
    regularised = definite;
    assemble_stage_hessian(model, s, z, definite, *H);
    if (!preconditioner || linear.kind() == "block_jacobi_cg") preconditioner = linear.make(*H);
    if (!preconditioner) continue;  // not positive definite, said the factorisation
    CgReport cg =
        solve_conjugate_gradients(*H, *preconditioner, -gradient, forcing, StageLinearSolver::max_cg_iterations, step);
    report.cg_iterations += cg.iterations;
    if (linear.kind() == "cholesky" && cg.iterations > 8)
      preconditioner = nullptr;  // stale: factorise at the next iterate
    if (!cg.negative_curvature) break;
    preconditioner = nullptr;
  }
  return step;
}

/// Moves z along the direction to a point that is better: by Φ (Armijo 1966) as long as Φ resolves the difference, or
/// by a clearly smaller gradient. Returns false if there is none.
bool StageSolver::Impl::line_search(const Model& model, const StageProblem& s, const Points& direction,
                                    bool regularised, Points& z, Evaluation& now) const {
  const double slope = flat(direction).dot(flat(now.gradient));
  const double before = now.gradient.norm();
  const Points start = z;
  for (double t = 1; t == 1 || -t * slope > now.rounding; t /= 2) {
    const Points trial = start + t * direction;
    Evaluation there = evaluate(model, s, trial);
    const bool resolved = -t * slope > now.rounding;
    const bool lower = resolved && there.phi <= now.phi + 1e-4 * t * slope;
    if (!lower && !(there.gradient.norm() < (resolved ? 0.5 : 0.9) * before)) continue;
    z = trial;
    now = std::move(there);
    // The regularised matrix is too stiff along a valley that buckling opens: go on while it lowers Φ.
    for (double further = 2; regularised && t == 1; further *= 2) {
      const Points ahead = start + further * direction;
      Evaluation beyond = evaluate(model, s, ahead);
      if (!(beyond.phi < now.phi - now.rounding)) break;
      z = ahead;
      now = std::move(beyond);
    }
    return true;
  }
  return false;
}

/// Is H at z positive definite? First by a bound that costs one pass over the springs, then by factorising.
StageSolver::Impl::Curvature StageSolver::Impl::curvature(const Model& model, const StageProblem& s, const Points& z) {
  constexpr double small = 1e-8;  // smallest eigenvalue of M⁻¹H that still gives seven digits of derivative
  Vector bound = Vector::Zero(z.cols());
  const State at_z{s.t, z, Points::Zero(3, z.cols())};
  for (const auto& term : model.terms())
    if (is_elastic(term->traits())) term->add_negative_curvature_bound(model, at_z, bound);
  bool certain = true;
  for (Index i = 0; i < z.cols(); ++i)
    certain = certain && (model.is_held(i) || s.g * s.g * bound[i] <= 0.99 * model.mass()[i]);
  if (certain) return Curvature::Positive;

  assemble_stage_hessian(model, s, z, false, *H);
  const auto factor = linear.factorize(*H);
  if (!factor) return Curvature::Negative;
  // Inverse iteration on M⁻¹H, self-adjoint in the product of masses: the Rayleigh quotient falls to the smallest
  // eigenvalue from above. (A vector of ones would not do: it is the translation of a free body, with eigenvalue 1.)
  const BlockFactor inverse(*factor);
  Points w = scattered_points(model), next(3, z.cols());
  double eigenvalue = 1;
  for (int k = 0; k < 8; ++k) {
    const Points Mw = w * model.mass().asDiagonal();
    inverse.apply(Mw, next);
    eigenvalue = flat(w).dot(flat(Mw)) / std::max(flat(Mw).dot(flat(next)), std::numeric_limits<double>::min());
    w = next / next.norm();
  }
  return eigenvalue > small ? Curvature::Positive : Curvature::NearlySingular;
}

/// From a stationary point that is no minimum, moves along a direction of negative curvature until Φ is lower.
bool StageSolver::Impl::escape_saddle(const Model& model, const StageProblem& s, Points& z, Evaluation& now) {
  assemble_stage_hessian(model, s, z, false, *H);
  Points x, direction;
  // Plain diagonal masses as preconditioner: positive definite whatever H is.
  BlockMatrix M(model.topology());
  for (Index i = 0; i < z.cols(); ++i) M.add_diagonal(i, model.mass()[i] * Mat3::Identity());
  if (!solve_conjugate_gradients(*H, BlockJacobi(M), scattered_points(model), 1e-12,
                                 StageLinearSolver::max_cg_iterations, x, &direction)
           .negative_curvature)
    return false;
  direction *= 1e-3 * model.length_scale() / direction.colwise().norm().maxCoeff();
  for (double t = 1024; t > 1e-7; t /= 2) {
    for (const double sign : {1.0, -1.0}) {
      const Points trial = z + sign * t * direction;
      Evaluation there = evaluate(model, s, trial);
      if (there.phi < now.phi - now.rounding) {
        z = trial;
        now = std::move(there);
        return true;
      }
    }
  }
  return false;
}

StageReport StageSolver::Impl::solve(const Model& model, const StageProblem& s, StageSolution& solution) {
  linear.prepare(model, s.g);
  if (!H || H->particles() != model.particles()) H.emplace(model.topology());
  StageReport report;
  Points z = s.predictor;
  Evaluation now = evaluate(model, s, z);
  std::shared_ptr<const Preconditioner> preconditioner;
  double first = 0;
  int escapes = 0;
  while (true) {
    report.residual = scaled_maximum(now.gradient, model);
    if (!std::isfinite(report.residual)) break;
    if (first == 0) first = report.residual;
    bool done = report.residual <= options.tolerance;
    if (!done && report.linear_solves < options.max_iterations) {
      // Quadratic convergence to begin with, and never more digits in a direction than the tolerance can use.
      const double forcing =
          std::clamp(std::max(0.1 * report.residual / first, 0.1 * options.tolerance / report.residual), 1e-10, 1e-2);
      bool regularised = false;
      const Points direction =
          newton_direction(model, s, z, now.gradient, forcing, preconditioner, regularised, report);
      if (direction.size() > 0 && direction.allFinite() && line_search(model, s, direction, regularised, z, now))
        continue;
    }
    if (!done) {
      assemble_stage_hessian(model, s, z, false, *H);
      done = report.residual <= stage_rounding_floor(model, *H, z);
    }
    const Curvature curved = curvature(model, s, z);
    if (curved == Curvature::Negative && ++escapes <= 5 && escape_saddle(model, s, z, now)) {
      ++report.escapes;
      preconditioner = nullptr;
      first = 0;
      continue;
    }
    if (!done) break;
    report.converged = true;
    report.derivative_reliable = curved == Curvature::Positive;
    break;
  }
  if (!preconditioner && report.converged) {
    assemble_stage_hessian(model, s, z, false, *H);
    preconditioner = linear.make(*H);
  }
  solution = {s, std::move(z), std::move(preconditioner)};
  return report;
}

StageSolver::StageSolver(StageOptions options) {
  const auto& names = linear_solvers();
  if (std::find(names.begin(), names.end(), options.linear_solver) == names.end()) {
    std::string known;
    for (const auto& name : names) known += (known.empty() ? "" : ", ") + name;
    throw InvalidArgument({"", "simulation.linear_solver", "must be one of " + known, options.linear_solver, ""});
  }
  impl_ = std::make_unique<Impl>(std::move(options));
}
StageSolver::~StageSolver() = default;

StageReport StageSolver::solve(const Model& model, const StageProblem& problem, StageSolution& solution) {
  return impl_->solve(model, problem, solution);
}
const std::string& StageSolver::linear_solver() const { return impl_->linear.kind(); }

}  // namespace pithball::sim
