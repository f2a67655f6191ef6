#include "app/field/field_writer.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <vector>

#include "app/export/vtk_file.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
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
