#pragma once
#include "sim/core/settings.hpp"
#include "sim/force/force_term.hpp"
#include "sim/force/free_drift.hpp"

namespace pithball::sim {

/// Uniform gravity: F = m g, U = −Σ m g·x. Value: `gravity` g, three components [m/s²].
class Gravity final : public ForceTerm, public DriftsFreely {
 public:
  /// Initial g [m/s²], in the direction in which particles fall.
  explicit Gravity(const Vec3& g) : gravity_(g) {}

  /// Reads its settings in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void add_force(const Model&, const State&, Points& f) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_jvps(const Model&, const State&, const Directions& d, Panel& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  std::optional<double> energy(const Model&, const State&) const override;

  Vec3 acceleration(const Model&) const;  ///< g [m/s²]

 private:
  Vec3 gravity_;  // initial value; `Model::values()` has the current one
  Index block_ = 0;
};

}  // namespace pithball::sim
