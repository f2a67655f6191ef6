#include "sim/field/cubic_spline.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "sim/core/dense.hpp"
#include "sim/core/error.hpp"
#include "sim/core/types.hpp"

namespace pithball::sim {

/// Solves l_k u_{k−1} + d_k u_k + r_k u_{k+1} = b_k by elimination without pivoting (Thomas 1949), stable for |d_k| ≥
/// |l_k| + |r_k|, as for splines. All arguments have the same length; l_0 and the last r are ignored.
inline Vector solve_tridiagonal(const Vector& l, Vector d, const Vector& r, Vector b) {
  const Index n = d.size();
  for (Index k = 1; k < n; ++k) {
    const double factor = l[k] / d[k - 1];
    d[k] -= factor * r[k - 1];
    b[k] -= factor * b[k - 1];
  }
  for (Index k = n - 1; k >= 0; --k) b[k] = (b[k] - (k + 1 < n ? r[k] * b[k + 1] : 0)) / d[k];
  return b;
}

Vector spline_curvatures(const Vector& nodes, const Vector& values, SplineEnds ends) {
  const Index n = nodes.size();
  Vector m = Vector::Zero(n);
  if (n < 3) return m;
  // u′ continuous: h_{k−1} m_{k−1} + 2 (h_{k−1} + h_k) m_k + h_k m_{k+1} = 6 (slope of piece k − slope of piece k−1).
  const Vector h = nodes.tail(n - 1) - nodes.head(n - 1),
               slopes = (values.tail(n - 1) - values.head(n - 1)).cwiseQuotient(h);
  Vector left = h.head(n - 2), middle = 2 * (h.head(n - 2) + h.tail(n - 2)), right = h.tail(n - 2);
  const Vector turns = 6 * (slopes.tail(n - 2) - slopes.head(n - 2));
  const bool free_ends = ends == SplineEnds::NotAKnot;
  if (free_ends && n == 3) return Vector::Constant(3, turns[0] / (1.5 * middle[0]));
  const double first = h[0] / h[1], last = h[n - 2] / h[n - 3];
  if (free_ends) {  // m_0 = (1 + h_0/h_1) m_1 − h_0/h_1 m_2, and likewise at the other end
    middle[0] += h[0] * (1 + first);
    right[0] -= h[0] * first;
    middle[n - 3] += h[n - 2] * (1 + last);
    left[n - 3] -= h[n - 2] * last;
  }
  m.segment(1, n - 2) = solve_tridiagonal(left, middle, right, turns);
  if (free_ends) {
    m[0] = (1 + first) * m[1] - first * m[2];
    m[n - 1] = (1 + last) * m[n - 2] - last * m[n - 3];
  }
  return m;
}

CubicSpline::CubicSpline(Vector nodes, Vector values, SplineEnds ends) : s_(std::move(nodes)), u_(std::move(values)) {
  const Index n = s_.size();
  if (n < 2 || u_.size() != n)
    throw InvalidArgument({"", "spline", "must have at least two nodes with one value each",
                           std::to_string(n) + " nodes and " + std::to_string(u_.size()) + " values", ""});
  if (!s_.allFinite() || !u_.allFinite())
    throw InvalidArgument({"", "spline", "must have finite nodes and values", "nan or inf", ""});
  for (Index k = 1; k < n; ++k)
    if (!(s_[k] > s_[k - 1]))
      throw InvalidArgument({"", "spline.node[" + std::to_string(k) + "]",
                             "must be greater than the node before, " + std::to_string(s_[k - 1]),
                             std::to_string(s_[k]), "sort the nodes and remove repeated ones"});
  m_ = spline_curvatures(s_, u_, ends);
  sums_ = Vector::Zero(n);
  for (Index k = 1; k < n; ++k) sums_[k] = sums_[k - 1] + integral_inside(s_[k]);
}

CubicSpline CubicSpline::smooth(const Vector& nodes, const Vector& values, double spacing) {
  const CubicSpline all(nodes, values);  // validates them
  const double pieces = std::max(1.0, std::round((all.last() - all.first()) / spacing));
  if (!(spacing > 0) || pieces + 1 > nodes.size())
    throw InvalidArgument({"", "spacing",
                           "must be > 0 and leave fewer nodes than the table has, " + std::to_string(nodes.size()),
                           std::to_string(spacing), "smooth over a longer distance"});
  const auto count = static_cast<Index>(pieces) + 1;
  const Vector even = Vector::LinSpaced(count, all.first(), all.last());
  Eigen::MatrixXd basis(nodes.size(), count);  // the splines that are 1 at one node and 0 at the others
  for (Index k = 0; k < count; ++k) {
    const CubicSpline cardinal(even, Vector::Unit(count, k), SplineEnds::Natural);
    for (Index row = 0; row < nodes.size(); ++row) basis(row, k) = cardinal.value(nodes[row]);
  }
  LeastSquares smooth = solve_least_squares(basis, values);
  if (smooth.rank < count)
    throw InvalidArgument({"", "spacing", "must leave every node of the smooth spline near a node of the table",
                           std::to_string(spacing), "smooth over a longer distance"});
  return {even, std::move(smooth.X), SplineEnds::Natural};
}

Index CubicSpline::piece(double s) const {
  const auto after = std::upper_bound(s_.data(), s_.data() + s_.size(), s) - s_.data();
  return std::clamp<Index>(after - 1, 0, s_.size() - 2);
}

double CubicSpline::value(double s) const {
  const double at = inside(s);
  const Index k = piece(at);
  const double h = s_[k + 1] - s_[k], a = (s_[k + 1] - at) / h, b = (at - s_[k]) / h;
  const double u = a * u_[k] + b * u_[k + 1] + h * h / 6 * ((a * a * a - a) * m_[k] + (b * b * b - b) * m_[k + 1]);
  return at == s ? u : u + slope(at) * (s - at);
}

double CubicSpline::slope(double s) const {
  const double at = inside(s);
  const Index k = piece(at);
  const double h = s_[k + 1] - s_[k], a = (s_[k + 1] - at) / h, b = (at - s_[k]) / h;
  return (u_[k + 1] - u_[k]) / h + h / 6 * ((1 - 3 * a * a) * m_[k] + (3 * b * b - 1) * m_[k + 1]);
}

double CubicSpline::curvature(double s) const {
  if (s != inside(s)) return 0;
  const Index k = piece(s);
  return m_[k] + (m_[k + 1] - m_[k]) * (s - s_[k]) / (s_[k + 1] - s_[k]);
}

// The integral over the last piece, from its first node s_k to s, in powers of r = s − s_k.
double CubicSpline::integral_inside(double s) const {
  const auto after = std::lower_bound(s_.data(), s_.data() + s_.size(), s) - s_.data();
  const Index k = std::clamp<Index>(after - 1, 0, s_.size() - 2);
  const double h = s_[k + 1] - s_[k], r = s - s_[k];
  const double begin = (u_[k + 1] - u_[k]) / h - h / 6 * (2 * m_[k] + m_[k + 1]);
  return r * (u_[k] + r * (begin / 2 + r * (m_[k] / 6 + r * (m_[k + 1] - m_[k]) / (24 * h))));
}

double CubicSpline::integral(double s) const {
  const double at = inside(s), beyond = s - at;
  const auto after = std::lower_bound(s_.data(), s_.data() + s_.size(), at) - s_.data();
  const Index k = std::clamp<Index>(after - 1, 0, s_.size() - 2);
  return sums_[k] + integral_inside(at) + beyond * (value(at) + beyond / 2 * slope(at));
}

}  // namespace pithball::sim
