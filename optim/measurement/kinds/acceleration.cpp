#include "optim/measurement/kinds/acceleration.hpp"

#include "optim/measurement/kind_settings.hpp"

namespace pithball::optim {
namespace {

/// Rᵀ(dv/dt − g)/scale + bias of a point.
class AccelerationInstrument final : public Instrument {
 public:
  const MeasurementKind& kind() const override { return acceleration_kind(); }

  std::vector<Input> inputs(Index, const Input& followed) const override {
    return {{followed.vertices, Motion::Acceleration}};
  }

  const char* read(const Look& look, Vec3& reading, ReadingSlope* slope) const override {
    static const Index bias = recording_frame_offset("acceleration_bias");
    const Viewpoint& from = look.viewpoint;
    const sim::Values& values = look.model.values();
    const auto gravity = values.find("gravity");
    Vec3 felt = look.inputs.col(0);
    if (gravity) felt -= values[*gravity].head<3>();
    reading = from.to_recorded(felt, slope) + from.values.segment<3>(bias);
    if (!slope) return nullptr;
    slope->frame.middleCols<3>(bias).setIdentity();
    if (!gravity) return nullptr;
    slope->model_values.setZero(3, values.size());
    slope->model_values.middleCols<3>(values.block(*gravity).offset) = -slope->inputs;
    return nullptr;
  }
};

InstrumentSettings make_acceleration(KindSettings& settings, const MeasuredBody& measured) {
  for (const sim::ValueBlock& block : measured.model.values().blocks())
    if (block.name == "gravity" && block.key_time)
      settings.reject("", "requires constant gravity", "gravity with key frames", "omit the key frames of gravity");
  return {.instrument = make_acceleration_instrument()};
}

}  // namespace

const MeasurementKind& acceleration_kind() {
  static const MeasurementKind kind{.name = "acceleration",
                                    .meaning = "readings of accelerometers on points of the body: dv/dt − g + bias",
                                    .components = {"x", "y", "z"},
                                    .unit = "m/s^2",
                                    .shown_unit = {"m/s^2"},
                                    .planned_sigma = 0.1,
                                    .own_values = {{"acceleration_bias", "m/s^2", 0, 3}},
                                    .at_impact = AtImpact::Spike,
                                    .geometry = {.describe_axes = describe_vector_axes},
                                    .make = make_acceleration};
  return kind;
}

std::shared_ptr<const Instrument> make_acceleration_instrument() {
  return std::make_shared<const AccelerationInstrument>();
}

}  // namespace pithball::optim
