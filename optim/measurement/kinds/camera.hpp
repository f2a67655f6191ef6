#pragma once
#include <array>
#include <memory>
#include <optional>

#include "optim/measurement/instrument.hpp"
#include "optim/measurement/kind_settings.hpp"

namespace pithball::optim {

/// Pixels of a camera.
const MeasurementKind& camera_kind();

/// The constant settings of a camera. Its own values are focal_length f [px], principal_x and principal_y [px], the
/// coefficients lens_k1, lens_k2, lens_p1, lens_p2, lens_k3 of `LensDistortion`, row_time [s] of a rolling shutter, the
/// delay of each row of pixels after the one above, and, for an orthographic camera, image_scale s [px/m]. The
/// recording_frame is the camera's pose: with (X, Y, Z) = Rᵀ(x − translation), X to the right, Y down and Z ahead in
/// the image,
///    u = f x_d + principal_x,   v = aspect f y_d + principal_y,   (x_d, y_d) of (x, y) = (X, Y)/Z by the lens;
/// orthographic: u = s X + principal_x, v = s Y + principal_y.
struct Camera {
  double aspect = 1;          ///< pixel aspect ratio: f_y/f_x
  bool orthographic = false;  ///< no perspective: the camera is far away, or its distance is unknown
  std::optional<std::array<double, 2>> image_size = {};  ///< width and height [px]; empty: unknown
};

/// Gives a recording frame the own values of this lens.
void set_lens(const LensDistortion& lens, RecordingFrame& frame);

/// Pixels (u, v).
std::shared_ptr<const Instrument> make_camera_instrument(const Camera& camera);

}  // namespace pithball::optim
