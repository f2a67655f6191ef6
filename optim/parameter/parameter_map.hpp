#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "diff/rollout/rollout.hpp"
#include "optim/measurement/recording_frame.hpp"
#include "optim/parameter/parameter.hpp"
#include "sim/core/types.hpp"

namespace pithball::optim {

using sim::Index;
using sim::Vector;

/// Weight of a parameter in an entry.
struct ParameterShare {
  Index parameter = 0;  ///< number in θ
  double weight = 1;    ///< w_k
};

/// An entry of a scenario's flat values that depends on parameters,
///    value = offset + scale · c,   c = Σ_k w_k p_k,   or on a logarithmic scale   c = exp Σ_k w_k log p_k,
/// where k runs over one parameter, its own or shared, or over those of the surrounding control points of a smooth
/// field.
struct ParameterEntry {
  Index index = 0;                     ///< number in the flat values
  double offset = 0,                   ///< [unit of the value]
      scale = 1;                       ///< [unit of the value per unit of p], or of c
  bool logarithmic = false;            ///< all p_k and c are positive
  std::vector<ParameterShare> shares;  ///< the parameters k of the sum, with their weights

  /// The value for the parameters p.
  double value(const Vector& p) const { return offset + scale * combination(p); }
  /// Calls add(k, ∂value/∂p_k) for every parameter k on which it depends.
  template <class Add>
  void differentiate(const Vector& p, Add add) const {
    const double c = logarithmic ? combination(p) : 1;
    for (const ParameterShare& share : shares)
      add(share.parameter, scale * share.weight * (logarithmic ? c / p[share.parameter] : 1));
  }

 private:
  double combination(const Vector& p) const {
    double sum = 0;
    for (const auto& [k, w] : shares) sum += w * (logarithmic ? std::log(p[k]) : p[k]);
    return logarithmic ? std::exp(sum) : sum;
  }
};

/// Description of one entry of θ.
struct ParameterInfo {
  std::string name;       ///< unique: "charge", "stiffness[left]", "charge[release-03]", "velocity[release-03][12].x"
  std::string value;      ///< the declaration's value: "charge"
  std::string group;      ///< group name, or index of the entry if it is not shared or a control point; empty if all
                          ///< entries share it
  std::string recording;  ///< recording or its label; empty if shared by all recordings
  std::string unit;       ///< of the physical value p; empty for factors
  sim::ValueScaling scaling = sim::ValueScaling::Unstated;  ///< of the value
  Index declaration = 0;                                    ///< index of the Parameter that declares it
  bool is_nuisance = false;                                 ///< as declared
  double initial = 0;                                       ///< of p
  double lower = 0,                                         ///< smallest p; −∞: none
      upper = 0;                                            ///< largest p; ∞: none
  Transform transform;                                      ///< from θ to p; its kind is never Automatic
};

/// The values that one declaration finds in the scenarios, if entries differ that share a parameter.
struct DifferingValues {
  std::string name,           ///< of the declaration: `name` or `value`
      unit;                   ///< of the values; empty: a pure number
  double lowest = 0,          ///< smallest of them, without known parts
      highest = 0;            ///< largest of them, likewise
  bool keeps_ratios = false;  ///< whether they are multiplied by one number (factor mode), or replaced by one value
  bool keeps_zeros = false;   ///< those that are 0 stay 0, the others are equal, and one value replaces them
};

/// The map between named physical values and the vector θ of a minimizer. Entry i of a recording's flat values (layout
/// of diff::Scenario, followed by its RecordingFrame) that depends on parameters is
///    value_i(θ) = offset_i + scale_i · c_i(p(θ)),
/// with p_k the transform of θ_k and c_i usually one of the p_k (`ParameterEntry`); all other entries keep their
/// values.
class ParameterMap {
 public:
  /// Resolves the declarations against the scenarios (one for each recording) and the recording_frames of their
  /// observations (empty: all with the model's own clock and frame of reference). Throws InvalidArgument if a
  /// declaration or tie matches nothing, an entry has two declarations, an initial value violates its bounds, or every
  /// charge of a scenario without external electric field starts at 0, where the gradient is 0 for any data.
  ParameterMap(std::vector<diff::Scenario> scenarios, const std::vector<Parameter>& declarations,
               std::vector<RecordingFrame> recording_frames = {});

  /// The same parameters for scenarios with the same models but other time steps, integrators or durations, one for
  /// each.
  ParameterMap with_scenarios(std::vector<diff::Scenario> scenarios) const;
  /// How often this process has resolved declarations; tests require once per fit.
  static long resolutions();

  /// Number of parameters, P.
  Index size() const { return info_.size(); }
  /// Description of every entry of θ, P.
  const std::vector<ParameterInfo>& info() const { return info_; }
  /// Unique names of the entries of θ, P.
  std::vector<std::string> names() const;

  Vector initial() const;  ///< θ at the start, P
  Vector lower() const;    ///< bounds of θ, P; −∞ where there is none
  /// Upper bounds of θ, P; ∞ where there is none.
  Vector upper() const;

  const std::vector<diff::Scenario>& scenarios() const { return scenarios_; }  ///< as given
  /// The scenario with the values at θ; throws InvalidArgument if the model forbids one.
  diff::Scenario scatter(const Vector& theta, Index scenario) const;
  /// All scenarios with the values at θ; throws likewise.
  std::vector<diff::Scenario> scatter(const Vector& theta) const;
  const std::vector<RecordingFrame>& recording_frames() const { return recording_frames_; }  ///< as given, by scenario
  /// The recording_frame at θ.
  RecordingFrame recording_frame(const Vector& theta, Index scenario) const;
  /// Whether the recording_frame of this scenario depends on a parameter.
  bool moves_recording_frame(Index scenario) const;

  /// The entries of a scenario's flat values, and of its recording_frame's after them, that depend on parameters.
  const std::vector<ParameterEntry>& entries(Index scenario) const { return entries_[scenario]; }
  /// The parameters that a scenario depends on, ascending: the columns of `directions`.
  const std::vector<Index>& active(Index scenario) const { return active_[scenario]; }
  /// d(values)/dθ of the active parameters: scenario.size() × active.
  Eigen::MatrixXd directions(const Vector& theta, Index scenario) const;
  /// d(RecordingFrame::values())/dθ of the active parameters: RecordingFrame::size() × active.
  Eigen::MatrixXd recording_frame_directions(const Vector& theta, Index scenario) const;
  /// The change of the recording's flat values for a change d of all parameters (P), without forming matrices:
  /// directions · d, followed by that of RecordingFrame::values().
  Vector push_forward(const Vector& theta, Index scenario, const Vector& d) const;
  /// dL/dθ += its transpose · gradient, `gradient` dL/d(values) in the same layout.
  void pull_back(const Vector& theta, Index scenario, const Vector& gradient, Vector& theta_gradient) const;

  Vector physical(const Vector& theta) const;             ///< p, P
  Vector physical_derivative(const Vector& theta) const;  ///< dp/dθ, P

  /// One for each declaration whose parameters are shared by entries that differ, in their order.
  const std::vector<DifferingValues>& differing() const { return differing_; }

  /// Notes for the user before a fit, one sentence each: in particular, whether only |q|, or only signs of charges and
  /// fields relative to one another, can be determined because no known external field or charge acts.
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
  std::vector<DifferingValues> differing_;
  std::vector<std::string> notes_;
};

}  // namespace pithball::optim
