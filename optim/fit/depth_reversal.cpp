#include "optim/fit/depth_reversal.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "optim/fit/problem.hpp"
#include "sim/core/dense.hpp"

namespace pithball::optim {
namespace {

/// The reflection about the plane through `center` with this unit normal.
struct Mirror {
  Vec3 center, normal;

  Mat3 matrix() const { return Mat3::Identity() - 2 * normal * normal.transpose(); }
  Vec3 point(const Vec3& x) const { return x - 2 * normal.dot(x - center) * normal; }
  Vec3 vector(const Vec3& v) const { return v - 2 * normal.dot(v) * normal; }
};

/// Whether each of three values in a row, in the flat values of a recording, is a parameter of its own.
bool are_free(const ParameterMap& map, Index scenario, Index first) {
  int count = 0;
  for (const ParameterEntry& entry : map.entries(scenario))
    if (entry.index >= first && entry.index < first + 3) count += entry.shares.size() == 1 && !entry.logarithmic;
  return count == 3;
}

Index rotation_of(const diff::Scenario& scenario) {
  return scenario.size() + recording_frame_offset("placement_rotation");
}

Index translation_of(const diff::Scenario& scenario) {
  return scenario.size() + recording_frame_offset("placement_translation");
}

/// Whether cameras show this recording's motion and the fit finds where every free particle starts.
bool starts_freely_before_camera(const ResolvedFit& fit, Index s) {
  const diff::Scenario& scenario = fit.map().scenarios()[s];
  if (kind_of(fit.problem().observations[s]).geometry.registration != Registration::CameraPose || scenario.rest_near)
    return false;
  bool any = false;
  for (Index i = 0; i < scenario.model.particles(); ++i) {
    if (scenario.model.is_held(i)) continue;
    if (!are_free(fit.map(), s, scenario.position_offset() + 3 * i)) return false;
    any = true;
  }
  return any;
}

bool has_free_pose(const ResolvedFit& fit, Index s) {
  const diff::Scenario& scenario = fit.map().scenarios()[s];
  return are_free(fit.map(), s, rotation_of(scenario)) && are_free(fit.map(), s, translation_of(scenario));
}

/// Groups the recordings whose starts or placements depend on common parameters.
std::vector<std::vector<Index>> find_groups(const ParameterMap& map) {
  const auto count = static_cast<Index>(map.scenarios().size());
  std::vector<Index> group(count);
  std::map<Index, Index> first_with;  // by parameter
  for (Index s = 0; s < count; ++s) {
    group[s] = s;
    const diff::Scenario& scenario = map.scenarios()[s];
    for (const ParameterEntry& entry : map.entries(s)) {
      const bool is_of_start = entry.index >= scenario.position_offset() && entry.index < scenario.size();
      if (!is_of_start && !(entry.index >= rotation_of(scenario) && entry.index < translation_of(scenario) + 3))
        continue;
      for (const ParameterShare& share : entry.shares) {
        const Index other = group[first_with.emplace(share.parameter, s).first->second], mine = group[s];
        if (other != mine) std::ranges::replace(group, std::max(other, mine), std::min(other, mine));
      }
    }
  }
  std::map<Index, std::vector<Index>> members;
  for (Index s = 0; s < count; ++s) members[group[s]].push_back(s);
  std::vector<std::vector<Index>> groups;
  for (auto& [number, recordings] : members) groups.push_back(std::move(recordings));
  return groups;
}

/// The middle of the held particles or, if there are none, of all.
Vec3 find_center(const diff::Scenario& scenario) {
  Vec3 held = Vec3::Zero();
  int count = 0;
  for (Index i = 0; i < scenario.model.particles(); ++i)
    if (scenario.model.is_held(i)) {
      held += scenario.initial.x.col(i);
      ++count;
    }
  return count > 0 ? Vec3(held / count) : Vec3(scenario.initial.x.rowwise().mean());
}

/// The direction in which a point may move without moving in the image; empty if the camera does not see it.
std::optional<Vec3> find_sight(const Observation& o, const Viewpoint& from, const sim::Model& model,
                               const Vec3& point) {
  ReadingSlope slope{Eigen::MatrixXd::Zero(3, 3), Eigen::MatrixXd::Zero(3, RecordingFrame::size()), {}};
  Vec3 reading;
  const Points place = point;
  if (o.instrument->read({0, place, from, model}, reading, &slope)) return {};
  const Vec3 u = slope.inputs.row(0), v = slope.inputs.row(1), along = u.cross(v);
  return along.isZero(0) ? std::optional<Vec3>() : along.normalized();
}

/// Blocks of uniform fields and forces, whose vector a reflection should keep: not places, nor magnetic fields, which
/// turn the other way in a mirror.
std::vector<sim::ValueBlock> uniform_fields(const sim::Model& model) {
  std::vector<sim::ValueBlock> fields;
  for (const sim::ValueBlock& block : model.values().blocks())
    if (block.is_vector() && block.unit != "m" && block.unit != "T") fields.push_back(block);
  return fields;
}

/// The normal of the plane about which a reflection changes what acts on the body least; where several change it
/// equally, the one nearest to the direction of sight.
Vec3 find_normal(const diff::Scenario& scenario, const Vec3& center, const Vec3& sight) {
  constexpr double equally = 0.01;  // beside fields and extents of size 1
  Mat3 changes = Mat3::Zero();
  for (const sim::ValueBlock& field : uniform_fields(scenario.model)) {
    const Vec3 value = scenario.model.values().data().segment<3>(field.offset);
    if (!value.isZero(0)) changes += value.normalized() * value.normalized().transpose();
  }
  Mat3 extent = Mat3::Zero();
  for (Index i = 0; i < scenario.model.particles(); ++i)
    if (scenario.model.is_held(i)) {
      const Vec3 off = scenario.initial.x.col(i) - center;
      extent += off * off.transpose();
    }
  if (extent.trace() > 0) changes += extent / extent.trace();
  const sim::Spectrum least = sim::symmetric_spectrum(changes);  // smallest first
  Vec3 normal = Vec3::Zero();
  for (Index k = 0; k < 3; ++k)
    if (least.values[k] <= least.values[0] + equally) normal += least.vectors.col(k).dot(sight) * least.vectors.col(k);
  return normal.norm() > equally ? Vec3(normal.normalized()) : Vec3(least.vectors.col(0));
}

/// Writes values into θ, where they are parameters of their own.
class ThetaWriter {
 public:
  ThetaWriter(const ParameterMap& map, Vector theta) : map_(map), theta_(std::move(theta)) {}

  void set(Index scenario, Index first, const Vec3& values) {
    for (const ParameterEntry& entry : map_.entries(scenario)) {
      const Index a = entry.index - first;
      if (a < 0 || a > 2 || entry.shares.size() != 1 || entry.logarithmic) continue;
      const auto [k, weight] = entry.shares.front();
      const double theta = map_.info()[k].transform.theta((values[a] - entry.offset) / (entry.scale * weight));
      if (std::isfinite(theta)) theta_[k] = std::clamp(theta, lower_[k], upper_[k]);
    }
  }
  const Vector& theta() const { return theta_; }

 private:
  const ParameterMap& map_;
  Vector theta_;
  Vector lower_ = map_.lower(), upper_ = map_.upper();
};

/// Writes the pose of a camera that sees the reflected motion as it saw the motion; false if it does not see its
/// center.
bool set_reversed_pose(const ResolvedFit& fit, Index s, const Viewpoint& from, const Mirror& mirror,
                       ThetaWriter& writer) {
  const diff::Scenario& scenario = fit.map().scenarios()[s];
  const std::optional<Vec3> sight = find_sight(fit.problem().observations[s], from, scenario.model, mirror.center);
  if (!sight) return false;
  const Mat3 depth = Mirror{Vec3::Zero(), from.rotation.transpose() * *sight}.matrix();
  const Mat3 turned = mirror.matrix() * from.rotation * depth;
  const Eigen::AngleAxisd turn(turned);
  writer.set(s, rotation_of(scenario), turn.angle() * turn.axis());
  const Vec3 seen = from.rotation.transpose() * (mirror.center - from.frame.translation);
  writer.set(s, translation_of(scenario), mirror.center - turned * seen);
  return true;
}

/// θ with the depth of these recordings reversed; empty if that cannot be seen as the same.
std::optional<Vector> reversed(const ResolvedFit& fit, const std::vector<Index>& recordings, const Vector& theta) {
  const auto is_free = [&](Index s) { return has_free_pose(fit, s); };
  const bool has_free_poses = std::ranges::all_of(recordings, is_free);
  if (!has_free_poses && recordings.size() > 1) return {};
  const ParameterMap& map = fit.map();
  const Index first = recordings.front();
  const diff::Scenario at = map.scatter(theta, first);
  const Vec3 center = find_center(at);
  const std::optional<Vec3> sight =
      find_sight(fit.problem().observations[first], Viewpoint(map.recording_frame(theta, first)), at.model, center);
  if (!sight) return {};
  const Mirror mirror{center, has_free_poses ? find_normal(at, center, *sight) : *sight};
  ThetaWriter writer(map, theta);
  for (const Index s : recordings) {
    const diff::Scenario here = map.scatter(theta, s);
    for (Index i = 0; i < here.model.particles(); ++i) {
      writer.set(s, here.position_offset() + 3 * i, mirror.point(here.initial.x.col(i)));
      writer.set(s, here.velocity_offset() + 3 * i, mirror.vector(here.initial.v.col(i)));
    }
    for (const sim::ValueBlock& field : uniform_fields(here.model))
      writer.set(s, field.offset, mirror.vector(here.model.values().data().segment<3>(field.offset)));
    if (has_free_poses && !set_reversed_pose(fit, s, Viewpoint(map.recording_frame(theta, s)), mirror, writer))
      return {};
  }
  return writer.theta();
}

}  // namespace

std::vector<FurtherStart> find_depth_reversals(const ResolvedFit& fit, const Vector& theta) {
  std::vector<FurtherStart> starts;
  for (const std::vector<Index>& recordings : find_groups(fit.map())) {
    if (!std::ranges::all_of(recordings, [&](Index s) { return starts_freely_before_camera(fit, s); })) continue;
    const std::optional<Vector> other = reversed(fit, recordings, theta);
    if (!other) continue;
    FurtherStart& start = starts.emplace_back();
    start.theta = *other;
    start.why = "the depth of " + fit.problem().scenarios[recordings.front()].name + " reversed";
    start.reversed = recordings.front();
  }
  return starts;
}

FurtherSearch search_reversed(const FurtherBasis& basis, const std::vector<Index>& past, const MinimizerWatch& watch) {
  const ResolvedFit& fit = basis.fit;
  FurtherSearch search;
  std::vector<FurtherStart> starts = find_depth_reversals(fit, basis.optimum.end.theta);
  std::erase_if(starts, [&](const FurtherStart& start) { return std::ranges::count(past, start.reversed) > 0; });
  if (starts.empty()) return search;
  if (starts.size() > 1)
    starts = compared(fit, std::move(starts), static_cast<double>(starts.size()), search.evaluations);
  if (starts.empty()) return search;
  const FurtherStart& best = starts.front();
  const FoundMinimum& from = basis.optimum.search.stages.back().minima.front();
  FoundMinimum end{1, search_from(fit.problem(), fit.map(), best.theta, search.evaluations, watch.silent()),
                   !from.is_reversal};
  if (end.found.cost < from.found.cost)
    search.sentence = "a search began with " + best.why + " and ended at a better fit";
  search.ends.push_back(std::move(end));
  search.reversed = best.reversed;
  return search;
}

}  // namespace pithball::optim
