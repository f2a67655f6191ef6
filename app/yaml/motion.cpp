#include "app/yaml/motion.hpp"

#include <fmt/format.h>

#include <cmath>

#include "app/yaml/file_name.hpp"
#include "datasets/text/csv_table.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

Motion read_motion_file(const std::string& file) {
  const datasets::CsvTable table(file, 1, 0);
  const Index t = table.find_column("t", "a path"), x = table.find_column("x", "a path"),
              y = table.find_column("y", "a path"), z = table.find_column("z", "a path");
  Motion motion;
  for (Index row = 0; row < table.rows(); ++row) {
    const double time = table.number(row, t);
    const Vec3 point(table.number(row, x), table.number(row, y), table.number(row, z));
    if (!std::isfinite(time) || !point.allFinite())
      throw InvalidArgument(
          {table.where(row), "", "a path must be known at each of its instants", "an empty cell", "remove the row"});
    if (!motion.times.empty() && !(time > motion.times.back()))
      throw InvalidArgument({table.where(row, t), "t", "times must increase",
                             fmt::format("{} after {}", time, motion.times.back()),
                             "sort the rows, remove repeated ones"});
    motion.times.push_back(time);
    motion.points.push_back(point);
  }
  if (motion.times.size() < 2)
    throw InvalidArgument({file, "", "a path must have at least two instants", fmt::format("{}", motion.times.size()),
                           "write a point [x, y, z] for one at rest"});
  return motion;
}

}  // namespace

sim::Path Motion::path(const Vec3& shift) const {
  if (times.empty()) return sim::Path(Vec3(points.front() + shift));
  std::vector<Vec3> moved = points;
  for (Vec3& point : moved) point += shift;
  return sim::Path(times, moved);
}

Motion read_motion(Node& node, std::string_view key, std::string_view meaning) {
  if (node.describing()) {
    node.document(key, "point [x, y, z] [m] or {file: name.csv} with columns t, x, y, z", "required", meaning);
    return {{}, {Vec3::Zero()}};
  }
  if (!node.is_map(key)) return {{}, {node.vector(key, "m", meaning)}};
  Node source = node.form(key);
  return read_motion_file(read_file_name(source, "file", meaning).string());
}

}  // namespace pithball::app
