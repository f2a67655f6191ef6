#include "sim/coulomb/fmm/fmm_coulomb_sum.hpp"

#include <cmath>

#include "sim/core/error.hpp"
#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/coulomb/fmm/far_field.hpp"

namespace pithball::sim {
namespace fmm {
namespace {

class FmmPlan final : public CoulombSum::Plan {
 public:
  FmmPlan(const Points& x, std::shared_ptr<const FmmStructure> structure, double softening)
      : structure_(std::move(structure)),
        near_(x, structure_->near(), softening),
        far_(*structure_, near_.positions()) {}

  void evaluate(const CoulombSources& sources, const CoulombResult& result) const override {
    near_.evaluate(sources, result);
    if (!far_.exists()) return;
    const Wanted wanted{result.potential != nullptr, result.field != nullptr, result.field_gradient != nullptr};
    const Far far =
        far_values([&](Index i) { return (*sources.charge)[i]; },
                   [&](Index i) -> Vec3 { return sources.dipole->col(i); }, sources.charge, sources.dipole, wanted);
    near_.gather([&](Index i, Index at) {
      if (wanted.potential) (*result.potential)[i] += coulomb_constant * far.potential(at);
      if (wanted.field) result.field->col(i) += coulomb_constant * far.field(at);
      if (wanted.field_gradient) result.field_gradient->col(i) += coulomb_constant * far.field_gradient(at);
    });
  }

  // The pair sums of the header, taken apart into sums over sources: with e and G the field of the charges and its
  // gradient,
  //   δf_i = δq_i e_i + q_i (G_i δx_i + field of charges δq_j and dipoles q_j δx_j).

  void force_jvp(const Vector& charge, const Points& dx, const Vector& dcharge, Points& df) const override {
    near_.force_jvp(charge, dx, dcharge, df);
    if (!far_.exists()) return;
    const Far fixed = far_of_charges(charge);
    const Far moved = far_values([&](Index i) { return dcharge[i]; },
                                 [&](Index i) -> Vec3 { return charge[i] * dx.col(i); }, true, true, {.field = true});
    near_.gather([&](Index i, Index at) {
      df.col(i) += coulomb_constant * (dcharge[i] * fixed.field(at) +
                                       charge[i] * (times(fixed.field_gradient(at), dx.col(i)) + moved.field(at)));
    });
  }

  //   ∂L/∂x_i = q_i (G_i w_i + field of dipoles q_j w_j),   ∂L/∂q_i = w_i·e_i − potential of these dipoles.
  void force_vjp(const Vector& charge, const Points& w, Points& dx, Vector& dcharge) const override {
    near_.force_vjp(charge, w, dx, dcharge);
    if (!far_.exists()) return;
    const Far fixed = far_of_charges(charge);
    const Far pulled = far_values([](Index) { return 0.0; }, [&](Index i) -> Vec3 { return charge[i] * w.col(i); },
                                  false, true, {.potential = true, .field = true});
    near_.gather([&](Index i, Index at) {
      dx.col(i) += coulomb_constant * charge[i] * (times(fixed.field_gradient(at), w.col(i)) + pulled.field(at));
      dcharge[i] += coulomb_constant * (fixed.field(at).dot(w.col(i)) - pulled.potential(at));
    });
  }

 private:
  /// Values of the far field by place: those that are wanted, and the field with its gradient.
  class Far {
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

  template <class Charge, class Dipole>
  Far far_values(Charge charge, Dipole dipole, bool charges, bool dipoles, const Wanted& wanted) const {
    const Index places = structure_->tree().places();
    direct::Channels weights(max_weights, places);
    Weights w;
    if (charges) {
      near_.scatter(weights, 0, 1, [&](Index i, int) { return charge(i); });
      w.charge = weights[0];
    }
    if (dipoles) {
      near_.scatter(weights, 1, 3, [&](Index i, int a) { return dipole(i)[a]; });
      for (int a = 0; a < 3; ++a) w.dipole[a] = weights[1 + a];
    }
    Far far(places, wanted);
    far_.add(w, wanted, far.values());
    return far;
  }
  Far far_of_charges(const Vector& charge) const {
    return far_values([&](Index i) { return charge[i]; }, [](Index) -> Vec3 { return Vec3::Zero(); }, true, false,
                      {.field = true, .field_gradient = true});
  }

  std::shared_ptr<const FmmStructure> structure_;
  direct::PairSums near_;
  FarField far_;
};

}  // namespace
}  // namespace fmm

FmmCoulombSum::FmmCoulombSum(double tolerance, double softening) : tolerance_(tolerance), softening_(softening) {
  if (!(tolerance >= finest && tolerance <= coarsest))
    throw InvalidArgument({"", "forces.coulomb.tolerance", "must be between 1e-10 and 0.1 for fmm",
                           std::to_string(tolerance), "use method: direct for more digits"});
}

std::shared_ptr<const CoulombSum::Structure> FmmCoulombSum::make_structure(const Points& x) const {
  // Boxes that interact through expansions lie at least a side of the smaller one apart.
  const double min_side = softening_ * std::sqrt(1.5 / tolerance_);
  return std::make_shared<fmm::FmmStructure>(x, fmm::Operators::of(fmm::order_for(tolerance_)), min_side);
}

std::unique_ptr<CoulombSum::Plan> FmmCoulombSum::make_plan(const Points& x,
                                                           std::shared_ptr<const Structure> structure) const {
  return std::make_unique<fmm::FmmPlan>(x, std::static_pointer_cast<const fmm::FmmStructure>(structure), softening_);
}

std::unique_ptr<CoulombSum::Plan> FmmCoulombSum::make_partial_plan(const Points& x,
                                                                   const std::vector<Index>& some) const {
  // Two pairs of each with each point; at the coarsest tolerances the whole sum costs some hundred for each point.
  constexpr std::size_t few = 32;
  return some.size() > few ? nullptr : DirectCoulombSum(softening_).make_partial_plan(x, some);
}

}  // namespace pithball::sim
