#include "optim/diagnosis/start_states.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "optim/fit/problem.hpp"
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

/// Returns the directions in which q numbers change these start values: entries × q; more than `most` and than six
/// entries move as a rigid body.
Eigen::MatrixXd find_motions(const std::vector<ValueEntry>& entries, const Points& x, Index most) {
  const Index count = entries.size();
  if (count <= std::max<Index>(6, most)) return Eigen::MatrixXd::Identity(count, count);
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
  std::vector<Index> moving;  // where only some components are tested, not every motion changes them
  for (Index k = 0; k < motions.cols(); ++k)
    if (!motions.col(k).isZero(0)) moving.push_back(k);
  return motions(Eigen::all, moving);
}

/// "z", "xz": the components of these entries.
std::string components_of(const std::vector<ValueEntry>& entries) {
  std::string components;
  for (int a = 0; a < 3; ++a)
    if (std::ranges::count(entries, a, &ValueEntry::component) > 0) components += "xyz"[a];
  return components == "xyz" ? "" : components;
}

/// One kind of start value of one recording, as q directions in the space of the parameters.
struct StartColumns {
  std::size_t recording = 0;
  StartKind kind;
  std::string components;  ///< that the fit leaves as in the file where it varies others, "z"; else empty
  Eigen::SparseMatrix<double> directions;  ///< parameters × q
};

/// All start positions and velocities of all recordings as parameters, and the directions to be tested.
class StartSet {
 public:
  StartSet(const ResolvedFit& fit, const FittedEnd& end, Index most_numbers)
      : fit_(fit), residual_(end.seen.residual_of(declarations(), end.scenarios)) {
    for (std::size_t s = 0; s < end.scenarios.size(); ++s) {
      const Index frames = count_frames(fit.residual().trajectories().measurement(s));
      for (const StartKind& kind : start_kinds)
        if (frames > 0) add(s, kind, end.scenarios[s], std::min(most_numbers, frames / frames_for_each_number));
    }
  }

  static std::vector<Parameter> declarations() {
    return {every_coordinate(start_kinds[0].value), every_coordinate(start_kinds[1].value)};
  }

  const std::vector<StartColumns>& columns() const { return columns_; }
  const TrajectoryResidual& residual() const { return residual_; }

  /// The k-th numbers of all recordings form one direction, since recordings share no rows.
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
  void add(std::size_t s, const StartKind& kind, const diff::Scenario& scenario, Index most) {
    std::set<Index> fitted, requested;
    for (const ParameterEntry& entry : fit_.map().entries(static_cast<Index>(s))) {
      fitted.insert(entry.index);
      for (const ParameterShare& share : entry.shares)
        if (!fit_.map().info()[share.parameter].is_nuisance) requested.insert(entry.index);
    }
    std::vector<ValueEntry> entries = find_value_entries(scenario, kind.value).entries;
    const auto is_requested = [&](const ValueEntry& e) { return requested.contains(e.index); };
    if (std::ranges::any_of(entries, is_requested)) return;  // the file says which of them are fitted
    const bool is_partly_fitted =
        std::erase_if(entries, [&](const ValueEntry& e) { return fitted.contains(e.index); }) > 0;
    if (is_partly_fitted)  // a free start, of which held particles are no part
      std::erase_if(entries, [&](const ValueEntry& e) { return scenario.model.is_held(e.owner); });
    if (entries.empty()) return;
    const Eigen::MatrixXd motions =
        find_motions(entries, scenario.rest_near ? *scenario.rest_near : scenario.initial.x, most);
    std::vector<Eigen::Triplet<double>> numbers;
    std::map<Index, Index> numbered;  // number among the entries, by index in the flat values
    for (const ValueEntry& entry : entries) numbered.emplace(entry.index, numbered.size());
    for (const ParameterEntry& entry : residual_.map().entries(static_cast<Index>(s)))
      if (const auto e = numbered.find(entry.index); e != numbered.end())
        for (Index k = 0; k < motions.cols(); ++k)
          numbers.emplace_back(entry.shares.front().parameter, k, motions(e->second, k) / entry.scale);
    StartColumns& one =
        columns_.emplace_back(StartColumns{s, kind, is_partly_fitted ? components_of(entries) : "", {}});
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
  effect.candidate.name = one.kind.name + (one.components.empty() ? "" : "." + one.components) +
                          (end.scenarios.size() > 1 ? " of recording '" + recording + "'" : "");
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

StartStates find_start_states(const ResolvedFit& fit, const FittedEnd& end, Index most_numbers) {
  StartStates found;
  const StartSet starts(fit, end, most_numbers);
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
