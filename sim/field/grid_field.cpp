#include "sim/field/grid_field.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/field/cubic_spline.hpp"

namespace pithball::sim {
namespace {

/// c_{−1} … c_n of the cubic spline through n values at whole numbers, by its curvatures m:
/// c_k + m_k/6 = f_k, and (c_{k−1} + 4 c_k + c_{k+1})/6 = f_k. One value stands for a constant.
Vector spline_coefficients(const Vector& values) {
  const Index n = values.size();
  if (n == 1) return Vector::Constant(4, values[0]);
  const Vector nodes = Vector::LinSpaced(n, 0, n - 1);
  Vector c(n + 2);
  c.segment(1, n) = values - spline_curvatures(nodes, values, SplineEnds::NotAKnot) / 6;
  c[0] = 6 * values[0] - 4 * c[1] - c[2];
  c[n + 1] = 6 * values[n - 1] - 4 * c[n] - c[n - 1];
  return c;
}

/// The four B-splines that are not zero at u, with derivatives; outside 0 … n − 1 their straight continuation.
struct Weights {
  Index first = 0;  // padded number of the first coefficient
  std::array<double, 4> value, slope, curvature;

  Weights(double u, Index n) {
    if (n == 1) u = 0;  // four equal coefficients: a constant
    const double at = std::clamp(u, 0.0, static_cast<double>(std::max<Index>(n - 1, 1)));
    first = std::clamp<Index>(static_cast<Index>(at), 0, std::max<Index>(n - 2, 0));
    const double r = at - first, q = 1 - r;
    value = {q * q * q / 6, (r * r * (3 * r - 6) + 4) / 6, (q * q * (3 * q - 6) + 4) / 6, r * r * r / 6};
    slope = {-q * q / 2, r * (3 * r - 4) / 2, -q * (3 * q - 4) / 2, r * r / 2};
    curvature = {q, 3 * r - 2, 3 * q - 2, r};
    if (at == u) return;
    for (std::size_t k = 0; k < 4; ++k) value[k] += (u - at) * slope[k];
    curvature.fill(0);
  }
};

/// The even spacing of sorted coordinates that may differ by rounding in the file.
struct Axis {
  double first = 0, spacing = 1;
  Index count = 0;
  Index node(double x) const { return std::lround((x - first) / spacing); }
};

Axis axis_of(Vector coordinates, const std::string& name) {
  std::sort(coordinates.begin(), coordinates.end());
  const double extent = coordinates[coordinates.size() - 1] - coordinates[0];
  std::vector<double> nodes;
  for (const double x : coordinates)
    if (nodes.empty() || x - nodes.back() > 1e-6 * extent) nodes.push_back(x);
  Axis axis{nodes.front(), 1, static_cast<Index>(nodes.size())};
  if (axis.count == 1) return axis;
  axis.spacing = extent / (axis.count - 1);
  constexpr double rounding = 1e-3;  // of the spacing: what a file with few digits may be off
  for (std::size_t k = 0; k < nodes.size(); ++k)
    if (std::abs(nodes[k] - axis.first - k * axis.spacing) > rounding * axis.spacing)
      throw InvalidArgument({"", "table", "must have evenly spaced nodes along " + name,
                             std::to_string(nodes[k]) + " m where even spacing has " +
                                 std::to_string(axis.first + k * axis.spacing) + " m",
                             "interpolate the table to a regular grid"});
  return axis;
}

}  // namespace

GridField::GridField(const std::array<Index, 3>& counts, const Vec3& origin, const Vec3& spacing, const Vector& values)
    : counts_(counts), padded_(), origin_(origin), spacing_(spacing) {
  if (*std::min_element(counts.begin(), counts.end()) < 1 || values.size() != counts[0] * counts[1] * counts[2] ||
      !(spacing.minCoeff() > 0))
    throw InvalidArgument({"", "grid", "must have a value for each node and spacings > 0 m",
                           std::to_string(values.size()) + " values", ""});
  if (!values.allFinite() || !origin.allFinite() || !spacing.allFinite())
    throw InvalidArgument({"", "grid", "must have finite nodes and values", "nan or inf", ""});
  std::array<Index, 3> size = counts;
  coefficients_ = values;
  for (std::size_t a = 0; a < 3; ++a) {  // one coordinate after the other: the spline is a tensor product
    const Index n = size[a], padded = n == 1 ? 4 : n + 2;
    Index stride = 1;
    for (std::size_t b = 0; b < a; ++b) stride *= size[b];
    const Index outer = coefficients_.size() / (stride * n);
    Vector next(stride * padded * outer);
    for (Index o = 0; o < outer; ++o)
      for (Index i = 0; i < stride; ++i) {
        Vector line(n);
        for (Index k = 0; k < n; ++k) line[k] = coefficients_[i + stride * (k + n * o)];
        const Vector c = spline_coefficients(line);
        for (Index k = 0; k < padded; ++k) next[i + stride * (k + padded * o)] = c[k];
      }
    size[a] = padded;
    coefficients_ = std::move(next);
  }
  padded_ = size;
}

GridField GridField::from_rows(const Eigen::Matrix<double, Eigen::Dynamic, 4>& rows) {
  const std::array<const char*, 3> names{"x", "y", "z"};
  std::array<Axis, 3> axes;
  for (std::size_t a = 0; a < 3; ++a) axes[a] = axis_of(rows.col(a), names[a]);
  const std::array<Index, 3> counts{axes[0].count, axes[1].count, axes[2].count};
  if (rows.rows() != counts[0] * counts[1] * counts[2])
    throw InvalidArgument({"", "table", "must contain every node of its grid once",
                           std::to_string(rows.rows()) + " rows for " + std::to_string(counts[0]) + " x " +
                               std::to_string(counts[1]) + " x " + std::to_string(counts[2]) + " nodes",
                           "add the missing rows or remove repeated ones"});
  Vector values = Vector::Constant(rows.rows(), NAN);
  for (Index r = 0; r < rows.rows(); ++r) {
    const Index i = axes[0].node(rows(r, 0)), j = axes[1].node(rows(r, 1)), k = axes[2].node(rows(r, 2));
    values[i + counts[0] * (j + counts[1] * k)] = rows(r, 3);
  }
  if (!values.allFinite())
    throw InvalidArgument({"", "table", "must contain every node of its grid once", "a node that is named twice",
                           "remove repeated rows"});
  return {counts, Vec3(axes[0].first, axes[1].first, axes[2].first),
          Vec3(axes[0].spacing, axes[1].spacing, axes[2].spacing), values};
}

bool GridField::contains(const Vec3& x) const {
  for (Index a = 0; a < 3; ++a) {
    const Index n = counts_[a];
    if (n > 1 && !(x[a] >= origin_[a] && x[a] <= origin_[a] + (n - 1) * spacing_[a])) return false;
  }
  return true;
}

ScalarField::Jet GridField::at(const Vec3& x) const {
  const Vec3 u = (x - origin_).cwiseQuotient(spacing_);
  const Weights wx(u[0], counts_[0]), wy(u[1], counts_[1]), wz(u[2], counts_[2]);
  Jet jet;
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t j = 0; j < 4; ++j) {
      double along = 0, along_slope = 0, along_curvature = 0;  // summed over x
      for (std::size_t i = 0; i < 4; ++i) {
        const double c = coefficients_[entry(wx.first + static_cast<Index>(i), wy.first + static_cast<Index>(j),
                                             wz.first + static_cast<Index>(k))];
        along += wx.value[i] * c;
        along_slope += wx.slope[i] * c;
        along_curvature += wx.curvature[i] * c;
      }
      jet.value += along * wy.value[j] * wz.value[k];
      jet.gradient += Vec3(along_slope * wy.value[j] * wz.value[k], along * wy.slope[j] * wz.value[k],
                           along * wy.value[j] * wz.slope[k]);
      jet.hessian.diagonal() += Vec3(along_curvature * wy.value[j] * wz.value[k], along * wy.curvature[j] * wz.value[k],
                                     along * wy.value[j] * wz.curvature[k]);
      jet.hessian(1, 0) += along_slope * wy.slope[j] * wz.value[k];
      jet.hessian(2, 0) += along_slope * wy.value[j] * wz.slope[k];
      jet.hessian(2, 1) += along * wy.slope[j] * wz.slope[k];
    }
  jet.gradient = jet.gradient.cwiseQuotient(spacing_);
  jet.hessian = jet.hessian.cwiseQuotient(spacing_ * spacing_.transpose()).eval();
  jet.hessian = Mat3(jet.hessian.selfadjointView<Eigen::Lower>());
  return jet;
}

}  // namespace pithball::sim
