#include "optim/diagnosis/start_states.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "optim/fit/resolved_fit.hpp"
#include "optim/parameter/value_entries.hpp"

namespace pithball::optim {
namespace {

Parameter every_coordinate(const char* value) {
  Parameter parameter;
  parameter.value = value;
  parameter.entries.sharing = EntrySharing::None;
  parameter.recordings.sharing = RecordingSharing::Each;
  parameter.range.transform = Transform::Kind::Identity;
  return parameter;
}

/// A kind of start value: "position" or "velocity".
struct StartKind {
  const char *value, *name, *unit;
};
constexpr StartKind start_kinds[] = {{"position", "start_position", "m"}, {"velocity", "start_velocity", "m/s"}};

Index count_frames(const MeasurementModel& measurement) {
  Index frames = 0, last = -1;
  for (const MeasurementModel::Sample& sample : measurement.samples()) {
    frames += sample.frame != last;
    last = sample.frame;
  }
  return frames;
}

/// Changes of these start values by q numbers: entries × q.
Eigen::MatrixXd find_motions(const std::vector<ValueEntry>& entries, const Points& x, Index frames) {
  const Index count = entries.size();
  if (count <= 6 || frames_for_each_number * count <= frames) return Eigen::MatrixXd::Identity(count, count);
  std::set<Index> moved;
  Vec3 center = Vec3::Zero();
  for (const ValueEntry& entry : entries) moved.insert(entry.owner);
  for (const Index i : moved) center += x.col(i) / static_cast<double>(moved.size());
  double square = 0;
  for (const Index i : moved) square += (x.col(i) - center).squaredNorm() / static_cast<double>(moved.size());
  const double radius = square > 0 ? std::sqrt(square) : 1;
  Eigen::MatrixXd motions = Eigen::MatrixXd::Zero(count, 6);
  for (Index e = 0; e < count; ++e) {
    const ValueEntry& entry = entries[e];
    motions(e, entry.component) = 1;
    for (Index k = 0; k < 3; ++k)
      motions(e, 3 + k) = Vec3::Unit(k).cross(x.col(entry.owner) - center)[entry.component] / radius;
  }
  return motions;
}

/// One kind of start value of one recording: its numbers, and how parameters follow them.
struct StartColumns {
  std::size_t recording = 0;
  StartKind kind;
  Eigen::SparseMatrix<double> directions;  ///< parameters × q
};

/// Every coordinate of positions and velocities of all recordings as parameters, and those that are tested.
class StartSet {
 public:
  StartSet(const ResolvedFit& fit, const FittedEnd& end)
      : fit_(fit), residual_(end.seen.residual_of(declarations(), end.scenarios)) {
    for (std::size_t s = 0; s < end.scenarios.size(); ++s) {
      const Index frames = count_frames(fit.residual().trajectories().measurement(s));
      for (const StartKind& kind : start_kinds)
        if (frames > 0) add(s, kind, end.scenarios[s], frames);
    }
  }

  static std::vector<Parameter> declarations() {
    return {every_coordinate(start_kinds[0].value), every_coordinate(start_kinds[1].value)};
  }

  const std::vector<StartColumns>& columns() const { return columns_; }
  const TrajectoryResidual& residual() const { return residual_; }

  /// Recordings have rows of their own: the k-th numbers of all recordings are one direction.
  Eigen::MatrixXd directions(const StartKind& kind) const {
    Index most = 0;
    for (const StartColumns& one : columns_)
      if (one.kind.value == kind.value) most = std::max<Index>(most, one.directions.cols());
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(residual_.parameters(), most);
    for (const StartColumns& one : columns_)
      if (one.kind.value == kind.value) all.leftCols(one.directions.cols()) += one.directions;
    return all;
  }

 private:
  void add(std::size_t s, const StartKind& kind, const diff::Scenario& scenario, Index frames) {
    std::set<Index> fitted;
    for (const ParameterEntry& entry : fit_.map().entries(static_cast<Index>(s))) fitted.insert(entry.index);
    const std::vector<ValueEntry> entries = find_value_entries(scenario, kind.value).entries;
    if (entries.empty() || std::ranges::any_of(entries, [&](const ValueEntry& e) { return fitted.contains(e.index); }))
      return;
    const Eigen::MatrixXd motions =
        find_motions(entries, scenario.rest_near ? *scenario.rest_near : scenario.initial.x, frames);
    std::vector<Eigen::Triplet<double>> numbers;
    std::map<Index, Index> numbered;  // by index in the flat values
    for (const ValueEntry& entry : entries) numbered.emplace(entry.index, numbered.size());
    for (const ParameterEntry& entry : residual_.map().entries(static_cast<Index>(s)))
      if (const auto e = numbered.find(entry.index); e != numbered.end())
        for (Index k = 0; k < motions.cols(); ++k)
          numbers.emplace_back(entry.shares.front().parameter, k, motions(e->second, k) / entry.scale);
    StartColumns& one = columns_.emplace_back(StartColumns{s, kind, {}});
    one.directions.resize(residual_.parameters(), motions.cols());
    one.directions.setFromTriplets(numbers.begin(), numbers.end());
  }

  const ResolvedFit& fit_;
  TrajectoryResidual residual_;
  std::vector<StartColumns> columns_;
};

CandidateEffect make_effect(const ResolvedFit& fit, const FittedEnd& end, const StartColumns& one,
                            const Eigen::MatrixXd& G) {
  CandidateEffect effect;
  const std::string& recording = end.scenarios[one.recording].name;
  effect.candidate.name =
      one.kind.name + (end.scenarios.size() > 1 ? " of recording '" + recording + "'" : std::string());
  effect.candidate.value = one.kind.name;
  effect.candidate.unit = one.kind.unit;
  effect.candidate.recording = recording;
  effect.candidate.held = Vector::Zero(one.directions.cols());
  effect.candidate.concern = Concern::Measurement;
  const TrajectoryResidual& residual = fit.residual().trajectories();
  const Index first = residual.first_row(one.recording), rows = residual.measurement(one.recording).rows();
  Eigen::MatrixXd mine = Eigen::MatrixXd::Zero(residual.rows(), one.directions.cols());
  mine.middleRows(first, rows) = G.block(first, 0, rows, one.directions.cols());
  effect.G = mine.sparseView();
  effect.run = [&fit, D = one.directions](const Vector& theta, const Vector& beta, Vector& r) {
    const TrajectoryResidual changed =
        SeenAt(fit, theta).residual_of(StartSet::declarations(), fit.map().scatter(theta));
    return changed.evaluate(changed.map().initial() + D * beta, r, nullptr);
  };
  return effect;
}

}  // namespace

StartStates find_start_states(const ResolvedFit& fit, const FittedEnd& end) {
  StartStates found;
  const StartSet starts(fit, end);
  if (starts.columns().empty()) return found;
  std::unique_ptr<Linearization> at;
  found.evaluation = starts.residual().linearize(starts.residual().map().initial(), at);
  for (const StartKind& kind : start_kinds) {
    const Eigen::MatrixXd directions = starts.directions(kind);
    if (!found.evaluation.ok() || directions.cols() == 0) continue;
    Eigen::MatrixXd G;
    found.evaluation = at->jvp_block(directions, G);
    for (const StartColumns& one : starts.columns())
      if (found.evaluation.ok() && one.kind.value == kind.value) found.effects.push_back(make_effect(fit, end, one, G));
  }
  found.counts = starts.residual().counts();
  return found;
}

}  // namespace pithball::optim
