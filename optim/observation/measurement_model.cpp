#include "optim/observation/measurement_model.hpp"

#include <cmath>

#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

[[noreturn]] void refuse_sights(const std::string& recording, const std::string& what, const std::string& required,
                                const std::string& got = "", const std::string& remedy = "") {
  throw InvalidArgument({"", "recording '" + recording + "': " + what, required, got, remedy});
}

/// Everything that does not depend on which part is looked at.
void check(const Observation& o, const diff::Scenario& scenario) {
  const Index M = o.markers.size();
  const std::size_t F = o.times.size();
  if (M == 0 || F == 0) refuse_sights(scenario.name, "observation", "must have at least one marker and one frame");
  if (o.positions.size() != F)
    refuse_sights(scenario.name, "positions", "must have one frame for each time", std::to_string(o.positions.size()));
  for (std::size_t f = 0; f < F; ++f) {
    if (o.positions[f].cols() != M)
      refuse_sights(scenario.name, "positions", "must be 3×" + std::to_string(M),
                    std::to_string(o.positions[f].cols()) + " columns");
    if (!std::isfinite(o.times[f]) || (f > 0 && !(o.times[f] > o.times[f - 1])))
      refuse_sights(scenario.name, "times[" + std::to_string(f) + "]", "must be finite and strictly increasing",
                    std::to_string(o.times[f]));
  }
  if (!o.present.empty()) {
    if (o.present.size() != F)
      refuse_sights(scenario.name, "present", "must have one row for each time", std::to_string(o.present.size()));
    for (const std::vector<bool>& row : o.present)
      if (static_cast<Index>(row.size()) != M)
        refuse_sights(scenario.name, "present", "must have one entry for each marker", std::to_string(row.size()));
  }
  if (o.sigma.size() != M)
    refuse_sights(scenario.name, "sigma", "must have one entry for each marker", std::to_string(o.sigma.size()));
  for (Index m = 0; m < M; ++m)
    if (!(o.sigma[m] > 0) || !std::isfinite(o.sigma[m]))
      refuse_sights(scenario.name, "sigma[" + std::to_string(m) + "]", "must be > 0 m", std::to_string(o.sigma[m]));
  if (o.sigma_factor.size() > 0 && (o.sigma_factor.cols() != M || !(o.sigma_factor.array() > 0).all()))
    refuse_sights(scenario.name, "sigma_factor", "must be empty, or 3×" + std::to_string(M) + " and > 0");
  if (!o.validation_markers.empty() && static_cast<Index>(o.validation_markers.size()) != M)
    refuse_sights(scenario.name, "validation_markers", "must have one entry for each marker",
                  std::to_string(o.validation_markers.size()));
  if (!o.frame_weight.empty() && o.frame_weight.size() != F)
    refuse_sights(scenario.name, "frame_weight", "must have one entry for each time",
                  std::to_string(o.frame_weight.size()));
  for (const double weight : o.frame_weight)
    if (!(weight > 0) || !std::isfinite(weight))
      refuse_sights(scenario.name, "frame_weight", "must be > 0", std::to_string(weight));
  for (const Marker& marker : o.markers) {
    if (marker.vertices.empty())
      refuse_sights(scenario.name, "marker '" + marker.name + "'", "must follow at least one vertex");
    for (const auto& [vertex, weight] : marker.vertices) {
      if (vertex < 0 || vertex >= scenario.model.particles())
        refuse_sights(scenario.name, "marker '" + marker.name + "'",
                      "vertices must be below " + std::to_string(scenario.model.particles()), std::to_string(vertex));
      if (!std::isfinite(weight))
        refuse_sights(scenario.name, "marker '" + marker.name + "'", "weights must be finite");
    }
  }
  const bool needs_observed =
      o.reference == Reference::Given || (o.reference == Reference::Start && o.observed_reference.size() > 0);
  if (needs_observed && o.observed_reference.cols() != M)
    refuse_sights(scenario.name, "observed_reference", "must have one point for each marker");
  if (o.reference == Reference::Given && o.model_reference.cols() != M)
    refuse_sights(scenario.name, "model_reference", "must have one point for each marker");
  if (!o.recording_frame.values().allFinite()) refuse_sights(scenario.name, "recording_frame", "must be finite");
}

}  // namespace

MeasurementModel::MeasurementModel(const Observation& o, const diff::Scenario& scenario, Part part)
    : recording_(scenario.name),
      time_step_(scenario.time_step),
      steps_(scenario.steps),
      reference_(o.reference),
      model_reference_(o.model_reference),
      markers_(o.markers) {
  check(o, scenario);
  const bool first_frame_is_reference = o.reference == Reference::Start && o.observed_reference.size() == 0;
  for (std::size_t f = 0; f < o.times.size(); ++f) {
    const Index first_row = rows();
    for (Index m = 0; m < static_cast<Index>(markers_.size()); ++m) {
      if (o.part(f, m) != part) continue;
      const Vec3 seen = o.sight(f, m);
      const Index sample_row = rows();
      for (int a = 0; a < 3; ++a) {
        if (std::isnan(seen[a])) continue;
        double offset = -seen[a];
        if (first_frame_is_reference) {
          const double start = o.sight(0, m)[a];
          if (std::isnan(start))
            refuse_sights(recording_, "marker '" + markers_[m].name + "'",
                          "must be present in the first frame, which is the reference of its displacements", "missing",
                          "give observed_reference or omit the marker");
          offset += start;
        } else if (o.reference != Reference::Absolute) {
          offset += o.observed_reference(a, m);
        }
        const double sigma = o.component_sigma(m, a);
        rows_.push_back({m, a, o.frame_weight.empty() ? sigma : sigma / o.frame_weight[f], offset});
      }
      if (rows() > sample_row) samples_.push_back({static_cast<Index>(f), m, sample_row, rows() - sample_row});
    }
    if (rows() > first_row) frames_.push_back({first_row, rows(), f, o.times[f], o.times[f] - o.times.front()});
  }
  look(o.recording_frame);
}

MeasurementModel MeasurementModel::seen_from(const RecordingFrame& recording_frame) const {
  MeasurementModel moved = *this;
  moved.look(recording_frame);
  return moved;
}

void MeasurementModel::look(const RecordingFrame& recording_frame) {
  if (!(recording_frame.clock_scale > 0))
    refuse_sights(recording_, "clock_scale", "must be > 0", std::to_string(recording_frame.clock_scale));
  recording_frame_ = recording_frame;
  rotation_ = recording_frame.rotation_matrix();
  contributions_.clear();
  for (const Frame& frame : frames_) {
    const double time =
        frame.time + recording_frame.clock_offset + (recording_frame.clock_scale - 1) * frame.since_first;
    const double step = time / time_step_;
    if (!(step >= -1e-9) || step > steps_ + 1e-9)
      refuse_sights(recording_, "times[" + std::to_string(frame.number) + "]",
                    "must be within the simulated time span of 0 to " + std::to_string(steps_ * time_step_) + " s",
                    std::to_string(time) + " s", "give a longer duration, another time offset, or fewer frames");
    add_frame(frame, step);
  }
  if (reference_ == Reference::Start && rows() > 0) contribute(0, {0, rows(), -1, 0});
}

void MeasurementModel::contribute(Index n, const Contribution& contribution) {
  if (static_cast<Index>(contributions_.size()) <= n) contributions_.resize(static_cast<std::size_t>(n) + 1);
  contributions_[n].push_back(contribution);
}

void MeasurementModel::add_frame(const Frame& frame, double step) {
  const double h = time_step_, nearest = std::round(step), t = frame.since_first;
  const Index first = frame.first, end = frame.end;
  if (std::abs(step - nearest) < 1e-9) return contribute(static_cast<Index>(nearest), {first, end, 1, 0, 0, 1, t});
  const Index n = std::min(static_cast<Index>(std::floor(step)), steps_ - 1);
  const double s = step - n, c = 1 - s;
  contribute(n, {first, end, (1 + 2 * s) * c * c, s * c * c * h, -6 * s * c / h, c * (1 - 3 * s), t});
  contribute(n + 1, {first, end, s * s * (3 - 2 * s), -s * s * c * h, 6 * s * c / h, s * (3 * s - 2), t});
}

/// The point of the model from which the marker is seen, before it is turned into the recording's frame.
Vec3 MeasurementModel::pivot(Index marker) const {
  if (reference_ == Reference::Absolute) return recording_frame_.translation;
  return reference_ == Reference::Given ? Vec3(model_reference_.col(marker)) : Vec3(Vec3::Zero());
}

template <class Visit>
void MeasurementModel::for_each(Index n, Visit visit) const {
  if (n > last_step()) return;
  for (const Contribution& c : contributions_[n])
    for (Index r = c.first; r < c.end; ++r) {
      const Row& row = rows_[r];
      for (const auto& [vertex, weight] : markers_[row.marker].vertices)
        for (int b = 0; b < 3; ++b) {
          if (rotation_(b, row.component) == 0) continue;
          const double scaled = weight * rotation_(b, row.component) / row.sigma;
          visit(r, 3 * vertex + b, c.position_weight * scaled, c.velocity_weight * scaled);
        }
    }
}

bool MeasurementModel::sees(const Eigen::MatrixXd& displacements) const {
  constexpr double unseen = 1e-8;  // of the longest displacement: what rounding leaves of modes of a body at rest
  for (Index c = 0; c < displacements.cols(); ++c) {
    const Points moved = displacements.col(c).reshaped(3, displacements.rows() / 3);
    const double longest = moved.colwise().norm().maxCoeff();
    for (const Row& row : rows_) {
      Vec3 seen = Vec3::Zero();
      for (const auto& [vertex, weight] : markers_[row.marker].vertices) seen += weight * moved.col(vertex);
      if (std::abs(rotation_.col(row.component).dot(seen)) > unseen * longest) return true;
    }
  }
  return false;
}

Vector MeasurementModel::initial_residual() const {
  Vector r(rows());
  for (Index k = 0; k < rows(); ++k) {
    const Row& row = rows_[k];
    r[k] = (row.offset - rotation_.col(row.component).dot(pivot(row.marker))) / row.sigma;
  }
  return r;
}

void MeasurementModel::add_state(Index n, const sim::State& state, Eigen::Ref<Vector> r) const {
  for_each(n, [&, x = state.x.data(), v = state.v.data()](Index row, Index i, double wx, double wv) {
    r[row] += wx * x[i] + wv * v[i];
  });
}

void MeasurementModel::add_tangent(Index n, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv,
                                   Eigen::Ref<Eigen::MatrixXd> J) const {
  for_each(n, [&](Index row, Index i, double wx, double wv) {
    J.row(row) += wx * dx.row(i);
    if (wv != 0) J.row(row) += wv * dv.row(i);
  });
}

void MeasurementModel::add_seed(Index n, const Eigen::Ref<const Vector>& w, Points& gx, Points& gv) const {
  for_each(n, [&](Index row, Index i, double wx, double wv) {
    gx.data()[i] += wx * w[row];
    gv.data()[i] += wv * w[row];
  });
}

Eigen::MatrixXd MeasurementModel::initial_recording_frame_derivative() const {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(rows(), RecordingFrame::size);
  const std::array<Mat3, 3> turned = recording_frame_.rotation_derivative();
  for (Index k = 0; k < rows(); ++k) {
    const Row& row = rows_[k];
    for (std::size_t w = 0; w < 3; ++w)
      J(k, 2 + static_cast<Index>(w)) = -turned[w].col(row.component).dot(pivot(row.marker)) / row.sigma;
    if (reference_ == Reference::Absolute) J.block<1, 3>(k, 5) = -rotation_.col(row.component).transpose() / row.sigma;
  }
  return J;
}

void MeasurementModel::add_recording_frame_derivative(Index n, const sim::State& state,
                                                      Eigen::Ref<Eigen::MatrixXd> J) const {
  if (n > last_step()) return;
  const std::array<Mat3, 3> turned = recording_frame_.rotation_derivative();
  for (const Contribution& c : contributions_[n])
    for (Index r = c.first; r < c.end; ++r) {
      const Row& row = rows_[r];
      for (const auto& [vertex, weight] : markers_[row.marker].vertices) {
        const auto x = state.x.col(vertex), v = state.v.col(vertex);
        const Vec3 position = weight / row.sigma * (c.position_weight * x + c.velocity_weight * v);
        const Vec3 rate = weight / row.sigma * (c.position_rate * x + c.velocity_rate * v);
        const double seen_rate = rotation_.col(row.component).dot(rate);
        J(r, 0) += seen_rate;
        J(r, 1) += c.since_first * seen_rate;
        for (std::size_t w = 0; w < 3; ++w)
          J(r, 2 + static_cast<Index>(w)) += turned[w].col(row.component).dot(position);
      }
    }
}

}  // namespace pithball::optim
