#include "optim/measurement/kinds/velocity.hpp"

#include "optim/measurement/kind_settings.hpp"

namespace pithball::optim {
namespace {

/// Rᵀv/scale of a point.
class VelocityInstrument final : public Instrument {
 public:
  const MeasurementKind& kind() const override { return velocity_kind(); }

  std::vector<Input> inputs(Index, const Input& followed) const override {
    return {{followed.vertices, Motion::Velocity}};
  }

  const char* read(const Look& look, Vec3& reading, ReadingSlope* slope) const override {
    reading = look.viewpoint.to_recorded(look.inputs.col(0), slope);
    return nullptr;
  }
};

InstrumentSettings make_velocity(KindSettings&, const MeasuredBody&) {
  return {.instrument = make_velocity_instrument()};
}

}  // namespace

const MeasurementKind& velocity_kind() {
  static const MeasurementKind kind{.name = "velocity",
                                    .meaning = "velocities of points of the body",
                                    .components = {"x", "y", "z"},
                                    .unit = "m/s",
                                    .shown_unit = {"m/s"},
                                    .planned_sigma = 1e-2,
                                    .at_impact = AtImpact::Jump,
                                    .geometry = {.describe_axes = describe_vector_axes},
                                    .make = make_velocity};
  return kind;
}

std::shared_ptr<const Instrument> make_velocity_instrument() { return std::make_shared<const VelocityInstrument>(); }

}  // namespace pithball::optim
