#include "optim/measurement/instrument.hpp"

namespace pithball::optim {
namespace {

class UnattachedInstrument final : public Instrument {
 public:
  explicit UnattachedInstrument(const MeasurementKind& kind) : kind_(kind) {}
  const MeasurementKind& kind() const override { return kind_; }
  std::vector<Input> inputs(Index, const Input&) const override { return {}; }
  const char* read(const Look&, Vec3&, ReadingSlope*) const override { return "reads nothing"; }

 private:
  const MeasurementKind& kind_;
};

}  // namespace

Viewpoint::Viewpoint(const RecordingFrame& recording_frame)
    : frame(recording_frame),
      values(recording_frame.values()),
      rotation(recording_frame.rotation_matrix()),
      rotation_derivative(recording_frame.rotation_derivative()) {}

Vec3 Viewpoint::to_recorded(const Vec3& a, ReadingSlope* slope) const {
  if (slope) {
    slope->inputs = rotation.transpose() / frame.scale();
    add_slope(a, *slope);
  }
  return rotation.transpose() * a / frame.scale();
}

void Viewpoint::add_slope(const Vec3& a, ReadingSlope& slope) const {
  const double s = frame.scale();
  for (Index k = 0; k < 3; ++k) slope.frame.col(2 + k) = rotation_derivative[k].transpose() * a / s;
  slope.frame.col(RecordingFrame::scale_offset) = -rotation.transpose() * a / (s * s);
}

std::shared_ptr<const Instrument> unattached_instrument(const MeasurementKind& kind) {
  return kind.make ? std::make_shared<const UnattachedInstrument>(kind) : nullptr;
}

}  // namespace pithball::optim
