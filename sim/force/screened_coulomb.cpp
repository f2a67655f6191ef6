#include "sim/force/screened_coulomb.hpp"

#include <cmath>
#include <memory>

#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/force/charge_rows.hpp"
#include "sim/force/closest_approach.hpp"

namespace pithball::sim {
namespace {

/// Pairs of charges without image charges.
struct BetweenCharges {
  static constexpr bool feels_itself = false;
  static Vec3 separation(const Vec3& xi, const Vec3& xj) { return xi - xj; }
  static Vec3 turned(const Vec3& d) { return d; }
};

/// u = f e^{−κr}/r with f = k_c/ε_r.
struct ScreenedLaw : BetweenCharges {
  double factor, kappa;
  ScreenedLaw(double permittivity, double screening)
      : factor(coulomb_constant / permittivity), kappa(std::sqrt(screening)) {}
  PairLaw at(double r2) const {
    const double r = std::sqrt(r2), z = kappa * r, u = factor * std::exp(-z) / r;
    return {u, u * (1 + z) / r2, -u * (3 + z * (3 + z)) / (r2 * r2)};
  }
};

/// The push of `ScreenedLaw` differentiated by κ²: −f e^{−κr}/(2r), regular at κ = 0.
struct LawByScreening : ScreenedLaw {
  PairLaw at(double r2) const {
    const double r = std::sqrt(r2);
    return {0, -factor * std::exp(-kappa * r) / (2 * r), 0};
  }
};

/// Sums over pairs at positions x (3×N) of charges (N), both kept as references. Where nothing is screened they are
/// those of Coulomb's force over ε_r, which are vectorized.
class ScreenedSums {
 public:
  ScreenedSums(const ScreenedLaw& law, const Points& x, const Vector& charge)
      : q_(charge), permittivity_(coulomb_constant / law.factor), rows_(law, x, charge) {
    if (law.kappa == 0) unscreened_ = DirectCoulombSum().make_plan(x);
  }

  /// f += factor · F.
  void add_force(double factor, Points& f) const {
    if (!unscreened_) return rows_.add_force(factor, f);
    Points field = Points::Zero(3, q_.size());
    unscreened_->evaluate({.charge = &q_}, {.field = &field});
    f += field * (factor / permittivity_ * q_).asDiagonal();
  }

  /// df += the changes of F along directions, in which the charges change by dq, P×N.
  void add_changes(const Panel& dx, const Eigen::Ref<const Panel>& dq, Panel& df) const {
    if (!unscreened_) return rows_.add_changes(dx, dq, df);
    for (Index p = 0; p < dx.rows(); ++p) {
      Points change = Points::Zero(3, q_.size());
      unscreened_->force_jvp(q_, points_of(dx, p), dq.row(p).transpose(), change);
      add_points(df, p, change / permittivity_);
    }
  }

  /// The transpose: from w = ∂L/∂F to ∂L/∂x and ∂L/∂q.
  template <class Charges>
  void add_adjoint(const Points& w, Points& gx, Charges gq) const {
    if (!unscreened_) return rows_.add_adjoint(w, gx, gq);
    Points dx = Points::Zero(3, q_.size());
    Vector dq = Vector::Zero(q_.size());
    unscreened_->force_vjp(q_, w, dx, dq);
    gx += dx / permittivity_;
    gq += dq / permittivity_;
  }

 private:
  const Vector& q_;
  double permittivity_;
  ChargeRows<ScreenedLaw> rows_;
  std::unique_ptr<CoulombSum::Plan> unscreened_;  // null: something is screened
};

}  // namespace

std::vector<std::shared_ptr<ForceTerm>> ScreenedCoulomb::make(Settings& settings) {
  const double permittivity = settings.number(
      "relative_permittivity", "", "relative permittivity ε_r of the medium; 80 for water", 1.0, ValueSign::Positive);
  const double length = settings.number("screening_length", "m", "Debye length λ; without it nothing is screened",
                                        std::numeric_limits<double>::quiet_NaN(), ValueSign::Positive);
  return {std::make_shared<ScreenedCoulomb>(permittivity, std::isnan(length) ? 0 : 1 / (length * length))};
}

const ForceTraits& ScreenedCoulomb::traits() const {
  static const ForceTraits traits{.name = "screened_coulomb", .energy = EnergyKind::Coulomb};
  return traits;
}

void ScreenedCoulomb::declare(const Topology&, Values& values) {
  permittivity_block_ =
      values.add({"relative_permittivity", "", ValueOwner::Term, ValueSign::Positive, ValueScaling::Invariant},
                 Vector::Constant(1, permittivity_));
  screening_block_ =
      values.add({"screening", "1/m2", ValueOwner::Term, ValueSign::NonNegative, ValueScaling::Invariant},
                 Vector::Constant(1, screening_));
}

void ScreenedCoulomb::validate(const Model& model, const State& s) const {
  const std::vector<Index> charged = charged_particles(model.charge());
  require_few_charges("screened_coulomb", charged.size(), "use `coulomb` with method fmm where nothing is screened");
  if (const auto pair = find_coincident(s.x, charged))
    throw InvalidArgument(
        {"", "forces.screened_coulomb", "needs charged particles at different positions",
         "particles " + std::to_string(pair->i) + " and " + std::to_string(pair->j) + " at the same point",
         "move one of them, or set its charge to 0"});
}

void ScreenedCoulomb::add_force(const Model& model, const State& s, Points& f) const {
  const Vector q = model.charge();
  const ScreenedLaw law(model.values()[permittivity_block_][0], model.values()[screening_block_][0]);
  ScreenedSums(law, s.x, q).add_force(1, f);
}

std::optional<double> ScreenedCoulomb::energy(const Model& model, const State& s) const {
  const Vector q = model.charge();
  const ScreenedLaw law(model.values()[permittivity_block_][0], model.values()[screening_block_][0]);
  return ChargeRows(law, s.x, q).energy();
}

void ScreenedCoulomb::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const Values& values = model.values();
  Panel change = Panel::Zero(1, df.size());
  add_changes(model, s, one_row(d.x), values.of(d.values, Model::charge_block).transpose().array(),
              {values.of(d.values, permittivity_block_), values.of(d.values, screening_block_)}, change);
  df += points_of(change, 0);
}

void ScreenedCoulomb::add_jvps(const Model& model, const State& s, const Directions& d, Panel& df) const {
  const Values& values = model.values();
  const Panel& panel = d.values->panel;
  const ValueBlock& charge = values.block(Model::charge_block);
  add_changes(model, s, d.x, panel.middleCols(charge.offset, charge.size),
              {panel.col(values.block(permittivity_block_).offset), panel.col(values.block(screening_block_).offset)},
              df);
}

void ScreenedCoulomb::add_changes(const Model& model, const State& s, const Panel& dx,
                                  const Eigen::Ref<const Panel>& dq, const std::array<Vector, 2>& by, Panel& df) const {
  const Values& values = model.values();
  const Vector q = model.charge();
  const double permittivity = values[permittivity_block_][0];
  const ScreenedLaw law(permittivity, values[screening_block_][0]);
  const LawByScreening changed{law};
  const ScreenedSums sums(law, s.x, q);
  sums.add_changes(dx, dq, df);
  const auto add_unit_changes = [&](const Vector& of_value, auto add_unit_change) {
    if (of_value.isZero(0)) return;
    Points change = Points::Zero(3, q.size());
    add_unit_change(change);
    for (Index p = 0; p < of_value.size(); ++p) add_points(df, p, of_value[p] * change);
  };
  add_unit_changes(by[0], [&](Points& change) { sums.add_force(-1 / permittivity, change); });
  add_unit_changes(by[1], [&](Points& change) { ChargeRows(changed, s.x, q).add_force(1, change); });
}

void ScreenedCoulomb::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  const Values& values = model.values();
  const Vector q = model.charge();
  const double permittivity = values[permittivity_block_][0];
  const ScreenedLaw law(permittivity, values[screening_block_][0]);
  const LawByScreening changed{law};
  const ScreenedSums sums(law, s.x, q);
  sums.add_adjoint(w, g.x, values.of(g.values, Model::charge_block));
  Points force = Points::Zero(3, s.x.cols()), by_screening = force;
  sums.add_force(-1 / permittivity, force);
  ChargeRows(changed, s.x, q).add_force(1, by_screening);
  values.of(g.values, permittivity_block_)[0] += w.cwiseProduct(force).sum();
  values.of(g.values, screening_block_)[0] += w.cwiseProduct(by_screening).sum();
}

double ScreenedCoulomb::shortest_time(const Model& model, const State& s, const Points& a) const {
  return closest_approach(model, s, a, charged_particles(model.charge()));
}

void ScreenedCoulomb::add_field(const Model& model, const SourceCharges& sources, const Points& at,
                                ChargeField& field) const {
  const ScreenedLaw law(model.values()[permittivity_block_][0], model.values()[screening_block_][0]);
  ChargeRows(law, sources.x, sources.charge).add_field(1, at, field);
}

}  // namespace pithball::sim
