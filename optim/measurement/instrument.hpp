#pragma once
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "optim/measurement/measurement_kind.hpp"
#include "optim/measurement/time_weights.hpp"
#include "sim/model/model.hpp"

namespace pithball::optim {

using sim::Points;
/// Tangents along many directions, accumulated row by row.
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A point of the body, Σ weight · x_vertex, and the aspect of its motion that an instrument measures.
struct Input {
  std::vector<std::pair<Index, double>> vertices;  ///< (vertex, weight)
  Motion motion = Motion::Position;                ///< aspect of its motion
};

struct ReadingSlope;

/// A recording frame with derived quantities, computed once.
struct Viewpoint {
  /// Computes R and its derivatives from the placement.
  explicit Viewpoint(const RecordingFrame& recording_frame);
  /// Rᵀ a/scale of a vector `a` of the model, for readings that are vectors; fills in its derivatives with respect to
  /// the placement and to `a`, the first input, if requested.
  Vec3 to_recorded(const Vec3& a, ReadingSlope* slope) const;
  /// The part of these derivatives with respect to rotation and scale.
  void add_slope(const Vec3& a, ReadingSlope& slope) const;
  RecordingFrame frame;                     ///< as given
  Vector values;                            ///< of `frame`
  Mat3 rotation;                            ///< R
  std::array<Mat3, 3> rotation_derivative;  ///< ∂R/∂rotation_k
};

/// Input of an instrument for one channel at one time.
struct Look {
  Index channel = 0;                ///< number of the marker whose reading this is
  Eigen::Ref<const Points> inputs;  ///< motion of its K inputs, 3×K
  const Viewpoint& viewpoint;       ///< where the recording's frame of reference is
  const sim::Model& model;          ///< with the values of the run
  double time = 0;                  ///< simulated [s]
};

/// Derivatives of a reading; rows are its components.
struct ReadingSlope {
  Eigen::MatrixXd inputs;  ///< 3 × 3K
  Eigen::MatrixXd frame;   ///< 3 × RecordingFrame::size(); those of the clock are 0, since it acts through the inputs
  Eigen::MatrixXd model_values;  ///< 3 × Model::values(), or empty: the reading does not depend on them
};

/// A delay on the recording's clock [s]: `count` times a value of the recording frame.
struct Delay {
  Index value = 0;   ///< index in RecordingFrame::values(), of a value [s]
  double count = 0;  ///< 0: no delay
};

/// The measurement function h of a recording: from the motion of points of the body to a reading of one to three
/// components.
///
/// It implements its own derivatives; everything that uses it (residuals, tangents, adjoints, simulated recordings)
/// calls these functions.
class Instrument {
 public:
  virtual ~Instrument() = default;
  /// The same object at every call; it outlives the instrument.
  virtual const MeasurementKind& kind() const = 0;

  /// The points that a channel reads; `followed`: the point of its marker.
  virtual std::vector<Input> inputs(Index channel, const Input& followed) const = 0;

  /// The reading, and its derivatives if requested, whose matrices are passed with the right size and set to zero.
  /// Returns why there is no reading, in a phrase ("is behind the camera"), or null.
  virtual const char* read(const Look& look, Vec3& reading, ReadingSlope* slope) const = 0;

  /// How long after its frame's time a reading was recorded, on the recording's clock (rows of a rolling shutter).
  virtual Delay delay(const Vec3& /*recorded*/) const { return {}; }

  /// Why the instrument cannot have read this, in a phrase ("outside the image of 1920 × 1080"), or empty.
  virtual std::string reject(const Vec3& /*reading*/) const { return ""; }

  /// Number of components of a reading, 1 to 3.
  int components() const { return static_cast<int>(kind().components.size()); }
};

/// An instrument of this kind that reads nothing, for recordings without a body; null for positions.
std::shared_ptr<const Instrument> unattached_instrument(const MeasurementKind& kind);

}  // namespace pithball::optim
