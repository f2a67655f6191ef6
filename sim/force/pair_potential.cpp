#include "sim/force/pair_potential.hpp"

#include <cmath>

#include "sim/core/text.hpp"

namespace pithball::sim {
namespace {

std::vector<double> distances(std::size_t count, const double* r2) {
  std::vector<double> r(r2, r2 + count);
  for (double& distance : r) distance = std::sqrt(distance);
  return r;
}

}  // namespace

PairPotential::PairPotential(std::shared_ptr<const RadialExpression> law, double strength, PairRange range)
    : PairForce(std::move(range), {{"pair_potential_strength", "", ValueSign::Any, ValueScaling::Force, strength}}),
      law_(std::move(law)) {}

std::vector<std::shared_ptr<ForceTerm>> PairPotential::make(Settings& settings) {
  auto law = ask_radial(settings, "expression", "J", "U(r): potential energy of two particles at distance r in m");
  const double strength = settings.number("strength", "", "factor s that multiplies U; can be fitted", 1);
  PairRange range = read_pair_range(settings, {}, "cutoff distance: pairs farther apart do not interact");
  if (!settings.describing() && !std::isfinite(law->value(range.cutoff)))
    settings.reject("expression", "must have a finite value at the cutoff",
                    to_text(law->value(range.cutoff)) + " at r = " + to_text(range.cutoff) + " m",
                    "choose another cutoff, or a potential that is finite there");
  return {std::make_shared<PairPotential>(std::move(law), strength, std::move(range))};
}

const ForceTraits& PairPotential::traits() const {
  static const ForceTraits traits{.name = "pair_potential", .energy = EnergyKind::Interaction};
  return traits;
}

void PairPotential::compute_energies(const Vector& theta, std::size_t count, const double* r2, double* out) const {
  law_->compute_values(distances(count, r2), {out, count});
  for (std::size_t k = 0; k < count; ++k) out[k] *= theta[0];
}

void PairPotential::compute_pushes(const Vector& theta, std::size_t count, const double* r2, double* out) const {
  const std::vector<double> r = distances(count, r2);
  law_->compute_slopes(r, {out, count});
  for (std::size_t k = 0; k < count; ++k) out[k] = -theta[0] * out[k] / r[k];
}

void PairPotential::linearize(const Vector& theta, std::size_t count, const double* r2, Linearized& out) const {
  const std::vector<double> r = distances(count, r2);
  std::vector<RadialExpression::Jet> jets(count);
  law_->compute_jets(r, jets);
  for (std::size_t k = 0; k < count; ++k) {
    const RadialExpression::Jet& U = jets[k];
    out.by_value[0][k] = -U.slope / r[k];
    out.push[k] = theta[0] * out.by_value[0][k];
    out.push_slope[k] = -theta[0] * (U.curvature - U.slope / r[k]) / r2[k];  // (−U'/r)'/r
  }
}

}  // namespace pithball::sim
