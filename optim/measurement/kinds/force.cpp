#include "optim/measurement/kinds/force.hpp"

#include "optim/measurement/kind_settings.hpp"
#include "sim/core/state.hpp"

namespace pithball::optim {
namespace {

/// Rᵀ Σ (m a − F)/scale + zero over the held particles of a group: the force by which a support holds them.
class ForceInstrument final : public Instrument {
 public:
  ForceInstrument(Index particles, std::vector<std::vector<Index>> groups)
      : particles_(particles), groups_(std::move(groups)) {}
  const MeasurementKind& kind() const override { return force_kind(); }

  /// Positions and velocities of all particles, then the accelerations of the group.
  std::vector<Input> inputs(Index channel, const Input&) const override {
    std::vector<Input> points;
    for (const Motion motion : {Motion::Position, Motion::Velocity})
      for (Index i = 0; i < particles_; ++i) points.push_back({{{i, 1.0}}, motion});
    for (const Index i : groups_[channel]) points.push_back({{{i, 1.0}}, Motion::Acceleration});
    return points;
  }

  const char* read(const Look& look, Vec3& reading, ReadingSlope* slope) const override {
    static const Index zero = recording_frame_offset("force_zero");
    const std::vector<Index>& group = groups_[look.channel];
    const sim::State state{look.time, look.inputs.leftCols(particles_), look.inputs.middleCols(particles_, particles_)};
    Points force = Points::Zero(3, particles_);
    look.model.add_forces(state, force, sim::every_term);
    const auto mass = look.model.mass();
    Vec3 held = Vec3::Zero();
    for (std::size_t k = 0; k < group.size(); ++k)
      held += mass[group[k]] * look.inputs.col(2 * particles_ + static_cast<Index>(k)) - force.col(group[k]);
    const Viewpoint& from = look.viewpoint;
    reading = from.to_recorded(held, nullptr) + from.values.segment<3>(zero);
    if (!slope) return nullptr;
    from.add_slope(held, *slope);
    slope->frame.middleCols<3>(zero).setIdentity();
    add_slope(look, state, *slope);
    return nullptr;
  }

 private:
  void add_slope(const Look& look, const sim::State& state, ReadingSlope& slope) const {
    const std::vector<Index>& group = groups_[look.channel];
    const auto mass = look.model.mass();
    const Mat3 turned = look.viewpoint.rotation.transpose() / look.viewpoint.frame.scale();
    slope.model_values.setZero(3, look.model.values().size());
    const Index mass_offset = look.model.values().block(sim::Model::mass_block).offset;
    for (Index a = 0; a < 3; ++a) {
      Points w = Points::Zero(3, particles_);  // for −F: the row of Rᵀ on every particle of the group
      for (const Index i : group) w.col(i) = -turned.row(a).transpose();
      sim::Variation gradient = sim::Variation::zero(particles_, look.model.values().size());
      for (const auto& term : look.model.terms()) term->add_vjp(look.model, state, w, gradient);
      slope.inputs.row(a).segment(0, 3 * particles_) = gradient.x.reshaped().transpose();
      slope.inputs.row(a).segment(3 * particles_, 3 * particles_) = gradient.v.reshaped().transpose();
      slope.model_values.row(a) = gradient.values.transpose();
      for (std::size_t k = 0; k < group.size(); ++k) {
        const Index column = 2 * particles_ + static_cast<Index>(k);
        slope.inputs.block<1, 3>(a, 3 * column) = mass[group[k]] * turned.row(a);
        slope.model_values(a, mass_offset + group[k]) += turned.row(a).dot(look.inputs.col(column));
      }
    }
  }

  Index particles_;
  std::vector<std::vector<Index>> groups_;
};

InstrumentSettings make_force(KindSettings& settings, const MeasuredBody& measured) {
  std::vector<std::vector<Index>> groups;
  for (const WeightedVertices& marker : measured.markers) {
    std::vector<Index>& group = groups.emplace_back();
    for (const auto& [i, weight] : marker) {
      if (!measured.model.is_held(i))
        settings.reject("", "requires markers on pinned or driven particles",
                        "particle " + std::to_string(i) + ", which is free",
                        "write `markers: [top]`, the group that the load cell holds, and pin it by `system.pinned`");
      group.push_back(i);
    }
  }
  return {.instrument = make_force_instrument(measured.model.particles(), std::move(groups))};
}

}  // namespace

const MeasurementKind& force_kind() {
  static const MeasurementKind kind{
      .name = "force",
      .meaning = "forces of supports on groups of pinned or driven particles, plus a zero offset",
      .components = {"x", "y", "z"},
      .unit = "N",
      .shown_unit = {"N"},
      .planned_sigma = 1e-2,
      .own_values = {{"force_zero", "N", 0, 3}},
      .at_impact = AtImpact::Spike,
      .geometry = {.describe_axes = describe_vector_axes},
      .make = make_force};
  return kind;
}

std::shared_ptr<const Instrument> make_force_instrument(Index particles, std::vector<std::vector<Index>> groups) {
  return std::make_shared<const ForceInstrument>(particles, std::move(groups));
}

}  // namespace pithball::optim
