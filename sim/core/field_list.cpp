#include "sim/core/field_list.hpp"

#include <algorithm>
#include <limits>

namespace pithball {

void visit_value(FieldVisitor& v, sim::Vector& x) {
  std::vector<double> numbers(x.begin(), x.end());
  visit_value(v, numbers);
  if (v.is_reading()) x = Eigen::Map<const sim::Vector>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

/// Stores a matrix as a list of rows. Rows of unequal length are read as a matrix without columns.
void visit_value(FieldVisitor& v, Eigen::MatrixXd& x) {
  std::vector<sim::Vector> rows(static_cast<std::size_t>(x.rows()));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = x.row(static_cast<Eigen::Index>(i));
  visit_value(v, rows);
  if (!v.is_reading()) return;
  const Eigen::Index columns = rows.empty() ? 0 : rows.front().size();
  const bool is_whole = std::ranges::all_of(rows, [&](const sim::Vector& row) { return row.size() == columns; });
  x.resize(static_cast<Eigen::Index>(rows.size()), is_whole ? columns : 0);
  for (std::size_t i = 0; i < rows.size() && is_whole; ++i) x.row(static_cast<Eigen::Index>(i)) = rows[i];
}

void visit_value(FieldVisitor& v, Ends& x) {
  const auto end = [&](bool is_there, double& value) {
    const bool is_known = v.nullable(is_there, [&] { v.number(value); });
    if (v.is_reading() && !is_known) value = std::numeric_limits<double>::quiet_NaN();
  };
  v.tuple(2, [&](std::size_t k) { k == 0 ? end(x.has_lower, x.lower) : end(x.has_upper, x.upper); });
}

void visit_value(FieldVisitor& v, TextEnds& x) {
  v.tuple(2, [&](std::size_t k) { v.text_or_null(k == 0 ? x.lower : x.upper); });
}

void visit_value(FieldVisitor& v, OneOrMany& x) {
  const bool is_one = x.values.size() > 0 && (x.values.array() == x.values[0]).all();
  const auto one = [&] {
    double value = is_one ? x.values[0] : std::numeric_limits<double>::quiet_NaN();
    v.number(value);
    if (v.is_reading()) x.values = sim::Vector::Constant(1, value);
  };
  v.either(is_one, one, [&] { visit_value(v, x.values); });
}

void visit_value(FieldVisitor& v, Zipped& x) {
  const auto resize = [&](std::size_t size) {
    x.first.resize(size);
    x.second.resize(size);
  };
  v.list({x.first.size(), resize,
          [&](std::size_t k) { v.tuple(2, [&](std::size_t of) { v.number(of == 0 ? x.first[k] : x.second[k]); }); }});
}

void visit_value(FieldVisitor& v, std::array<double, 3>& x) {
  v.tuple(3, [&](std::size_t k) { v.number(x[k]); });
}

void visit_value(FieldVisitor& v, std::map<std::string, std::string>& x) {
  std::vector<std::pair<std::string, std::string>> entries(x.begin(), x.end());
  ByName<std::string> named{entries};
  visit_value(v, named);
  if (v.is_reading()) x = {entries.begin(), entries.end()};
}

void visit_value(FieldVisitor& v, std::variant<double, std::string>& x) {
  const double* const stored = std::get_if<double>(&x);
  const auto number = [&] {
    double value = stored ? *stored : std::numeric_limits<double>::quiet_NaN();
    v.number(value);
    if (v.is_reading()) x = value;
  };
  v.either(stored, number, [&] {
    std::string text = stored ? "" : std::get<std::string>(x);
    v.text(text);
    if (v.is_reading()) x = std::move(text);
  });
}

}  // namespace pithball
