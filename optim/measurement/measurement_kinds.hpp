#pragma once
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "optim/measurement/instrument.hpp"

namespace pithball::optim {

/// All measurement kinds, in the order of lists.
const std::vector<const MeasurementKind*>& measurement_kinds();

/// The kind with this name; null if there is none.
const MeasurementKind* find_measurement_kind(const std::string& name);

/// Positions [m].
const MeasurementKind& point_kind();
/// Pixels of a camera.
const MeasurementKind& camera_kind();
/// Angles of segments [rad].
const MeasurementKind& angle_kind();
/// Distances between two points of the body [m].
const MeasurementKind& distance_kind();
/// Velocities [m/s].
const MeasurementKind& velocity_kind();
/// Readings of accelerometers [m/s²].
const MeasurementKind& acceleration_kind();
/// Forces of supports [N].
const MeasurementKind& force_kind();

/// Σ weight · x_vertex.
using WeightedVertices = std::vector<std::pair<Index, double>>;

/// Two points of the body.
struct PointPair {
  WeightedVertices from,  ///< where the vector begins
      to;                 ///< where it ends
};

/// The angle about the axis `about` (a unit vector n) from a direction u to a segment d, both projected along n: α =
/// atan2(n·(u × d), u⊥·d⊥) [rad], positive by the right-hand rule about n.
struct SegmentAngle {
  PointPair segment;                    ///< d
  Vec3 direction = Vec3::UnitX();       ///< u
  std::optional<PointPair> other = {};  ///< if given, this segment is u
  Vec3 about = Vec3::UnitZ();           ///< n, a unit vector
};

/// The lens model of OpenCV with five coefficients: of a point (x, y) of the image plane at distance 1, r² = x² + y²,
///    x_d = x (1 + k₁r² + k₂r⁴ + k₃r⁶) + 2p₁xy + p₂(r² + 2x²),   y_d = y (…) + p₁(r² + 2y²) + 2p₂xy.
struct LensDistortion {
  double k1 = 0,  ///< radial, of r²
      k2 = 0,     ///< radial, of r⁴
      p1 = 0,     ///< tangential
      p2 = 0,     ///< tangential
      k3 = 0;     ///< radial, of r⁶
};

/// The constant settings of a camera. Its own values are focal_length f [px], principal_x and principal_y [px] and, for
/// an orthographic camera, image_scale s [px/m]. The recording_frame is the camera's pose: with (X, Y, Z) = Rᵀ(x −
/// translation), X to the right, Y down and Z ahead in the image,
///    u = f x_d + principal_x,   v = aspect f y_d + principal_y,   (x, y) = (X, Y)/Z;
/// orthographic: u = s X + principal_x, v = s Y + principal_y.
struct Camera {
  LensDistortion distortion;  ///< default: none
  double aspect = 1;          ///< pixel aspect ratio: f_y/f_x
  bool orthographic = false;  ///< no perspective: the camera is far away, or its distance is unknown
  double row_time = 0;        ///< of a rolling shutter: delay of each row of pixels after the one above [s]
  std::optional<std::array<double, 2>> image_size = {};  ///< width and height [px]; empty: unknown
};

/// Positions of points in the recording's frame: Rᵀ(x − translation) [m]; `displacements`: Rᵀu of displacements u.
std::shared_ptr<const Instrument> make_point_instrument(bool displacements = false);
/// Rᵀv [m/s].
std::shared_ptr<const Instrument> make_velocity_instrument();
/// Reading of an accelerometer: Rᵀ(dv/dt − g) + acceleration_bias [m/s²], g the model's value `gravity` (0 without).
std::shared_ptr<const Instrument> make_acceleration_instrument();
/// |b − a| + distance_zero [m], by channel.
std::shared_ptr<const Instrument> make_distance_instrument(std::vector<PointPair> pairs);
/// α + angle_zero [rad], by channel.
std::shared_ptr<const Instrument> make_angle_instrument(std::vector<SegmentAngle> angles);
/// Rᵀ Σ (m a − F) + force_zero [N] over the held particles of each channel's group, with F the forces of the model: the
/// force of the support on the body.
std::shared_ptr<const Instrument> make_force_instrument(Index particles, std::vector<std::vector<Index>> groups);
/// Pixels (u, v).
std::shared_ptr<const Instrument> make_camera_instrument(const Camera& camera);

}  // namespace pithball::optim
