#include "app/experiment/recording/started_recordings.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "app/experiment/recording/recording.hpp"
#include "app/experiment/recording/start_estimate.hpp"
#include "optim/fit/problem.hpp"
#include "optim/observation/local_start.hpp"
#include "sim/core/dense.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

using optim::LocalStart;
using optim::LocalStarts;
using sim::Mat3;

/// Estimates the start of one recording's particles from its first frames.
class StartedRecording {
 public:
  explicit StartedRecording(Recording& recording)
      : recording_(recording),
        given_(recording.own.scenario.initial),
        starts_(optim::fit_local_starts(recording.observation)),
        components_(seen_components(recording.observation)) {}

  const LocalStarts& starts() const { return starts_; }
  bool sees_any() const { return !whole_.empty(); }  ///< valid after `place`
  SeenStart seen(Index followers) const { return {given_, starts_, whole_, components_, followers}; }  ///< likewise
  /// Returns the largest distance of a marker from the rigidly moved body, as a multiple of its sigma and in meters.
  std::pair<double, double> largest_distance() const;
  /// Moves each particle to its recorded position; those without one follow the rigid motion and are returned.
  std::vector<Index> place();
  /// Makes the start a free parameter.
  void free();
  /// Fixes the start at its estimate and records the error of that estimate.
  void hold(const std::vector<Index>& following);

 private:
  bool is_whole(const LocalStart& start) const;
  Vec3 given_place(std::size_t marker) const;
  void find_rigid_motion();
  void add_own_errors();
  void add_error_of(const std::vector<Index>& following);
  /// Returns the displacement of a particle at x per unit of each of the six rigid motions about the markers' center.
  Eigen::Matrix<double, 3, 6> lever(const Vec3& x) const;

  Recording& recording_;
  const sim::State given_;
  LocalStarts starts_;
  std::string components_;
  std::vector<std::pair<Index, std::size_t>> own_;  ///< particles, and the marker on each
  std::vector<std::size_t> whole_;                  ///< markers that show all components
  Mat3 turn_ = Mat3::Identity();
  Vec3 move_ = Vec3::Zero(), center_ = Vec3::Zero();
  bool turns_ = false;
  Eigen::Matrix<double, 6, 1> rate_ = Eigen::Matrix<double, 6, 1>::Zero();  ///< angular and linear velocity
  Eigen::MatrixXd follow_;                                                  ///< rate_ = follow_ · marker velocities
};

bool StartedRecording::is_whole(const LocalStart& start) const {
  for (const char c : components_)
    if (!start.is_seen(c - 'x')) return false;
  return !components_.empty();
}

Vec3 StartedRecording::given_place(std::size_t marker) const {
  Vec3 place = Vec3::Zero();
  for (const auto& [vertex, weight] : recording_.observation.markers[marker].vertices)
    place += weight * given_.x.col(vertex);
  return place;
}

Eigen::Matrix<double, 3, 6> StartedRecording::lever(const Vec3& x) const {
  const Vec3 arm = x - center_;
  Eigen::Matrix<double, 3, 6> B = Eigen::Matrix<double, 3, 6>::Zero();
  if (turns_) B.leftCols<3>() << 0, arm[2], -arm[1], -arm[2], 0, arm[0], arm[1], -arm[0], 0;  // ω × arm
  B.rightCols<3>().setIdentity();
  return B;
}

void StartedRecording::find_rigid_motion() {
  const auto count = static_cast<Index>(whole_.size());
  Points given(3, count), seen(3, count), velocity(3, count);
  for (Index k = 0; k < count; ++k) {
    const LocalStart& start = starts_.markers[whole_[k]];
    given.col(k) = given_place(whole_[k]);
    seen.col(k) = start.x.array().isNaN().select(given.col(k), start.x);  // a two-dimensional recording
    velocity.col(k) = start.v.array().isNaN().select(0, start.v);
  }
  center_ = seen.rowwise().mean();
  if (components_.size() == 3) {
    try {
      const optim::RecordingFrame found = optim::register_points(given, seen);
      turn_ = found.rotation_matrix();
      move_ = found.translation;
      turns_ = true;
    } catch (const InvalidArgument&) {  // too few markers, or all on a line
    }
  }
  if (!turns_) move_ = (seen - given).rowwise().mean();
  Eigen::MatrixXd B(3 * count, 6);
  for (Index k = 0; k < count; ++k) B.middleRows<3>(3 * k) = lever(seen.col(k));
  const Index first = turns_ ? 0 : 3;  // without rotation, the first three columns are zero
  follow_ = Eigen::MatrixXd::Zero(6, 3 * count);
  follow_.bottomRows(6 - first) =
      sim::solve_least_squares(B.rightCols(6 - first), Eigen::MatrixXd::Identity(3 * count, 3 * count)).X;
  rate_ = follow_ * velocity.reshaped();
}

std::pair<double, double> StartedRecording::largest_distance() const {
  double largest = 0, in_sigma = 0;
  for (const std::size_t m : whole_) {
    const Vec3 apart = starts_.markers[m].x - turn_ * given_place(m) - move_;
    for (const char c : components_) {
      const double distance = std::abs(apart[c - 'x']);
      largest = std::max(largest, distance);
      in_sigma = std::max(in_sigma, distance / recording_.observation.noise.sigma[m]);
    }
  }
  return {in_sigma, largest};
}

std::vector<Index> StartedRecording::place() {
  const sim::Model& model = recording_.own.scenario.model;
  std::vector<bool> placed(static_cast<std::size_t>(model.particles()), false);
  for (std::size_t m = 0; m < starts_.markers.size(); ++m) {
    const auto& vertices = recording_.observation.markers[m].vertices;
    if (vertices.empty() || !is_whole(starts_.markers[m])) continue;
    whole_.push_back(m);
    const Index i = vertices.front().first;
    if (vertices.size() > 1 || placed[i]) continue;
    placed[i] = true;
    if (!model.is_held(i)) own_.emplace_back(i, m);
  }
  std::vector<Index> following;
  for (Index i = 0; i < model.particles(); ++i)
    if (!placed[i] && !model.is_held(i)) following.push_back(i);
  if (whole_.empty()) return following;
  sim::State& state = recording_.own.scenario.initial;
  if (!following.empty()) find_rigid_motion();
  for (const Index i : following) {
    state.x.col(i) = turn_ * given_.x.col(i) + move_;
    state.v.col(i) = lever(state.x.col(i)) * rate_;
  }
  for (const auto& [i, m] : own_)
    for (const char c : components_) {
      const int a = c - 'x';
      state.x(a, i) = starts_.markers[m].x[a];
      state.v(a, i) = starts_.markers[m].v[a];
    }
  return following;
}

void StartedRecording::free() {
  for (const auto& [i, m] : own_)
    for (const char c : components_) {
      const int a = c - 'x';
      const Eigen::Vector2d deviation = starts_.markers[m].weak_deviation(a);
      recording_.start.beliefs.push_back({i, a, deviation[0], deviation[1]});
    }
}

void StartedRecording::add_own_errors() {
  const diff::Scenario& scenario = recording_.own.scenario;
  for (const auto& [i, m] : own_)
    for (const char c : components_) {
      const int a = c - 'x';
      recording_.known.errors.push_back(
          {{scenario.position_offset() + 3 * i + a, scenario.velocity_offset() + 3 * i + a},
           starts_.markers[m].error_root(a)});
    }
}

/// Propagates the errors of the markers' positions and velocities to the twelve values of the rigid motion, and from
/// these to all particles that follow it.
void StartedRecording::add_error_of(const std::vector<Index>& following) {
  Eigen::MatrixXd markers = Eigen::MatrixXd::Zero(12, 6 * static_cast<Index>(whole_.size()));
  for (std::size_t k = 0; k < whole_.size(); ++k)
    for (const char c : components_) {
      const Index a = c - 'x', column = 3 * static_cast<Index>(k) + a;
      const Eigen::Matrix2d root = starts_.markers[whole_[k]].error_root(static_cast<int>(a));
      markers.block<6, 2>(0, 2 * column) = follow_.col(column) * root.row(0);
      markers.block<6, 2>(6, 2 * column) = follow_.col(column) * root.row(1);
    }
  const Eigen::MatrixXd covariance = markers * markers.transpose();
  const Eigen::LDLT<Eigen::MatrixXd> factors(covariance);
  Eigen::MatrixXd root = factors.matrixL();
  root = factors.transpositionsP().transpose() * root;
  root *= factors.vectorD().cwiseMax(0).cwiseSqrt().asDiagonal();
  const diff::Scenario& scenario = recording_.own.scenario;
  optim::ValueError error;
  error.root.resize(6 * static_cast<Index>(following.size()), 12);
  for (std::size_t k = 0; k < following.size(); ++k) {
    const Index i = following[k], row = 6 * static_cast<Index>(k);
    for (Index a = 0; a < 3; ++a) error.entries.push_back(scenario.position_offset() + 3 * i + a);
    for (Index a = 0; a < 3; ++a) error.entries.push_back(scenario.velocity_offset() + 3 * i + a);
    const Eigen::Matrix<double, 3, 6> B = lever(scenario.initial.x.col(i));
    error.root.middleRows<3>(row) = B * root.topRows<6>();
    error.root.middleRows<3>(row + 3) = B * root.bottomRows<6>();
  }
  recording_.known.errors.push_back(std::move(error));
}

void StartedRecording::hold(const std::vector<Index>& following) {
  add_own_errors();
  if (!following.empty()) add_error_of(following);
}

Index free_particles(const sim::Model& model) {
  Index count = 0;
  for (Index i = 0; i < model.particles(); ++i)
    if (!model.is_held(i)) ++count;
  return count;
}

/// Largest number of nuisance values: with more, the other parameters would get no standard errors.
Index most_nuisance_values() { return optim::FitProblem().uncertainty.full_limit / 2; }

/// Makes a registered placement a free parameter, or fixes it and records the error of its estimate. `values`: as in
/// `settle_start`.
void settle_placement(Recording& recording, Index& values) {
  FreePlacement& placement = recording.free.placement;
  constexpr Index size = 6;
  const bool start_is_known = recording.start.kind == InitialStateKind::FromSystem;
  if (placement.to_register && !placement.is_chosen && start_is_known && !recording.observation.is_validation(0) &&
      values + size <= most_nuisance_values()) {
    placement.refine();
    values += size;
  }
  if (auto error = registration_error(recording.placed(), placement))
    recording.known.errors.push_back(*std::move(error));
}

/// If a marker is farther from the rigidly moved body than this multiple of its sigma, the body is deformed.
constexpr double most_sigma_off = 5;

/// Fits or fixes the start; returns a note, empty if none is needed. `values`: number of nuisance values so far.
std::string settle_start(const Node& item, Recording& recording, Index& values) {
  StartedRecording started(recording);
  const LocalStarts& starts = started.starts();
  reject_coarse_start(item, starts);
  const std::vector<Index> following = started.place();
  const Index particles = recording.own.scenario.model.particles();
  const Index free = free_particles(recording.own.scenario.model);
  if (!started.sees_any())
    item.reject("initial_state", "from_recording requires a marker that is present in the first frames", "none",
                "write `from_system` or `equilibrium`, or use frames with markers");
  if (following.empty() && 6 * free <= most_start_values && values + 6 * free <= most_nuisance_values()) {
    started.free();
    values += 6 * free;
    return "";
  }
  if (recording.start.shape == InitialShape::Smooth && !following.empty())
    return start_smoothly(item, started.seen(static_cast<Index>(following.size())), recording);
  started.hold(following);
  if (following.empty()) return "";
  std::string note = fmt::format(
      "{}: {} of {} particles have no marker in the first {} frames: their initial positions follow from the "
      "undeformed body, fitted to the markers",
      recording.name, following.size(), particles, starts.frames);
  const auto [in_sigma, distance] = started.largest_distance();
  if (in_sigma > most_sigma_off)
    note += fmt::format(", which are up to {:.3g} mm from it; `initial_shape: smooth` deflects the body through them",
                        1e3 * distance);
  return note;
}

}  // namespace

std::vector<std::string> settle_starts(const std::vector<Node>& items, std::vector<Recording>& recordings) {
  std::vector<std::string> said;
  Index values = 0;
  for (std::size_t s = 0; s < recordings.size(); ++s) {
    if (recordings[s].planned) continue;
    settle_placement(recordings[s], values);
    if (recordings[s].start.kind == InitialStateKind::Equilibrium && recordings[s].start.refers_to_rest)
      hold_rest_error(recordings[s]);
    if (recordings[s].start.kind != InitialStateKind::FromRecording) continue;
    if (recordings[s].observation.instrument)
      items[s].reject("initial_state", "from_recording requires positions of points",
                      "`measurement: " + recordings[s].kind->name + "`",
                      "write `from_system`, `equilibrium` or `free` (which starts from the state under `system:`)");
    if (recordings[s].start.refers_to_rest) {
      start_displaced(items[s], recordings[s]);
      continue;
    }
    std::string one = settle_start(items[s], recordings[s], values);
    if (!one.empty()) said.push_back(std::move(one));
  }
  return said;
}

}  // namespace pithball::app
