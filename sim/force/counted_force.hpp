#pragma once
#include "sim/force/force_term.hpp"

namespace pithball::sim {

/// How often a force was asked for.
struct ForceCount {
  long sums = 0;      ///< of the force itself
  long products = 0;  ///< with its linearisation, plain or transposed
};

/// A force that counts how often it is evaluated and is otherwise the force given to it, which has declared its values
/// already (`Model::with_terms`). For one thread.
class CountedForce final : public ForceTerm {
 public:
  CountedForce(std::shared_ptr<ForceTerm> force, std::shared_ptr<ForceCount> count)
      : force_(std::move(force)), count_(std::move(count)) {}

  const ForceTraits& traits() const override { return force_->traits(); }
  void declare(const Topology& topology, Values& values) override { force_->declare(topology, values); }
  void validate(const Model& m, const State& s) const override { force_->validate(m, s); }
  void add_force(const Model& m, const State& s, Points& f) const override {
    ++count_->sums;
    force_->add_force(m, s, f);
  }
  std::optional<double> energy(const Model& m, const State& s) const override { return force_->energy(m, s); }
  bool changes_between(double from, double to) const override { return force_->changes_between(from, to); }
  void add_jvp(const Model& m, const State& s, const Variation& d, Points& df) const override {
    ++count_->products;
    force_->add_jvp(m, s, d, df);
  }
  void add_vjp(const Model& m, const State& s, const Points& w, Variation& g) const override {
    ++count_->products;
    force_->add_vjp(m, s, w, g);
  }
  double shortest_time(const Model& m, const State& s, const Points& a) const override {
    return force_->shortest_time(m, s, a);
  }
  void flow_velocity(const Model& m, const State& s, double h, Points& v) const override {
    force_->flow_velocity(m, s, h, v);
  }
  void add_flow_impulse(const Model& m, const State& s, double h, Points& J) const override {
    force_->add_flow_impulse(m, s, h, J);
  }
  void flow_velocity_jvp(const Model& m, const State& s, double h, const Variation& d, Points& dv) const override {
    force_->flow_velocity_jvp(m, s, h, d, dv);
  }
  void flow_velocity_vjp(const Model& m, const State& s, double h, const Points& a, Variation& g) const override {
    force_->flow_velocity_vjp(m, s, h, a, g);
  }
  void kick(const Model& m, double h, Index n, State& s) const override { force_->kick(m, h, n, s); }
  std::shared_ptr<ForceTerm> frozen() const override {
    auto inner = force_->frozen();
    return inner ? std::make_shared<CountedForce>(std::move(inner), count_) : nullptr;
  }
  Index crossings() const override { return force_->crossings(); }
  void add_position_blocks(const Model& m, const State& s, double scale, bool definite, BlockMatrix& J) const override {
    force_->add_position_blocks(m, s, scale, definite, J);
  }
  double dissipation(const Model& m, const State& s) const override { return force_->dissipation(m, s); }
  void add_velocity_blocks(const Model& m, const State& s, double scale, BlockMatrix& J) const override {
    force_->add_velocity_blocks(m, s, scale, J);
  }
  void add_majoriser(const Model& m, double position_scale, double velocity_scale, Majoriser& L) const override {
    force_->add_majoriser(m, position_scale, velocity_scale, L);
  }
  void add_negative_curvature_bound(const Model& m, const State& s, Vector& bound) const override {
    force_->add_negative_curvature_bound(m, s, bound);
  }

 private:
  std::shared_ptr<ForceTerm> force_;
  std::shared_ptr<ForceCount> count_;
};

}  // namespace pithball::sim
