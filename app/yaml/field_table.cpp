#include "app/yaml/field_table.hpp"

#include <fmt/format.h>

#include <cmath>

#include "app/yaml/file_name.hpp"
#include "datasets/text/csv_table.hpp"
#include "sim/core/error.hpp"
#include "sim/field/grid_field.hpp"
#include "sim/field/line_field.hpp"
#include "sim/field/tabulated_field.hpp"

namespace pithball::app {
namespace {

/// The numbers of a text file, a row for each line; a first line of names is passed over.
Eigen::MatrixXd read_numbers(const std::string& file) {
  const datasets::CsvTable cells(file, 0, 0);
  const bool names = cells.cell(0, 0).text.find_first_of("0123456789") == std::string_view::npos;
  Eigen::MatrixXd numbers(cells.rows() - (names ? 1 : 0), cells.columns());
  for (Index row = 0; row < numbers.rows(); ++row)
    for (Index column = 0; column < numbers.cols(); ++column) {
      const Index line = row + (names ? 1 : 0);
      numbers(row, column) = cells.number(line, column);
      if (std::isnan(numbers(row, column)))
        throw InvalidArgument(
            {cells.where(line, column), "", "must be a number", "an empty cell", "remove the row or fill it in"});
    }
  return numbers;
}

std::shared_ptr<const sim::ScalarField> read_line(Node& field, const Eigen::MatrixXd& table, const Vec3& origin,
                                                  bool gives_field) {
  const Vec3 axis = field.vector("axis", "", "direction of growing s, of a line", Vec3(Vec3::UnitX()));
  const auto smooth = field.optional_number(
      "smooth", "m", "of a line: distance of the nodes of a spline through scattering values, by least squares",
      sim::ValueSign::Positive);
  const Vector nodes = table.col(0), values = table.col(1);
  return field.located(smooth ? "smooth" : "table", [&] {
    return std::make_shared<sim::LineField>(
        smooth ? sim::CubicSpline::smooth(nodes, values, *smooth) : sim::CubicSpline(nodes, values),
        gives_field ? sim::LineField::Quantity::Field : sim::LineField::Quantity::Potential, origin, axis);
  });
}

sim::TabulatedField::Span read_span(Node& field) {
  sim::TabulatedField::Span span;
  span.from =
      field.optional_number("from", "s", "time from which on the table acts; left out: ever since").value_or(span.from);
  span.until =
      field.optional_number("until", "s", "time from which on it acts no more, or dies away").value_or(span.until);
  span.time_constant = field.number(
      "time_constant", "s", "of electrodes that reach their voltages as 1 − e^{−t/τ} from `from` and `until` on", 0,
      sim::ValueSign::NonNegative);
  return span;
}

}  // namespace

std::shared_ptr<const sim::VectorField> read_tabulated_field(Node& field, std::string_view unit) {
  const std::string file =
      read_file_name(field, "table",
                     "numbers, a line each: s, φ along a line, or x, y, z, φ at the nodes of a regular grid")
          .string();
  Eigen::MatrixXd table = field.describing() ? Eigen::MatrixXd{{0, 0}, {1, 1}} : read_numbers(file);
  const bool line = table.cols() == 2;
  if (!line && table.cols() != 4)
    field.refuse("table", "must have two columns (s, φ) or four (x, y, z, φ)", fmt::format("{}", table.cols()),
                 "remove the others");
  table.leftCols(table.cols() - 1) *=
      field.number("scale", "m", "length of one unit of the table's coordinates: `1 mm`", 1, sim::ValueSign::Positive);
  const Vec3 origin = field.vector("origin", "m", "where the table's coordinates are 0", Vec3(Vec3::Zero()));
  const bool gives_field =
      line && field.choice("gives", {"potential", "field"}, "what the last column of a line is: φ, or −dφ/ds",
                           "potential") == "field";
  const std::string potential_unit = unit == "V/m" ? "V" : fmt::format("{} m", unit);
  if (!gives_field)
    table.rightCols(1) *= field.number("potential_scale", potential_unit, "one unit of the last column", 1);
  if (gives_field || field.describing())
    table.rightCols(1) *= field.number("field_scale", unit, "likewise, if it is −dφ/ds", 1);
  const auto potential =
      line ? read_line(field, table, origin, gives_field)
           : field.located("table", [&]() -> std::shared_ptr<const sim::ScalarField> {
               return std::make_shared<sim::GridField>(sim::GridField::from_rows(
                   table.leftCols<4>().rowwise() + Eigen::RowVector4d(origin[0], origin[1], origin[2], 0)));
             });
  const std::string outside = field.choice(
      "outside", {"fail", "linear"},
      "a charge outside the table: the run ends as diverged; or φ goes on with the slope of the border", "fail");
  const auto span = read_span(field);
  return field.located("until", [&] {
    return std::make_shared<sim::TabulatedField>(
        potential, outside == "fail" ? sim::TabulatedField::Outside::Fail : sim::TabulatedField::Outside::Linear, span);
  });
}

}  // namespace pithball::app
