#include "optim/observation/smooth_shape.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/core/dense.hpp"
#include "sim/core/error.hpp"
#include "sim/kernel/rotation.hpp"

namespace pithball::optim {
namespace {

/// Returns the value or slope, at one point, of the kernel r³ centered at another point, for a condition on the value
/// or slope there; `z` is the vector from the center to the first point. A slope at the center has the opposite sign.
double cubic_kernel(const Vector& z, Index along, Index other_along) {
  const double r = z.norm();
  if (along < 0 && other_along < 0) return r * r * r;
  if (other_along < 0) return 3 * r * z[along];
  if (along < 0) return -3 * r * z[other_along];
  return r > 0 ? -3 * (r * (along == other_along) + z[along] * z[other_along] / r) : 0;
}

}  // namespace

SmoothField::SmoothField(const Eigen::MatrixXd& nodes, const std::vector<Index>& clamped) : nodes_(nodes) {
  const Index n = nodes.cols(), k = nodes.rows();
  first_ = nodes.col(0);
  nodes_.colwise() -= first_;
  const double farthest = k > 0 ? nodes_.colwise().norm().maxCoeff() : 0;
  if (farthest > 0) extent_ = farthest;
  nodes_ /= extent_;
  for (Index i = 0; i < n; ++i) conditions_.push_back({i, -1});
  for (const Index i : clamped)
    for (Index a = 0; a < k; ++a) conditions_.push_back({i, a});
  const Index m = static_cast<Index>(conditions_.size()), size = m + k + 1;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(size, size);
  for (Index i = 0; i < m; ++i) {
    const Condition& condition = conditions_[i];
    A.row(i) = row(first_ + extent_ * nodes_.col(condition.node), condition.along).transpose();
  }
  A.bottomRows(k + 1) = A.rightCols(k + 1).transpose().eval();
  coefficients_ = sim::solve_least_squares(A, Eigen::MatrixXd::Identity(size, n)).X;
}

Vector SmoothField::row(const Vector& place, Index along) const {
  const Index m = static_cast<Index>(conditions_.size()), k = nodes_.rows();
  const Vector p = (place - first_) / extent_;
  Vector entries = Vector::Zero(m + k + 1);
  for (Index j = 0; j < m; ++j)
    entries[j] = cubic_kernel(p - nodes_.col(conditions_[j].node), along, conditions_[j].along);
  if (along >= 0) {
    entries[m + 1 + along] = 1;
  } else {
    entries[m] = 1;
    entries.tail(k) = p;
  }
  return entries;
}

Vector SmoothField::weights(const Vector& place) const { return coefficients_.transpose() * row(place, -1); }

Eigen::MatrixXd SmoothField::slope_weights(const Vector& place) const {
  Eigen::MatrixXd slopes(coefficients_.cols(), nodes_.rows());
  for (Index a = 0; a < nodes_.rows(); ++a) slopes.col(a) = coefficients_.transpose() * row(place, a) / extent_;
  return slopes;
}

namespace {

using sim::Mat3;
using sim::Points;
using sim::Vec3;
using sim::kernel::cross_matrix;

/// ∂(f/|f|)/∂f
Mat3 unit_derivative(const Vec3& f) {
  const Vec3 n = f.normalized();
  return (Mat3::Identity() - n * n.transpose()) / f.norm();
}

TurnedOffset turn_across_line(const Vec3& o, const Vec3& t, const Vec3& f) {
  const Vec3 n = f.normalized();
  // Bounded where the line is reversed: n·o vanishes like √(1 + n·t).
  const double part = std::max(1 + n.dot(t), std::numeric_limits<double>::min());
  const double share = n.dot(o) / part;
  const Mat3 by_n = -(t + n) * (o - share * t).transpose() / part - share * Mat3::Identity();
  return {o - share * (t + n), {by_n * unit_derivative(f)}};
}

TurnedOffset turn_across_plane(const Vec3& o, const Points& before, const Points& after) {
  const Vec3 f = after.col(0), g = after.col(1), area = f.cross(g);
  const double height = o.dot(Vec3(before.col(0)).cross(Vec3(before.col(1))));
  const Mat3 by_area = height * unit_derivative(area);
  return {height * area.normalized(), {-by_area * cross_matrix(g), by_area * cross_matrix(f)}};
}

}  // namespace

TurnedOffset turn_offset(const Vec3& offset, const Points& before, const Points& after) {
  if (before.cols() == 1) return turn_across_line(offset, before.col(0), after.col(0));
  if (before.cols() == 2) return turn_across_plane(offset, before, after);
  return {offset, std::vector<Mat3>(static_cast<std::size_t>(before.cols()), Mat3::Zero())};
}

namespace {

/// Distances below this fraction of the body's extent count as 0.
constexpr double same_place = 1e-6;
/// Markers count as on a line (plane) if any two are at least ten times as far apart along it as across it: with a span
/// of more dimensions, the smoothest field would have steep slopes across the line (plane) that no marker indicates.
constexpr double most_across = 0.1;
/// For Newton's method, which converges quadratically: far below the accuracy of a marker.
constexpr double marker_tolerance = 1e-9;  // of the extent
constexpr int most_iterations = 30;

double extent_of(const Points& x) { return (x.rowwise().maxCoeff() - x.rowwise().minCoeff()).norm(); }

/// Whether any two points are on a line, plane, … with these directions, within `most_across`.
bool lie_along(const Points& points, const Points& directions) {
  for (Index i = 0; i < points.cols(); ++i)
    for (Index j = 0; j < i; ++j) {
      const Vec3 apart = points.col(i) - points.col(j), along = directions * (directions.transpose() * apart);
      if ((apart - along).norm() > most_across * along.norm()) return false;
    }
  return true;
}

/// Returns the principal directions of points, the longest first, as columns of a rotation.
Points principal_directions(const Points& about_center) {
  return sim::symmetric_spectrum(about_center * about_center.transpose()).vectors.rowwise().reverse();
}

void require_markers(const std::vector<Marker>& markers, const Points& places, double extent) {
  const auto refuse = [](const std::string& required, const std::string& got, const std::string& remedy) {
    throw InvalidArgument({"", "", required, got, remedy});
  };
  if (static_cast<Index>(markers.size()) > most_shape_nodes)
    refuse("a smooth shape passes through at most " + std::to_string(most_shape_nodes) + " markers",
           std::to_string(markers.size()), "leave some of them out");
  for (std::size_t i = 0; i < markers.size(); ++i) {
    double sum = 0;
    for (const auto& [vertex, weight] : markers[i].vertices) sum += weight;
    if (!(std::abs(sum - 1) < same_place))
      refuse("a smooth shape requires weights of markers that add up to 1",
             "those of marker '" + markers[i].name + "' do not", "leave the marker out");
    for (std::size_t j = 0; j < i; ++j)
      if ((places.col(i) - places.col(j)).norm() <= same_place * extent)
        refuse("a smooth shape requires markers at different places of the body",
               "'" + markers[j].name + "' and '" + markers[i].name + "' at one", "leave one of them out");
  }
}

Vec3 weighted(const Marker& marker, const Points& x) {
  Vec3 sum = Vec3::Zero();
  for (const auto& [vertex, weight] : marker.vertices) sum += weight * x.col(vertex);
  return sum;
}

}  // namespace

SmoothShape::SmoothShape(Points rest, std::vector<Marker> markers, const std::vector<Index>& held)
    : rest_(std::move(rest)),
      markers_(std::move(markers)),
      is_held_(static_cast<std::size_t>(rest_.cols()), false),
      held_(held),
      extent_(extent_of(rest_)),
      marker_rest_(3, static_cast<Index>(markers_.size())) {
  for (const Index i : held_) is_held_[i] = true;
  for (std::size_t m = 0; m < markers_.size(); ++m) marker_rest_.col(m) = weighted(markers_[m], rest_);
  require_markers(markers_, marker_rest_, extent_);
  if (markers_.size() + held_.size() < 2)
    throw InvalidArgument({"", "", "a smooth shape requires two places of the body, of markers or held particles",
                           std::to_string(markers_.size()), "write `initial_shape: rigid`"});
  find_span();
  add_spots();
  displacement_ = Points::Zero(3, marker_rest_.cols() + static_cast<Index>(held_nodes_.size()));
}

/// Finds the fewest principal directions along which the markers lie, and adds others as long as held particles are
/// apart from their span.
void SmoothShape::find_span() {
  center_ = marker_rest_.rowwise().mean();
  const Points directions = principal_directions(marker_rest_.colwise() - center_);
  Index k = 0;
  while (k < 3 && !lie_along(marker_rest_, directions.leftCols(k))) ++k;
  span_ = directions.leftCols(k);
  gather_held();
  while (span_.cols() < 3) {
    const Points apart = held_apart();
    if (apart.cols() == 0) return;
    const Vec3 across = principal_directions(apart).col(0);
    span_.conservativeResize(3, span_.cols() + 1);
    span_.rightCols<1>() = across;
    span_ = sim::orthonormal(span_);
    gather_held();
  }
}

/// Returns the offsets of held particles that are farther from the span than from the nearest marker along it. The
/// particles of a section may be ten times as far, since a section is known to lie across the span.
Points SmoothShape::held_apart() const {
  std::vector<Vec3> apart;
  for (const std::vector<Index>& node : held_nodes_) {
    const Vec3 offset = offset_of(rest_.col(node.front())), on_span = rest_.col(node.front()) - offset;
    const double nearest = (span_.transpose() * (marker_rest_.colwise() - on_span)).colwise().norm().minCoeff();
    const double limit = std::max(is_section(node) ? nearest / most_across : nearest, same_place * extent_);
    for (const Index i : node)
      if (const Vec3 own = offset_of(rest_.col(i)); own.norm() > limit) apart.push_back(own);
  }
  Points offsets(3, static_cast<Index>(apart.size()));
  for (std::size_t j = 0; j < apart.size(); ++j) offsets.col(j) = apart[j];
  return offsets;
}

void SmoothShape::gather_held() {
  held_nodes_.clear();
  std::vector<Vector> nodes;
  for (const Index i : held_) {
    const Vector p = in_span(rest_.col(i));
    const auto same =
        std::ranges::find_if(nodes, [&](const Vector& node) { return (node - p).norm() <= same_place * extent_; });
    if (same != nodes.end()) {
      held_nodes_[same - nodes.begin()].push_back(i);
      continue;
    }
    nodes.push_back(p);
    held_nodes_.push_back({i});
    if (static_cast<Index>(markers_.size() + nodes.size()) > most_shape_nodes)
      throw InvalidArgument(
          {"", "",
           "a smooth shape passes through at most " + std::to_string(most_shape_nodes) + " markers and held particles",
           std::to_string(markers_.size() + held_.size()), "write `initial_shape: rigid`"});
  }
}

/// Whether held particles at one point of the span determine its direction: a triangle across a line, or two points
/// across a plane.
bool SmoothShape::is_section(const std::vector<Index>& particles) const {
  if (span_.cols() != 1 && span_.cols() != 2) return false;
  const auto count = static_cast<Index>(particles.size());
  Points x(3, count);
  for (Index j = 0; j < count; ++j) x.col(j) = rest_.col(particles[j]);
  x.colwise() -= Vec3(x.rowwise().mean());
  const Vector squares = sim::symmetric_spectrum(x * x.transpose()).values;
  const double least = std::pow(same_place * extent_, 2);
  return (squares.array() > least).count() >= 3 - span_.cols();
}

void SmoothShape::add_spots() {
  const Index markers = marker_rest_.cols();
  Eigen::MatrixXd nodes(span_.cols(), markers + static_cast<Index>(held_nodes_.size()));
  for (Index m = 0; m < markers; ++m) nodes.col(m) = in_span(marker_rest_.col(m));
  std::vector<Index> clamped;
  for (std::size_t h = 0; h < held_nodes_.size(); ++h) {
    const Index node = markers + static_cast<Index>(h);
    nodes.col(node) = in_span(rest_.col(held_nodes_[h].front()));
    if (is_section(held_nodes_[h])) clamped.push_back(node);
  }
  const SmoothField field(nodes, clamped);
  for (Index i = 0; i < rest_.cols(); ++i) {
    const Vector p = in_span(rest_.col(i));
    Vec3 offset = offset_of(rest_.col(i));
    if (offset.norm() <= same_place * extent_) offset.setZero();
    spots_.push_back({offset, field.weights(p), field.slope_weights(p)});
  }
}

bool SmoothShape::has_offsets() const {
  return std::ranges::any_of(spots_, [](const Spot& spot) { return !spot.offset.isZero(0); });
}

Vec3 SmoothShape::place(Index i) const {
  if (is_held_[i]) return rest_.col(i);
  const Spot& spot = spots_[i];
  const Vec3 on_span = rest_.col(i) + displacement_ * spot.weights;
  if (spot.offset.isZero(0)) return on_span;
  return on_span - spot.offset + turn_offset(spot.offset, span_, span_ + displacement_ * spot.slope_weights).value;
}

Points SmoothShape::places() const {
  Points x(3, rest_.cols());
  for (Index i = 0; i < x.cols(); ++i) x.col(i) = place(i);
  return x;
}

Eigen::MatrixXd SmoothShape::node_response(Index i) const {
  const Index nodes = displacement_.cols();
  Eigen::MatrixXd response = Eigen::MatrixXd::Zero(3, 3 * nodes);
  if (is_held_[i]) return response;
  const Spot& spot = spots_[i];
  for (Index j = 0; j < nodes; ++j) response.middleCols<3>(3 * j).diagonal().setConstant(spot.weights[j]);
  if (spot.offset.isZero(0)) return response;
  const TurnedOffset turned = turn_offset(spot.offset, span_, span_ + displacement_ * spot.slope_weights);
  for (Index a = 0; a < span_.cols(); ++a)
    for (Index j = 0; j < nodes; ++j) response.middleCols<3>(3 * j) += spot.slope_weights(j, a) * turned.by_tangent[a];
  return response;
}

Eigen::MatrixXd SmoothShape::marker_response() const {
  Eigen::MatrixXd response = Eigen::MatrixXd::Zero(marker_rest_.size(), displacement_.size());
  for (std::size_t m = 0; m < markers_.size(); ++m)
    for (const auto& [vertex, weight] : markers_[m].vertices)
      response.middleRows<3>(3 * static_cast<Index>(m)) += weight * node_response(vertex);
  return response;
}

/// Finds the displacements of the markers' nodes by Newton's method.
bool SmoothShape::pass_through(const Points& seen) {
  const Index markers = marker_rest_.cols();
  displacement_.setZero();
  displacement_.leftCols(markers) = seen - marker_rest_;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    Points missed(3, markers);
    for (Index m = 0; m < markers; ++m) {
      missed.col(m) = seen.col(m);
      for (const auto& [vertex, weight] : markers_[m].vertices) missed.col(m) -= weight * place(vertex);
    }
    if (!missed.allFinite()) return false;
    if (missed.norm() <= marker_tolerance * extent_) return true;
    const Eigen::MatrixXd response = marker_response().leftCols(3 * markers);
    displacement_.leftCols(markers).reshaped() += response.partialPivLu().solve(sim::flat(missed));
  }
  return false;
}

Eigen::MatrixXd SmoothShape::response() const {
  const Index markers = marker_rest_.size();
  const Eigen::MatrixXd inverse = marker_response().leftCols(markers).inverse();
  Eigen::MatrixXd response(rest_.size(), markers);
  for (Index i = 0; i < rest_.cols(); ++i) response.middleRows<3>(3 * i) = node_response(i).leftCols(markers) * inverse;
  return response;
}

Points SmoothShape::velocities(const Points& seen, const Points& given) const {
  const Index markers = seen.cols();
  Points rates = Points::Zero(3, displacement_.cols());
  for (std::size_t h = 0; h < held_nodes_.size(); ++h)
    for (const Index i : held_nodes_[h])
      rates.col(markers + static_cast<Index>(h)) += given.col(i) / static_cast<double>(held_nodes_[h].size());
  Points missed = seen;
  for (Index m = 0; m < markers; ++m)
    for (const auto& [vertex, weight] : markers_[m].vertices)
      if (is_held_[vertex]) missed.col(m) -= weight * given.col(vertex);
  const Eigen::MatrixXd response = marker_response();
  missed.reshaped() -= response * sim::flat(rates);
  rates.leftCols(markers).reshaped() = response.leftCols(3 * markers).partialPivLu().solve(sim::flat(missed));
  Points v = given;
  for (Index i = 0; i < v.cols(); ++i)
    if (!is_held_[i]) v.col(i) = node_response(i) * sim::flat(rates);
  return v;
}

}  // namespace pithball::optim
