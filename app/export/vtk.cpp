#include "app/export/vtk.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "app/export/export_format.hpp"

namespace pithball::app {

std::string comment_line(std::string text) {
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (static_cast<unsigned char>(text[k]) < ' ') text[k] = ' ';
    if (text[k] == '-' && k > 0 && text[k - 1] == '-') text[k] = '_';
  }
  return text;
}

VtkFile::VtkFile(const std::string& type, const std::string& comment)
    : text_(fmt::format("<?xml version=\"1.0\"?>\n<!-- {} -->\n<VTKFile type=\"{}\" version=\"1.0\" byte_order=\"{}\" "
                        "header_type=\"UInt64\">\n",
                        comment_line(comment), type,
                        std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian")) {}

void VtkFile::add_bytes(const std::string& name, const char* type, int components, const char* data,
                        std::uint64_t bytes) {
  text_ +=
      fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n",
                  type, name, components, numbers_.size());
  numbers_.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  if (bytes > 0) numbers_.append(data, bytes);
}

void VtkFile::add_array(const std::string& name, int components, const double* data, Index count) {
  add_bytes(name, "Float64", components, reinterpret_cast<const char*>(data), count * sizeof *data);
}

void VtkFile::add_array(const std::string& name, int components, const std::int64_t* data, Index count) {
  add_bytes(name, "Int64", components, reinterpret_cast<const char*>(data), count * sizeof *data);
}

std::string VtkFile::finish() const {
  return text_ + "<AppendedData encoding=\"raw\">\n_" + numbers_ + "\n</AppendedData>\n</VTKFile>\n";
}

namespace {

/// Cells of one kind as VTK stores them: the points of all cells, one cell after the other, and the end of each cell.
struct Cells {
  std::vector<std::int64_t> points, ends;
  template <class Corners>
  void add(const Corners& corners) {
    points.insert(points.end(), corners.begin(), corners.end());
    ends.push_back(points.size());
  }
  void write(const char* kind, VtkFile& file) const {
    file.add(fmt::format("<{}>\n", kind));
    file.add_array("connectivity", 1, points.data(), points.size());
    file.add_array("offsets", 1, ends.data(), ends.size());
    file.add(fmt::format("</{}>\n", kind));
  }
};

/// Data common to all frames.
struct VtkBody {
  Cells vertices, lines, polygons;
  Vector mass, charge, held, stiffness, rest_length;
  explicit VtkBody(const ExportedMotion& motion)
      : mass(motion.model.mass()),
        charge(motion.model.charge()),
        held(motion.particles()),
        stiffness(motion.stiffness()),
        rest_length(motion.rest_length()) {
    for (Index i = 0; i < motion.particles(); ++i) held[i] = motion.model.is_held(i) ? 1 : 0;
    for (const sim::Spring& spring : motion.model.springs()) lines.add(std::array<Index, 2>{spring.i, spring.j});
    for (const auto& face : motion.faces) polygons.add(face);
    if (lines.ends.empty() && polygons.ends.empty())  // without a cell, nothing is drawn
      for (Index i = 0; i < motion.particles(); ++i) vertices.add(std::array<Index, 1>{i});
  }
  Index cells() const { return vertices.ends.size() + lines.ends.size() + polygons.ends.size(); }

  /// Returns one number for each cell. VTK numbers cells by kind: vertices, lines, polygons; only lines have these
  /// values.
  Vector of_cells(const Vector& springs) const {
    Vector values = Vector::Constant(cells(), std::numeric_limits<double>::quiet_NaN());
    values.segment(vertices.ends.size(), springs.size()) = springs;
    return values;
  }
};

/// Returns l/l0 − 1 of each spring; NaN where l0 = 0.
Vector strain(const ExportedMotion& motion, const Vector& rest_length, const Points& x) {
  Vector strain(rest_length.size());
  Index e = 0;
  for (const sim::Spring& spring : motion.model.springs()) {
    const double l0 = rest_length[e];
    strain[e++] =
        l0 > 0 ? (x.col(spring.i) - x.col(spring.j)).norm() / l0 - 1 : std::numeric_limits<double>::quiet_NaN();
  }
  return strain;
}

std::string frame(const ExportedMotion& motion, const VtkBody& body, const sim::State& s) {
  VtkFile file("PolyData",
               fmt::format("{} at t = {} s; positions [m], velocity and speed [m/s], charge [C], mass [kg], stiffness "
                           "[N/m], rest_length [m]; strain, stiffness, rest_length: of springs, nan elsewhere",
                           motion.name, s.t));
  file.add(fmt::format(
      "<PolyData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" "
      "NumberOfPolys=\"{}\">\n",
      s.x.cols(), body.vertices.ends.size(), body.lines.ends.size(), body.polygons.ends.size()));
  const Vector speed = s.v.colwise().norm();
  file.add("<PointData Scalars=\"speed\" Vectors=\"velocity\">\n");
  file.add_array("velocity", 3, s.v.data(), s.v.size());
  const auto add = [&](const char* name, const Vector& values) {
    file.add_array(name, 1, values.data(), values.size());
  };
  add("speed", speed);
  add("charge", body.charge);
  add("mass", body.mass);
  add("held", body.held);
  if (motion.come_and_go()) {
    const sim::Roster& roster = *motion.first.roster;
    const Index n = roster.size();
    const auto at = [](const auto& list, Index p) { return list[p]; };
    add("id", Vector::NullaryExpr(n, [&](Index p) { return at(roster.id, p); }));
    add("age", Vector::NullaryExpr(n, [&](Index p) { return s.t - at(roster.birth_time, p); }));
    for (std::size_t a = 0; a < motion.attributes.size(); ++a)
      add(motion.attributes[a].c_str(), roster.attributes.row(a).transpose());
  }
  file.add("</PointData>\n<CellData Scalars=\"strain\">\n");
  add("strain", body.of_cells(strain(motion, body.rest_length, s.x)));
  add("stiffness", body.of_cells(body.stiffness));
  add("rest_length", body.of_cells(body.rest_length));
  file.add("</CellData>\n<Points>\n");
  file.add_array("points", 3, s.x.data(), s.x.size());
  file.add("</Points>\n");
  body.vertices.write("Verts", file);
  body.lines.write("Lines", file);
  body.polygons.write("Polys", file);
  file.add("</Piece>\n</PolyData>\n");
  return file.finish();
}

}  // namespace

ExportResult export_vtk(const ExportedMotion& motion, const ExportChoices&, NewFolder& folder, Progress& progress) {
  std::optional<VtkBody> body;
  if (!motion.come_and_go() && !motion.changes()) body.emplace(motion);
  std::string series = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n";
  datasets::H5mdPages states = motion.states();
  for (std::size_t k = 0; k < states.size(); ++k) {
    const std::string name = fmt::format("{}_{:05}.vtp", motion.name, k);
    if (body) {
      folder.write(name, frame(motion, *body, states[k].state));
    } else {
      const ExportedMotion present = motion.present(states[k]);
      folder.write(name, frame(present, VtkBody(present), present.first.state));
    }
    series += fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", motion.time[k], name);
    progress.update(k + 1);
  }
  const std::string list = motion.name + ".pvd";
  folder.write(list, series + "</Collection>\n</VTKFile>\n");
  return {list, {}};
}

}  // namespace pithball::app
