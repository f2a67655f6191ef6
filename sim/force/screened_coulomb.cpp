#include "sim/force/screened_coulomb.hpp"

#include <cmath>

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
  ChargeRows(law, s.x, q).add_force(1, f);
}

std::optional<double> ScreenedCoulomb::energy(const Model& model, const State& s) const {
  const Vector q = model.charge();
  const ScreenedLaw law(model.values()[permittivity_block_][0], model.values()[screening_block_][0]);
  return ChargeRows(law, s.x, q).energy();
}

void ScreenedCoulomb::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const Values& values = model.values();
  const Vector q = model.charge();
  const double permittivity = values[permittivity_block_][0], screening = values[screening_block_][0];
  const ScreenedLaw law(permittivity, screening);
  const ChargeRows rows(law, s.x, q);
  rows.add_change(d.x, values.of(d.values, Model::charge_block), df);
  if (const double by = values.of(d.values, permittivity_block_)[0]; by != 0) rows.add_force(-by / permittivity, df);
  if (const double by = values.of(d.values, screening_block_)[0]; by != 0) {
    const LawByScreening changed{law};
    ChargeRows(changed, s.x, q).add_force(by, df);
  }
}

void ScreenedCoulomb::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  const Values& values = model.values();
  const Vector q = model.charge();
  const double permittivity = values[permittivity_block_][0], screening = values[screening_block_][0];
  const ScreenedLaw law(permittivity, screening);
  const LawByScreening changed{law};
  const ChargeRows rows(law, s.x, q);
  rows.add_adjoint(w, g.x, values.of(g.values, Model::charge_block));
  Points force = Points::Zero(3, s.x.cols()), by_screening = force;
  rows.add_force(-1 / permittivity, force);
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
