#include "datasets/capture/table_columns.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <tuple>
#include <unordered_map>

#include "datasets/text/nearest.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::datasets {
namespace {

constexpr std::string_view axis_letters = "xyz";
constexpr const char* how_to_name_points = "list the columns of each point: points: [[X, Y], …]";

auto count_axes(const HeaderPoint& point) {
  return std::ranges::count_if(point.columns, [](const auto& column) { return column.has_value(); });
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// "'acc_x', 'acc_y'".
std::string quoted(const std::vector<std::string>& names, std::size_t most = 6) {
  std::vector<std::string> few;
  for (std::size_t k = 0; k < std::min(names.size(), most); ++k) few.push_back("'" + names[k] + "'");
  return joined(few) + (names.size() > most ? ", …" : "");
}

/// Returns how to request the measurement kind whose readings are of this quantity.
const char* measurement_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::Pixel:
      return "write `measurement: {camera: …}`";
    case Quantity::Angle:
      return "write `measurement: {angle: …}`";
    case Quantity::Velocity:
      return "write `measurement: velocity`";
    case Quantity::Acceleration:
      return "write `measurement: acceleration`";
    case Quantity::Force:
      return "write `measurement: force`";
    default:
      return "write `measurement: point`";
  }
}

/// Returns the name that the column of an axis would have, given the names of the point's other columns.
std::string column_of(const std::string& point, AxisPlace place, std::size_t axis) {
  const std::string letter(1, axis_letters[axis]), name = point == "0" ? "" : point;
  return place == AxisPlace::Last && !name.empty() ? name + "_" + letter : letter + name;
}

/// Returns the name that nearly matches the expected one: zz1 for z1.
std::optional<std::string> find_misspelled(const std::vector<std::string>& names, const std::string& point,
                                           std::size_t axis, const std::string& full) {
  std::vector<std::string> candidates;
  for (const std::string& name : names)
    if (name.find(axis_letters[axis]) != std::string::npos && name.find(point == "0" ? "" : point) != std::string::npos)
      candidates.push_back(name);
  return nearest(full, candidates);
}

}  // namespace

TableColumns::TableColumns(const CsvTable& table)
    : names_(table.names()), path_(table.path()), header_place_(table.header_place()) {
  for (std::size_t k = 0; k < names_.size(); ++k) {
    ColumnName meaning = parse_column_name(names_[k]);
    if (k < table.units().size() && !table.units()[k].empty() && meaning.unit.empty())
      meaning = parse_column_name(names_[k] + " (" + table.units()[k] + ")");
    meanings_.push_back(std::move(meaning));
  }
  settle_loose_words();
}

TableColumns::TableColumns(const std::vector<std::string>& names, const std::string& path)
    : names_(names), path_(path), header_place_(path) {
  for (const std::string& name : names_) meanings_.push_back(parse_column_name(name));
  settle_loose_words();
}

/// If the word beside the axis in one column can only name a point, the words in all columns with the axis on the same
/// side name points, too.
void TableColumns::settle_loose_words() {
  std::set<AxisPlace> named;  // sides of the axis in columns whose further word can only name a point
  for (const ColumnName& column : meanings_)
    if (column.axis && column.loose_word.empty() && !column.point.empty() && !column.names_quantity &&
        !is_number(column.point))
      named.insert(column.axis_place);
  for (ColumnName& column : meanings_)
    if (!column.loose_word.empty() && named.count(column.axis_place) > 0) column = with_named_point(column);
}

std::vector<Index> TableColumns::of(Quantity quantity) const {
  std::vector<Index> columns;
  for (std::size_t k = 0; k < meanings_.size(); ++k)
    if (meanings_[k].quantity == quantity && !meanings_[k].axis) columns.push_back(static_cast<Index>(k));
  return columns;
}

std::optional<Index> TableColumns::only(Quantity quantity) const {
  std::vector<Index> columns = of(quantity);
  // Of several columns, prefers those with nothing else in their names, then those with a unit, then the plainest word.
  const auto is_plain = [&](Index k) { return (*this)[k].point.empty() && (*this)[k].unclear.empty(); };
  if (std::ranges::any_of(columns, is_plain)) std::erase_if(columns, [&](Index k) { return !is_plain(k); });
  if (columns.empty() || (columns.size() > 1 && !is_plain(columns[0]))) return {};
  const auto rank = [&](Index k) {
    const std::string_view name = trim(name_of(k));
    const bool may_be_temperature = name == "T";
    return std::tuple((*this)[k].unit.empty(), may_be_temperature, name.size());
  };
  return *std::ranges::min_element(columns, {}, rank);
}

bool TableColumns::fits(const ColumnName& column, const Wanted& wanted) const {
  const bool is_bare = column.quantity == Quantity::Length && !column.names_quantity;
  if (wanted.has_scale && wanted.quantity == Quantity::Length && column.quantity == Quantity::Pixel) return true;
  if (wanted.quantity == Quantity::Pixel)
    return column.quantity == Quantity::Pixel || (column.quantity == Quantity::Length && column.unit.empty());
  return column.quantity == wanted.quantity || is_bare;
}

void TableColumns::reject_unclear(const Wanted& wanted) const {
  for (std::size_t k = 0; k < meanings_.size(); ++k) {
    const ColumnName& column = meanings_[k];
    const bool is_coordinate = column.axis && !column.axis_is_loose && fits(column, wanted);
    const bool is_reading = !column.axis && column.names_quantity && column.quantity == wanted.quantity;
    if (column.unclear.empty() || !(is_coordinate || is_reading)) continue;
    throw InvalidArgument({header_place_, "column '" + names_[k] + "'",
                           "must have a unit of its quantity in brackets, or nothing", "'" + column.unclear + "'",
                           "rename the column, or give `scale` and list those of each point by number: columns: "
                           "{points: [[\"#" +
                               std::to_string(k + 1) + "\", …]]}"});
  }
}

void TableColumns::reject_without_points(const Wanted& wanted) const {
  std::vector<std::string> others;
  Quantity quantity = Quantity::Unknown;
  for (std::size_t k = 0; k < meanings_.size(); ++k) {
    const ColumnName& column = meanings_[k];
    if (!column.axis || !column.names_quantity || column.quantity >= Quantity::Time) continue;
    if (quantity == Quantity::Unknown) quantity = column.quantity;
    if (column.quantity == quantity) others.push_back(names_[k]);
  }
  if (quantity != Quantity::Unknown)
    throw InvalidArgument({header_place_, "points", std::string("must be ") + plural(wanted.quantity),
                           "the " + std::string(plural(quantity)) + " " + quoted(others),
                           measurement_of(quantity) +
                               std::string(quantity == Quantity::Pixel ? ", or `scale`: the length of a pixel" : "")});
  std::string components;
  for (const std::string& component : wanted.components) components += component + "1, ";
  const bool are_points = wanted.components.size() == 3;
  std::string remedy = "list the columns of each point: points: [[" +
                       (are_points ? std::string("X, Y, Z") : joined(wanted.components)) + "], …]";
  throw InvalidArgument(
      {path_, "points",
       "must be given where the header has no " + (are_points ? "x1, y1 or m1_x, m1_y, …" : components + "…"),
       "the columns " + quoted(names_, 30), std::move(remedy)});
}

void TableColumns::check_quantity(Index column, const Wanted& wanted) const {
  const ColumnName& meaning = (*this)[column];
  const std::string& name = name_of(column);
  if (!meaning.unclear.empty() && !wanted.has_scale && (meaning.names_quantity || meaning.axis))
    throw InvalidArgument({header_place_, "column '" + name + "'", "must have a unit of its quantity in brackets",
                           "'" + meaning.unclear + "'", "rename the column, or give `scale`"});
  if (!meaning.names_quantity || meaning.quantity >= Quantity::Time || wanted.has_scale || fits(meaning, wanted))
    return;
  throw InvalidArgument(
      {header_place_, "column '" + name + "'", std::string("must hold ") + plural(wanted.quantity),
       plural(meaning.quantity),
       measurement_of(meaning.quantity) +
           std::string(meaning.quantity == Quantity::Pixel ? ", or `scale`: the length of a pixel" : "")});
}

std::string TableColumns::unit_of(const std::vector<Index>& columns) const {
  std::optional<Index> first, without;
  for (const Index column : columns) {
    const ColumnName& meaning = (*this)[column];
    if (meaning.unit.empty()) {
      if (meaning.axis || meaning.names_quantity) without = column;
      continue;
    }
    if (!first) first = column;
    if (meaning.factor == (*this)[*first].factor) continue;
    throw InvalidArgument({header_place_, "columns", "must be in one unit",
                           "'" + (*this)[*first].unit + "' and '" + meaning.unit + "'",
                           "convert the table, or rename its columns and give `scale`"});
  }
  if (first && without)
    throw InvalidArgument({header_place_, "columns", "must name a unit each, or none",
                           quoted({name_of(*first), name_of(*without)}), "rename the columns"});
  return first ? (*this)[*first].unit : "";
}

CaptureFrame TableColumns::in_unit_of(const std::vector<Index>& columns, Quantity wanted_quantity,
                                      CaptureFrame frame) const {
  const std::string unit = unit_of(columns);
  if (unit.empty()) return frame;
  const UnitName known = *find_unit(unit);
  // The scale gives the length of a pixel, or converts another quantity.
  if (known.quantity == Quantity::Pixel || (frame.scale && known.quantity != wanted_quantity)) return frame;
  constexpr double rounding = 1e-12;
  if (frame.scale && std::abs(*frame.scale / known.factor - 1) > rounding)
    throw InvalidArgument({header_place_, "scale", "must be the unit that the columns name",
                           formatted("%g, and '", *frame.scale) + name_of(columns.front()) + "'",
                           "omit `scale`, or rename the columns"});
  frame.scale = known.factor;
  return frame;
}

/// Finds readings of a single number each, in columns that name the quantity, such as "angle1".
std::vector<HeaderPoint> TableColumns::find_single_readings(const Wanted& wanted) const {
  std::vector<HeaderPoint> points;
  for (std::size_t k = 0; k < meanings_.size(); ++k) {
    const ColumnName& column = meanings_[k];
    if (column.quantity != wanted.quantity || column.axis || !column.names_quantity) continue;
    const std::string name = is_number(column.point) || !column.point.empty() ? column.point : "0";
    const bool is_taken = std::ranges::count(points, name, &HeaderPoint::name) > 0;
    points.push_back({is_taken || name == "0" ? std::string(trim(names_[k])) : name, {static_cast<Index>(k)}});
  }
  if (points.size() == 1 && meanings_[*points[0].columns[0]].point.empty()) points[0].name = "0";
  if (points.empty()) reject_without_points(wanted);
  return points;
}

std::vector<HeaderPoint> TableColumns::find_points(const Wanted& wanted) const {
  reject_unclear(wanted);
  if (wanted.components.size() == 1) return find_single_readings(wanted);
  const auto is_named = [&](const ColumnName& c) {
    return c.axis && c.names_quantity && c.quantity == wanted.quantity;
  };
  const bool only_named = wanted.quantity != Quantity::Length && std::ranges::any_of(meanings_, is_named);
  std::vector<Found> found;
  std::unordered_map<std::string, std::size_t> number_of;
  for (std::size_t k = 0; k < meanings_.size(); ++k) {
    const ColumnName& column = meanings_[k];
    if (!column.axis || !fits(column, wanted) || (only_named && !is_named(column))) continue;
    const auto axis = static_cast<std::size_t>(*column.axis);
    if (axis >= wanted.components.size()) continue;
    const auto [place, is_new] = number_of.try_emplace(column.point.empty() ? "0" : column.point, found.size());
    if (is_new) found.push_back({{place->first, {}}, column.axis_place, false});
    Found& one = found[place->second];
    auto& here = one.point.columns[axis];
    if (here && column.axis_is_loose) continue;
    if (here && !(*this)[*here].axis_is_loose)
      throw InvalidArgument({path_, "points", "must name each coordinate once",
                             "the columns '" + name_of(*here) + "' and '" + names_[k] + "'", how_to_name_points});
    here = static_cast<Index>(k);
    one.is_certain |= !column.axis_is_loose;
  }
  return settled(std::move(found), wanted);
}

std::vector<HeaderPoint> TableColumns::settled(std::vector<Found> found, const Wanted& wanted) const {
  const auto is_whole = [](const Found& one) { return count_axes(one.point) > 1; };
  const auto first_whole = [&](AxisPlace place) {
    return std::ranges::find_if(found, [&](const Found& one) { return one.place == place && is_whole(one); });
  };
  const auto first = first_whole(AxisPlace::First), last = first_whole(AxisPlace::Last);
  if (first == found.end() && last == found.end()) reject_without_points(wanted);
  if (first != found.end() && last != found.end())
    throw InvalidArgument(
        {path_, "points", "must be named in one way",
         "'" + first->point.name + "' with the axis first and '" + last->point.name + "' with the axis last",
         how_to_name_points});
  // Drops words that begin with the letter of an axis, such as "year", and single columns beside points named
  // differently.
  const AxisPlace place = first != found.end() ? AxisPlace::First : AxisPlace::Last;
  const bool any_three = std::ranges::any_of(found, [](const Found& one) { return count_axes(one.point) == 3; });
  std::erase_if(found, [&](const Found& one) {
    const bool has_word = one.point.name != "0" && !is_number(one.point.name);
    return !is_whole(one) &&
           (!one.is_certain || one.place != place || (any_three && has_word && place == AxisPlace::First));
  });
  if (wanted.components.size() == 3) reject_incomplete(found, any_three);
  std::vector<HeaderPoint> points;
  for (Found& one : found) points.push_back(std::move(one.point));
  check_axes(points);
  return points;
}

/// Returns the columns that belong to no point, but may be misspelled coordinates.
std::vector<std::string> TableColumns::unused_names(const std::vector<Found>& found) const {
  std::vector<bool> used(meanings_.size(), false);
  for (const Found& one : found)
    for (const auto& column : one.point.columns)
      if (column) used[*column] = true;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < used.size(); ++k)
    if (!used[k] && meanings_[k].quantity != Quantity::Time && meanings_[k].quantity != Quantity::Frame)
      names.emplace_back(trim(names_[k]));
  return names;
}

void TableColumns::reject_incomplete(const std::vector<Found>& found, bool any_three) const {
  const std::vector<std::string> unused = unused_names(found);
  for (const Found& one : found) {
    const auto count = count_axes(one.point);
    if (count == 3) continue;
    const bool is_point = count == 2 || (one.place == AxisPlace::First && count == 1);
    const std::size_t missing =
        static_cast<std::size_t>(std::ranges::find_if(one.point.columns, [](const auto& column) { return !column; }) -
                                 one.point.columns.begin());
    const auto misspelled =
        find_misspelled(unused, one.point.name, missing, column_of(one.point.name, one.place, missing));
    if (!misspelled && !(any_three && is_point)) continue;  // if no point is in 3D, two axes are complete
    const std::string wanted = column_of(one.point.name, one.place, missing);
    std::vector<std::string> listed;
    for (std::size_t a = 0; a < 3; ++a)
      listed.push_back(one.point.columns[a] ? name_of(*one.point.columns[a]) : "none");
    throw InvalidArgument(
        {header_place_, "marker '" + one.point.name + "'", "must have columns x, y and z", "no column '" + wanted + "'",
         (misspelled ? "rename '" + *misspelled + "' to '" + wanted + "'" : "add the column") +
             ", or list the columns of each marker: `columns: {points: [[" + joined(listed) + "], …]}`"});
  }
}

void TableColumns::check_axes(const std::vector<HeaderPoint>& points) const {
  for (const HeaderPoint& point : points)
    for (std::size_t a = 0; a < 3; ++a)
      if (point.columns[a].has_value() != points[0].columns[a].has_value())
        throw InvalidArgument({path_, "points", "must have the same coordinates",
                               std::string(1, axis_letters[a]) + " of '" + (point.columns[a] ? point : points[0]).name +
                                   "' and none of '" + (point.columns[a] ? points[0] : point).name + "'",
                               how_to_name_points});
}

}  // namespace pithball::datasets
