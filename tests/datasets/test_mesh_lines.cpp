// Mesh files beyond plain faces: lines between vertices, continued lines, several solids, numbers in one line.

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/mesh/mesh_reader.hpp"
#include "tests/datasets/sound_mesh.hpp"
#include "tests/datasets/temporary_folder.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;

namespace {

using Pairs = std::vector<std::pair<Index, Index>>;

Pairs springs_of(const Mesh& mesh) {
  Pairs pairs;
  for (const auto& [i, j] : mesh.springs) pairs.emplace_back(i, j);
  return pairs;
}

const std::string three_points = "v 0 0 0\nv 1 0 0\nv 2 0 0\n";
const std::string square_points = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

/// The head of a text PLY with this many vertices and edges, and faces where there are some.
std::string ply_head(int vertices, int faces, int edges, const std::string& comment = "") {
  std::string head = "ply\nformat ascii 1.0\n" + comment + "element vertex " + std::to_string(vertices) +
                     "\nproperty float x\nproperty float y\nproperty float z\n";
  if (faces > 0) head += "element face " + std::to_string(faces) + "\nproperty list uchar int vertex_indices\n";
  return head + "element edge " + std::to_string(edges) + "\nproperty int vertex1\nproperty int vertex2\nend_header\n";
}

/// A facet of a text STL at a height.
std::string facet_at(int z) {
  const std::string height = " " + std::to_string(z) + "\n";
  return "facet normal 0 0 1\nouter loop\nvertex 0 0" + height + "vertex 1 0" + height + "vertex 0 1" + height +
         "endloop\nendfacet\n";
}

}  // namespace

TEST_CASE("mesh_reader: lines of an OBJ and edges of a PLY are springs, also without a face", "[datasets][mesh]") {
  TemporaryFolder folder;
  const std::string rope_ply = "0 0 0\n1 0 0\n2 0 0\n0 1\n1 2\n";
  const std::string files[] = {
      folder.write("rope.obj", three_points + "l 1 2 3\n"),
      folder.write("windows.obj", "v 0 0 0\r\nv 1 0 0\r\nv 2 0 0\r\nl 1 2\r\nl 2 3\r\n"),
      folder.write("backward.obj", three_points + "l -1 -2 -3\n"),
      folder.write("textured.obj", three_points + "vt 0 0\nl 1/1 2/1 3/1\n"),
      folder.write("ahead.obj", "l 1 2 3\n" + three_points),  // vertices may follow
      folder.write("doubled.obj", three_points + "l 1 2 3\nl 3 2\nl 1 2 1\n"),
      folder.write("rope.ply", ply_head(3, 0, 2) + rope_ply),
      folder.write("doubled.ply", ply_head(3, 0, 4) + rope_ply + "1 0\n2 1\n"),
      folder.write("noface.ply",
                   "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\n"
                   "property double z\nelement face 0\nelement edge 2\nproperty uchar red\n"
                   "property ushort vertex2\nproperty ushort vertex1\nend_header\n"
                   "0 0 0\n1 0 0\n2 0 0\n9 0 1\n9 1 2\n"),
  };
  for (const std::string& file : files) {
    INFO(file);
    const Mesh mesh = read_mesh(file);
    check_sound(mesh);
    CHECK(mesh.vertices.cols() == 3);
    CHECK(mesh.vertices.col(2) == Vec3(2, 0, 0));
    CHECK(mesh.faces.empty());
    CHECK(springs_of(mesh) == Pairs{{0, 1}, {1, 2}});
    CHECK(mesh.spring_groups.at("line").size() == 2);
    CHECK(mesh.spring_groups.size() == 1);
  }
}

TEST_CASE("mesh_reader: edges of a binary PLY are springs", "[datasets][mesh]") {
  std::string bytes =
      "ply\nformat binary_big_endian 1.0\nelement edge 1\nproperty uchar vertex1\nproperty int vertex2\n"
      "element vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n";
  bytes += std::string("\x01\x00\x00\x00\x00", 5);  // from 1 to 0
  bytes += std::string(12, '\0') + std::string("\x3f\x80\x00\x00", 4) + std::string(8, '\0');
  TemporaryFolder folder;
  const Mesh mesh = read_mesh(folder.write("b.ply", bytes));
  CHECK(mesh.vertices.col(1) == Vec3(1, 0, 0));
  CHECK(springs_of(mesh) == Pairs{{0, 1}});
}

TEST_CASE("mesh_reader: lines beside faces are springs of their own group, unless a face has them",
          "[datasets][mesh]") {
  TemporaryFolder folder;
  const std::string files[] = {
      folder.write("flag.obj", square_points + "v 2 0 0\nf 1 2 3 4\nl 1 2 5\nl 1 3\n"),
      folder.write("flag.ply", ply_head(5, 1, 3) + "0 0 0\n1 0 0\n1 1 0\n0 1 0\n2 0 0\n4 0 1 2 3\n0 1\n1 4\n0 2\n"),
  };
  for (const std::string& file : files) {
    INFO(file);
    const Mesh mesh = read_mesh(file);
    check_sound(mesh);
    CHECK(mesh.faces.size() == 1);
    CHECK(springs_of(mesh) == Pairs{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {1, 4}, {2, 3}});
    CHECK(mesh.spring_groups.at("edge").size() == 4);
    CHECK(mesh.spring_groups.at("diagonal").size() == 2);
    CHECK(mesh.spring_groups.at("line") == std::vector<Index>{5});
  }
}

TEST_CASE("mesh_reader: where a file says that its lines are all springs, the faces add none", "[datasets][mesh]") {
  TemporaryFolder folder;
  const std::string files[] = {
      folder.write("one.obj", "# pithball: the lines are all springs\n" + square_points + "f 1 2 3 4\nl 1 2\n"),
      folder.write("one.ply", ply_head(4, 1, 1, "comment pithball: the lines are all springs\n") +
                                  "0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n0 1\n"),
  };
  for (const std::string& file : files) {
    INFO(file);
    const Mesh mesh = read_mesh(file);
    CHECK(mesh.faces.size() == 1);
    CHECK(springs_of(mesh) == Pairs{{0, 1}});
  }
}

TEST_CASE("mesh_reader: broken lines are rejected with file, line and remedy", "[datasets][mesh][error]") {
  struct Broken {
    std::string file, content, place, reason;
  };
  const Broken table[] = {
      {"one.obj", three_points + "l 2\n", "one.obj:4", "at least two vertices, got 1"},
      {"none.obj", three_points + "l\n", "none.obj:4", "at least two vertices, got 0"},
      {"same.obj", three_points + "l 1 2 2\n", "same.obj:4", "two different vertices"},
      {"high.obj", three_points + "l 1 2\nl 2 4\n", "high.obj:5 line element", "must be in 1..3, got 4"},
      {"zero.obj", three_points + "l 0 1\n", "zero.obj:4", "must be in 1..3, got 0"},
      {"back.obj", three_points + "l -4 1\n", "back.obj:4", "must be in 1..3, got -4"},
      {"word.obj", three_points + "l 1 two\n", "word.obj:4", "vertices must be whole numbers, as in 'l 1 2 3'"},
      {"points.obj", three_points + "p 1 2 3\n", "points.obj", "must have faces, or lines between vertices"},
      {"novertex.obj", "l 1 2\n", "novertex.obj", "must have vertices"},
      {"high.ply", ply_head(3, 0, 1) + "0 0 0\n1 0 0\n2 0 0\n0 3\n", "high.ply:14 edge 0", "must be in 0..2, got 3"},
      {"same.ply", ply_head(3, 0, 1) + "0 0 0\n1 0 0\n2 0 0\n1 1\n", "same.ply:14 edge 0", "two different vertices"},
      {"cut.ply", ply_head(3, 0, 2) + "0 0 0\n1 0 0\n2 0 0\n0 1\n", "cut.ply:14 edge 1", "the end of the file"},
      {"nothing.ply", ply_head(3, 0, 0) + "0 0 0\n1 0 0\n2 0 0\n", "nothing.ply", "must have faces, or lines"},
      {"ends.ply",
       "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
       "element edge 1\nproperty int from\nproperty int to\nend_header\n0 0 0\n1 0 0\n0 1\n",
       "ends.ply", "must have faces, or lines"},
      {"twice.ply", "ply\nformat ascii 1.0\nelement edge 1\nelement edge 1\nend_header\n", "twice.ply:4",
       "must occur once"},
  };
  TemporaryFolder folder;
  for (const Broken& broken : table) {
    const std::string path = folder.write(broken.file, broken.content);
    const std::string message = complaint_of([&] { read_mesh(path); });
    INFO(broken.file << ": " << message);
    CHECK(message.find(folder.path(broken.place)) == 0);
    CHECK(message.find(broken.reason) != std::string::npos);
    CHECK(message.find("; ") != std::string::npos);
  }
}

TEST_CASE("mesh_reader: a backslash at the end of a line of an OBJ continues it", "[datasets][mesh]") {
  TemporaryFolder folder;
  const auto read = [&](const std::string& text) { return read_mesh(folder.write("a.obj", text)); };
  const std::vector<std::string> same{square_points + "f 1 2 \\\n3 4\n",
                                      square_points + "f 1 2\\\r\n3\\\r\n\\\r\n4\r\n",
                                      square_points + "f \\\n1 2 3 4",
                                      square_points + "\\\nf 1 2 3 4 \\",
                                      "v 0 \\\n0 0\nv 1 0 \\ \n0\nv 1 1 0\nv 0 1 0\nvt 0 \\\n0\nf 1/1 2/1 3/1\\\n4/1\n",
                                      square_points + "g left \\\nright\nf 1 2 3 4\n"};
  for (const std::string& text : same) {
    INFO(text);
    const Mesh mesh = read(text);
    CHECK(mesh.vertices.cols() == 4);
    CHECK(mesh.vertices.col(1) == Vec3(1, 0, 0));
    CHECK(mesh.faces == std::vector<std::vector<Index>>{{0, 1, 2, 3}});
  }
  CHECK(springs_of(read(three_points + "l 1 \\\n2 \\\n3\n")) == Pairs{{0, 1}, {1, 2}});
  // Folders end in a backslash, too.
  const Mesh mesh =
      read("# C:\\meshes\\\nmtllib C:\\meshes\\\n" + square_points + "usemtl dir\\\nf 1 2 3 4\n#\\\nl 1 3\n");
  CHECK(mesh.vertices.cols() == 4);
  CHECK(mesh.faces.size() == 1);
  // An error stands where its statement begins.
  const std::string message = complaint_of([&] { read(square_points + "f 1 2 \\\n3 \\\n9\n"); });
  INFO(message);
  CHECK(message.find("a.obj:5 face: vertex numbers must be in 1..4, got 9") != std::string::npos);
}

TEST_CASE("mesh_reader: corners of an OBJ may be set apart by tabs", "[datasets][mesh]") {
  TemporaryFolder folder;
  const Mesh mesh = read_mesh(folder.write("a.obj", "v\t0\t0\t0\nv\t1\t0\t0\nv\t1\t1\t0\nf\t1/1/1\t2/2/2\t3/3/3\n"));
  CHECK(mesh.faces == std::vector<std::vector<Index>>{{0, 1, 2}});
}

TEST_CASE("mesh_reader: the solids of a text STL are one mesh, whatever their names", "[datasets][mesh]") {
  TemporaryFolder folder;
  const auto read = [&](const std::string& text) { return read_mesh(folder.write("a.stl", text)); };
  const Mesh two = read("solid lower\n" + facet_at(0) + "endsolid lower\nsolid upper\n" + facet_at(1) + "endsolid\n");
  CHECK(two.vertices.cols() == 6);
  CHECK(two.faces.size() == 2);
  // Names may be words of the format; equal corners of two solids are one vertex.
  const Mesh three = read("solid facet\r\n" + facet_at(0) + "endsolid facet\r\n\nsolid solid\r\n" + facet_at(1) +
                          "endsolid solid\nsolid vertex 1\n" + facet_at(0) + facet_at(2) + "endsolid vertex 1\n");
  CHECK(three.vertices.cols() == 9);
  CHECK(three.faces.size() == 4);
  CHECK(three.faces[2] == std::vector<Index>{0, 1, 2});

  const auto complaint = [&](const std::string& text) { return complaint_of([&] { read(text); }); };
  CHECK(complaint("solid a\n" + facet_at(0) + "solid b\n" + facet_at(1) + "endsolid b\n")
            .find("a.stl:9 solid: must follow the 'endsolid'") != std::string::npos);
  CHECK(complaint("solid a\n" + facet_at(0) + "endsolid a\nsolid b\n" + facet_at(1)).find("must end with 'endsolid'") !=
        std::string::npos);
  CHECK(complaint("solid a\nendsolid a\nsolid b\nendsolid b\n").find("must have faces") != std::string::npos);
}

TEST_CASE("mesh_reader: a binary STL may be titled 'solid'", "[datasets][mesh]") {
  std::string bytes = "solid exported by hand";
  bytes.resize(80, ' ');
  bytes += std::string("\x01\x00\x00\x00", 4) + std::string(12, '\0');
  for (const float value : {0.0F, 0.0F, 0.0F, 1.0F, 0.0F, 0.0F, 0.0F, 1.0F, 0.0F})
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  bytes.append(2, '\0');
  TemporaryFolder folder;
  CHECK(read_mesh(folder.write("t.stl", bytes)).vertices.cols() == 3);
}

TEST_CASE("mesh_reader: the lines of an OFF file may end anywhere", "[datasets][mesh]") {
  TemporaryFolder folder;
  const auto read = [&](const std::string& text) { return read_mesh(folder.write("a.off", text)); };
  const std::string points = "0\t0\t0\t1\t0\t0\t1\t1\t0\t0\t1\t0", faces = "3\t0\t1\t2\t3\t0\t2\t3";
  for (const std::string& text :
       {"OFF\t4\t2\t0\t" + points + "\t" + faces, "OFF\n4 2 0\n" + points + "\n" + faces + "\n",
        "OFF\r\n4 2 5 # counts\r\n" + points + " " + faces + "\r\n",
        std::string("OFF 4 2 0\n0 0\n0 1 0 0 # half\n1 1 0\n\n0 1 0 3\n0 1 2 3 0\n2 3\n"),
        std::string("OFF\n4 2 0\n0\n0\n0\n1\n0\n0\n1\n1\n0\n0\n1\n0\n3\n0\n1\n2\n3\n0\n2\n3\n"),
        std::string("4OFF 4 2 0 0 0 0 1 2 0 0 2 1 1 0 1 0 1 0 1 ") + faces}) {
    INFO(text);
    const Mesh mesh = read(text);
    CHECK(mesh.vertices.cols() == 4);
    CHECK(mesh.vertices.col(1) == Vec3(1, 0, 0));
    CHECK(mesh.vertices.col(3) == Vec3(0, 1, 0));
    CHECK(mesh.faces == std::vector<std::vector<Index>>{{0, 1, 2}, {0, 2, 3}});
  }
  const auto complaint = [&](const std::string& text) { return complaint_of([&] { read(text); }); };
  CHECK(complaint("OFF 4 2 0 " + points + " 3 0 1 2").find("face 1 of 2, got the end of the file") !=
        std::string::npos);
  CHECK(complaint("OFF 4 2 0 " + points + " 3 0 1 2 3 0 2").find("face 1 of 2, got the end") != std::string::npos);
  CHECK(complaint("OFF 4 2 0 0 0 0 1 0 nan " + faces).find("finite numbers, got 'nan'") != std::string::npos);
  CHECK(complaint("OFF 4 2 0 " + points + " " + faces + " 7").find("must end with its last face") != std::string::npos);
  CHECK(complaint("OFF 4 2 0 " + points + " 3 0 1 2 3 0 2 4").find("must be in 0..3") != std::string::npos);
  CHECK(complaint("OFF 9223372036854775807 9223372036854775807 0 1 2 3").find("vertex 1 of") != std::string::npos);
  // Colors end with their line, of which none is missing here, or one is.
  CHECK(read("OFF\n3 1 0\n0 0 0 255 0 0\n1 0 0 255 0 0\n0 1 0 255 0 0\n3 0 1 2 9 9 9\n").vertices.col(1) ==
        Vec3(1, 0, 0));
  CHECK(complaint("OFF\n3 1 0\n0 0 0 255 0 0\n1 0 0 255 0 0\n0 1 0 255 0 0\n").find("face 0 of 1") !=
        std::string::npos);
}
