#include "optim/measurement/measurement_kinds.hpp"

namespace pithball::optim {
namespace {

/// Rᵀ(dv/dt − g) + bias of a point.
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
    reading = from.rotation.transpose() * felt + from.values.segment<3>(bias);
    if (!slope) return nullptr;
    slope->inputs = from.rotation.transpose();
    for (Index k = 0; k < 3; ++k) slope->frame.col(2 + k) = from.rotation_derivative[k].transpose() * felt;
    slope->frame.middleCols<3>(bias).setIdentity();
    if (!gravity) return nullptr;
    slope->model_values.setZero(3, values.size());
    slope->model_values.middleCols<3>(values.block(*gravity).offset) = -from.rotation.transpose();
    return nullptr;
  }
};

}  // namespace

const MeasurementKind& acceleration_kind() {
  static const MeasurementKind kind{"acceleration",
                                    "readings of accelerometers on points of the body: dv/dt − g + bias",
                                    {"x", "y", "z"},
                                    "m/s^2",
                                    "m/s^2",
                                    1,
                                    0.1,
                                    0,
                                    {{"acceleration_bias", "m/s^2", 0, 3}},
                                    AtImpact::Spike};
  return kind;
}

std::shared_ptr<const Instrument> make_acceleration_instrument() {
  return std::make_shared<const AccelerationInstrument>();
}

}  // namespace pithball::optim
