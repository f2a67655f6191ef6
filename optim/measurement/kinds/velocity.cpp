#include "optim/measurement/measurement_kinds.hpp"

namespace pithball::optim {
namespace {

/// Rᵀv of a point.
class VelocityInstrument final : public Instrument {
 public:
  const MeasurementKind& kind() const override { return velocity_kind(); }

  std::vector<Input> inputs(Index, const Input& followed) const override {
    return {{followed.vertices, Motion::Velocity}};
  }

  const char* read(const Look& look, Vec3& reading, ReadingSlope* slope) const override {
    const Viewpoint& from = look.viewpoint;
    reading = from.rotation.transpose() * look.inputs.col(0);
    if (!slope) return nullptr;
    slope->inputs = from.rotation.transpose();
    for (Index k = 0; k < 3; ++k)
      slope->frame.col(2 + k) = from.rotation_derivative[k].transpose() * look.inputs.col(0);
    return nullptr;
  }
};

}  // namespace

const MeasurementKind& velocity_kind() {
  static const MeasurementKind kind{
      "velocity", "velocities of points of the body", {"x", "y", "z"}, "m/s", "m/s", 1, 1e-2, 0, {}, AtImpact::Jump};
  return kind;
}

std::shared_ptr<const Instrument> make_velocity_instrument() { return std::make_shared<const VelocityInstrument>(); }

}  // namespace pithball::optim
