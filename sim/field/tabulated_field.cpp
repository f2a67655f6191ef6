#include "sim/field/tabulated_field.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/core/settings.hpp"
#include "sim/field/cubic_spline.hpp"

namespace pithball::sim {
namespace {

/// Returns c_{−1} … c_n of the cubic spline through n values at the integers, from its curvatures m:
/// c_k + m_k/6 = f_k, and (c_{k−1} + 4 c_k + c_{k+1})/6 = f_k. A single value gives a constant.
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

/// The four nonzero B-splines at u and their derivatives; outside 0 … n − 1 they are extrapolated linearly.
struct Weights {
  Index first = 0;  // index of the first coefficient in the padded array
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

/// Evenly spaced nodes, up to rounding of their coordinates in the file.
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
  constexpr double rounding = 1e-3;  // of the spacing: tolerance for files with few digits
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

LineField::LineField(CubicSpline spline, Quantity quantity, const Vec3& origin, const Vec3& axis)
    : spline_(std::move(spline)), quantity_(quantity), origin_(origin), axis_(axis.normalized()) {
  if (!axis.allFinite() || axis.isZero(0))
    throw InvalidArgument(
        {"", "axis", "must be a direction", "a vector that is zero or not finite", "write [1, 0, 0]"});
}

bool LineField::contains(const Vec3& x) const {
  const double s = along(x);
  return s >= spline_.first() && s <= spline_.last();
}

ScalarField::Jet LineField::at(const Vec3& x) const {
  const double s = along(x);
  const bool direct = quantity_ == Quantity::Potential;
  const double value = direct ? spline_.value(s) : -spline_.integral(s);
  const double first = direct ? spline_.slope(s) : -spline_.value(s);
  const double second = direct ? spline_.curvature(s) : -spline_.slope(s);
  return {value, first * axis_, second * axis_ * axis_.transpose()};
}

namespace {

constexpr double left_out = std::numeric_limits<double>::quiet_NaN();

/// Returns the numbers in the file, or those of an example along a line while settings are described.
Eigen::MatrixXd ask_numbers(Settings& settings) {
  const NumberTable table = settings.table(
      "table", "table of numbers, one row per line: s, φ along a line, or x, y, z, φ at the nodes of a regular grid");
  if (settings.describing()) return Eigen::MatrixXd{{0, 0}, {1, 1}};
  for (Index row = 0; row < table.numbers.rows(); ++row)
    for (Index column = 0; column < table.numbers.cols(); ++column)
      if (std::isnan(table.numbers(row, column)))
        throw InvalidArgument(
            {table.place(row, column), "", "must be a number", "an empty cell", "remove the row or fill it in"});
  return table.numbers;
}

std::shared_ptr<const ScalarField> ask_line(Settings& settings, const Eigen::MatrixXd& table, const Vec3& origin,
                                            bool gives_field) {
  const Vec3 axis =
      settings.vector("axis", "", "direction of increasing s, for a table along a line", Vec3(Vec3::UnitX()));
  const double smooth = settings.number(
      "knot_spacing", "m", "knot spacing of a smoothing spline (least squares) for a noisy table along a line",
      left_out, ValueSign::Positive);
  const bool exact = std::isnan(smooth);
  const Vector nodes = table.col(0), values = table.col(1);
  return settings.located(exact ? "table" : "knot_spacing", [&] {
    return std::make_shared<LineField>(exact ? CubicSpline(nodes, values) : CubicSpline::smooth(nodes, values, smooth),
                                       gives_field ? LineField::Quantity::Field : LineField::Quantity::Potential,
                                       origin, axis);
  });
}

TabulatedField::Span ask_span(Settings& settings) {
  TabulatedField::Span span;
  const double from =
      settings.number("from", "s", "time at which the table's field switches on (default: always on)", left_out);
  const double until =
      settings.number("until", "s", "time at which the table's field switches off, or starts to decay", left_out);
  if (!std::isnan(from)) span.from = from;
  if (!std::isnan(until)) span.until = until;
  span.time_constant = settings.number("time_constant", "s",
                                       "time constant τ: the field rises as 1 − e^{−t/τ} from `from` on, and what it "
                                       "has come to decays as e^{−t/τ} from "
                                       "`until` on",
                                       0, ValueSign::NonNegative);
  return span;
}

}  // namespace

std::shared_ptr<const VectorField> ask_tabulated_field(Settings& settings, std::string_view unit) {
  Eigen::MatrixXd table = ask_numbers(settings);
  const bool line = table.cols() == 2;
  if (!line && table.cols() != 4)
    settings.reject("table", "must have two columns (s, φ) or four (x, y, z, φ)", std::to_string(table.cols()),
                    "remove the others");
  table.leftCols(table.cols() - 1) *=
      settings.number("scale", "m", "length of one unit of the table's coordinates: `1 mm`", 1, ValueSign::Positive);
  const Vec3 origin =
      settings.vector("origin", "m", "position where the table's coordinates are 0", Vec3(Vec3::Zero()));
  const bool gives_field = line && settings.choice("quantity", {"potential", "field"},
                                                   "quantity in the last column of a table along a line: φ, or −dφ/ds",
                                                   "potential") == "field";
  const std::string potential_unit = unit == "V/m" ? "V" : unit == "m/s" ? "m^2/s" : std::string(unit) + " m";
  if (!gives_field)
    table.rightCols(1) *= settings.number("potential_scale", potential_unit, "unit of the last column if it is φ", 1);
  if (gives_field || settings.describing())
    table.rightCols(1) *= settings.number("field_scale", unit, "unit of the last column if it is −dφ/ds", 1);
  const auto potential =
      line ? ask_line(settings, table, origin, gives_field)
           : settings.located("table", [&]() -> std::shared_ptr<const ScalarField> {
               return std::make_shared<GridField>(GridField::from_rows(
                   table.leftCols<4>().rowwise() + Eigen::RowVector4d(origin[0], origin[1], origin[2], 0)));
             });
  const std::string outside = settings.choice("outside", {"fail", "linear"},
                                              "for particles outside the table: `fail` ends the run as diverged; "
                                              "`linear` extrapolates φ with the slope at the boundary",
                                              "fail");
  const TabulatedField::Span span = ask_span(settings);
  return settings.located("until", [&] {
    return std::make_shared<TabulatedField>(
        potential, outside == "fail" ? TabulatedField::Outside::Fail : TabulatedField::Outside::Linear, span);
  });
}

TabulatedField::TabulatedField(std::shared_ptr<const ScalarField> potential, Outside outside, const Span& span)
    : potential_(std::move(potential)), outside_(outside), span_(span) {
  if (!(span.from < span.until))
    throw InvalidArgument(
        {"", "until", "must be later than `from`", std::to_string(span.until) + " s", "give a later time"});
  if (!(span.time_constant >= 0))
    throw InvalidArgument({"", "time_constant", "must be >= 0 s", std::to_string(span.time_constant), "omit it"});
}

double TabulatedField::weight(double t) const {
  if (t < span_.from) return 0;
  const double tau = span_.time_constant;
  if (tau == 0) return t < span_.until ? 1 : 0;
  const double charging = std::min(t, span_.until) - span_.from;
  return -std::expm1(-charging / tau) * std::exp(-std::max(0.0, t - span_.until) / tau);
}

void TabulatedField::add_course(double from, double to, TimeCourse& course) const {
  const bool sudden = span_.time_constant == 0;
  for (const double t : {span_.from, span_.until})
    if (from <= t && t <= to) course.switches.push_back({t, sudden ? Switch::Kind::Jump : Switch::Kind::Bend});
  if (!sudden && weight(from) != weight(to)) course.varies = true;
}

Vec3 TabulatedField::value(const Vec3& x, double t) const {
  const double w = weight(t);
  if (w == 0) return Vec3::Zero();
  return known(x) ? Vec3(-w * potential_->at(x).gradient) : Vec3::Constant(NAN);
}

Mat3 TabulatedField::jacobian(const Vec3& x, double t) const {
  const double w = weight(t);
  if (w == 0) return Mat3::Zero();
  return known(x) ? Mat3(-w * potential_->at(x).hessian) : Mat3::Constant(NAN);
}

double TabulatedField::potential(const Vec3& x, double t) const {
  const double w = weight(t);
  if (w == 0) return 0;
  return known(x) ? w * potential_->at(x).value : NAN;
}

}  // namespace pithball::sim
