#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "optim/measurement/instrument.hpp"
#include "sim/core/settings.hpp"

namespace pithball::optim {

/// Σ weight · x_vertex.
using WeightedVertices = std::vector<std::pair<Index, double>>;

/// Two points of the body.
struct PointPair {
  WeightedVertices from,  ///< where the vector begins
      to;                 ///< where it ends
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

/// What is known of a camera's lens.
struct CameraCalibration {
  std::optional<double> focal_length;                    ///< in x [px]
  double aspect = 1;                                     ///< f_y/f_x
  std::optional<std::array<double, 2>> principal_point;  ///< [px]
  std::optional<std::array<double, 2>> image_size;       ///< width and height [px]
  LensDistortion distortion;                             ///< default: none
};

/// What the settings of a measurement kind refer to.
struct MeasuredBody {
  const sim::Model& model;                       ///< the body
  const std::vector<std::string>& columns;       ///< names of the recorded channels
  const std::vector<WeightedVertices>& markers;  ///< the point of the body that each channel follows
  const std::vector<Points>& readings;           ///< by frame, as recorded
  bool moves_frame = false;                      ///< the fit changes the position of the recording's frame of reference
};

/// What the settings of a measurement kind give a recording.
struct InstrumentSettings {
  std::shared_ptr<const Instrument> instrument = {};  ///< null: positions
  std::vector<WeightedVertices> channels = {};        ///< of kinds that do not follow `markers:`: their points
  std::vector<std::pair<std::string, double>> own_values = {};  ///< values of the instrument
  std::vector<std::string> free_own_values = {};                ///< those that the fit changes
  /// Lengths of the two components that the file counts from the other end; empty: from the usual one.
  std::array<std::optional<double>, 2> flipped = {};
  std::vector<std::string> doubts = {};  ///< what the recording does not determine of it, a sentence each
};

/// The settings of a measurement kind. `optim` only knows this interface; the YAML implementation belongs to `app`.
class KindSettings : public sim::Settings {
 public:
  /// The settings of each item of a list; the empty key is the node itself.
  virtual std::vector<std::unique_ptr<KindSettings>> items(std::string_view key, std::string_view meaning,
                                                           bool required) = 0;
  /// A list of numbers, which must be written, in this unit.
  virtual std::vector<double> numbers(std::string_view key, std::string_view unit) = 0;
  /// Whether the value at a key has a unit of this dimension: "35 mm" one of "m".
  virtual bool is_quantity_in(std::string_view key, std::string_view unit) const = 0;
  /// What the named calibration file says of a camera; nothing without the key.
  virtual std::optional<CameraCalibration> calibration(std::string_view key, std::string_view meaning) = 0;
};

/// Reads a particle or group at a key: the mean of its particles.
WeightedVertices read_body_point(KindSettings& settings, std::string_view key);
/// Reads [A, B] at a key, two particles or groups.
PointPair read_point_pair(KindSettings& settings, std::string_view key);
/// Throws InvalidArgument at a key unless there is a channel for each recorded column.
void require_all_columns(const KindSettings& settings, std::string_view key, std::size_t channels,
                         const MeasuredBody& measured);

}  // namespace pithball::optim
