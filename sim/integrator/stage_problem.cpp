#include "sim/integrator/stage_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "sim/core/error.hpp"
#include "sim/integrator/stage_limits.hpp"
#include "sim/integrator/stage_linear_solver.hpp"
#include "sim/linear/conjugate_gradients.hpp"

namespace pithball::sim {
namespace {

/// Φ (up to a constant), the forces and the gradient at one δ.
struct Evaluation {
  double phi = 0;
  double rounding = 0;  // differences of Φ below this are rounding
  Points force;         // f_s + F_d
  Points gradient;      // M δ − g² (f + p), zero on held particles
};

Evaluation evaluate(const Model& model, const StageProblem& s, const Points& change) {
  const double g2 = s.g * s.g;
  const State elastic = s.elastic_state(change), damping = s.damping_state(change);
  Evaluation e;
  double magnitude = 0;
  const auto add = [&](double part) {
    e.phi += part;
    magnitude += std::abs(part);
  };
  add(0.5 * (change.cwiseProduct(change) * model.mass()).sum());
  add(-g2 * flat(s.force).dot(flat(change)));
  e.force = Points::Zero(3, change.cols());
  for (const auto& term : model.terms()) {
    if (StageProblem::is_elastic(term->traits())) {
      term->add_force(model, elastic, e.force);
      add(g2 * term->energy(model, elastic).value());
    } else if (s.is_damping(term->traits())) {
      term->add_force(model, damping, e.force);
      add(g2 * s.g * term->dissipation(model, damping));
    }
  }
  e.rounding = 4 * std::numeric_limits<double>::epsilon() * magnitude;

  e.gradient = change * model.mass().asDiagonal();
  e.gradient -= g2 * (e.force + s.force);
  model.clear_held(e.gradient);
  return e;
}

/// What part of the residual Newton's first step is likely to leave: the change in units of the shortest spring, over
/// which directions, and with them stiffnesses, change.
double expected_nonlinearity(const Model& model, const StageProblem& s, const Evaluation& now) {
  double shortest = std::numeric_limits<double>::infinity();
  const Points place = s.start + s.move;
  for (const Spring& spring : model.springs())
    shortest = std::min(shortest, (place.col(spring.i) - place.col(spring.j)).norm());
  return largest_change(model, now.gradient) / shortest;
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
  return of(problem.start) + of(problem.move) + of(problem.velocity) + of(problem.lagged) + of(problem.force) +
         of(change) + (preconditioner ? preconditioner->bytes() : 0) + (hessian ? hessian->bytes() : 0);
}

void assemble_stage_hessian(const Model& model, const StageProblem& s, const Points& change, bool definite,
                            BlockMatrix& H) {
  H.set_zero();
  for (Index i = 0; i < change.cols(); ++i) H.add_diagonal(i, model.mass()[i] * Mat3::Identity());
  const State elastic = s.elastic_state(change), damping = s.damping_state(change);
  for (const auto& term : model.terms()) {
    if (StageProblem::is_elastic(term->traits())) term->add_position_blocks(model, elastic, -s.g * s.g, definite, H);
    if (s.is_damping(term->traits())) term->add_velocity_blocks(model, damping, -s.g, H);
  }
}

std::shared_ptr<const BlockMatrix> stage_hessian(const Model& model, const StageSolution& solution) {
  if (solution.hessian) return solution.hessian;
  auto H = std::make_shared<BlockMatrix>(model.topology());
  assemble_stage_hessian(model, solution.problem, solution.change, false, *H);
  return H;
}

void book_stage(const Model& model, const StageSolution& solution, double duration, Losses& book) {
  const StageProblem& s = solution.problem;
  Impulses felt(model);
  Points force = Points::Zero(3, solution.change.cols());
  felt.add_forces(model, s.damping_state(solution.change), force, duration,
                  [&](const ForceTraits& t) { return s.is_damping(t); });
  if (felt.driven()) {  // elastic forces have a potential
    model.add_forces(s.elastic_state(solution.change), force, StageProblem::is_elastic);
    felt.bear(model, duration, force);
  }
  book.add(1, felt.work(solution.velocity()));
}

/// Where Newton's method goes next.
struct NewtonDirection {
  Points step;               // −H⁻¹ ∇Φ, with the regularised matrix if `regularised`
  Points valley;             // p with pᵀH p <= 0, as conjugate gradients met it; empty: they met none
  bool regularised = false;  // H is not positive definite
};

struct StageSolver::Impl {
  explicit Impl(StageOptions o) : options(std::move(o)), linear(options.linear_solver) {}

  StageReport solve(const Model& model, const StageProblem& problem, StageSolution& solution);
  NewtonDirection newton_direction(const Model& model, const StageProblem& s, const Points& change,
                                   const Points& gradient, double forcing, bool regularised,
                                   std::shared_ptr<const Preconditioner>& preconditioner, StageReport& report);
  bool newton_step(const Model& model, const StageProblem& s, double forcing, bool regularised,
                   std::shared_ptr<const Preconditioner>& preconditioner, Points& change, Evaluation& now,
                   double& ratio, StageReport& report);
  bool line_search(const Model& model, const StageProblem& s, const Points& direction,
                   const StageLimits& limits, Points& change, Evaluation& now) const;
  void descend_valley(const Model& model, const StageProblem& s, const NewtonDirection& direction, Points& change,
                      Evaluation& now) const;
  bool escape_saddle(const Model& model, const StageProblem& s, Points& change, Evaluation& now);
  enum class Curvature { Positive, NearlySingular, Negative };
  Curvature curvature(const Model& model, const StageProblem& s, const Points& change);

  StageOptions options;
  StageLinearSolver linear;
  std::optional<BlockMatrix> H;
};

/// −H⁻¹ ∇Φ to the relative accuracy `forcing`; where H is not positive definite, or if `regularised` asks for it, the
/// same with the regularised matrix.
NewtonDirection StageSolver::Impl::newton_direction(const Model& model, const StageProblem& s, const Points& change,
                                                    const Points& gradient, double forcing, bool regularised,
                                                    std::shared_ptr<const Preconditioner>& preconditioner,
                                                    StageReport& report) {
  NewtonDirection direction;
  ++report.linear_solves;
  for (const bool definite : {false, true}) {
    if (regularised && !definite) continue;
    direction.regularised = definite;
    assemble_stage_hessian(model, s, change, definite, *H);
    if (!preconditioner || linear.kind() == "block_jacobi_cg") preconditioner = linear.make(*H);
    if (!preconditioner) continue;  // not positive definite, said the factorisation
    const CgReport cg = solve_conjugate_gradients(*H, *preconditioner, -gradient, forcing,
                                                  StageLinearSolver::max_cg_iterations, direction.step, &direction.valley);
    report.cg_iterations += cg.iterations;
    if (linear.kind() == "cholesky" && cg.iterations > 8)
      preconditioner = nullptr;  // stale: factorise at the next iterate
    if (!cg.negative_curvature) break;
    preconditioner = nullptr;
  }
  return direction;
}

/// Moves δ along the direction to a point that is better: by Φ (Armijo 1966) as long as Φ resolves the difference, or
/// by a clearly smaller residual in units of its limits. Returns false if there is none.
bool StageSolver::Impl::line_search(const Model& model, const StageProblem& s, const Points& direction,
                                    const StageLimits& limits, Points& change, Evaluation& now) const {
  const double slope = flat(direction).dot(flat(now.gradient));
  const double before = limits.ratio(now.gradient);
  const Points start = change;
  for (double t = 1; t == 1 || -t * slope > now.rounding; t /= 2) {
    const Points trial = start + t * direction;
    Evaluation there = evaluate(model, s, trial);
    const bool resolved = -t * slope > now.rounding;
    const bool lower = resolved && there.phi <= now.phi + 1e-4 * t * slope;
    if (!lower && !(limits.ratio(there.gradient) < (resolved ? 0.5 : 0.9) * before)) continue;
    change = trial;
    now = std::move(there);
    return true;
  }
  return false;
}

/// The regularised matrix is too stiff along a valley that buckling opens, and its steps creep there. Moves δ on along
/// the valley, or along the step where none is known, downhill as long as Φ falls: by the length of the step, twice,
/// four times … as much, or a half, a quarter … of it.
void StageSolver::Impl::descend_valley(const Model& model, const StageProblem& s, const NewtonDirection& direction,
                                       Points& change, Evaluation& now) const {
  const Points& valley = direction.valley.size() > 0 ? direction.valley : direction.step;
  const double uphill = flat(valley).dot(flat(now.gradient)) > 0 ? 1 : -1;
  const double length = column_norms(direction.step).maxCoeff() / column_norms(valley).maxCoeff();
  const Points start = change;
  const auto lowers = [&](double t) {
    const Points trial = start - t * uphill * length * valley;
    Evaluation there = evaluate(model, s, trial);
    if (!(there.phi < now.phi - now.rounding)) return false;
    change = trial;
    now = std::move(there);
    return true;
  };
  double t = 1;
  if (lowers(t)) {
    do t *= 2;
    while (lowers(t));
  } else {
    constexpr double shortest = 1e-3;  // of the step: what is shorter saves no step
    do t /= 2;
    while (!lowers(t) && t > shortest);
  }
}

/// One step of Newton's method: δ, what is there, and the ratio of the residual to its limits. Where H is nearly
/// singular and its direction leads nowhere, the regularised one may. Returns false if neither does.
bool StageSolver::Impl::newton_step(const Model& model, const StageProblem& s, double forcing, bool regularised,
                                    std::shared_ptr<const Preconditioner>& preconditioner, Points& change,
                                    Evaluation& now, double& ratio, StageReport& report) {
  const NewtonDirection direction =
      newton_direction(model, s, change, now.gradient, forcing, regularised, preconditioner, report);
  if (direction.step.size() > 0 && direction.step.allFinite()) {
    const Vector reach = column_norms(change) + column_norms(direction.step);
    const StageLimits limits(model, s, *H, reach, now.force, options.tolerance);
    const bool moved = line_search(model, s, direction.step, limits, change, now);
    if (moved && direction.regularised) descend_valley(model, s, direction, change, now);
    ratio = limits.ratio(now.gradient);
    if (moved) return true;
  }
  if (direction.regularised || ratio <= 1) return false;
  preconditioner = nullptr;
  return newton_step(model, s, forcing, true, preconditioner, change, now, ratio, report);
}

/// Is H at z positive definite? First by a bound that costs one pass over the springs, then by factorising.
StageSolver::Impl::Curvature StageSolver::Impl::curvature(const Model& model, const StageProblem& s,
                                                              const Points& change) {
  constexpr double small = 1e-8;  // smallest eigenvalue of M⁻¹H that still gives seven digits of derivative
  Vector bound = Vector::Zero(change.cols());
  const State at_z = s.elastic_state(change);
  for (const auto& term : model.terms())
    if (StageProblem::is_elastic(term->traits())) term->add_negative_curvature_bound(model, at_z, bound);
  bool certain = true;
  for (Index i = 0; i < change.cols(); ++i)
    certain = certain && (model.is_held(i) || s.g * s.g * bound[i] <= 0.99 * model.mass()[i]);
  if (certain) return Curvature::Positive;

  assemble_stage_hessian(model, s, change, false, *H);
  const auto factor = linear.factorize(*H);
  if (!factor) return Curvature::Negative;
  // Inverse iteration on M⁻¹H, self-adjoint in the product of masses: the Rayleigh quotient falls to the smallest
  // eigenvalue from above. (A vector of ones would not do: it is the translation of a free body, with eigenvalue 1.)
  const BlockFactor inverse(*factor);
  Points w = scattered_points(model), next(3, change.cols());
  double eigenvalue = 1;
  for (int k = 0; k < 8; ++k) {
    const Points Mw = w * model.mass().asDiagonal();
    inverse.apply(Mw, next);
    eigenvalue = flat(w).dot(flat(Mw)) / std::max(flat(Mw).dot(flat(next)), std::numeric_limits<double>::min());
    w = next / next.norm();
  }
  return eigenvalue > small ? Curvature::Positive : Curvature::NearlySingular;
}

/// From a stationary point that is no minimum, moves along a direction of negative curvature until Φ is lower. Nothing
/// in the problem prefers one such direction: a fixed random vector does.
bool StageSolver::Impl::escape_saddle(const Model& model, const StageProblem& s, Points& change, Evaluation& now) {
  assemble_stage_hessian(model, s, change, false, *H);
  Points x, direction;
  // Plain diagonal masses as preconditioner: positive definite whatever H is.
  BlockMatrix M(model.topology());
  for (Index i = 0; i < change.cols(); ++i) M.add_diagonal(i, model.mass()[i] * Mat3::Identity());
  if (!solve_conjugate_gradients(*H, BlockJacobi(M), scattered_points(model), 1e-12,
                                 StageLinearSolver::max_cg_iterations, x, &direction)
           .negative_curvature)
    return false;
  const Points place = s.place(change);
  const double extent = (place.rowwise().maxCoeff() - place.rowwise().minCoeff()).norm();
  direction *= extent / direction.colwise().norm().maxCoeff();
  constexpr double nearest = 1e-10;  // of the body: what lies nearer, rounding may have made
  for (double t = 1; t > nearest; t /= 2) {
    for (const double sign : {1.0, -1.0}) {
      const Points trial = change + sign * t * direction;
      Evaluation there = evaluate(model, s, trial);
      if (there.phi < now.phi - now.rounding) {
        change = trial;
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
  Points change = Points::Zero(3, model.particles());
  Evaluation now = evaluate(model, s, change);
  std::shared_ptr<const Preconditioner> preconditioner;
  const double finest = std::max(0.1 * options.tolerance, std::numeric_limits<double>::epsilon());
  double ratio = now.gradient.isZero(0) ? 0 : std::numeric_limits<double>::infinity();  // of the residual to its limits
  double first = 0;
  while (now.gradient.allFinite()) {
    const double size = largest_change(model, now.gradient);
    const bool beginning = first == 0;
    if (beginning) first = size;
    if (ratio > 1 && report.linear_solves < options.max_iterations) {
      // Quadratic convergence, and never more digits than the limits can use. Later solves correct the first one: more
      // than ten digits of theirs would only follow the rounding of a nearly singular H.
      const double nonlinear = 0.1 * (beginning ? expected_nonlinearity(model, s, now) : size / first);
      const double forcing = std::clamp(std::max(nonlinear, 0.1 / ratio), beginning ? finest : 1e-10, 1e-2);
      if (newton_step(model, s, forcing, false, preconditioner, change, now, ratio, report)) continue;
    }
    const Curvature curved = curvature(model, s, change);
    if (curved == Curvature::Negative && report.escapes < 5 && escape_saddle(model, s, change, now)) {
      ++report.escapes;
      preconditioner = nullptr;
      ratio = std::numeric_limits<double>::infinity();
      first = 0;
      continue;
    }
    report.converged = ratio <= 1;
    report.derivative_reliable = !report.converged || curved == Curvature::Positive;
    break;
  }
  // Before the first step all of the residual is left.
  report.residual = !now.gradient.allFinite() ? std::numeric_limits<double>::quiet_NaN()
                    : std::isinf(ratio)       ? 1
                                              : ratio * options.tolerance;
  if (!preconditioner && report.converged) {
    assemble_stage_hessian(model, s, change, false, *H);
    preconditioner = linear.make(*H);
  }
  solution = {s, std::move(change), std::move(preconditioner)};
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
