#include "optim/measurement/measurement_kinds.hpp"

namespace pithball::optim {
namespace {

class PointInstrument final : public Instrument {
 public:
  explicit PointInstrument(bool displacements) : displacements_(displacements) {}
  const MeasurementKind& kind() const override { return point_kind(); }

  std::vector<Input> inputs(Index, const Input& followed) const override { return {followed}; }

  const char* read(const Look& look, Vec3& reading, ReadingSlope* slope) const override {
    const Viewpoint& from = look.viewpoint;
    Vec3 offset = look.inputs.col(0);
    if (!displacements_) offset -= from.frame.translation;
    reading = from.rotation.transpose() * offset;
    if (!slope) return nullptr;
    slope->inputs = from.rotation.transpose();
    for (Index k = 0; k < 3; ++k) slope->frame.col(2 + k) = from.rotation_derivative[k].transpose() * offset;
    if (!displacements_) slope->frame.middleCols<3>(5) = -from.rotation.transpose();
    return nullptr;
  }

 private:
  bool displacements_;
};

}  // namespace

const MeasurementKind& point_kind() {
  static const MeasurementKind kind{"point", "positions of points of the body", {"x", "y", "z"}, "m", "mm", 1e3, 1e-3};
  return kind;
}

std::shared_ptr<const Instrument> make_point_instrument(bool displacements) {
  static const auto positions = std::make_shared<const PointInstrument>(false),
                    offsets = std::make_shared<const PointInstrument>(true);
  return displacements ? offsets : positions;
}

}  // namespace pithball::optim
