#include "sim/force/coulomb_force.hpp"

#include <algorithm>
#include <numeric>

#include "sim/core/error.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

std::vector<std::shared_ptr<ForceTerm>> CoulombForce::make(Settings& settings) {
  settings.choice("method", {"auto", "direct"}, "how the sum over all pairs is done; auto chooses before step 0", "auto");
  const double softening = settings.number("softening", "m", "Plummer softening ε: r² → r² + ε²", 0);
  if (softening < 0) settings.refuse("softening", "must be >= 0 m", std::to_string(softening), "use 0 for no softening");
  return {std::make_shared<CoulombForce>(std::make_unique<DirectCoulombSum>(softening), softening)};
}

const ForceTraits& CoulombForce::traits() const {
  static const ForceTraits traits{.name = "coulomb", .energy = "coulomb"};
  return traits;
}

void CoulombForce::validate(const Model& model, const State& s) const {
  if (softening_ > 0) return;
  // Equal positions are neighbours once the particles are sorted by their coordinates.
  std::vector<Index> order;
  for (Index i = 0; i < model.particles(); ++i)
    if (model.charge()[i] != 0) order.push_back(i);
  const auto less = [&](Index a, Index b) {
    return std::lexicographical_compare(s.x.col(a).begin(), s.x.col(a).end(), s.x.col(b).begin(), s.x.col(b).end());
  };
  std::sort(order.begin(), order.end(), less);
  for (std::size_t k = 1; k < order.size(); ++k)
    if (s.x.col(order[k - 1]) == s.x.col(order[k]))
      throw InvalidArgument({"", "forces.coulomb", "needs charged particles at different positions",
                             "particles " + std::to_string(std::min(order[k - 1], order[k])) + " and " +
                                 std::to_string(std::max(order[k - 1], order[k])) + " at the same point",
                             "move one of them, set its charge to 0, or give a softening"});
}

void CoulombForce::add_force(const Model& model, const State& s, Points& f) const {
  const Vector q = model.charge();
  Points field = Points::Zero(3, model.particles());
  sum_->make_plan(s.x)->evaluate({.charge = &q}, {.field = &field});
  f += field * q.asDiagonal();
}

std::optional<double> CoulombForce::energy(const Model& model, const State& s) const {
  const Vector q = model.charge();
  Vector potential = Vector::Zero(model.particles());
  sum_->make_plan(s.x)->evaluate({.charge = &q}, {.potential = &potential});
  return 0.5 * q.dot(potential);
}

void CoulombForce::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  sum_->make_plan(s.x)->force_jvp(model.charge(), d.x, model.values().of(d.values, Model::charge_block), df);
}

void CoulombForce::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  Vector gq = Vector::Zero(model.particles());
  sum_->make_plan(s.x)->force_vjp(model.charge(), w, g.x, gq);
  model.values().of(g.values, Model::charge_block) += gq;
}

}  // namespace pithball::sim
