#include "optim/measurement/kinds/angle.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

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
    // Changes of both directions change the angle by dα = n·(d × δd)/|d⊥|² − n·(u × δu)/|u⊥|².
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

OtherAxes describe_sense(const Mat3&, const std::array<std::string, 3>&) {
  return {"angles have the other sense", "about: the opposite direction"};
}

SegmentAngle read_segment_angle(KindSettings& item) {
  SegmentAngle angle;
  item.document("segment", "[A, B]", "required",
                "segment from A to B, each a particle or a group, whose angle is measured");
  item.document("to_segment", "[A, B]", "optional", "segment from which the angle is measured; instead of `direction`");
  const bool from_segment = !item.describing() && item.has("to_segment");
  if (from_segment && item.written("direction") != sim::Settings::Written::Nothing)
    item.reject("direction", "must not be given together with `to_segment`", "both", "keep one of the two");
  if (!from_segment) angle.direction = item.vector("direction", "", "direction of angle 0", Vec3(0, 0, -1));
  angle.about = item.vector(
      "about", "",
      "axis of the angle: it is measured in the plane perpendicular to this axis, positive by the right-hand rule");
  if (item.describing()) return angle;
  angle.segment = read_point_pair(item, "segment");
  if (from_segment) angle.other = read_point_pair(item, "to_segment");
  if (!(angle.about.norm() > 0)) item.reject("about", "must not be zero", "[0, 0, 0]", "write the axis, [0, 1, 0]");
  angle.about.normalize();
  if (!from_segment && !(angle.about.cross(angle.direction).norm() > 0))
    item.reject("direction", "must not be along `about`", "a direction that has no angle about the axis",
                "write a direction across the axis");
  return angle;
}

InstrumentSettings make_angle(KindSettings& settings, const MeasuredBody& measured) {
  std::vector<SegmentAngle> angles;
  InstrumentSettings read;
  for (const auto& item : settings.items("segments", "for each column: the segment whose angle it contains", true)) {
    angles.push_back(read_segment_angle(*item));
    read.channels.push_back(angles.back().segment.to);
  }
  if (settings.describing()) return {};
  require_all_columns(settings, "segments", angles.size(), measured);
  read.instrument = make_angle_instrument(std::move(angles));
  return read;
}

}  // namespace

const MeasurementKind& angle_kind() {
  static const MeasurementKind kind{
      .name = "angle",
      .meaning = "angles of segments to a direction or to another segment, plus a zero offset",
      .components = {"angle"},
      .unit = "rad",
      .shown_unit = {"deg", 180 / std::numbers::pi},
      .planned_sigma = 2e-3,
      .period = 2 * std::numbers::pi,
      .own_values = {{"angle_zero", "rad"}},
      .geometry = {.describe_axes = describe_sense},
      .channels_key = "segments",
      .make = make_angle};
  return kind;
}

std::shared_ptr<const Instrument> make_angle_instrument(std::vector<SegmentAngle> angles) {
  return std::make_shared<const AngleInstrument>(std::move(angles));
}

}  // namespace pithball::optim
