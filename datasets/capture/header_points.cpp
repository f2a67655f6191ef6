#include "datasets/capture/header_points.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

constexpr std::string_view axis_letters = "xyz", partings = "_. -";
constexpr const char* how_to_name_points = "list the columns of each point: points: [[X, Y], …]";

/// A column name taken apart.
struct AxisName {
  std::size_t axis = 0;
  std::string point;
  bool certain = true;  ///< false: it may be any word that begins with the letter of an axis, as "year" does
};

std::optional<std::size_t> axis_of_letter(char letter) {
  const std::size_t axis = axis_letters.find(static_cast<char>(std::tolower(static_cast<unsigned char>(letter))));
  return axis == std::string_view::npos ? std::nullopt : std::optional(axis);
}

bool parts(char letter) { return partings.find(letter) != std::string_view::npos; }

/// "x1", "x_m1", "x".
std::optional<AxisName> axis_first(std::string_view name) {
  const auto axis = name.empty() ? std::nullopt : axis_of_letter(name[0]);
  if (!axis) return {};
  name.remove_prefix(1);
  const bool parted = !name.empty() && parts(name[0]);
  if (parted) name.remove_prefix(1);
  return AxisName{*axis, name.empty() ? "0" : std::string(name), parted || name.empty() || parse_integer(name)};
}

/// "m1_x".
std::optional<AxisName> axis_last(std::string_view name) {
  if (name.size() < 3 || !parts(name[name.size() - 2])) return {};
  const auto axis = axis_of_letter(name.back());
  if (!axis) return {};
  return AxisName{*axis, std::string(name.substr(0, name.size() - 2))};
}

using NameTaker = std::optional<AxisName> (*)(std::string_view);

/// The points named in one way that have two axes or more; empty if there is none.
std::vector<HeaderPoint> points_named(const std::vector<std::string>& names, NameTaker take, const std::string& where) {
  std::vector<HeaderPoint> points;
  std::set<std::string> certain;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto taken = take(trim(names[k]));
    if (!taken) continue;
    auto point = std::ranges::find(points, taken->point, &HeaderPoint::name);
    if (point == points.end()) point = points.insert(points.end(), {taken->point, {}});
    auto& column = point->columns[taken->axis];
    if (column && !taken->certain) continue;
    if (column)
      throw InvalidArgument({where, "points", "must name each coordinate once",
                             "the columns '" + names[*column] + "' and '" + names[k] + "'", how_to_name_points});
    column = static_cast<sim::Index>(k);
    if (taken->certain) certain.insert(taken->point);
  }
  const auto is_alone = [](const HeaderPoint& point) {
    return std::ranges::count_if(point.columns, [](const auto& column) { return column.has_value(); }) < 2;
  };
  std::erase_if(points, [&](const HeaderPoint& point) { return is_alone(point) && !certain.count(point.name); });
  if (std::ranges::all_of(points, is_alone)) points.clear();
  return points;
}

void check_same_axes(const std::vector<HeaderPoint>& points, const std::string& where) {
  for (const HeaderPoint& point : points)
    for (std::size_t a = 0; a < 3; ++a)
      if (point.columns[a].has_value() != points[0].columns[a].has_value())
        throw InvalidArgument({where, "points", "must have the same coordinates",
                               std::string(1, axis_letters[a]) + " of '" + (point.columns[a] ? point : points[0]).name +
                                   "' and none of '" + (point.columns[a] ? points[0] : point).name + "'",
                               how_to_name_points});
}

}  // namespace

std::vector<HeaderPoint> find_header_points(const std::vector<std::string>& names, const std::string& where) {
  std::vector<HeaderPoint> first = points_named(names, axis_first, where), last = points_named(names, axis_last, where);
  if (!first.empty() && !last.empty())
    throw InvalidArgument({where, "points", "must be named in one way",
                           "'" + first[0].name + "' with the axis first and '" + last[0].name + "' with the axis last",
                           how_to_name_points});
  std::vector<HeaderPoint>& points = first.empty() ? last : first;
  check_same_axes(points, where);
  return std::move(points);
}

}  // namespace pithball::datasets
