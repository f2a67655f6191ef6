#pragma once
#include <string>
#include <vector>

#include "diff/rollout/rollout.hpp"
#include "optim/measurement/recording_frame.hpp"
#include "optim/parameter/parameter.hpp"
#include "optim/parameter/parameter_entry.hpp"
#include "optim/parameter/transform.hpp"

namespace pithball::optim {

/// What is known about one entry of θ.
struct ParameterInfo {
  std::string name;       ///< unique: "charge", "stiffness[left]", "charge[release-03]", "velocity[release-03][12].x"
  std::string value;      ///< the declaration's value: "charge"
  std::string group;      ///< group name, or index of the entry if nothing is shared or of a control point's; empty if
                          ///< all entries share
  std::string recording;  ///< recording or its label; empty if all recordings share
  std::string unit;       ///< of the physical value p; empty for factors
  sim::ValueScaling scaling = sim::ValueScaling::Unstated;  ///< of the value
  Index declaration = 0;                                    ///< number of the Parameter that it comes from
  bool is_nuisance = false;                                 ///< likewise: nobody asked for it
  double initial = 0;                                       ///< of p
  double lower = 0, upper = 0;                              ///< bounds of p; ±∞ where there are none
  Transform transform;
};

/// The only place where named physical values meet the vector θ that a minimizer moves. Entry i of a recording's flat
/// values (layout of diff::Scenario, and its RecordingFrame behind it) that follows parameters is
///    value_i(θ) = offset_i + scale_i · c_i(p(θ)),
/// p_k the transform of θ_k and c_i, as a rule, one of the p_k (`ParameterEntry`); all other entries stay as given.
class ParameterMap {
 public:
  /// Resolves the declarations against the scenarios (one for each recording) and the recording_frames that their
  /// observations have (empty: all at the model's own clock and frame). Throws InvalidArgument if a declaration touches
  /// nothing or is tied to nothing, an entry would have two declarations, a start breaks its bounds, or every charge of
  /// a scenario without external electric field starts at 0: there the gradient is 0 whatever the data say (method:
  /// what can be identified).
  ParameterMap(std::vector<diff::Scenario> scenarios, const std::vector<Parameter>& declarations,
               std::vector<RecordingFrame> recording_frames = {});

  /// The same parameters of scenarios with the same models and other steps, integrators or durations, one for each.
  ParameterMap with_scenarios(std::vector<diff::Scenario> scenarios) const;
  /// How many times this process has resolved declarations: for tests, which hold a fit to once.
  static long resolutions();

  Index size() const { return info_.size(); }
  const std::vector<ParameterInfo>& info() const { return info_; }
  std::vector<std::string> names() const;

  Vector initial() const;  ///< θ at the start, P
  Vector lower() const;    ///< bounds of θ, P; −∞ where there is none
  Vector upper() const;

  const std::vector<diff::Scenario>& scenarios() const { return scenarios_; }  ///< as given
  /// The scenario with the values that θ means; throws InvalidArgument if the model forbids one.
  diff::Scenario scatter(const Vector& theta, Index scenario) const;
  std::vector<diff::Scenario> scatter(const Vector& theta) const;
  const std::vector<RecordingFrame>& recording_frames() const { return recording_frames_; }  ///< as given, by scenario
  /// The recording_frame that θ means.
  RecordingFrame recording_frame(const Vector& theta, Index scenario) const;
  /// Whether a parameter touches the recording_frame of this scenario.
  bool moves_recording_frame(Index scenario) const;

  /// The entries of a scenario's flat values, and of its recording_frame's behind them, that follow parameters.
  const std::vector<ParameterEntry>& entries(Index scenario) const { return entries_[scenario]; }
  /// The parameters that a scenario depends on, ascending: the columns of `directions`.
  const std::vector<Index>& active(Index scenario) const { return active_[scenario]; }
  /// d(values)/dθ of the active parameters: scenario.size() × active.
  Eigen::MatrixXd directions(const Vector& theta, Index scenario) const;
  /// d(RecordingFrame::values())/dθ of the active parameters: 8 × active.
  Eigen::MatrixXd recording_frame_directions(const Vector& theta, Index scenario) const;
  /// The change of the recording's flat values for d of all parameters (P), without the matrices: directions · d, and
  /// the eight of the recording_frame behind them.
  Vector push_forward(const Vector& theta, Index scenario, const Vector& d) const;
  /// dL/dθ += its transpose · gradient, `gradient` dL/d(values) in the same layout.
  void pull_back(const Vector& theta, Index scenario, const Vector& gradient, Vector& theta_gradient) const;

  Vector physical(const Vector& theta) const;             ///< p, P
  Vector physical_derivative(const Vector& theta) const;  ///< dp/dθ, P

  /// What the user should know before a fit, one sentence each: above all, whether only |q| can be found, or only signs
  /// of charges and fields relative to one another, because no known external field or charge acts.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void check_entries();
  void check_start() const;
  void note_signs();

  Eigen::MatrixXd all_directions(const Vector& theta, Index scenario) const;

  std::vector<diff::Scenario> scenarios_;
  std::vector<RecordingFrame> recording_frames_;
  std::vector<ParameterInfo> info_;
  std::vector<std::vector<ParameterEntry>> entries_;  ///< by scenario
  std::vector<std::vector<Index>> active_;            ///< by scenario
  std::vector<std::string> notes_;
};

}  // namespace pithball::optim
