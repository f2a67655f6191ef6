#pragma once
#include "sim/force/force_term.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

/// A decorator of another force, whose values are already declared: it forwards everything and has exactly the same
/// abilities. A derived class overrides what it changes.
class DecoratedForce : public ForceWith<StiffPotential, LinearDissipation, VelocityFlow, Kick, Approximation,
                                        PartialSum, ActsOnTestCharge, BeginsAtTouch, MeetsObstacle> {
 public:
  /// `force` is not null and is shared.
  explicit DecoratedForce(std::shared_ptr<const ForceTerm> force)
      : force_(std::move(force)), has_(force_->abilities()) {}

  /// Those of the decorated force.
  const ForceTraits& traits() const override { return force_->traits(); }
  ForceAbilities abilities() const final { return has_.through(*this); }
  std::shared_ptr<ForceTerm> with_particles(const std::vector<ParticleOrigin>&) const override;
  void validate(const Model&, const State&) const override;
  void add_force(const Model&, const State&, Points& f) const override;
  std::optional<double> energy(const Model&, const State&) const override;
  bool changes_between(double from, double to) const override { return force_->changes_between(from, to); }
  void add_course(double from, double to, TimeCourse& course) const override { force_->add_course(from, to, course); }
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  double shortest_time(const Model&, const State&, const Points& a) const override;
  double time_to_touch(const Model&, const State&, const Points& a) const override;

  /// That of the decorated force, which must be a `StiffPotential`, in the model that it sees.
  void add_position_blocks(const Model&, const State&, double scale, bool definite, BlockMatrix& J) const override;
  /// Those of the decorated force, which must be a `StiffPotential`.
  std::vector<Spring> couplings() const override;
  /// That of the decorated force, which must be a `StiffPotential`, in the whole model.
  void add_stiffness_majorizer(const Model&, double scale, Majorizer& L) const override;
  /// That of the decorated force, which must be a `StiffPotential`, in the model that it sees.
  void add_negative_curvature_bound(const Model&, const State&, Vector& bound) const override;
  /// That of the decorated force, which must be a `Dissipation`, in the model that it sees [W].
  double dissipation(const Model&, const State&) const override;
  /// Those of the decorated force, which must be a `Dissipation`, in the model that it sees.
  void add_velocity_blocks(const Model&, const State&, double scale, BlockMatrix& J) const override;
  /// That of the decorated force, which must be a `LinearDissipation`, in the whole model.
  void add_damping_majorizer(const Model&, double scale, Majorizer& L) const override;
  /// That of the decorated force, which must be a `VelocityFlow`, in the model that it sees.
  void flow_velocity(const Model&, const State&, double h, Points& v) const override;
  /// That of the decorated force, which must be a `VelocityFlow`, in the model that it sees [N s].
  void add_flow_impulse(const Model&, const State&, double h, Points& J) const override;
  /// That of the decorated force, which must be a `VelocityFlow`, in the model that it sees.
  void flow_velocity_jvp(const Model&, const State&, double h, const Variation& d, Points& dv) const override;
  /// That of the decorated force, which must be a `VelocityFlow`, in the model that it sees.
  void flow_velocity_vjp(const Model&, const State&, double h, const Points& a, Variation& g) const override;
  /// That of the decorated force, which must be a `Kick`, in the model that it sees.
  void kick(const Model&, double h, Index n, State&) const override;
  /// That of the decorated force, which must be a `Kick`, in the model that it sees.
  void add_friction_rate(const Model&, double t, Vector& rate) const override;
  /// That of the decorated force, which must be a `Kick`.
  KickNeed need() const override { return force_as<Kick>().need(); }
  /// That of the decorated force, which must be a `Kick`, in the model that it sees.
  std::optional<ThermalBath> bath(const Model&, double t) const override;
  /// This decorator for the frozen decorated force, which must be an `Approximation`.
  std::shared_ptr<ForceTerm> frozen() const override;
  /// Those of the decorated force, which must be an `Approximation`.
  Index crossings() const override;
  /// That of the decorated force, which must be a `PartialSum`, in the model that it sees.
  bool add_partial_force(const Model&, const State&, const std::vector<Index>& some, Points& f) const override;
  /// That of the decorated force, which must be a `PartialSum`, in the model that it sees.
  std::optional<double> partial_energy(const Model&, const State&, const std::vector<Index>& some) const override;
  /// That of the decorated force, which must have the ability `ActsOnTestCharge`.
  FieldOrigin field_origin() const override;
  /// That of the decorated force, which must have the ability `ActsOnTestCharge`, in the model that it sees.
  void add_field(const Model&, const SourceCharges&, const Points& at, ChargeField& field) const override;
  /// That of the decorated force, which must have the ability `ActsOnTestCharge`.
  std::string field_method() const override;
  /// Those of the decorated force, which must have the ability `ActsOnTestCharge`, in the model that it sees.
  std::vector<Vec3> field_poles(const Model&, double t) const override;
  /// That of the decorated force, which must have the ability `BeginsAtTouch`.
  const std::string& touching_force() const override;
  /// Those of the decorated force, which must have the ability `BeginsAtTouch`, in the model that it sees.
  void for_each_touch(const Model&, const State&, const TouchVisitor& visit) const override;
  /// Those of the decorated force, which must have the ability `MeetsObstacle`, in the model that it sees.
  void for_each_gap(const Model&, const State&, const GapVisitor& visit) const override;
  /// That of the decorated force, which must have the ability `MeetsObstacle`, in the model that it sees.
  double depth_jvp(const Model&, const State&, const WallGap&, const Variation& d) const override;
  /// That of the decorated force, which must have the ability `MeetsObstacle`, in the model that it sees.
  void add_depth_vjp(const Model&, const State&, const WallGap&, double w, Variation& g) const override;
  /// This decorator for the decorated force with its touches held, which must have the ability `MeetsObstacle`.
  std::shared_ptr<ForceTerm> holding(const Model&, const State&) const override;
  /// That of the decorated force, which must have the ability `BeginsAtTouch`.
  std::optional<Passage> find_passage(const Model&, const Flight&) const override;

 protected:
  /// The decorated force.
  const ForceTerm& force() const { return *force_; }
  const std::shared_ptr<const ForceTerm>& shared_force() const { return force_; }  ///< the same, to share ownership
  /// The abilities of the decorated force; only those that it has are called.
  template <class Ability>
  const Ability& force_as() const {
    return *has_.get<Ability>();
  }

 private:
  /// The model passed to the decorated force at a time [s].
  virtual Model seen(const Model& model, double t) const { return model; }
  /// This decorator for another force.
  virtual std::shared_ptr<ForceTerm> before(std::shared_ptr<const ForceTerm> other) const = 0;

  std::shared_ptr<const ForceTerm> force_;
  ForceAbilities has_;  // of the decorated force
};

/// Number of evaluations of a force.
struct ForceCount {
  long sums = 0;      ///< evaluations of the force
  long products = 0;  ///< products with its linearization or the transpose
};

/// A force that counts its evaluations (for `Model::with_terms`). For use in one thread.
class CountedForce final : public DecoratedForce {
 public:
  /// Adds to `count`, which is not null and may be shared by several forces.
  CountedForce(std::shared_ptr<const ForceTerm> force, std::shared_ptr<ForceCount> count)
      : DecoratedForce(std::move(force)), count_(std::move(count)) {}

  void add_force(const Model& model, const State& s, Points& f) const override {
    ++count_->sums;
    force().add_force(model, s, f);
  }
  void add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const override {
    ++count_->products;
    force().add_jvp(model, s, d, df);
  }
  void add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const override {
    ++count_->products;
    force().add_vjp(model, s, w, g);
  }

 private:
  std::shared_ptr<ForceTerm> before(std::shared_ptr<const ForceTerm> other) const override {
    return std::make_shared<CountedForce>(std::move(other), count_);
  }

  std::shared_ptr<ForceCount> count_;
};

}  // namespace pithball::sim
