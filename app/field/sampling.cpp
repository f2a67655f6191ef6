#include "app/field/sampling.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <vector>

#include "app/export/vtk.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

/// Reads comma-separated finite numbers.
std::vector<double> read_numbers(const std::string& option, const std::string& text, std::size_t count,
                                 const std::string& required, const std::string& remedy) {
  std::vector<double> numbers;
  std::istringstream cells(text + ",");
  for (std::string cell; std::getline(cells, cell, ',');) {
    const std::size_t begin = cell.find_first_not_of(' '), end = cell.find_last_not_of(' ');
    const std::string bare = begin == std::string::npos ? "" : cell.substr(begin, end - begin + 1);
    numbers.push_back(datasets::parse_number(bare).value_or(NAN));
  }
  bool good = numbers.size() == count;
  for (const double value : numbers) good = good && std::isfinite(value);
  if (!good) throw InvalidArgument({option, "", required, "'" + text + "'", remedy});
  return numbers;
}

/// Reads two points from six numbers.
std::array<Vec3, 2> read_points(const std::string& option, const std::string& text) {
  const auto v = read_numbers(option, text, 6, "must be two points x0,y0,z0,x1,y1,z1 [m]",
                              "write six numbers with commas between them, such as 0,0,0,1,1,1");
  return {Vec3(v[0], v[1], v[2]), Vec3(v[3], v[4], v[5])};
}

}  // namespace

Vec3 Sampling::spacing() const {
  Vec3 result = Vec3::Ones();
  for (Index a = 0; a < 3; ++a) {
    const Index count = counts[a];
    if (count > 1) result[a] = (last[a] - first[a]) / (count - 1);
  }
  return result;
}

Vec3 Sampling::origin() const {
  Vec3 result = first;
  for (Index a = 0; a < 3; ++a)
    if (counts[a] == 1) result[a] = 0.5 * (first[a] + last[a]);
  return result;
}

Points Sampling::points() const {
  Points x(3, size());
  if (is_line) {
    for (Index k = 0; k < size(); ++k)
      x.col(k) = first + static_cast<double>(k) / static_cast<double>(size() - 1) * (last - first);
    return x;
  }
  const Vec3 start = origin(), step = spacing();
  Index place = 0;
  for (Index c = 0; c < counts[2]; ++c)
    for (Index b = 0; b < counts[1]; ++b)
      for (Index a = 0; a < counts[0]; ++a) x.col(place++) = start + step.cwiseProduct(Vec3(a, b, c));
  return x;
}

Sampling grid_around(const Points& x, const std::array<Index, 3>& counts) {
  const Vec3 low = x.rowwise().minCoeff(), high = x.rowwise().maxCoeff();
  const double side = (high - low).maxCoeff(), room = side > 0 ? 0.25 * side : 1.0;
  return {false, counts, low.array() - room, high.array() + room};
}

Sampling read_grid_box(const std::string& box, const std::array<Index, 3>& counts) {
  const auto [low, high] = read_points("--box", box);
  for (Index a = 0; a < 3; ++a)
    if (!(counts[a] > 1 ? low[a] < high[a] : low[a] <= high[a]))
      throw InvalidArgument({"--box", "", fmt::format("must be larger in its second corner along {}", "xyz"[a]),
                             fmt::format("{} to {} m", low[a], high[a]),
                             "give the smallest corner first; for a plane, set its number of points in --grid to 1"});
  return {false, counts, low, high};
}

Sampling read_line(const std::string& line, Index samples) {
  const auto [from, to] = read_points("--line", line);
  if (from == to)
    throw InvalidArgument({"--line", "", "must join two different points", "'" + line + "'", "move one of them"});
  return {true, {samples, 1, 1}, from, to};
}

std::array<Index, 3> read_grid_counts(const std::string& text) {
  const char* const required = "must be three numbers of points along x, y, z, each >= 1, together at most 1e8";
  const char* const remedy = "write whole numbers such as 64,64,64, or 200,1,200 for a plane";
  const auto numbers = read_numbers("--grid", text, 3, required, remedy);
  std::array<Index, 3> counts{};
  double product = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    product *= numbers[a];
    if (numbers[a] < 1 || numbers[a] != std::floor(numbers[a]) || product > 1e8)
      throw InvalidArgument({"--grid", "", required, "'" + text + "'", remedy});
    counts[a] = static_cast<Index>(numbers[a]);
  }
  return counts;
}

namespace {

std::string ending_of(const std::string& file) { return std::filesystem::path(file).extension().string(); }

std::string csv(const std::string& title, const Points& x, const FieldSamples& samples) {
  std::string text = fmt::format(
      "# {}\n"
      "# x, y, z [m], {}ex, ey, ez [V/m]; nan: the point is on a charge, behind an image plane or outside a table\n",
      title, samples.has_potential ? "potential [V], " : "");
  text += samples.has_potential ? "x,y,z,potential,ex,ey,ez\n" : "x,y,z,ex,ey,ez\n";
  auto out = std::back_inserter(text);
  for (Index k = 0; k < x.cols(); ++k) {
    const auto e = samples.field.col(k);
    fmt::format_to(out, "{},{},{}", x(0, k), x(1, k), x(2, k));
    if (samples.has_potential) fmt::format_to(out, ",{}", samples.potential[k]);
    fmt::format_to(out, ",{},{},{}\n", e[0], e[1], e[2]);
  }
  return text;
}

VtkFile vtk_file(const char* type, const std::string& title) {
  return VtkFile(type, title +
                           "; potential [V], field [V/m], lengths [m]; nan: the point is on a charge, behind an image "
                           "plane or outside a "
                           "table");
}

void add_samples(VtkFile& file, const FieldSamples& samples) {
  file.add(fmt::format("<PointData {}Vectors=\"field\">\n", samples.has_potential ? "Scalars=\"potential\" " : ""));
  if (samples.has_potential) file.add_array("potential", 1, samples.potential.data(), samples.potential.size());
  file.add_array("field", 3, samples.field.data(), samples.field.size());
  file.add("</PointData>\n");
}

std::string image_data(const std::string& title, const Sampling& sampling, const FieldSamples& samples) {
  const Vec3 origin = sampling.origin(), spacing = sampling.spacing();
  const std::string extent =
      fmt::format("0 {} 0 {} 0 {}", sampling.counts[0] - 1, sampling.counts[1] - 1, sampling.counts[2] - 1);
  VtkFile file = vtk_file("ImageData", title);
  file.add(
      fmt::format("<ImageData WholeExtent=\"{0}\" Origin=\"{1} {2} {3}\" Spacing=\"{4} {5} {6}\">\n<Piece "
                  "Extent=\"{0}\">\n",
                  extent, origin[0], origin[1], origin[2], spacing[0], spacing[1], spacing[2]));
  add_samples(file, samples);
  file.add("</Piece>\n</ImageData>\n");
  return file.finish();
}

std::string poly_data(const std::string& title, const Points& x, const FieldSamples& samples) {
  std::vector<std::int64_t> order;
  for (Index k = 0; k < x.cols(); ++k) order.push_back(k);
  const std::int64_t end = x.cols();
  VtkFile file = vtk_file("PolyData", title);
  file.add(
      fmt::format("<PolyData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"1\" "
                  "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n",
                  x.cols()));
  add_samples(file, samples);
  file.add("<Points>\n");
  file.add_array("points", 3, x.data(), x.size());
  file.add("</Points>\n<Lines>\n");
  file.add_array("connectivity", 1, order.data(), end);
  file.add_array("offsets", 1, &end, 1);
  file.add("</Lines>\n</Piece>\n</PolyData>\n");
  return file.finish();
}

}  // namespace

void require_field_format(const std::string& file, bool is_line) {
  const std::string ending = ending_of(file), vtk = is_line ? ".vtp" : ".vti";
  if (ending != ".csv" && ending != vtk)
    throw InvalidArgument({"--out", "", fmt::format("must end in {} or .csv for a {}", vtk, is_line ? "line" : "grid"),
                           "'" + file + "'", "rename it"});
}

std::string field_file(const std::string& file, const std::string& title, const Sampling& sampling,
                       const FieldSamples& samples) {
  if (ending_of(file) == ".csv") return csv(comment_line(title), sampling.points(), samples);
  return sampling.is_line ? poly_data(title, sampling.points(), samples) : image_data(title, sampling, samples);
}

}  // namespace pithball::app
