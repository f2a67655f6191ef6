#include "experiments/captured/ion_trap_pair/grains.hpp"

#include <cmath>

#include "datasets/text/csv_table.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments::ion_trap_pair {
namespace {

/// Columns of a table without a header.
std::array<Vector, 2> two_columns(const std::string& file) {
  const datasets::CsvTable table(file, 0, 0);
  if (table.columns() != 2)
    throw InvalidArgument(
        {file, "", "must have two columns", std::to_string(table.columns()), "take the published file"});
  std::array<Vector, 2> columns{Vector(table.rows()), Vector(table.rows())};
  for (Index row = 0; row < table.rows(); ++row)
    for (std::size_t c = 0; c < 2; ++c) columns[c][row] = table.number(row, c);
  return columns;
}

}  // namespace

Grains::Rest Grains::rest(std::size_t grain) const {
  const auto x = position[grain].head(frames_before_switch).array();
  const double n = frames_before_switch, mean = x.mean();
  return {mean, std::sqrt((x - mean).square().sum() / (n - 1) / n)};
}

sim::CubicSpline Grains::smooth_potential(std::size_t table, double spacing) const {
  return sim::CubicSpline::smooth(nodes[table], potential[table], spacing);
}

Grains read_grains(const std::string& folder) {
  Grains grains;
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string number = std::to_string(k + 1);
    grains.position[k] = pixel * two_columns(folder + "/NewSplitData" + number + ".txt")[1];
    const auto table = two_columns(folder + "/COMSOLSplit" + number + ".txt");
    constexpr double middle = 0.06;  // [m]: arc length at the middle of the axis
    grains.nodes[k] = table[0].array() - middle;
    grains.potential[k] = table[1];
  }
  if (grains.position[0].size() != grains.position[1].size() || grains.frames() <= frames_before_switch)
    throw InvalidArgument(
        {folder, "NewSplitData", "must have as many frames for one grain as for the other",
         std::to_string(grains.position[0].size()) + " and " + std::to_string(grains.position[1].size()),
         "take the published files"});
  return grains;
}

std::array<double, 2> balancing_charges(const sim::CubicSpline& potential, double right, double left) {
  const double r = right - left, scale = r * r / sim::coulomb_constant;
  return {-potential.slope(left) * scale, potential.slope(right) * scale};
}

}  // namespace pithball::experiments::ion_trap_pair
