#include "sim/field/tabulated_field.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "sim/core/error.hpp"
#include "sim/core/settings.hpp"
#include "sim/field/grid_field.hpp"
#include "sim/field/line_field.hpp"

namespace pithball::sim {
namespace {

constexpr double left_out = std::numeric_limits<double>::quiet_NaN();

/// All numbers of the file; describing those of a line.
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
