#pragma once
#include "sim/force/decorated_force.hpp"

namespace pithball::sim {

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
