#include "sim/run/equilibrium.hpp"

#include <cmath>
#include <limits>

#include "sim/core/dense.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"
#include "sim/run/mode_name.hpp"

namespace pithball::sim {
namespace {

constexpr double force_tolerance = 1e-13;  // rounding errors are about 1e-15 of the single forces on a particle
constexpr double found_tolerance = 1e-10;  // accepted where rounding prevents smaller forces; enough for ten digits
constexpr int max_newton_steps = 200;
/// Rounding a coordinate X with stiffness D causes forces of about D ε X, which is 1e-2 of force_tolerance · D X.
constexpr double rounding_share = 1e-2;
/// Eigenvalues of the scaled stiffness below this count as 0: rounding produces up to 1e-14, while a pendulum of steel
/// wire has an eigenvalue of 1e-5.
constexpr double zero_stiffness = 1e-10;

struct Forces {
  Points total;       // zero on held particles
  Points driving;     // the part of it without a potential
  Vector single;      // per particle: sum of the norms of the forces of all terms
  double energy = 0;  // of the conservative terms
};

Forces evaluate(const Model& model, const State& s) {
  const Points none = Points::Zero(3, model.particles());
  Forces f{none, none, Vector::Zero(model.particles())};
  for (const auto& term : model.terms()) {
    Points own = none;
    term->add_force(model, s, own);
    model.clear_held(own);
    f.single += own.colwise().norm().transpose();
    f.total += own;
    if (const auto energy = term->energy(model, s))
      f.energy += *energy;
    else
      f.driving += own;
  }
  return f;
}

/// Forces without a potential (a wind or field with curl) have an unsymmetric ∂F/∂x, which neither the line search nor
/// conjugate gradients support. Symmetry is tested with two fixed vectors.
void require_potential(const Model& model, const State& s) {
  Points a(3, s.x.cols()), b = a, Ka, Kb;
  for (Index k = 0; k < a.size(); ++k) {
    a.data()[k] = std::sin(1.0 + 0.7 * k);
    b.data()[k] = std::cos(0.3 + 1.1 * k);
  }
  model.clear_held(a);
  model.clear_held(b);
  apply_stiffness(model, s, a, Ka);
  apply_stiffness(model, s, b, Kb);
  const double left = flat(b).dot(flat(Ka)), right = flat(a).dot(flat(Kb));
  if (std::abs(left - right) > 1e-9 * std::max(Ka.norm() * b.norm(), Kb.norm() * a.norm()))
    throw InvalidArgument({"", "initial_state", "can be an equilibrium only if all forces have a potential",
                           "a wind or field whose Jacobian is not symmetric",
                           "use a uniform wind, or give the initial state"});
}

/// State of the Newton iteration.
class Search {
 public:
  Search(const Model& model, const State& near) : model_(model), s_{near.t, near.x, Points::Zero(3, near.x.cols())} {
    model.place_held(s_.t, s_.x);
    least_ = most_ = s_.x;
    now_ = evaluate(model, s_);
    see(s_.x);
  }

  Equilibrium run() {
    require_potential(model_, s_);
    Equilibrium result;
    for (bool moving = true; moving;) {
      stiffness_ = std::make_shared<Stiffness>(model_, s_);
      result.residual = imbalance();
      if (!std::isfinite(result.residual) || result.residual <= force_tolerance) break;
      if (result.iterations == max_newton_steps) break;
      ++result.iterations;
      moving = advance();
    }
    result.x = s_.x;
    result.stiffness = stiffness_;
    result.modes = stiffness_->find_modes(zero());
    result.failure = judge(result);
    return result;
  }

 private:
  void see(const Points& x) {
    least_ = least_.cwiseMin(x);
    most_ = most_.cwiseMax(x);
  }
  /// Extent of all positions so far, held particles included [m].
  double extent() const { return (most_.rowwise().maxCoeff() - least_.rowwise().minCoeff()).norm(); }
  double farthest() const { return std::max(least_.cwiseAbs().maxCoeff(), most_.cwiseAbs().maxCoeff()); }
  /// Returns the force on particle i that rounding may leave, divided by force_tolerance [N].
  double scale(Index i) const { return now_.single[i] + rounding_share * stiffness_->felt()[i] * farthest(); }

  double imbalance() const {
    double largest = 0;
    for (Index i = 0; i < model_.particles(); ++i)
      if (const double force = now_.total.col(i).norm(); !(force == 0))  // NaN counts
        largest = std::isnan(force) ? force : std::max(largest, force / scale(i));
    return largest;
  }
  /// Returns the value of |S f| that rounding may leave.
  double noise() const {
    Points left = Points::Zero(3, model_.particles());
    for (Index i = 0; i < model_.particles(); ++i) left(0, i) = force_tolerance * scale(i);
    model_.clear_held(left);
    return stiffness_->weigh(left);
  }
  double zero() const {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    const double size = extent();
    return size > 0 ? std::max(zero_stiffness, 100 * epsilon * farthest() / size) : zero_stiffness;
  }

  /// One Newton step, shortened until it descends; false if it does not.
  bool advance() {
    Points step = stiffness_->descend(now_.total, noise());
    const double slope = -flat(step).dot(flat(now_.total)), longest = step.colwise().norm().maxCoeff();
    if (!(longest > 0)) return false;
    // A linearization is valid only near the current positions, but a soft mode would move far beyond: limits the step.
    double t = extent() > 0 ? std::min(1.0, extent() / longest) : 1;
    for (const double shortest = 1e-9 * t; t > shortest; t /= 2) {
      const State trial{s_.t, s_.x + t * step, s_.v};
      Forces there = evaluate(model_, trial);
      const double work = flat(Points(now_.driving + there.driving)).dot(flat(step)) * t / 2;
      const bool falls = there.energy - now_.energy - work <= 1e-4 * t * slope;
      // Near the minimum, energy differences are dominated by rounding.
      if (!falls && !(stiffness_->weigh(there.total) < 0.5 * stiffness_->weigh(now_.total))) continue;
      s_ = trial;
      now_ = std::move(there);
      see(s_.x);
      return true;
    }
    return false;
  }

  std::string judge(const Equilibrium& e) const {
    if (!(std::isfinite(e.residual) && e.residual <= found_tolerance)) {
      if (e.is_loose() && e.stiffness->part_along(now_.total, e.modes.loose) > 0.5)
        return "no equilibrium: an unbalanced force acts on the body, which freely " +
               name_mode(model_, s_.x, e.modes.loose, flat(now_.total));
      return "no equilibrium was found: after " + std::to_string(e.iterations) +
             " Newton steps a particle is left with " + to_text(e.residual) + " of the forces on it";
    }
    if (!e.modes.decided) return "the stability of the equilibrium could not be determined";
    if (e.modes.unstable())
      return "the equilibrium is unstable: after the smallest perturbation the body " +
             name_mode(model_, s_.x, e.modes.softest, e.modes.softest.col(0));
    return "";
  }

  const Model& model_;
  State s_;
  Forces now_;
  Points least_, most_;
  std::shared_ptr<const Stiffness> stiffness_;
};

}  // namespace

Equilibrium find_equilibrium(const Model& model, const State& near) {
  if (!model.constraints().empty())
    throw InvalidArgument({"", "initial_state", "can be an equilibrium only without constraints", "constraints",
                           "give the initial state, or let the body come to rest with drag"});
  return Search(model, near).run();
}

std::vector<Points> least_energy_shapes(const Equilibrium& rest, const std::vector<Points>& pulls) {
  const auto count = static_cast<Index>(pulls.size());
  std::vector<Points> deflections(pulls.size());
  Eigen::MatrixXd flexibility(count, count);
  for (Index k = 0; k < count; ++k) {
    const std::string failure = rest.stiffness->solve(pulls[k], rest.modes, deflections[k]);
    if (!failure.empty())
      throw InvalidArgument({"", "", "must be a body whose deflection can be computed", failure, "pin the body"});
    for (Index j = 0; j < count; ++j) flexibility(j, k) = flat(pulls[j]).dot(flat(deflections[k]));
  }
  // Scales each row by its own deflection, so that stiff and soft parts have equal weight.
  const Vector scale =
      flexibility.diagonal().cwiseMax(0).cwiseSqrt().unaryExpr([](double root) { return root > 0 ? 1 / root : 0.0; });
  const Eigen::MatrixXd scaled = scale.asDiagonal() * flexibility * scale.asDiagonal();
  const Spectrum modes = symmetric_spectrum(0.5 * (scaled + scaled.transpose()));
  constexpr double independent = 1e-10;  // of the largest eigenvalue; below it patterns are linearly dependent
  const double least = independent * modes.values.cwiseAbs().maxCoeff();
  const Vector inverse = modes.values.unaryExpr([least](double value) { return value > least ? 1 / value : 0.0; });
  const Eigen::MatrixXd weights =
      scale.asDiagonal() * modes.vectors * inverse.asDiagonal() * modes.vectors.transpose() * scale.asDiagonal();
  std::vector<Points> shapes(pulls.size(), Points::Zero(3, count > 0 ? pulls.front().cols() : 0));
  for (Index k = 0; k < count; ++k)
    for (Index j = 0; j < count; ++j) shapes[k] += weights(j, k) * deflections[j];
  return shapes;
}

}  // namespace pithball::sim
