#include "datasets/mesh/mesh_reader.hpp"

#include <CGAL/IO/OFF.h>
#include <CGAL/IO/PLY.h>
#include <CGAL/IO/STL.h>
#include <CGAL/Simple_cartesian.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>

#include "datasets/mesh/mesh_springs.hpp"
#include "datasets/mesh/mesh_syntax.hpp"
#include "datasets/mesh/obj_syntax.hpp"
#include "datasets/mesh/ply_syntax.hpp"
#include "datasets/text/foreign_file.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

namespace {

using Point = CGAL::Simple_cartesian<double>::Point_3;

struct Soup {
  std::vector<Point> points;
  std::vector<std::vector<std::size_t>> polygons;
};

std::string ending_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

/// Checks the triangles of a binary STL: a normal, three corners and two bytes each.
void check_triangles(const std::string& path, const std::string& text, std::uint32_t triangles) {
  for (std::uint32_t t = 0; t < triangles; ++t)
    for (std::size_t k = 3; k < 12; ++k) {
      float value = 0;
      std::memcpy(&value, text.data() + 84 + 50 * static_cast<std::size_t>(t) + 4 * k, sizeof value);
      if (!std::isfinite(value))
        throw InvalidArgument({path, "triangle " + std::to_string(t) + " of " + std::to_string(triangles),
                               "coordinates must be finite numbers", std::to_string(value), "export the mesh again"});
    }
}

/// Whether an STL is binary: 80 bytes of title, the number of triangles and 50 bytes for each. Throws InvalidArgument
/// if it is neither binary nor a text.
bool is_binary_stl(const std::string& path, const std::string& text, std::uint32_t& triangles) {
  const bool says_solid = text.starts_with("solid");
  if (text.size() >= 84) {
    std::memcpy(&triangles, text.data() + 80, sizeof triangles);
    const std::size_t expected = 84 + 50 * static_cast<std::size_t>(triangles);
    if (text.size() == expected) return true;
    if (!says_solid) reject_foreign(path, text, FileUse::Mesh);
    if (!says_solid)
      throw InvalidArgument({path, "binary STL",
                             "must contain " + std::to_string(triangles) +
                                 (triangles == 1 ? " triangle (" : " triangles (") + std::to_string(expected) +
                                 " bytes)",
                             std::to_string(text.size()) + " bytes", "the file is damaged; export it again"});
  }
  if (!says_solid) reject_foreign(path, text, FileUse::Mesh);
  if (!says_solid)
    throw InvalidArgument(
        {path, "STL file", "must start with 'solid' or be binary", "neither", "export the mesh again"});
  return false;
}

/// Checks a text file and returns it in the form passed to CGAL, with its solids merged into one without a name,
/// because names may be any words.
PlainMesh check_stl(const std::string& path, std::string text) {
  std::uint32_t triangles = 0;
  if (is_binary_stl(path, text, triangles)) {
    check_triangles(path, text, triangles);
    return {{-1, triangles, -1}, std::move(text)};
  }
  const auto lines = split_lines(text);
  PlainMesh mesh{{-1, 0, -1}, "solid\n"};
  int corners = 0;  // of the facet
  bool open = false;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    const auto words = split_words(lines[n]);
    if (words.empty()) continue;
    if (words[0] == "solid" || words[0] == "endsolid") {
      if (open && words[0] == "solid")
        throw InvalidArgument({place(path, n), "solid", "must follow the 'endsolid' of the one before", "none",
                               "the file is damaged; export it again"});
      open = words[0] == "solid";
    } else if (words[0] == "endfacet") {
      if (corners != 3)
        throw InvalidArgument({place(path, n), "facet", "must have three vertices", std::to_string(corners),
                               "correct the facet or export the mesh again"});
      ++mesh.counts.faces;
      corners = 0;
      mesh.text += "endfacet\n";
    } else if (words[0] == "vertex") {
      if (corners++ == 0) mesh.text += "facet\n";
      for (std::size_t k = 1; k < 4; ++k) {
        const auto value = k < words.size() ? parse_number(words[k]) : std::nullopt;
        if (!value || !std::isfinite(*value))
          throw InvalidArgument({place(path, n), "vertex", "must have three finite coordinates",
                                 "'" + std::string(trim(lines[n])) + "'", "correct the line or export the mesh again"});
      }
      add_words(mesh.text, words, 0, 4);
    }
  }
  if (open)
    throw InvalidArgument({place(path, lines.size() - 1), "STL file", "must end with 'endsolid'", "the end of the file",
                           "the file is truncated; export it again"});
  mesh.text += "endsolid\n";
  return mesh;
}

/// Checks properties that only parsing reveals: counts, and the indices and numbers of formats whose text is not
/// checked beforehand.
void check_soup(const std::string& path, const Soup& soup, const MeshCounts& counts) {
  if (soup.points.empty()) throw InvalidArgument({path, "mesh", "must have vertices", "none", "export the mesh again"});
  std::size_t corners = 0;
  for (const auto& polygon : soup.polygons) corners += polygon.size();
  const auto differs = [](Index expected, std::size_t got) {
    return expected >= 0 && static_cast<std::size_t>(expected) != got;
  };
  if (differs(counts.vertices, soup.points.size()) || differs(counts.faces, soup.polygons.size()) ||
      differs(counts.corners, corners))
    throw InvalidArgument({path, "mesh",
                           "must have the numbers of vertices and faces in its text, " +
                               std::to_string(counts.vertices) + " and " + std::to_string(counts.faces),
                           std::to_string(soup.points.size()) + " and " + std::to_string(soup.polygons.size()),
                           "the file is truncated or damaged; export it again"});
  for (std::size_t v = 0; v < soup.points.size(); ++v)
    for (int a = 0; a < 3; ++a)
      if (!std::isfinite(soup.points[v][a]))
        throw InvalidArgument({path, "vertex " + std::to_string(v), "coordinates must be finite numbers",
                               std::to_string(soup.points[v][a]), "export the mesh again"});
  for (std::size_t f = 0; f < soup.polygons.size(); ++f) {
    const auto& polygon = soup.polygons[f];
    const std::string name = "face " + std::to_string(f);
    for (const std::size_t v : polygon)
      if (v >= soup.points.size())
        throw InvalidArgument({path, name, "vertex numbers must be in 0.." + std::to_string(soup.points.size() - 1),
                               std::to_string(v), "export the mesh again"});
    if (polygon.size() < 3)
      throw InvalidArgument({path, name, "must have at least three corners", std::to_string(polygon.size()),
                             "remove the degenerate face"});
    if (std::set<std::size_t>(polygon.begin(), polygon.end()).size() != polygon.size())
      throw InvalidArgument(
          {path, name, "must not repeat a vertex", "a repeated vertex", "remove the degenerate face"});
  }
}

/// Checks the file against the counts that it states; returns the counts and the text for CGAL.
PlainMesh checked(const std::string& path, const std::string& ending, std::string text) {
  if (ending == ".obj") return check_obj(path, text);
  if (ending == ".off") return check_off(path, text);
  if (ending == ".ply") return check_ply(path, text);
  return check_stl(path, std::move(text));
}

/// Returns whether CGAL could read the text; it gives no reason if not.
bool read_soup(const std::string& ending, const std::string& text, Soup& soup) {
  std::istringstream in(text, std::ios::binary);
  const auto silent = CGAL::parameters::verbose(false);
  try {
    if (ending == ".obj" || ending == ".off") return CGAL::IO::read_OFF(in, soup.points, soup.polygons, silent);
    if (ending == ".ply") return CGAL::IO::read_PLY(in, soup.points, soup.polygons, silent);
    return CGAL::IO::read_STL(in, soup.points, soup.polygons, silent);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

const std::vector<std::string>& mesh_file_endings() {
  static const std::vector<std::string> endings{".obj", ".off", ".ply", ".stl"};
  return endings;
}

Mesh read_mesh(const std::string& path) {
  const std::string ending = ending_of(path);
  const auto& known = mesh_file_endings();
  if (ending != ".stl") reject_foreign_file(path, FileUse::Mesh);  // the title of a binary STL may be anything
  if (std::find(known.begin(), known.end(), ending) == known.end())
    throw InvalidArgument({path, "mesh file", "must end in .obj, .off, .ply or .stl",
                           ending.empty() ? "no ending" : ending,
                           "convert the mesh to one of these, for example with Blender or meshio"});
  const PlainMesh plain = checked(path, ending, read_text_file(path, "mesh"));
  if (plain.counts.vertices == 0)
    throw InvalidArgument({path, "mesh", "must have vertices", "none", "export the mesh again"});
  if (plain.counts.faces == 0 && plain.lines.empty())
    throw InvalidArgument({path, "mesh", "must have faces, or lines between vertices (OBJ `l`, PLY edges)", "none",
                           "give loose points under system.vertices"});

  Soup soup;
  if (!read_soup(ending, plain.text, soup))
    throw InvalidArgument({path, "mesh", "must be a whole " + ending.substr(1) + " file", "content that is none",
                           "the file is truncated or damaged; export it again"});
  check_soup(path, soup, plain.counts);

  Mesh mesh;
  mesh.vertices.resize(3, soup.points.size());
  for (std::size_t v = 0; v < soup.points.size(); ++v)
    mesh.vertices.col(v) << soup.points[v].x(), soup.points[v].y(), soup.points[v].z();
  for (const auto& polygon : soup.polygons) mesh.faces.emplace_back(polygon.begin(), polygon.end());
  SpringBuilder springs;
  if (!plain.lines_are_all) springs.add_faces(mesh.faces);
  for (const auto& [i, j] : plain.lines) springs.add(i, j, "line");
  springs.give_to(mesh);
  return mesh;
}

}  // namespace pithball::datasets
