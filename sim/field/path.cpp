#include "sim/field/path.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "sim/core/error.hpp"
#include "sim/core/settings.hpp"

namespace pithball::sim {
namespace {

/// Derivative at t_0 + s of the parabola through (t_0, p_0), (t_0 + a, p_1), (t_0 + a + b, p_2) (Newton's form).
Vec3 parabola_slope(double a, double b, const Vec3& p0, const Vec3& p1, const Vec3& p2, double s) {
  const Vec3 first = (p1 - p0) / a;
  const Vec3 second = ((p2 - p1) / b - first) / (a + b);
  return first + (2 * s - a) * second;
}

void check_knots(const std::vector<double>& times, const std::vector<Vec3>& points) {
  if (times.empty()) throw InvalidArgument({"", "path", "must have at least one point", "0", "give a point"});
  if (times.size() != points.size())
    throw InvalidArgument({"", "path", "must have one time for each point",
                           std::to_string(times.size()) + " times and " + std::to_string(points.size()) + " points",
                           ""});
  for (std::size_t k = 0; k < times.size(); ++k) {
    const std::string row = "[" + std::to_string(k) + "]";
    if (!std::isfinite(times[k]))
      throw InvalidArgument({"", "path.t" + row, "must be a finite time in s", std::to_string(times[k]), ""});
    if (!points[k].allFinite())
      throw InvalidArgument({"", "path.point" + row, "must have finite coordinates in m", "nan or inf", ""});
    if (k > 0 && !(times[k] > times[k - 1]))
      throw InvalidArgument({"", "path.t" + row, "must be later than the time before, " + std::to_string(times[k - 1]),
                             std::to_string(times[k]), "sort the rows by time and remove repeated times"});
  }
}

/// Returns the shortest text that represents the value exactly: "0.25", "1e-05".
std::string all_digits(double value) {
  const double size = std::abs(value);
  const auto form =
      value == 0 || (size >= 1e-4 && size < 1e16) ? std::chars_format::fixed : std::chars_format::scientific;
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value, form).ptr};
}

/// Reads the motion from a table of t, x, y, z.
Path path_of(const NumberTable& table) {
  std::vector<double> times;
  std::vector<Vec3> points;
  for (Index row = 0; row < table.numbers.rows(); ++row) {
    const double time = table.numbers(row, 0);
    const Vec3 point = table.numbers.row(row).tail<3>();
    if (!std::isfinite(time) || !point.allFinite())
      throw InvalidArgument(
          {table.row_place(row), "", "a path must have a position at each time", "an empty cell", "remove the row"});
    if (!times.empty() && !(time > times.back()))
      throw InvalidArgument({table.place(row, 0), "t", "times must increase",
                             all_digits(time) + " after " + all_digits(times.back()),
                             "sort the rows, remove repeated ones"});
    times.push_back(time);
    points.push_back(point);
  }
  if (times.size() < 2)
    throw InvalidArgument({table.file, "", "a path must have at least two times", std::to_string(times.size()),
                           "write a point [x, y, z] for a constant position"});
  return {std::move(times), std::move(points)};
}

}  // namespace

Path ask_path(Settings& settings, std::string_view key, std::string_view meaning) {
  if (settings.describing()) {
    settings.document(key, "point [x, y, z] [m] or {file: name.csv} with columns t, x, y, z", "required", meaning);
    return Path(Vec3(Vec3::Zero()));
  }
  if (settings.written(key) != Settings::Written::Mapping) return Path(settings.vector(key, "m", meaning));
  return path_of(settings.below(key)->table("file", meaning, {"t", "x", "y", "z"}, "a path"));
}

Path::Path(std::vector<double> times, std::vector<Vec3> points) : times_(std::move(times)), points_(std::move(points)) {
  check_knots(times_, points_);
  const std::size_t n = times_.size();
  tangents_.assign(n, Vec3::Zero());
  if (n == 2) tangents_.assign(2, (points_[1] - points_[0]) / (times_[1] - times_[0]));
  for (std::size_t k = 0; n > 2 && k < n; ++k) {
    const std::size_t first = std::min(std::max<std::size_t>(k, 1) - 1, n - 3);
    tangents_[k] = parabola_slope(times_[first + 1] - times_[first], times_[first + 2] - times_[first + 1],
                                  points_[first], points_[first + 1], points_[first + 2], times_[k] - times_[first]);
  }
}

void Path::add_course(double from, double to, TimeCourse& course) const {
  if (!moves() || to < times_.front() || from > times_.back()) return;
  course.varies = true;
  const auto first = std::lower_bound(times_.begin(), times_.end(), from),
             last = std::upper_bound(first, times_.end(), to);
  for (auto t = first; t != last; ++t) course.switches.push_back({*t, Switch::Kind::Knot});
}

Path Path::moved_by(const Vec3& shift) const {
  std::vector<Vec3> moved = points_;
  for (Vec3& point : moved) point += shift;
  return {times_, std::move(moved)};
}

Vec3 Path::position(double t) const {
  if (t <= times_.front()) return points_.front();
  if (t >= times_.back()) return points_.back();
  const auto k = static_cast<std::size_t>(std::upper_bound(times_.begin(), times_.end(), t) - times_.begin()) - 1;
  const double h = times_[k + 1] - times_[k], s = (t - times_[k]) / h, r = 1 - s;
  return r * r * ((1 + 2 * s) * points_[k] + s * h * tangents_[k]) +
         s * s * ((1 + 2 * r) * points_[k + 1] - r * h * tangents_[k + 1]);
}

Vec3 Path::velocity(double t) const {
  if (t < times_.front() || t > times_.back() || !moves()) return Vec3::Zero();
  const auto after = std::upper_bound(times_.begin(), times_.end(), t) - times_.begin();
  const std::size_t k = std::min(static_cast<std::size_t>(after), times_.size() - 1) - 1;
  const double h = times_[k + 1] - times_[k], s = (t - times_[k]) / h, r = 1 - s;
  return 6 * r * s / h * (points_[k + 1] - points_[k]) + r * (1 - 3 * s) * tangents_[k] +
         s * (1 - 3 * r) * tangents_[k + 1];
}

}  // namespace pithball::sim
