#include "sim/force/selected_force.hpp"

#include <algorithm>

#include "sim/core/error.hpp"
#include "sim/linear/block_matrix.hpp"
#include "sim/model/particle_origin.hpp"

namespace pithball::sim {
namespace {

/// Replaces a force whose particles have all been removed.
class NoForce final : public ForceTerm {
 public:
  explicit NoForce(std::string name) : traits_{.name = std::move(name)} {}
  const ForceTraits& traits() const override { return traits_; }
  void add_force(const Model&, const State&, Points&) const override {}
  void add_jvp(const Model&, const State&, const Variation&, Points&) const override {}
  void add_vjp(const Model&, const State&, const Points&, Variation&) const override {}

 private:
  ForceTraits traits_;
};

/// Returns the index in the whole model's values of each entry of the selected model's (`Model::of_particles`).
std::vector<Index> entries_of(const Values& values, const std::vector<Index>& selected) {
  std::vector<Index> entries;
  for (const ValueBlock& block : values.blocks()) {
    if (block.owner == ValueOwner::Particle)
      for (const Index particle : selected) entries.push_back(block.offset + particle);
    if (block.owner == ValueOwner::Term)
      for (Index e = 0; e < block.size; ++e) entries.push_back(block.offset + e);
  }
  return entries;
}

/// Forwards weights with the particles' numbers in the whole model.
class RenumberedMajorizer final : public Majorizer {
 public:
  RenumberedMajorizer(Majorizer& whole, const std::vector<Index>& selected) : whole_(whole), selected_(selected) {}
  void edge(Index i, Index j, double weight) override { whole_.edge(selected_[i], selected_[j], weight); }
  void vertex(Index i, double weight) override { whole_.vertex(selected_[i], weight); }

 private:
  Majorizer& whole_;
  const std::vector<Index>& selected_;
};

/// Adds to J the blocks that `add` computes for the selected particles; all are diagonal, as there are no springs.
template <class Add>
void add_blocks(const std::vector<Index>& selected, const Model& part, BlockMatrix& J, Add add) {
  BlockMatrix blocks(part.topology());
  add(blocks);
  for (std::size_t k = 0; k < selected.size(); ++k) J.add_diagonal(selected[k], blocks.diagonal(k));
}

}  // namespace

std::shared_ptr<ForceTerm> SelectedForce::before(std::shared_ptr<const ForceTerm> other) const {
  return std::make_shared<SelectedForce>(std::move(other), selected_);
}

std::shared_ptr<ForceTerm> SelectedForce::with_particles(const std::vector<ParticleOrigin>& origins) const {
  std::vector<Index> selected;
  for (std::size_t p = 0; p < origins.size(); ++p)
    if (std::binary_search(selected_.begin(), selected_.end(), origins[p].like)) selected.push_back(p);
  if (selected.empty()) return std::make_shared<NoForce>(traits().name);
  return std::make_shared<SelectedForce>(shared_force(), std::move(selected));
}

Variation SelectedForce::of_selected(const Model& model, const Variation& d) const {
  return {of_selected(d.x), of_selected(d.v), d.values(entries_of(model.values(), selected_))};
}

void SelectedForce::add_gradient(const Model& model, const Variation& part, Variation& g) const {
  g.x(Eigen::all, selected_) += part.x;
  g.values(entries_of(model.values(), selected_)) += part.values;
}

void SelectedForce::validate(const Model& model, const State& s) const {
  try {
    force().validate(model.of_particles(selected_), of_selected(s));
  } catch (const InvalidArgument& error) {
    InvalidArgument::Parts parts = error.parts();
    if (!parts.got.empty()) parts.got += " (particles are counted within `select`)";
    throw InvalidArgument(std::move(parts));
  }
}

void SelectedForce::add_force(const Model& model, const State& s, Points& f) const {
  Points part = Points::Zero(3, selected_.size());
  force().add_force(model.of_particles(selected_), of_selected(s), part);
  f(Eigen::all, selected_) += part;
}

std::optional<double> SelectedForce::energy(const Model& model, const State& s) const {
  return force().energy(model.of_particles(selected_), of_selected(s));
}

void SelectedForce::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  Points part = Points::Zero(3, selected_.size());
  force().add_jvp(model.of_particles(selected_), of_selected(s), of_selected(model, d), part);
  df(Eigen::all, selected_) += part;
}

void SelectedForce::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  const Model selected = model.of_particles(selected_);
  Variation part = Variation::zero(selected.particles(), selected.values().size());
  force().add_vjp(selected, of_selected(s), of_selected(w), part);
  add_gradient(model, part, g);
  g.v(Eigen::all, selected_) += part.v;
}

double SelectedForce::shortest_time(const Model& model, const State& s, const Points& a) const {
  return force().shortest_time(model.of_particles(selected_), of_selected(s), of_selected(a));
}

double SelectedForce::time_to_touch(const Model& model, const State& s, const Points& a) const {
  return force().time_to_touch(model.of_particles(selected_), of_selected(s), of_selected(a));
}

// Stiff forces --------------------------------------------------------------------------------------------------------

void SelectedForce::add_position_blocks(const Model& model, const State& s, double scale, bool definite,
                                        BlockMatrix& J) const {
  const Model part = model.of_particles(selected_);
  add_blocks(selected_, part, J, [&](BlockMatrix& blocks) {
    force_as<StiffPotential>().add_position_blocks(part, of_selected(s), scale, definite, blocks);
  });
}

void SelectedForce::add_stiffness_majorizer(const Model& model, double scale, Majorizer& L) const {
  RenumberedMajorizer renumbered(L, selected_);
  force_as<StiffPotential>().add_stiffness_majorizer(model.of_particles(selected_), scale, renumbered);
}

void SelectedForce::add_negative_curvature_bound(const Model& model, const State& s, Vector& bound) const {
  Vector part = Vector::Zero(selected_.size());
  force_as<StiffPotential>().add_negative_curvature_bound(model.of_particles(selected_), of_selected(s), part);
  bound(selected_) += part;
}

double SelectedForce::dissipation(const Model& model, const State& s) const {
  return force_as<Dissipation>().dissipation(model.of_particles(selected_), of_selected(s));
}

void SelectedForce::add_velocity_blocks(const Model& model, const State& s, double scale, BlockMatrix& J) const {
  const Model part = model.of_particles(selected_);
  add_blocks(selected_, part, J, [&](BlockMatrix& blocks) {
    force_as<Dissipation>().add_velocity_blocks(part, of_selected(s), scale, blocks);
  });
}

void SelectedForce::add_damping_majorizer(const Model& model, double scale, Majorizer& L) const {
  RenumberedMajorizer renumbered(L, selected_);
  force_as<LinearDissipation>().add_damping_majorizer(model.of_particles(selected_), scale, renumbered);
}

// Flows and kicks -----------------------------------------------------------------------------------------------------

void SelectedForce::flow_velocity(const Model& model, const State& s, double h, Points& v) const {
  Points part = of_selected(v);
  force_as<VelocityFlow>().flow_velocity(model.of_particles(selected_), of_selected(s), h, part);
  v(Eigen::all, selected_) = part;
}

void SelectedForce::add_flow_impulse(const Model& model, const State& s, double h, Points& J) const {
  Points part = Points::Zero(3, selected_.size());
  force_as<VelocityFlow>().add_flow_impulse(model.of_particles(selected_), of_selected(s), h, part);
  J(Eigen::all, selected_) += part;
}

void SelectedForce::flow_velocity_jvp(const Model& model, const State& s, double h, const Variation& d,
                                      Points& dv) const {
  Points part = of_selected(d.v);
  force_as<VelocityFlow>().flow_velocity_jvp(model.of_particles(selected_), of_selected(s), h, of_selected(model, d),
                                             part);
  dv = d.v;
  dv(Eigen::all, selected_) = part;
}

void SelectedForce::flow_velocity_vjp(const Model& model, const State& s, double h, const Points& a,
                                      Variation& g) const {
  const Model selected = model.of_particles(selected_);
  Variation part = Variation::zero(selected.particles(), selected.values().size());
  force_as<VelocityFlow>().flow_velocity_vjp(selected, of_selected(s), h, of_selected(a), part);
  add_gradient(model, part, g);
  g.v = a;
  g.v(Eigen::all, selected_) = part.v;
}

void SelectedForce::kick(const Model& model, double h, Index n, State& s) const {
  State part = of_selected(s);
  force_as<Kick>().kick(model.of_particles(selected_), h, n, part);
  s.v(Eigen::all, selected_) = part.v;
}

void SelectedForce::add_friction_rate(const Model& model, double t, Vector& rate) const {
  Vector part = Vector::Zero(selected_.size());
  force_as<Kick>().add_friction_rate(model.of_particles(selected_), t, part);
  rate(selected_) += part;
}

// Parts ---------------------------------------------------------------------------------------------------------------

std::vector<Index> SelectedForce::places_of(const std::vector<Index>& some) const {
  std::vector<Index> found;
  for (const Index particle : some) {
    const auto at = std::lower_bound(selected_.begin(), selected_.end(), particle);
    if (at != selected_.end() && *at == particle) found.push_back(at - selected_.begin());
  }
  return found;
}

bool SelectedForce::add_partial_force(const Model& model, const State& s, const std::vector<Index>& some,
                                      Points& f) const {
  const std::vector<Index> ours = places_of(some);
  if (ours.empty()) return true;
  Points part = Points::Zero(3, selected_.size());
  if (!force_as<PartialSum>().add_partial_force(model.of_particles(selected_), of_selected(s), ours, part))
    return false;
  f(Eigen::all, selected_) += part;
  return true;
}

std::optional<double> SelectedForce::partial_energy(const Model& model, const State& s,
                                                    const std::vector<Index>& some) const {
  const std::vector<Index> ours = places_of(some);
  if (ours.empty()) return 0;
  return force_as<PartialSum>().partial_energy(model.of_particles(selected_), of_selected(s), ours);
}

// Fields --------------------------------------------------------------------------------------------------------------

void SelectedForce::add_field(const Model& model, const SourceCharges& sources, const Points& at,
                              ChargeField& field) const {
  const SourceCharges part{sources.t, of_selected(sources.x), sources.charge(selected_)};
  force_as<ActsOnTestCharge>().add_field(model, part, at, field);
}

// Touches -------------------------------------------------------------------------------------------------------------

void SelectedForce::for_each_touch(const Model& model, const State& s, const TouchVisitor& visit) const {
  force_as<BeginsAtTouch>().for_each_touch(model.of_particles(selected_), of_selected(s), [&](Touch touch) {
    touch.i = selected_[touch.i];
    if (touch.other >= 0) touch.other = selected_[touch.other];
    visit(touch);
  });
}

void SelectedForce::for_each_gap(const Model& model, const State& s, const GapVisitor& visit) const {
  force_as<MeetsObstacle>().for_each_gap(model.of_particles(selected_), of_selected(s), [&](WallGap gap) {
    gap.i = selected_[gap.i];
    visit(gap);
  });
}

double SelectedForce::depth_jvp(const Model& model, const State& s, const WallGap& at, const Variation& d) const {
  return force_as<MeetsObstacle>().depth_jvp(model.of_particles(selected_), of_selected(s), in_selection(at),
                                             of_selected(model, d));
}

void SelectedForce::add_depth_vjp(const Model& model, const State& s, const WallGap& at, double w, Variation& g) const {
  const Model selected = model.of_particles(selected_);
  Variation part = Variation::zero(selected.particles(), selected.values().size());
  force_as<MeetsObstacle>().add_depth_vjp(selected, of_selected(s), in_selection(at), w, part);
  add_gradient(model, part, g);
}

std::shared_ptr<ForceTerm> SelectedForce::holding(const Model& model, const State& s) const {
  return before(force_as<MeetsObstacle>().holding(model.of_particles(selected_), of_selected(s)));
}

std::optional<Passage> SelectedForce::find_passage(const Model& model, const Flight& flight) const {
  const Points from = of_selected(flight.from), to = of_selected(flight.to);
  auto found = force_as<BeginsAtTouch>().find_passage(model.of_particles(selected_), {flight.t, from, to, flight.part});
  if (!found) return {};
  found->i = selected_[found->i];
  if (found->other >= 0) found->other = selected_[found->other];
  return found;
}

}  // namespace pithball::sim
