#include "sim/integrator/stage_minimization.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "sim/core/finite.hpp"
#include "sim/core/parallel_for.hpp"

namespace pithball::sim {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Returns the fraction of the residual that Newton's first step is likely to leave: `change` divided by the length of
/// the shortest spring, as spring directions and thus stiffnesses vary over that distance.
double expected_nonlinearity(const Model& model, const Points& place, double change) {
  constexpr double spring_work = 10;
  const auto& springs = model.springs();
  const auto count = static_cast<Index>(springs.size());
  const double minus_shortest = parallel_maximum(count, spring_work * static_cast<double>(count), [&](Index k) {
    return -(place.col(springs[k].i) - place.col(springs[k].j)).squaredNorm();
  });
  return change / std::sqrt(-minus_shortest);
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

/// A search for the minimum of Φ: its current point and its report.
class StageMinimization {
 public:
  StageMinimization(const StageTask& task, StageSolution& solution)
      : model_(task.model),
        options_(task.options),
        linear_(task.linear),
        work_(task.workspace),
        objective_(work_.objective),
        solution_(solution),
        H_(*work_.H),
        now_(work_.now),
        there_(work_.there) {}

  StageReport run();

 private:
  enum class Curvature { Positive, NearlySingular, Negative };

  void begin();
  double forcing();
  void assemble_hessian(bool definite);
  bool find_direction(double forcing, bool regularized);
  bool newton_step(double forcing, bool regularized = false);
  bool line_search();
  bool is_lower(double t, double slope);
  void move_there() { std::swap(now_, there_); }
  void descend_valley();
  bool escape_saddle();
  Curvature curvature();
  std::optional<Curvature> curvature_by_sweeps();
  bool take_if_lower(const Points& trial);
  void close();

  const Model& model_;
  const StageOptions& options_;
  StageLinearSolver& linear_;
  StageWorkspace& work_;
  StageObjective& objective_;
  StageSolution& solution_;
  BlockMatrix& H_;
  StagePoint &now_, &there_;

  double ratio_ = 0;  // residual over its limits; infinite before the first step
  double first_ = 0;  // change implied by the residual at the start or the restart from a saddle; 0: not yet set
  StageReport report_;
};

/// Starts at δ = 0.
void StageMinimization::begin() {
  solution_.preconditioner = nullptr;
  solution_.hessian = nullptr;
  solution_.pattern = H_.pattern();
  objective_.begin(model_, solution_.problem);
  work_.limits.begin(model_, solution_.problem, options_.tolerance);
  now_.change.setZero(3, model_.particles());
  objective_.evaluate(now_);
  ratio_ = now_.gradient.isZero(0) ? 0 : infinity;
}

/// Returns the relative accuracy for the next linear solve: enough for quadratic convergence, but no more digits than
/// the limits require. Later solves only correct the first one: beyond ten digits, they would follow the rounding
/// errors of a nearly singular H.
double StageMinimization::forcing() {
  const double finest = std::max(0.1 * options_.tolerance, std::numeric_limits<double>::epsilon());
  const double size = largest_change(model_, now_.residual);
  const bool beginning = first_ == 0;
  if (beginning) first_ = size;
  const double nonlinear =
      0.1 * (beginning ? expected_nonlinearity(model_, objective_.elastic_state(now_.change).x, size) : size / first_);
  return std::clamp(std::max(nonlinear, 0.1 / ratio_), beginning ? finest : 1e-10, 1e-2);
}

/// Computes H at δ in place. Drops a preconditioner that refers to H or was made for the previous one.
void StageMinimization::assemble_hessian(bool definite) {
  if (linear_.follows_matrix()) solution_.preconditioner = nullptr;  // its memory is reused by the next one
  objective_.assemble_hessian(now_.change, definite, H_);
}

/// Computes −H⁻¹ ∇Φ to the relative accuracy `forcing`, with the regularized matrix if H is not positive definite or
/// `regularized` is set. Returns false if there is no such direction.
bool StageMinimization::find_direction(double forcing, bool regularized) {
  NewtonDirection& direction = work_.direction;
  direction.valley.resize(3, 0);
  work_.downhill = -now_.gradient;
  ++report_.linear_solves;
  bool found = false;
  for (const bool definite : {false, true}) {
    if (regularized && !definite) continue;
    direction.regularized = definite;
    assemble_hessian(definite);
    if (!solution_.preconditioner) solution_.preconditioner = linear_.make(work_.H);
    if (!solution_.preconditioner) continue;  // the factorization found it not positive definite
    const CgReport cg =
        work_.gradients.solve(H_, *solution_.preconditioner, work_.downhill,
                              {forcing, StageLinearSolver::max_cg_iterations}, direction.step, &direction.valley);
    found = true;
    report_.cg_iterations += cg.iterations;
    if (linear_.kind() == "cholesky" && cg.iterations > 8)
      solution_.preconditioner = nullptr;  // stale: factorize at the next iterate
    if (!cg.negative_curvature) break;
    solution_.preconditioner = nullptr;
  }
  return found;
}

/// Whether Φ is sufficiently lower at the trial point (Armijo 1966), which lies a fraction t of a step with this slope
/// away; where rounding hides the difference in Φ, whether the residual is slightly smaller.
bool StageMinimization::is_lower(double t, double slope) {
  const StageEnergy& here = objective_.energy(now_);
  if (-t * slope > here.rounding) return objective_.energy(there_).phi <= here.phi + 1e-4 * t * slope;
  return work_.limits.ratio(there_.residual) < 0.9 * work_.limits.ratio(now_.residual);
}

/// Moves δ along the direction to a better point: one with a clearly smaller residual in units of its limits, or else
/// with a lower Φ, as long as Φ resolves the difference. Returns false if there is none.
bool StageMinimization::line_search() {
  const Points& direction = work_.direction.step;
  const double before = work_.limits.ratio(now_.residual);
  const double slope = flat(direction).dot(flat(now_.gradient));
  ratio_ = before;
  for (double t = 1; t == 1 || -t * slope > objective_.energy(now_).rounding; t /= 2) {
    there_.change.resize(3, model_.particles());
    particle_parts(model_.particles(), [&](Index begin, Index end) {
      const auto part = [=](auto& v) { return v.middleCols(begin, end - begin); };
      part(there_.change) = part(now_.change) + t * part(direction);
    });
    objective_.evaluate(there_);
    const double after = work_.limits.ratio(there_.residual);
    if (!(after < 0.5 * before) && !is_lower(t, slope)) continue;
    ratio_ = after;
    move_there();
    return true;
  }
  return false;
}

/// Moves δ to `trial` if Φ falls by more than rounding.
bool StageMinimization::take_if_lower(const Points& trial) {
  there_.change = trial;
  objective_.evaluate(there_);
  const StageEnergy& here = objective_.energy(now_);
  if (!(objective_.energy(there_).phi < here.phi - here.rounding)) return false;
  move_there();
  return true;
}

/// Where buckling opens a valley, the regularized matrix is too stiff along it, and its steps make little progress.
/// Moves δ farther along the valley, or along the step if no valley is known, in the descent direction as long as Φ
/// falls: by 1, 2, 4, … times the length of the step, or by 1/2, 1/4, … of it.
void StageMinimization::descend_valley() {
  const NewtonDirection& direction = work_.direction;
  const Points& valley = direction.valley.size() > 0 ? direction.valley : direction.step;
  const double uphill = flat(valley).dot(flat(now_.gradient)) > 0 ? 1 : -1;
  const double length = column_norms(direction.step).maxCoeff() / column_norms(valley).maxCoeff();
  const Points start = now_.change;
  const auto lowers = [&](double t) { return take_if_lower(start - t * uphill * length * valley); };
  double t = 1;
  if (lowers(t)) {
    do t *= 2;
    while (lowers(t));
  } else {
    constexpr double shortest = 1e-3;  // of the step: shorter moves do not reduce the number of steps
    do t /= 2;
    while (!lowers(t) && t > shortest);
  }
}

/// One step of Newton's method. If H is nearly singular and its direction gives no progress, tries the regularized one.
/// Returns false if neither succeeds.
bool StageMinimization::newton_step(double forcing, bool regularized) {
  const NewtonDirection& direction = work_.direction;
  Vector& reach = work_.by_particle;
  bool finite = find_direction(forcing, regularized);
  if (finite) {
    reach.resize(model_.particles());
    particle_parts(reach.size(), [&](Index begin, Index end) {
      const auto norms = [=](const Points& v) { return v.middleCols(begin, end - begin).colwise().norm().transpose(); };
      reach.segment(begin, end - begin) = norms(now_.change) + norms(direction.step);
    });
    finite = reach.allFinite();
  }
  if (finite) {
    work_.limits.set(H_, reach, now_.force);
    const bool moved = line_search();
    if (moved && direction.regularized) {
      descend_valley();
      ratio_ = work_.limits.ratio(now_.residual);
    }
    if (moved) return true;
  }
  if (direction.regularized || ratio_ <= 1) return false;
  solution_.preconditioner = nullptr;
  return newton_step(forcing, true);
}

constexpr double small = 1e-8;  // smallest eigenvalue of M⁻¹H that still gives seven digits of a derivative

/// If H has a negative eigenvalue, conjugate gradients for a right-hand side with a component in every direction
/// encounter it before they reach twelve digits. Three steps of inverse iteration find the smallest eigenvalue to a
/// factor far below the margin. Returns nothing if it is near the limit, or if a solve does not converge.
std::optional<StageMinimization::Curvature> StageMinimization::curvature_by_sweeps() {
  constexpr double margin = 1e3;
  const auto sweeps = simple_preconditioner(work_.H);
  Points w = scattered_points(model_), next;
  double eigenvalue = 1;
  for (const double tolerance : {1e-12, 1e-4, 1e-4}) {
    const Points Mw = w * model_.mass().asDiagonal();
    const CgReport cg =
        solve_conjugate_gradients(H_, *sweeps, Mw, {tolerance, StageLinearSolver::max_cg_iterations}, next);
    if (cg.negative_curvature) return Curvature::Negative;
    if (!cg.converged) return {};
    eigenvalue = flat(w).dot(flat(Mw)) / flat(Mw).dot(flat(next));
    w = next / next.norm();
  }
  if (eigenvalue > margin * small) return Curvature::Positive;
  return {};
}

/// Determines the curvature of H at z from a bound that costs one pass over the springs or, if that does not suffice,
/// by factorizing, or by iterative solves where factorizing costs much more.
StageMinimization::Curvature StageMinimization::curvature() {
  const double g2 = solution_.problem.g * solution_.problem.g;
  Vector& bound = work_.by_particle;
  bound.setZero(model_.particles());
  const State& at_z = objective_.elastic_state(now_.change);
  for (const auto& term : model_.terms())
    if (const auto* stiff = term->as<StiffPotential>()) stiff->add_negative_curvature_bound(model_, at_z, bound);
  const double most = parallel_maximum(model_.particles(), particle_work(model_.particles()), [&](Index i) {
    return model_.is_held(i) ? 0 : g2 * bound[i] / model_.mass()[i];
  });
  if (most <= 0.99) return Curvature::Positive;

  assemble_hessian(false);
  if (linear_.kind() == "ssor_cg" && !linear_.factorizes_cheaply(H_))
    if (const auto found = curvature_by_sweeps()) return *found;
  const auto factor = linear_.factorize(H_);
  if (!factor) return Curvature::Negative;
  // Inverse iteration on M⁻¹H, self-adjoint in the inner product of the masses: the Rayleigh quotient decreases to the
  // smallest eigenvalue. (A vector of ones would not do: it is the translation of a free body, with eigenvalue 1.)
  const BlockFactor inverse(*factor);
  Points w = scattered_points(model_), next(3, model_.particles());
  double eigenvalue = 1;
  for (int k = 0; k < 8; ++k) {
    const Points Mw = w * model_.mass().asDiagonal();
    inverse.apply(Mw, next);
    eigenvalue = flat(w).dot(flat(Mw)) / std::max(flat(Mw).dot(flat(next)), std::numeric_limits<double>::min());
    w = next / next.norm();
  }
  return eigenvalue > small ? Curvature::Positive : Curvature::NearlySingular;
}

/// Leaves a stationary point that is not a minimum: moves along a direction of negative curvature until Φ is lower. A
/// fixed random vector selects the direction, because the problem does not determine one.
bool StageMinimization::escape_saddle() {
  assemble_hessian(false);
  Points x, direction;
  // Preconditioned by the masses alone: positive definite whatever H is.
  BlockMatrix M(H_.pattern());
  for (Index i = 0; i < model_.particles(); ++i) M.add_diagonal(i, model_.mass()[i] * Mat3::Identity());
  if (!solve_conjugate_gradients(H_, BlockJacobi(M), scattered_points(model_),
                                 {1e-12, StageLinearSolver::max_cg_iterations}, x, &direction)
           .negative_curvature)
    return false;
  const Points place = solution_.problem.place(now_.change), start = now_.change;
  const double extent = (place.rowwise().maxCoeff() - place.rowwise().minCoeff()).norm();
  direction *= extent / direction.colwise().norm().maxCoeff();
  constexpr double nearest = 1e-10;  // of the extent: closer points may be lower by rounding alone
  for (double t = 1; t > nearest; t /= 2)
    for (const double sign : {1.0, -1.0})
      if (take_if_lower(start + sign * t * direction)) return true;
  return false;
}

StageReport StageMinimization::run() {
  begin();
  while (is_finite(now_.gradient)) {
    if (ratio_ > 1 && report_.linear_solves < options_.max_iterations && newton_step(forcing())) continue;
    const Curvature curved = curvature();
    if (curved == Curvature::Negative && report_.escapes < 5 && escape_saddle()) {
      ++report_.escapes;
      solution_.preconditioner = nullptr;
      ratio_ = infinity;
      first_ = 0;
      continue;
    }
    report_.converged = ratio_ <= 1;
    report_.derivative_reliable = !report_.converged || curved == Curvature::Positive;
    break;
  }
  close();
  return report_;
}

/// Stores the solution, the residual for the report, and the preconditioner for a derivative.
void StageMinimization::close() {
  solution_.change = now_.change;
  // Before the first step the relative residual is 1.
  report_.residual = !is_finite(now_.gradient) ? std::numeric_limits<double>::quiet_NaN()
                     : std::isinf(ratio_)      ? 1
                                               : ratio_ * options_.tolerance;
  if (linear_.follows_matrix()) {  // a derivative rebuilds it, which costs less than storing it on the tape
    solution_.preconditioner = nullptr;
    return;
  }
  if (solution_.preconditioner || !report_.converged) return;
  assemble_hessian(false);
  solution_.preconditioner = linear_.make(work_.H);
}

}  // namespace

StageReport minimize_stage(const StageTask& task, StageSolution& solution) {
  return StageMinimization(task, solution).run();
}

}  // namespace pithball::sim
