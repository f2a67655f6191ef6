#pragma once
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "optim/measurement/recording_frame.hpp"
#include "optim/measurement/time_weights.hpp"
#include "sim/model/model.hpp"

namespace pithball::optim {

using sim::Points;
/// Tangents of many directions, gathered row by row.
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A point of the body, Σ weight · x_vertex, and what of its motion an instrument takes.
struct Input {
  std::vector<std::pair<Index, double>> vertices;  ///< (vertex, weight)
  Motion motion = Motion::Position;
};

/// A measurement kind: what the numbers of a recording are.
struct MeasurementKind {
  std::string name;                     ///< as in the experiment file: "camera"
  std::string meaning;                  ///< for `pithball list measurements`
  std::vector<std::string> components;  ///< one to three: "x", "y", "z"
  std::string unit;                     ///< of every component, in base units of SI, or px
  std::string shown_unit;               ///< in tables: "mm"
  double shown_factor = 1;              ///< shown value = value · this
  double planned_sigma = 1;             ///< of a recording that is not made yet, where none is written: a guess
  double period = 0;                    ///< readings that differ by it are the same (angles: 2π); 0: none
  std::vector<RecordingFrameValue> own_values = {};  ///< values of the instrument, behind those of the placement

  std::string shown(double value) const;  ///< "0.52 mm", with three digits
};

/// A recording frame with what follows from it, computed once.
struct Viewpoint {
  explicit Viewpoint(const RecordingFrame& recording_frame);
  RecordingFrame frame;
  Vector values;                            ///< of `frame`
  Mat3 rotation;                            ///< R
  std::array<Mat3, 3> rotation_derivative;  ///< ∂R/∂rotation_k
};

/// What an instrument has before it when it reads one channel at one time.
struct Look {
  Index channel = 0;
  Eigen::Ref<const Points> inputs;  ///< the motion of its K inputs, 3×K
  const Viewpoint& viewpoint;
  const sim::Model& model;
  double time = 0;  ///< simulated [s]
};

/// Derivatives of a reading; rows are its components.
struct ReadingSlope {
  Eigen::MatrixXd inputs;        ///< 3 × 3K
  Eigen::MatrixXd frame;         ///< 3 × RecordingFrame::size(); those of the clock are 0: they act through the inputs
  Eigen::MatrixXd model_values;  ///< 3 × Model::values(), or empty: the reading does not depend on them
};

/// What measures a recording: h, from the motion of points of the body to a reading of one to three components.
///
/// An instrument is one file, with its line in `measurement_kinds`. Its derivatives are its own; everything that uses
/// it (residuals, tangents, adjoints, simulated recordings) goes through these functions.
class Instrument {
 public:
  virtual ~Instrument() = default;
  virtual const MeasurementKind& kind() const = 0;

  /// The points that a channel looks at; `followed` is the point that its marker follows.
  virtual std::vector<Input> inputs(Index channel, const Input& followed) const = 0;

  /// The reading, and its derivatives if asked for, whose matrices come in the right size and zeroed. Returns why there
  /// is none here, in a phrase ("is behind the camera"), or null.
  virtual const char* read(const Look& look, Vec3& reading, ReadingSlope* slope) const = 0;

  /// How much later than its frame's time a reading was taken [s] (rows of a rolling shutter).
  virtual double delay(const Vec3& /*recorded*/) const { return 0; }

  int components() const { return static_cast<int>(kind().components.size()); }
};

}  // namespace pithball::optim
