#pragma once
#include <memory>
#include <string>
#include <vector>

#include "diff/rollout/rollout.hpp"
#include "optim/measurement/instrument.hpp"
#include "optim/observation/observation.hpp"
#include "optim/observation/walk_whitening.hpp"

namespace pithball::optim {

/// The residuals of a recording: rows r = (h − recorded)/σ, where h is the reading of the recording's instrument. The
/// inputs z of the instrument, motions of points at the times of the frames, are linear in the states of a run
/// (time_weights.hpp), so that their tangents and adjoint seeds are exact. They are accumulated during the run, without
/// storing the trajectory; `Readings` computes residuals from them.
///
/// Rows are ordered by frame, marker, component; missing components have no row. With Brownian motion of the particles
/// (`ReadingNoise::thermal_energy`) these r are correlated; `whiten` makes them independent again, and residuals and
/// derivatives of `Readings` and `ReadingSlopes` are whitened.
class MeasurementModel {
 public:
  /// Throws InvalidArgument if sizes do not agree, a vertex does not exist, sigma is not positive, or a frame of this
  /// part lies outside the simulated span 0 … steps·time_step (by more than 1e-9 steps).
  MeasurementModel(const Observation& observation, const diff::Scenario& scenario, Part part);

  /// The same samples with another recording_frame, for the same rows. Throws InvalidArgument if a frame then lies
  /// outside the simulated span, or the clock does not advance.
  MeasurementModel seen_from(const RecordingFrame& recording_frame) const;

  /// Number of residuals of this part, R.
  Index rows() const { return rows_.size(); }
  /// The last step that is used: the rollout can end there.
  Index last_step() const { return static_cast<Index>(contributions_.size()) - 1; }

  /// One sample; it has up to three rows.
  struct Sample {
    Index frame = 0,         ///< index in the recording
        marker = 0;          ///< index among all markers
    Index first_row = 0,     ///< number of its first row
        row_count = 0;       ///< number of its rows, 1 to 3
    Index first_input = 0,   ///< number of its first input
        input_count = 0;     ///< number of its inputs
    Delay delay = {};        ///< of its reading after its frame
    double frame_time = 0;   ///< recorded time of its frame since the recording's first frame [s]
    double since_first = 0;  ///< the same with the delay [s]
    double time = 0;         ///< simulated [s]
  };
  /// Samples with at least one row, in the order of the rows.
  const std::vector<Sample>& samples() const { return samples_; }

  /// One number of the recording.
  struct Row {
    int component = 0;  ///< 0, 1, 2: which number of the reading
    double sigma = 1;   ///< in the unit of the kind
    double offset =
        0;  ///< constant added to the reading: −recorded, without the part that depends on the recording_frame
  };
  /// The row with this number, 0 … rows() − 1.
  const Row& row(Index number) const { return rows_[number]; }
  /// σ of a row in the unit of the kind, divided by the weight of its frame.
  double row_sigma(Index row) const { return rows_[row].sigma; }
  /// The whitening of rows in units of σ; empty without Brownian motion. It does not follow a fitted clock.
  const WalkWhitening& whitening() const { return whitening_; }

  /// The instrument of the observation; that of positions if it has none.
  const Instrument& instrument() const { return *instrument_; }
  /// Placement and clock for which readings are computed.
  const Viewpoint& viewpoint() const { return viewpoint_; }
  /// Number of all markers of the observation, with or without rows.
  Index markers() const { return channels_.names.size(); }
  /// Name of a marker, as in the observation.
  const std::string& marker_name(Index marker) const { return channels_.names[marker]; }

  /// Whether moving a body at x along one of these displacements (3N×m) changes a fitted component.
  bool sees(const sim::Model& model, const Points& x, const Eigen::MatrixXd& displacements) const;

  /// Number of points in the inputs z, three numbers each.
  Index inputs() const { return which_.size(); }
  /// z before the first state.
  Vector initial_inputs() const;
  /// Adds the contribution of the state at step n.
  void add_state(Index n, const sim::State& state, Eigen::Ref<Vector> z) const;
  /// The same for dz/dt, the change of the inputs with simulated time [1/s].
  void add_rate(Index n, const sim::State& state, Eigen::Ref<Vector> rate) const;
  /// Adds the contribution of the tangents at step n: 3·inputs × directions.
  void add_tangent(Index n, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv, Eigen::Ref<RowMatrix> dz) const;
  /// The transpose: for w = ∂L/∂z adds ∂L/∂x_n and ∂L/∂v_n.
  void add_seed(Index n, const Eigen::Ref<const Vector>& w, Points& gx, Points& gv) const;

 private:
  /// Inputs first … end−1 depend on the step's state with these weights.
  struct Contribution {
    Index first = 0, end = 0;
    StepWeight weight;
  };
  /// The inputs of every marker, with or without rows, one marker's after another's.
  struct Channels {
    std::vector<std::string> names;  ///< of the markers
    std::vector<Input> inputs;       ///< of all markers
    std::vector<Index> first;        ///< by marker, and the number of all inputs
    Index count(Index marker) const { return first[marker + 1] - first[marker]; }
  };
  /// The simulated time.
  struct Span {
    double time_step = 0;
    Index steps = 0;
  };
  static Channels make_channels(const Observation& observation, const Instrument& instrument);
  /// Places of the points of a marker's inputs, without the constant part of displacements; 0 for rates.
  static Points channel_points(const Channels& channels, Index marker, const Points& x);
  template <class Visit>  // visit(number of the input, vertex, its weight, weights in time)
  void for_each(Index n, Visit visit) const;
  void add_rows(const Observation& observation, std::size_t frame, Index marker);
  void look(const RecordingFrame& recording_frame);
  void whiten_walks(const Observation& observation, const diff::Scenario& scenario);
  void place_sample(Sample& sample);
  void contribute(Index input, const StepWeight& weight);

  std::string recording_;
  Span span_;
  std::shared_ptr<const Instrument> instrument_;
  Channels channels_;
  Points model_reference_;  ///< of markers [m], 3×M; empty: the origin
  Viewpoint viewpoint_;
  double first_time_ = 0;  ///< recorded, of the first frame [s]
  std::vector<Row> rows_;
  std::vector<Sample> samples_;
  std::vector<Index> which_;                              ///< by input: its number in channels_.inputs
  std::vector<std::vector<Contribution>> contributions_;  ///< by step
  WalkWhitening whitening_;
};

}  // namespace pithball::optim
