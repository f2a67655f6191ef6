#pragma once
#include <algorithm>
#include <vector>

#include "sim/force/decorated_force.hpp"

namespace pithball::sim {

/// A force on selected particles alone: it is evaluated in a model of those particles, numbered in their order
/// (`Model::of_particles`), so that a pair force acts between selected pairs, a total is shared by the selected ones,
/// and a temperature is theirs. Its values are those of the force, for all particles; those of others have no effect.
/// For forces that use no springs.
class SelectedForce final : public DecoratedForce {
 public:
  /// selected: ascending, each once, at least one.
  SelectedForce(std::shared_ptr<ForceTerm> force, std::vector<Index> selected)
      : DecoratedForce(force), undeclared_(std::move(force)), selected_(std::move(selected)) {}
  /// For a force whose values are already declared.
  SelectedForce(std::shared_ptr<const ForceTerm> declared, std::vector<Index> selected)
      : DecoratedForce(std::move(declared)), selected_(std::move(selected)) {}

  void declare(const Topology& topology, Values& values) override { undeclared_->declare(topology, values); }
  std::shared_ptr<ForceTerm> with_particles(const std::vector<ParticleOrigin>&) const override;
  void validate(const Model&, const State&) const override;
  void add_force(const Model&, const State&, Points& f) const override;
  std::optional<double> energy(const Model&, const State&) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  double shortest_time(const Model&, const State&, const Points& a) const override;
  double time_to_touch(const Model&, const State&, const Points& a) const override;

  /// Diagonal blocks of the selected particles; the force has no springs and couples no two of them.
  void add_position_blocks(const Model&, const State&, double scale, bool definite, BlockMatrix& J) const override;
  /// That of the force on the selected particles, with the weights at their numbers in the whole model.
  void add_stiffness_majorizer(const Model&, double scale, Majorizer& L) const override;
  /// That of the force, added at the selected particles [N/m].
  void add_negative_curvature_bound(const Model&, const State&, Vector& bound) const override;
  /// R of the selected particles alone [W].
  double dissipation(const Model&, const State&) const override;
  /// Diagonal blocks of the selected particles, as for positions.
  void add_velocity_blocks(const Model&, const State&, double scale, BlockMatrix& J) const override;
  /// That of the force on the selected particles, with the weights at their numbers in the whole model.
  void add_damping_majorizer(const Model&, double scale, Majorizer& L) const override;
  /// Changes the velocities of the selected particles alone.
  void flow_velocity(const Model&, const State&, double h, Points& v) const override;
  /// Adds the impulse on the selected particles alone [N s].
  void add_flow_impulse(const Model&, const State&, double h, Points& J) const override;
  /// dv = δv for all others.
  void flow_velocity_jvp(const Model&, const State&, double h, const Variation& d, Points& dv) const override;
  /// g.v = a for all others.
  void flow_velocity_vjp(const Model&, const State&, double h, const Points& a, Variation& g) const override;
  /// Changes the velocities of the selected particles alone; random numbers are drawn by their order in the selection.
  void kick(const Model&, double h, Index n, State&) const override;
  /// That of the selected particles alone.
  void add_friction_rate(const Model&, double t, Vector& rate) const override;
  /// None: the bath would be that of a part of the body.
  std::optional<ThermalBath> bath(const Model&, double) const override { return {}; }
  /// That of the selected ones among `some`.
  bool add_partial_force(const Model&, const State&, const std::vector<Index>& some, Points& f) const override;
  /// That of the selected ones among `some`.
  std::optional<double> partial_energy(const Model&, const State&, const std::vector<Index>& some) const override;
  /// The field of the selected charges alone, for a test charge that is selected too.
  void add_field(const Model&, const SourceCharges&, const Points& at, ChargeField& field) const override;
  /// Those of the selected particles among themselves and with walls, by their numbers in the whole model.
  void for_each_touch(const Model&, const State&, const TouchVisitor& visit) const override;
  /// Those of the selected particles, by their numbers in the whole model.
  void for_each_gap(const Model&, const State&, const GapVisitor& visit) const override;
  /// That of a selected particle.
  double depth_jvp(const Model&, const State&, const WallGap&, const Variation& d) const override;
  /// That of a selected particle.
  void add_depth_vjp(const Model&, const State&, const WallGap&, double w, Variation& g) const override;
  /// The same force with the touches of the selected particles held.
  std::shared_ptr<ForceTerm> holding(const Model&, const State&) const override;
  /// That among them, by their numbers in the whole model.
  std::optional<Passage> find_passage(const Model&, const Flight&) const override;

 private:
  std::shared_ptr<ForceTerm> before(std::shared_ptr<const ForceTerm> other) const override;
  /// The columns of the selected particles.
  Points of_selected(const Points& all) const { return all(Eigen::all, selected_); }
  State of_selected(const State& s) const { return {s.t, of_selected(s.x), of_selected(s.v)}; }
  Variation of_selected(const Model&, const Variation& d) const;
  /// The gap with the particle's place in the selection.
  WallGap in_selection(WallGap gap) const {
    gap.i = std::ranges::lower_bound(selected_, gap.i) - selected_.begin();
    return gap;
  }
  /// The places in the selection of the selected ones among `some`.
  std::vector<Index> places_of(const std::vector<Index>& some) const;
  /// Adds a gradient of the selected model to g.x and g.values; its part in v belongs to the caller.
  void add_gradient(const Model&, const Variation& part, Variation& g) const;

  std::shared_ptr<ForceTerm> undeclared_;  // the decorated force, to declare its values; null if they are declared
  std::vector<Index> selected_;
};

}  // namespace pithball::sim
