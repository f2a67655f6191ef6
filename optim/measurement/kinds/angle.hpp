#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "optim/measurement/instrument.hpp"
#include "optim/measurement/kind_settings.hpp"

namespace pithball::optim {

/// Angles of segments [rad].
const MeasurementKind& angle_kind();

/// The angle about the axis `about` (a unit vector n) from a direction u to a segment d, both projected along n: α =
/// atan2(n·(u × d), u⊥·d⊥) [rad], positive by the right-hand rule about n.
struct SegmentAngle {
  PointPair segment;                    ///< d
  Vec3 direction = Vec3::UnitX();       ///< u
  std::optional<PointPair> other = {};  ///< if given, this segment is u
  Vec3 about = Vec3::UnitZ();           ///< n, a unit vector
};

/// α + angle_zero [rad], by channel.
std::shared_ptr<const Instrument> make_angle_instrument(std::vector<SegmentAngle> angles);

}  // namespace pithball::optim
