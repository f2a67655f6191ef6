#include "optim/measurement/kinds/point.hpp"

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
    reading = from.to_recorded(offset, slope);
    if (slope && !displacements_) slope->frame.middleCols<3>(5) = -slope->inputs;
    return nullptr;
  }

 private:
  bool displacements_;
};

}  // namespace

const MeasurementKind& point_kind() {
  static const MeasurementKind kind{
      .name = "point",
      .meaning = "positions of points of the body",
      .components = {"x", "y", "z"},
      .unit = "m",
      .shown_unit = {"mm", 1e3},
      .planned_sigma = 1e-3,
      .geometry = {.is_place = true,
                   .registration = Registration::Points,
                   .describe_axes = describe_vector_axes,
                   .shift = "units or placement",
                   .check_shift = "check `scale`, `up` and `placement` of the recording"}};
  return kind;
}

std::shared_ptr<const Instrument> make_point_instrument(bool displacements) {
  static const auto positions = std::make_shared<const PointInstrument>(false),
                    offsets = std::make_shared<const PointInstrument>(true);
  return displacements ? offsets : positions;
}

}  // namespace pithball::optim
