#include "sim/run/energy_balance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sim/core/text.hpp"
#include "sim/force/closest_approach.hpp"
#include "sim/force/force_term.hpp"

namespace pithball::sim {
namespace {

/// Returns those energies of a row that have an arbitrary zero, followed by the losses since the start.
std::array<double, 4 + loss_names.size()> kinds_of(const EnergyRow& row) {
  std::array<double, 4 + loss_names.size()> kinds{row.elastic, row.coulomb, row.interaction, row.external};
  for (std::size_t k = 0; k < loss_names.size(); ++k) kinds[4 + k] = row.losses[k];
  return kinds;
}

/// Changes below this fraction of the largest energy count as rounding: the energy is a sum over springs and pairs,
/// whose rounding errors of 2e-16 each grow by three or four digits for a million terms; one more digit is margin.
constexpr double resolvable = 1e-11;

/// Returns the sum of the energies of a state that are zero for bodies at rest and far apart.
double natural_energy(const EnergyRow& row) {
  return std::abs(row.elastic) + std::abs(row.coulomb) + std::abs(row.interaction) + row.kinetic;
}

/// Returns the energy exchanged between kinds since the start: the smaller of the sum of all rises and the sum of all
/// falls; 0 if most of the larger sum is numerical error, since the positions are then wrong, too.
double exchanged(const EnergyRow& row, const EnergyRow& start) {
  const auto kinds = kinds_of(row), before = kinds_of(start);
  double rises = 0, falls = 0;
  const auto add = [&](double change) { (change > 0 ? rises : falls) += std::abs(change); };
  for (std::size_t k = 0; k < kinds.size(); ++k) add(kinds[k] - before[k]);
  add(row.kinetic - start.kinetic);
  return 2 * std::abs(unaccounted_energy(row, start)) < std::max(rises, falls) ? std::min(rises, falls) : 0;
}

}  // namespace

double unaccounted_energy(const EnergyRow& row, const EnergyRow& start) { return start.numerical - row.numerical; }

void EnergyBalancer::add(const EnergyRow& row) {
  if (rows_++ == 0) {
    start_ = row;
    own_ = natural_energy(row);
  }
  const auto kinds = kinds_of(row), start = kinds_of(start_);
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    scale_ = std::max(scale_, std::abs(kinds[k] - start[k]));
    largest_ = std::max(largest_, std::abs(kinds[k]));
  }
  own_ = std::max(own_, exchanged(row, start_));
  scale_ = std::max(scale_, row.kinetic);
  largest_ = std::max(largest_, row.kinetic);
  const double error = std::abs(unaccounted_energy(row, start_));
  sum_ += error;
  if (error <= max_ || std::isnan(max_)) return;
  max_ = error;  // includes NaN
  worst_ = row;
}

EnergyBalance EnergyBalancer::balance() const {
  EnergyBalance balance;
  balance.scale = scale_;
  balance.largest = largest_;
  if (rows_ < 2 || !(scale_ > resolvable * largest_)) return balance;
  balance.mean = sum_ / scale_ / (rows_ - 1);
  balance.max = max_ / scale_;
  balance.worst = worst_;
  balance.added = unaccounted_energy(worst_, start_);
  if (own_ > resolvable * (natural_energy(start_) + std::abs(start_.external))) balance.own = own_;
  return balance;
}

EnergyBalance energy_balance(const std::vector<EnergyRow>& book) {
  EnergyBalancer balancer;
  for (const EnergyRow& row : book) balancer.add(row);
  return balancer.balance();
}

namespace {

/// A force is resolved if two particles take this many steps to cross the distance between them.
constexpr double resolving_steps = 10;
/// The force on the partner of a particle must exceed this fraction of the force on the particle; in an isolated pair,
/// both are equally large.
constexpr double comparable = 0.5;

/// Whether a force acts between particles, except contacts, whose forces are bounded.
bool acts_between_particles(const ForceTerm& term) {
  const auto energy = term.traits().energy;
  return (energy == EnergyKind::Coulomb || energy == EnergyKind::Interaction) && !term.as<BeginsAtTouch>();
}

std::vector<Vec3> poles_of(const ForceTerm& term, const Model& model, double t) {
  const auto* field = term.as<ActsOnTestCharge>();
  return field ? field->field_poles(model, t) : std::vector<Vec3>{};
}

/// The neighbor of a particle, its distance, and the time in which the two cross that distance.
struct Neighbor {
  Index other = -1;  // −1: a pole of the field
  double distance = std::numeric_limits<double>::infinity(), time = distance;
};

/// Returns the nearest particle on which the force is about as large; for an isolated pair, the other particle.
Neighbor partner(const Model& model, const State& s, const Points& f, Index i) {
  Neighbor nearest;
  for (Index j = 0; j < s.x.cols(); ++j) {
    const double r = (s.x.col(i) - s.x.col(j)).norm();
    if (j == i || !(f.col(j).norm() > comparable * f.col(i).norm()) || !(r < nearest.distance)) continue;
    const auto a = [&](Index k) { return model.is_held(k) ? Vec3(0, 0, 0) : Vec3(f.col(k) / model.mass()[k]); };
    nearest = {j, r, crossing_time(r, (s.v.col(i) - s.v.col(j)).norm(), (a(i) - a(j)).norm())};
  }
  return nearest;
}

Neighbor nearest_pole(const std::vector<Vec3>& poles, const Model& model, const State& s, const Points& f, Index i) {
  Neighbor nearest;
  for (const Vec3& pole : poles)
    if (const double r = (s.x.col(i) - pole).norm(); r < nearest.distance)
      nearest = {-1, r, crossing_time(r, s.v.col(i).norm(), f.col(i).norm() / model.mass()[i])};
  return nearest;
}

}  // namespace

std::string CloseApproach::sentence() const {
  const std::string where = formatted("%.3g m", distance);
  const std::string when = " at step " + std::to_string(step) + formatted(" (t = %g s)", t);
  return (other < 0 ? "particle " + std::to_string(particle) + " is " + where + " from the " + force + when
                    : "particles " + std::to_string(std::min(particle, other)) + " and " +
                          std::to_string(std::max(particle, other)) + " are " + where + " apart" + when) +
         ", a close approach that the steps do not resolve";
}

ApproachMeter::ApproachMeter(const Model& model)
    : model_(model), watches_(std::ranges::any_of(model.terms(), [&](const auto& term) {
        return acts_between_particles(*term) || !poles_of(*term, model, 0).empty();
      })) {}

void ApproachMeter::add(Index step, const State& before, const State& after) {
  if (!watches_ || model_.is_tracers()) return;
  double largest = change_;
  Index which = -1;
  for (Index i = 0; i < after.x.cols(); ++i) {
    if (model_.is_held(i)) continue;
    const double change =
        0.5 * model_.mass()[i] * std::abs(after.v.col(i).squaredNorm() - before.v.col(i).squaredNorm());
    if (change <= largest) continue;
    which = i;
    largest = std::isnan(change) ? std::numeric_limits<double>::infinity() : change;
  }
  if (which < 0) return;
  change_ = largest;
  particle_ = which;
  step_ = step;
  before_ = before;
  after_ = after;
}

std::optional<CloseApproach> ApproachMeter::found(double h) const {
  if (particle_ < 0) return {};
  std::optional<CloseApproach> closest;
  double strongest = 0, time = std::numeric_limits<double>::infinity();
  for (const State* s : {&before_, &after_}) {
    if (!s->x.allFinite() || !s->v.allFinite()) continue;
    const Model model = model_.at(s->t);
    for (const auto& term : model.terms()) {
      Points f = Points::Zero(3, s->x.cols());
      term->add_force(model, *s, f);
      const double force = f.col(particle_).norm();
      if (!(force > strongest)) continue;
      strongest = force;
      const Neighbor near = acts_between_particles(*term)
                                ? partner(model, *s, f, particle_)
                                : nearest_pole(poles_of(*term, model, s->t), model, *s, f, particle_);
      time = near.time;
      closest = CloseApproach{term->traits().name, particle_, near.other, s == &before_ ? step_ - 1 : step_, s->t,
                              near.distance};
    }
  }
  if (!(time < resolving_steps * h)) return {};
  return closest;
}

}  // namespace pithball::sim
