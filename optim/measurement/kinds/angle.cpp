#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "optim/measurement/measurement_kinds.hpp"

namespace pithball::optim {
namespace {

/// atan2(n·(u × d), u·d − (u·n)(d·n)): the angle about the axis n from the direction u to the segment d, both seen
/// along n. u is a fixed direction or another segment.
class AngleInstrument final : public Instrument {
 public:
  explicit AngleInstrument(std::vector<SegmentAngle> angles) : angles_(std::move(angles)) {}
  const MeasurementKind& kind() const override { return angle_kind(); }

  std::vector<Input> inputs(Index channel, const Input&) const override {
    const SegmentAngle& angle = angles_[channel];
    std::vector<Input> points{{angle.segment.from}, {angle.segment.to}};
    if (angle.other) points.insert(points.end(), {{angle.other->from}, {angle.other->to}});
    return points;
  }

  const char* read(const Look& look, Vec3& reading, ReadingSlope* slope) const override {
    static const Index zero = recording_frame_offset("angle_zero");
    const SegmentAngle& angle = angles_[look.channel];
    const Vec3& n = angle.about;
    const Vec3 d = look.inputs.col(1) - look.inputs.col(0);
    const Vec3 u = angle.other ? Vec3(look.inputs.col(3) - look.inputs.col(2)) : angle.direction;
    const Vec3 d_across = d - d.dot(n) * n, u_across = u - u.dot(n) * n;
    const double sine = n.dot(u.cross(d)), cosine = u_across.dot(d_across), square = sine * sine + cosine * cosine;
    reading[0] = std::atan2(sine, cosine) + look.viewpoint.values[zero];
    if (!(square > 0)) return "is along the axis, about which it has no angle";
    if (!slope) return nullptr;
    // Each direction turns by its change across itself: dα = n·(d × δd)/|d⊥|² − n·(u × δu)/|u⊥|².
    const Eigen::RowVector3d by_d = n.cross(d_across).transpose() / d_across.squaredNorm();
    slope->inputs.block<1, 3>(0, 0) = -by_d;
    slope->inputs.block<1, 3>(0, 3) = by_d;
    if (angle.other) {
      const Eigen::RowVector3d by_u = n.cross(u_across).transpose() / u_across.squaredNorm();
      slope->inputs.block<1, 3>(0, 6) = by_u;
      slope->inputs.block<1, 3>(0, 9) = -by_u;
    }
    slope->frame(0, zero) = 1;
    return nullptr;
  }

 private:
  std::vector<SegmentAngle> angles_;
};

}  // namespace

const MeasurementKind& angle_kind() {
  static const MeasurementKind kind{"angle",
                                    "angles of segments to a direction or to another segment, plus a zero offset",
                                    {"angle"},
                                    "rad",
                                    "deg",
                                    180 / std::numbers::pi,
                                    2e-3,
                                    2 * std::numbers::pi,
                                    {{"angle_zero", "rad"}}};
  return kind;
}

std::shared_ptr<const Instrument> make_angle_instrument(std::vector<SegmentAngle> angles) {
  return std::make_shared<const AngleInstrument>(std::move(angles));
}

}  // namespace pithball::optim
