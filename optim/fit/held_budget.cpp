#include "optim/fit/held_budget.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "optim/fit/problem.hpp"
#include "optim/measurement/measurement_kinds.hpp"
#include "optim/residual/trajectory_residual.hpp"
#include "optim/uncertainty/robust_errors.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// A step of held values along one direction: entries of the flat values of a recording, and the change of each.
using HeldStep = std::vector<std::pair<Index, double>>;

/// Collects the effects of held values on the requested parameters, in standard errors, from their gradients by
/// recording.
class EffectCollector {
 public:
  EffectCollector(const ResolvedFit& fit, const std::vector<diff::Scenario>& fitted,
                  const std::vector<Index>& requested, std::vector<Eigen::MatrixXd> gradients)
      : fitted_(fitted), gradients_(std::move(gradients)) {
    for (const Index k : requested) names_.push_back(fit.map().info()[k].name);
    inexact_.resize(fitted.size());
    follows_frames_.resize(fitted.size());
    for (std::size_t s = 0; s < fitted.size(); ++s) {
      for (const ParameterEntry& entry : fit.map().entries(static_cast<Index>(s))) inexact_[s].insert(entry.index);
      if (fit.problem().value_errors.empty()) continue;
      for (const ValueError& error : fit.problem().value_errors[s])
        for (const Index entry : error.entries) {
          inexact_[s].insert(entry);
          if (entry < fitted[s].size()) follows_frames_[s] = true;
        }
    }
  }

  bool follows_frames(std::size_t s) const { return follows_frames_[s]; }
  std::size_t recordings() const { return fitted_.size(); }
  const diff::Scenario& scenario(std::size_t s) const { return fitted_[s]; }

  /// Adds the effect of a step in a recording to `changes` (one for each requested parameter). Returns whether any
  /// entry of the step is held.
  bool add(std::size_t s, const HeldStep& step, Eigen::Ref<Vector> changes) const {
    bool holds = false;
    for (const auto& [entry, size] : step) {
      if (size == 0 || inexact_[s].contains(entry)) continue;
      changes += size * gradients_[s].row(entry).transpose();
      holds = true;
    }
    return holds;
  }

  /// Appends an effect. The columns of `changes` belong to orthogonal directions, of which the worst combination
  /// counts.
  void keep(HeldEffect effect, const Eigen::MatrixXd& changes, std::vector<HeldEffect>& kept) const {
    if (!changes.allFinite() || changes.isZero(0)) return;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      const auto row = changes.row(static_cast<Index>(k));
      effect.changes.emplace_back(names_[k], changes.cols() == 1 ? row[0] : row.norm());
    }
    kept.push_back(std::move(effect));
  }

  Index requested() const { return static_cast<Index>(names_.size()); }

 private:
  const std::vector<diff::Scenario>& fitted_;
  std::vector<Eigen::MatrixXd> gradients_;  ///< by recording: its flat values × requested
  std::vector<std::string> names_;
  std::vector<std::set<Index>> inexact_;  ///< by recording: entries that θ moves or that have an error
  std::vector<bool> follows_frames_;      ///< by recording: its start state comes from its own frames
};

/// Returns the diagonal [m] of the bounding box of the body at its start and, if positions are recorded, of its path.
double scene_size(const diff::Scenario& scenario, const MarkerTracks& tracks) {
  const sim::Points& x = scenario.rest_near ? *scenario.rest_near : scenario.initial.x;
  Vec3 low = x.rowwise().minCoeff(), high = x.rowwise().maxCoeff();
  if (tracks.kind == &point_kind())
    for (const sim::Points& frame : tracks.model)
      for (const auto& place : frame.colwise())
        if (place.allFinite()) {
          low = low.cwiseMin(place);
          high = high.cwiseMax(place);
        }
  return (high - low).norm();
}

/// Whether an entry is a position in space. A percentage of a position is meaningless, since the origin is arbitrary.
bool is_place(const sim::ValueBlock& block) { return block.is_vector() && block.unit == "m"; }

/// Adds the effects of the values of the models; all entries of one value vary together.
void add_model_values(const EffectCollector& from, const std::vector<MarkerTracks>& tracks,
                      std::vector<HeldEffect>& effects) {
  std::set<std::string> names;
  for (std::size_t s = 0; s < from.recordings(); ++s)
    for (const sim::ValueBlock& block : from.scenario(s).model.values().blocks())
      if (!block.key_time) names.insert(block.name);
  for (const std::string& name : names) {
    Eigen::MatrixXd changes = Eigen::MatrixXd::Zero(from.requested(), 3);
    HeldEffect effect{name, "model", formatted("%g %%", 100 * held_value_part), held_value_part, "", {}};
    bool of_place = false;
    for (std::size_t s = 0; s < from.recordings(); ++s) {
      const sim::Values& values = from.scenario(s).model.values();
      const double size = held_place_part * scene_size(from.scenario(s), tracks[s]);
      for (const sim::ValueBlock& block : values.blocks()) {
        if (block.name != name || block.key_time) continue;
        of_place = is_place(block);
        for (Index k = 0; k < block.size; ++k) {
          const Index entry = block.offset + k;
          from.add(s, {{entry, of_place ? size : held_value_part * values.data()[entry]}},
                   changes.col(of_place ? k : 0));
        }
        if (!of_place || effect.unit == "m") continue;
        effect.step = formatted("%g %% of the scene", 100 * held_place_part);
        effect.size = size;
        effect.unit = "m";
      }
    }
    from.keep(std::move(effect), of_place ? changes : Eigen::MatrixXd(changes.leftCols(1)), effects);
  }
}

/// Returns the median time between two fitted frames [s]; 0 if there is only one frame.
double frame_interval(const Observation& o) {
  std::vector<double> gaps;
  for (std::size_t f = 1; f < o.times.size() && !o.is_validation(f); ++f) gaps.push_back(o.times[f] - o.times[f - 1]);
  if (gaps.empty()) return 0;
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return *middle;
}

/// Returns J_r⁻¹, whose columns are the changes of the frame's exponential coordinates for a rotation about each axis
/// by 1 rad.
sim::Mat3 axis_turns(const RecordingFrame& frame) {
  const std::array<sim::Mat3, 3> slopes = frame.rotation_derivative();
  sim::Mat3 right;
  for (Index k = 0; k < 3; ++k) {
    const sim::Mat3 cross = frame.rotation_matrix().transpose() * slopes[k];
    right.col(k) = Vec3(cross(2, 1), cross(0, 2), cross(1, 0));
  }
  return right.inverse();
}

/// The assumed error of a held value of a recording's frame.
struct FrameStep {
  std::string words;     ///< as HeldEffect::step
  double size = 0;       ///< the assumed error
  bool turns = false;    ///< it is a rotation
  bool of_start = true;  ///< a start state found from the frames would change with it
};

/// `misfit` is the misfit of the recording; null if it has no fitted frames.
FrameStep step_of(const RecordingFrameValue& value, const Observation& seen, double scene,
                  const RecordingMisfit* misfit) {
  const double part = held_value_part;
  const double held = seen.recording_frame.values()[value.offset];
  if (value.name == "clock_offset") return {formatted("%g %% of a frame", 100 * part), part * frame_interval(seen)};
  if (value.name == "clock_scale")
    return {formatted("%g %%", 100 * held_clock_part), held_clock_part * held, false, false};
  if (value.name == "placement_rotation")
    return {formatted("%g°", held_angle_degrees), held_angle_degrees * std::numbers::pi / 180, true};
  if (value.name == "placement_translation")
    return {formatted("%g %% of the scene", 100 * held_place_part), held_place_part * scene};
  if (value.sign == sim::ValueSign::Positive) return {formatted("%g %%", 100 * part), part * held, false, false};
  return {formatted("%g %% of the motion", 100 * part),
          misfit && std::isfinite(misfit->motion) ? part * misfit->motion : 0, false, false};
}

/// Whether a value belongs to the clock, to the placement, or to instruments of this kind.
bool has_value(const MeasurementKind& kind, const RecordingFrameValue& value) {
  const auto owns = [&](const MeasurementKind* one) {
    return std::ranges::find(one->own_values, value.name, &RecordingFrameValue::name) != one->own_values.end();
  };
  return owns(&kind) || std::ranges::none_of(measurement_kinds(), owns);
}

/// Adds the effects of the values of clocks, placements and instruments.
void add_frame_values(const EffectCollector& from, const std::vector<Observation>& seen,
                      const std::vector<MarkerTracks>& tracks, const std::vector<RecordingMisfit>& misfits,
                      std::vector<HeldEffect>& effects) {
  for (const RecordingFrameValue& value : recording_frame_values()) {
    Eigen::MatrixXd changes = Eigen::MatrixXd::Zero(from.requested(), value.size);
    const bool is_clock = value.name.starts_with("clock");
    HeldEffect effect{value.name, is_clock ? "clock" : "measurement", "", 0, value.unit, {}};
    for (std::size_t s = 0; s < from.recordings(); ++s) {
      if (!has_value(kind_of(seen[s]), value)) continue;
      const auto misfit = std::ranges::find(misfits, from.scenario(s).name, &RecordingMisfit::recording);
      const FrameStep step = step_of(value, seen[s], scene_size(from.scenario(s), tracks[s]),
                                     misfit == misfits.end() ? nullptr : &*misfit);
      if (step.of_start && from.follows_frames(s)) continue;
      const Index first = from.scenario(s).size() + value.offset;
      const sim::Mat3 turns = step.turns ? axis_turns(seen[s].recording_frame) : sim::Mat3::Identity();
      for (Index direction = 0; direction < value.size; ++direction) {
        HeldStep along;
        for (Index a = 0; a < value.size; ++a) along.emplace_back(first + a, step.size * turns(a, direction));
        if (!from.add(s, along, changes.col(direction)) || !effect.step.empty()) continue;
        effect.step = step.words;
        effect.size = step.size;
      }
    }
    from.keep(std::move(effect), changes, effects);
  }
}

/// Adds the effect of a common factor of all readings of instruments with a known zero, such as an error of a ruler's
/// length or of a sensor's gain. Cameras are excluded because they have a focal length, and angles because they count
/// turns. `seeds` is R × requested, as for `compute_value_gradients`.
void add_scale(const EffectCollector& from, const TrajectoryResidual& residual, const Eigen::MatrixXd& seeds,
               std::vector<HeldEffect>& effects) {
  Eigen::MatrixXd changes = Eigen::MatrixXd::Zero(from.requested(), 1);
  for (std::size_t s = 0; s < from.recordings(); ++s) {
    const MeasurementModel& measurement = residual.measurement(s);
    const MeasurementKind& kind = measurement.instrument().kind();
    if (from.follows_frames(s) || kind.period > 0 || kind.unit == "px") continue;
    Eigen::MatrixXd scaled(measurement.rows(), 1);
    for (Index row = 0; row < measurement.rows(); ++row)
      scaled(row, 0) = measurement.row(row).offset / measurement.row(row).sigma;
    measurement.whitening().apply(scaled);
    for (Index row = 0; row < measurement.rows(); ++row)
      changes.col(0) += held_value_part * scaled(row, 0) * seeds.row(residual.first_row(s) + row).transpose();
  }
  from.keep({"scale", "measurement", formatted("%g %%", 100 * held_value_part), held_value_part, "", {}}, changes,
            effects);
}

}  // namespace

HeldBudget compute_held_budget(const ResolvedFit& fit, const Vector& theta, const BoundedErrors& bounded,
                               const WholeRun& run, const std::vector<RecordingMisfit>& misfits) {
  HeldBudget budget;
  const Posterior& posterior = bounded.errors.posterior;
  std::vector<Index> requested;
  for (Index k = 0; k < fit.map().size(); ++k)
    if (!fit.map().info()[k].is_nuisance && std::isfinite(bounded.errors.parameters[k].standard_error) &&
        bounded.errors.parameters[k].standard_error > 0 && !bounded.held[k])
      requested.push_back(k);
  if (requested.empty()) return budget;
  const FitCurvature H(bounded.rows, bounded.scores, posterior);
  if (!H.ok()) return budget;
  Eigen::MatrixXd solved(fit.map().size(), static_cast<Index>(requested.size()));
  for (std::size_t k = 0; k < requested.size(); ++k)
    solved.col(static_cast<Index>(k)) =
        -H.inverse().col(requested[k]) / bounded.errors.parameters[requested[k]].standard_error;
  const double tau = posterior.data_scale;
  const Eigen::MatrixXd seeds = weigh_derivatives(bounded.rows) * solved / (tau * tau);
  const TrajectoryResidual& residual = fit.residual().trajectories();
  std::vector<std::size_t> recordings;
  for (std::size_t s = 0; s < fit.problem().scenarios.size(); ++s) recordings.push_back(s);
  std::vector<Eigen::MatrixXd> gradients;
  const Evaluation evaluation = compute_value_gradients(residual, theta, recordings, seeds, gradients);
  budget.failure = evaluation.failure;
  if (!evaluation.ok()) return budget;
  const std::vector<diff::Scenario> fitted = fit.map().scatter(theta);
  std::vector<Observation> seen = fit.problem().observations;
  for (std::size_t s = 0; s < seen.size(); ++s)
    seen[s].recording_frame = fit.map().recording_frame(theta, static_cast<Index>(s));
  const EffectCollector from(fit, fitted, requested, std::move(gradients));
  add_model_values(from, run.tracks, budget.effects);
  add_frame_values(from, seen, run.tracks, misfits, budget.effects);
  add_scale(from, residual, seeds, budget.effects);
  std::ranges::stable_sort(budget.effects, std::ranges::greater{},
                           [](const HeldEffect& effect) { return std::abs(effect.largest().second); });
  return budget;
}

namespace {

/// Returns the rows of `gradient` for the entries of an error; zero where θ determines the entry.
Eigen::MatrixXd rows_of(const ValueError& error, const std::set<Index>& moved, const Eigen::MatrixXd& gradient) {
  Eigen::MatrixXd rows(static_cast<Index>(error.entries.size()), gradient.cols());
  for (std::size_t k = 0; k < error.entries.size(); ++k) {
    const auto row = static_cast<Index>(k);
    const Index entry = error.entries[k];
    if (moved.contains(entry))
      rows.row(row).setZero();
    else
      rows.row(row) = gradient.row(entry);
  }
  return rows;
}

}  // namespace

Evaluation carry_held_values(const ResolvedFit& fit, const Vector& theta, const FitRows& rows, const Scores& scores,
                             AllErrors& errors) {
  const auto& held = fit.problem().value_errors;
  std::vector<std::size_t> recordings;
  for (std::size_t s = 0; s < held.size(); ++s)
    if (!held[s].empty()) recordings.push_back(s);
  if (recordings.empty() || errors.posterior.formal.spectrum.rank == 0) return {};
  const FitCurvature H(rows, scores, errors.posterior);
  if (!H.ok()) return {"the residuals have no scale, or the loss has no curvature along a direction"};
  std::vector<Eigen::MatrixXd> gradients;
  const Evaluation evaluation =
      compute_value_gradients(fit.residual().trajectories(), theta, recordings, weigh_derivatives(rows), gradients);
  if (!evaluation.ok()) return evaluation;
  std::vector<Eigen::MatrixXd> of_recording;
  const Index P = rows.parameters();
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(P, P);
  for (const std::size_t s : rows.order.recordings) {
    of_recording.emplace_back(Eigen::MatrixXd::Zero(P, P));
    const auto place = std::ranges::find(recordings, s);
    if (place == recordings.end()) continue;
    std::set<Index> moved;
    for (const ParameterEntry& entry : fit.map().entries(static_cast<Index>(s))) moved.insert(entry.index);
    for (const ValueError& error : held[s]) {
      const Eigen::MatrixXd seen =
          rows_of(error, moved, gradients[place - recordings.begin()]).transpose() * error.root;
      of_recording.back() += seen * seen.transpose();
    }
    sum += of_recording.back();
  }
  const Eigen::MatrixXd inverse = H.inverse() / (errors.posterior.data_scale * errors.posterior.data_scale);
  const Eigen::MatrixXd added = inverse * sum * inverse;
  errors.homogeneity = compare_recordings(rows, scores, errors.posterior, of_recording);
  add_covariance(added, fit.problem().uncertainty.options.confidence, errors);
  return {};
}

}  // namespace pithball::optim
