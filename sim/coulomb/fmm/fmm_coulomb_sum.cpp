#include "sim/coulomb/fmm/fmm_coulomb_sum.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "sim/core/error.hpp"
#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/coulomb/direct/pair_sums.hpp"
#include "sim/coulomb/fmm/far_field.hpp"
#include "sim/coulomb/fmm/fmm_structure.hpp"
#include "sim/coulomb/fmm/order_check.hpp"

namespace pithball::sim::fmm {

/// A tree with positions. The first charges that are used with a structure determine its expansion order: the usual one
/// for the tolerance, or a higher one if `sample_sums` finds it necessary.
class FmmPlan final : public CoulombSum::Plan {
 public:
  /// x [m], 3×N; a structure for x or nearby positions, not null.
  FmmPlan(const Points& x, std::shared_ptr<const FmmStructure> structure);

  void evaluate(const CoulombSources& sources, const CoulombResult& result) const override;
  void force_jvp(const Vector& charge, const Points& dx, const Vector& dcharge, Points& df) const override;
  void force_vjp(const Vector& charge, const Points& w, Points& dx, Vector& dcharge) const override;

 private:
  class Far;
  /// The expansions of the charges, with the final order.
  struct Charged {
    std::shared_ptr<const FmmPlan> better;  ///< the plan with that order; null: this one
    std::optional<Expansions> expansions;   ///< in the boxes of that plan; empty: no charges, or all pairs are near

    const FmmPlan& plan(const FmmPlan& own) const { return better ? *better : own; }
  };
  Charged expand_settled(const Vector* charge) const;
  Charged settle(const Vector& charge) const;
  std::shared_ptr<const FmmPlan> with_order_for(double tolerance) const;
  SampledSums sample(const Expansions& charges, const Vector& charge) const;
  SquareSums square_sums(const Expansions& charges, const Vector& charge) const;

  Points positions() const;
  direct::Channels by_place(const Vector& numbers) const;
  Expansions expand(const Vector* charge, const Points* dipole) const;
  Far values(const Expansions& expansions, const Wanted& wanted) const;
  void add_far(const Expansions& expansions, const CoulombResult& result) const;

  std::shared_ptr<const FmmStructure> structure_;
  direct::PairSums near_;
  FarField far_;
};

/// The requested values of the far field by place. The field is also computed whenever its gradient is.
class FmmPlan::Far {
 public:
  Far(Index places, const Wanted& wanted)
      : field_at_(wanted.potential ? 1 : 0),
        gradient_at_(field_at_ + (wanted.field || wanted.field_gradient ? 3 : 0)),
        channels_(gradient_at_ + (wanted.field_gradient ? 6 : 0), places) {
    channels_.set_zero();
  }
  double potential(Index at) const { return channels_[0][at]; }
  Vec3 field(Index at) const {
    return {channels_[field_at_][at], channels_[field_at_ + 1][at], channels_[field_at_ + 2][at]};
  }
  Eigen::Matrix<double, 6, 1> field_gradient(Index at) const {
    Eigen::Matrix<double, 6, 1> g;
    for (int k = 0; k < 6; ++k) g[k] = channels_[gradient_at_ + k][at];
    return g;
  }
  Values values() {
    Values v;
    if (field_at_ > 0) v.potential = channels_[0];
    for (int a = 0; a < gradient_at_ - field_at_; ++a) v.field[a] = channels_[field_at_ + a];
    for (int k = 0; k < channels_.size() - gradient_at_; ++k) v.field_gradient[k] = channels_[gradient_at_ + k];
    return v;
  }

 private:
  int field_at_, gradient_at_;  // first channel of each; the potential's is 0
  direct::Channels channels_;
};

FmmPlan::FmmPlan(const Points& x, std::shared_ptr<const FmmStructure> structure)
    : structure_(std::move(structure)),
      near_(x, structure_->near(), structure_->accuracy().softening),
      far_(*structure_, near_.positions()) {}

void FmmPlan::evaluate(const CoulombSources& sources, const CoulombResult& result) const {
  const Charged charged = expand_settled(sources.charge);
  const FmmPlan& plan = charged.plan(*this);
  plan.near_.evaluate(sources, result);
  if (!plan.far_.exists()) return;
  if (charged.expansions) plan.add_far(*charged.expansions, result);
  if (sources.dipole) plan.add_far(plan.expand(nullptr, sources.dipole), result);
}

// The pair sums of the header, split into sums over sources: with e and G the field of the charges and its
// gradient,
//   δf_i = δq_i e_i + q_i (G_i δx_i + field of charges δq_j and dipoles q_j δx_j).

void FmmPlan::force_jvp(const Vector& charge, const Points& dx, const Vector& dcharge, Points& df) const {
  const Charged charged = expand_settled(&charge);
  const FmmPlan& plan = charged.plan(*this);
  plan.near_.force_jvp(charge, dx, dcharge, df);
  if (!plan.far_.exists()) return;
  const Points dipole = dx * charge.asDiagonal();
  const Far fixed = plan.values(*charged.expansions, {.field = true, .field_gradient = true});
  const Far moved = plan.values(plan.expand(&dcharge, &dipole), {.field = true});
  plan.near_.gather([&](Index i, Index at) {
    df.col(i) += coulomb_constant * (dcharge[i] * fixed.field(at) +
                                     charge[i] * (times(fixed.field_gradient(at), dx.col(i)) + moved.field(at)));
  });
}

//   ∂L/∂x_i = q_i (G_i w_i + field of dipoles q_j w_j),   ∂L/∂q_i = w_i·e_i − potential of these dipoles.
void FmmPlan::force_vjp(const Vector& charge, const Points& w, Points& dx, Vector& dcharge) const {
  const Charged charged = expand_settled(&charge);
  const FmmPlan& plan = charged.plan(*this);
  plan.near_.force_vjp(charge, w, dx, dcharge);
  if (!plan.far_.exists()) return;
  const Points dipole = w * charge.asDiagonal();
  const Far fixed = plan.values(*charged.expansions, {.field = true, .field_gradient = true});
  const Far pulled = plan.values(plan.expand(nullptr, &dipole), {.potential = true, .field = true});
  plan.near_.gather([&](Index i, Index at) {
    dx.col(i) += coulomb_constant * charge[i] * (times(fixed.field_gradient(at), w.col(i)) + pulled.field(at));
    dcharge[i] += coulomb_constant * (fixed.field(at).dot(w.col(i)) - pulled.potential(at));
  });
}

FmmPlan::Charged FmmPlan::expand_settled(const Vector* charge) const {
  const auto settled = structure_->settled();
  if (charge && !settled) return settle(*charge);
  Charged charged;
  if (settled && *settled) charged.better = std::make_shared<const FmmPlan>(positions(), *settled);
  const FmmPlan& plan = charged.plan(*this);
  if (charge && plan.far_.exists()) charged.expansions = plan.expand(charge, nullptr);
  return charged;
}

FmmPlan::Charged FmmPlan::settle(const Vector& charge) const {
  // The sample estimates errors and fields to about 30 %, but fields less well for a lattice whose field is large only
  // at its rim. If the estimate is not clearly within the tolerance, the error is related to the field at all points.
  constexpr double surely_kept = 0.55, kept = 0.7;
  const double tolerance = structure_->accuracy().tolerance;
  Charged charged{nullptr, expand(&charge, nullptr)};
  const SampledSums sampled = sample(*charged.expansions, charge);
  double error = relative_error(sampled.errors, sampled.sums) / tolerance;
  if (error > surely_kept) {
    const SquareSums sums = square_sums(*charged.expansions, charge);
    error = relative_error(sampled.errors, sums) / tolerance;
    double aim = tolerance;
    while (error > kept) {              // false for NaN: positions or charges that are not finite
      aim /= 2 * std::max(error, 1.0);  // half the necessary value: each further attempt costs a full sum
      charged.better = with_order_for(aim);
      charged.expansions.reset();
      if (!charged.better->far_.exists()) break;
      charged.expansions = charged.better->expand(&charge, nullptr);
      error = relative_error(charged.better->sample(*charged.expansions, charge).errors, sums) / tolerance;
    }
  }
  structure_->settle(charged.better ? charged.better->structure_ : nullptr);
  return charged;
}

/// Returns a plan with the order for a finer tolerance, or without expansions if direct summation costs less.
std::shared_ptr<const FmmPlan> FmmPlan::with_order_for(double tolerance) const {
  constexpr double finest = 1e-14;  // beyond it, rounding errors exceed the contribution of further degrees
  const bool expansions =
      tolerance > finest && structure_->near()->points() >= Operators::costs_of(order_for(tolerance)).crossover();
  const Points x = positions();
  return std::make_shared<const FmmPlan>(
      x,
      std::make_shared<const FmmStructure>(
          x, structure_->accuracy(),
          FmmStructure::Orders{expansions ? Operators::of(order_for(tolerance)) : Operators::of(1), true, expansions}));
}

SampledSums FmmPlan::sample(const Expansions& charges, const Vector& charge) const {
  const direct::Channels numbers = by_place(charge);
  return sample_sums(*structure_, far_, {near_.positions(), numbers}, charges);
}

SquareSums FmmPlan::square_sums(const Expansions& charges, const Vector& charge) const {
  Points field = Points::Zero(3, charge.size());
  Vector potential = Vector::Zero(charge.size());
  near_.evaluate({.charge = &charge}, {.potential = &potential, .field = &field});
  add_far(charges, {.potential = &potential, .field = &field});
  SquareSums sums;
  for (Index i = 0; i < charge.size(); ++i)
    sums.add(charge[i] != 0, Eigen::Vector4d(field(0, i), field(1, i), field(2, i), potential[i]) / coulomb_constant);
  return sums;
}

Points FmmPlan::positions() const {
  Points x(3, structure_->near()->points());
  const direct::Channels& at_place = near_.positions();
  near_.gather([&](Index i, Index at) { x.col(i) = Vec3(at_place[0][at], at_place[1][at], at_place[2][at]); });
  return x;
}

direct::Channels FmmPlan::by_place(const Vector& numbers) const {
  direct::Channels channels(1, structure_->tree().places());
  near_.scatter(channels, 0, 1, [&](Index i, int) { return numbers[i]; });
  return channels;
}

Expansions FmmPlan::expand(const Vector* charge, const Points* dipole) const {
  direct::Channels numbers(max_weights, structure_->tree().places());
  Weights weights;
  if (charge) {
    near_.scatter(numbers, 0, 1, [&](Index i, int) { return (*charge)[i]; });
    weights.charge = numbers[0];
  }
  if (dipole) {
    near_.scatter(numbers, 1, 3, [&](Index i, int a) { return (*dipole)(a, i); });
    for (int a = 0; a < 3; ++a) weights.dipole[a] = numbers[1 + a];
  }
  return far_.expand(weights);
}

FmmPlan::Far FmmPlan::values(const Expansions& expansions, const Wanted& wanted) const {
  Far far(structure_->tree().places(), wanted);
  far_.add_values(expansions, wanted, far.values());
  return far;
}

void FmmPlan::add_far(const Expansions& expansions, const CoulombResult& result) const {
  const Wanted wanted{result.potential != nullptr, result.field != nullptr, result.field_gradient != nullptr};
  const Far far = values(expansions, wanted);
  near_.gather([&](Index i, Index at) {
    if (wanted.potential) (*result.potential)[i] += coulomb_constant * far.potential(at);
    if (wanted.field) result.field->col(i) += coulomb_constant * far.field(at);
    if (wanted.field_gradient) result.field_gradient->col(i) += coulomb_constant * far.field_gradient(at);
  });
}

}  // namespace pithball::sim::fmm

namespace pithball::sim {
FmmCoulombSum::FmmCoulombSum(double tolerance, double softening) : tolerance_(tolerance), softening_(softening) {
  if (!(tolerance >= finest && tolerance <= coarsest))
    throw InvalidArgument({"", "forces.coulomb.tolerance", "must be between 1e-10 and 0.1 for fmm",
                           std::to_string(tolerance), "use method: direct for more digits"});
}

std::shared_ptr<const CoulombSum::Structure> FmmCoulombSum::make_structure(const Points& x) const {
  return std::make_shared<fmm::FmmStructure>(
      x, fmm::Accuracy{tolerance_, softening_},
      fmm::FmmStructure::Orders{.operators = fmm::Operators::of(fmm::order_for(tolerance_))});
}

std::unique_ptr<CoulombSum::Plan> FmmCoulombSum::make_plan(const Points& x,
                                                           std::shared_ptr<const Structure> structure) const {
  return std::make_unique<fmm::FmmPlan>(x, std::static_pointer_cast<const fmm::FmmStructure>(structure));
}

std::unique_ptr<CoulombSum::Plan> FmmCoulombSum::make_partial_plan(const Points& x,
                                                                   const std::vector<Index>& some) const {
  // A partial sum evaluates two pairs per point for each of `some`. At the coarsest tolerances, the whole sum costs as
  // much as some hundred pairs per point.
  constexpr std::size_t few = 32;
  return some.size() > few ? nullptr : DirectCoulombSum(softening_).make_partial_plan(x, some);
}

}  // namespace pithball::sim
