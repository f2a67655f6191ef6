#include "datasets/mesh/mesh_reader.hpp"

#include <cstring>
#include <set>

#include "tests/datasets/temporary_folder.hpp"
#include "tests/support/recordings.hpp"

using namespace pithball::datasets;
using pithball::InvalidArgument;
using namespace pithball::testing;

namespace {

const char* const tetrahedron_obj = R"(# four corners and one vertex that no face uses
mtllib none.mtl
o body
v 0 0 0
v 1 0 0
v 5 5 5
v 0 1 0
v 0 0 1
vt 0 0
vn 0 0 1
usemtl none
s off
f 1/1/1 4/1/1 2/1/1
f 1//1 2//1 5//1
f 2 4 5
f -5 -1 -2
)";

std::string binary_stl(const std::vector<float>& corners) {
  std::string bytes(80, ' ');
  const auto put = [&bytes](const void* from, std::size_t size) { bytes.append(static_cast<const char*>(from), size); };
  const auto triangles = static_cast<std::uint32_t>(corners.size() / 9);
  put(&triangles, 4);
  for (std::uint32_t t = 0; t < triangles; ++t) {
    const float normal[3] = {0, 0, 1};
    put(normal, 12);
    put(&corners[9 * t], 36);
    bytes.append(2, '\0');
  }
  return bytes;
}

std::string binary_ply(float third_z, std::int32_t last_index) {
  std::string bytes =
      "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
      "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
  const auto put = [&bytes](const void* from, std::size_t size) { bytes.append(static_cast<const char*>(from), size); };
  const float points[9] = {0, 0, 0, 1, 0, 0, 0, 1, third_z};
  put(points, sizeof points);
  bytes.push_back(3);
  const std::int32_t face[3] = {0, 1, last_index};
  put(face, sizeof face);
  return bytes;
}

}  // namespace

TEST_CASE("mesh_reader: OBJ keeps vertex identity and order, unused vertices included", "[datasets][mesh]") {
  TemporaryFolder folder;
  const Mesh mesh = read_mesh(folder.write("body.obj", tetrahedron_obj));
  REQUIRE(mesh.vertices.cols() == 5);
  CHECK(mesh.vertices.col(2) == Vec3(5, 5, 5));
  CHECK(mesh.faces.size() == 4);
  CHECK(mesh.faces[3] == std::vector<Index>{0, 4, 3});
  CHECK(mesh.springs.size() == 6);
  CHECK(mesh.spring_groups.at("edge").size() == 6);
  CHECK(mesh.spring_groups.count("diagonal") == 0);
}

TEST_CASE("mesh_reader: every format gives the same square", "[datasets][mesh]") {
  TemporaryFolder folder;
  const auto check_square = [](const Mesh& mesh) {
    CHECK(mesh.vertices.cols() == 4);
    CHECK(mesh.vertices.col(2) == Vec3(1, 1, 0.5));
    CHECK(mesh.springs.size() == 6);
    CHECK(mesh.spring_groups.at("diagonal").size() == 2);
  };
  check_square(read_mesh(folder.write("a.OBJ", "v 0 0 0\r\nv 1 0 0\r\nv 1 1 0.5\r\nv 0 1 0\r\nf 1 2 3 4\r\n")));
  check_square(read_mesh(folder.write("a.off", "OFF # square\n4 1 0\n\n0 0 0\n1 0 0\n1 1 0.5\n0 1 0\n4 0 1 2 3\n")));
  check_square(read_mesh(
      folder.write("a.ply",
                   "ply\nformat ascii 1.0\ncomment x\nelement vertex 4\nproperty double x\nproperty double y\n"
                   "property double z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
                   "0 0 0\n1 0 0\n1 1 0.5\n0 1 0\n4 0 1 2 3\n")));
}

TEST_CASE("mesh_reader: a pentagon keeps its edges only, a shared edge is one spring", "[datasets][mesh]") {
  TemporaryFolder folder;
  const Mesh mesh = read_mesh(
      folder.write("p.off", "OFF\n6 2 0\n0 0 0\n2 0 0\n3 1 0\n1 2 0\n-1 1 0\n1 -2 0\n5 0 1 2 3 4\n3 1 0 5\n"));
  CHECK(mesh.springs.size() == 7);
}

TEST_CASE("mesh_reader: STL corners with equal coordinates become one vertex, in order of appearance",
          "[datasets][mesh]") {
  TemporaryFolder folder;
  const std::vector<float> corners{0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  const Mesh binary = read_mesh(folder.write("b.stl", binary_stl(corners)));
  std::string text = "solid s\n";
  for (std::size_t t = 0; t < 2; ++t) {
    text += "facet normal 0 0 1\nouter loop\n";
    for (std::size_t c = 0; c < 3; ++c) {
      text += "vertex";
      for (std::size_t a = 0; a < 3; ++a) text.append(" ").append(std::to_string(corners[9 * t + 3 * c + a]));
      text += "\n";
    }
    text += "endloop\nendfacet\n";
  }
  const Mesh ascii = read_mesh(folder.write("t.stl", text + "endsolid s\n"));
  for (const Mesh* mesh : {&binary, &ascii}) {
    REQUIRE(mesh->vertices.cols() == 4);
    CHECK(mesh->vertices.col(3) == Vec3(1, 1, 0));
    CHECK(mesh->springs.size() == 5);
  }
}

TEST_CASE("mesh_reader: broken files are rejected with file, line and remedy", "[datasets][mesh][error]") {
  struct Broken {
    std::string file, content, place, reason;
  };
  const std::string square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
  const std::string ply_head =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
      "property list uchar int vertex_indices\nend_header\n";
  const Broken table[] = {
      {"empty.obj", "", "empty.obj", "must not be empty"},
      {"blank.off", "  \n\n", "blank.off", "must not be empty"},
      {"novertex.obj", "# nothing\no body\n", "novertex.obj", "must have vertices"},
      {"noface.obj", square, "noface.obj", "must have faces"},
      {"high.obj", square + "f 1 2 3\nf 1 3 9\n", "high.obj:6", "must be in 1..4, got 9"},
      {"zero.obj", square + "f 0 1 2\n", "zero.obj:5", "must be in 1..4, got 0"},
      {"back.obj", square + "f -5 1 2\n", "back.obj:5", "must be in 1..4, got -5"},
      {"twice.obj", square + "f 1 2 2 3\n", "twice.obj:5", "must not repeat a vertex"},
      {"two.obj", square + "f 1 2\n", "two.obj:5", "at least three corners"},
      {"word.obj", square + "f 1 two 3\n", "word.obj:5", "whole numbers"},
      {"nan.obj", "v 0 0 0\nv 1 nan 0\nv 1 1 0\nf 1 2 3\n", "nan.obj:2", "finite numbers, got 'nan'"},
      {"inf.obj", "v 0 0 0\nv 1 0 inf\nv 1 1 0\nf 1 2 3\n", "inf.obj:2", "finite numbers, got 'inf'"},
      {"short.obj", "v 0 0 0\nv 1 0\nv 1 1 0\nf 1 2 3\n", "short.obj:2", "three coordinates"},
      {"comma.obj", "v 0,1 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n", "comma.obj:1", "finite numbers, got '0,1'"},
      {"junk.obj", "hello\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "junk.obj:1",
       "must begin with a word of OBJ files, such as v or f, got 'hello'"},
      {"noheader.off", "4 1 0\n0 0 0\n", "noheader.off:1", "must be 'OFF'"},
      {"counts.off", "OFF\nfour 1 0\n", "counts.off:2", "counts of vertices and faces"},
      {"cut.off", "OFF\n4 1 0\n0 0 0\n1 0 0\n", "cut.off:4", "vertex 2 of 4, got the end of the file"},
      {"cutface.off", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "cutface.off:6", "face 1 of 2"},
      {"high.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "high.off:6", "must be in 0..2"},
      {"few.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1\n", "few.off:6", "count of corners"},
      {"twice.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 1\n", "twice.off:6", "must not repeat"},
      {"binary.off", "OFF BINARY\nxxxx", "binary.off:1", "text OFF"},
      {"head.ply", "plx\n", "head.ply:1", "must be 'ply'"},
      {"cuthead.ply", "ply\nformat ascii 1.0\nelement vertex 3\n", "cuthead.ply:3", "end_header"},
      {"cut.ply", ply_head + "0 0 0\n1 0 0\n", "cut.ply:11 vertex 2",
       "all numbers that the header announces, got the end"},
      {"high.ply", ply_head + "0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n", "high.ply:13 face 0", "must be in 0..2"},
      {"nan_text.ply", ply_head + "0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n", "nan_text.ply:11 vertex 1",
       "finite numbers, got 'nan'"},
      {"twice.ply", ply_head + "0 0 0\n1 0 0\n0 1 0\n3 0 1 1\n", "twice.ply:13 face 0", "must not repeat"},
      {"nan.ply", binary_ply(NAN, 2), "nan.ply vertex 2", "finite numbers"},
      {"negative.ply", binary_ply(0, -1), "negative.ply face 0", "must be in 0..2"},
      {"cutbinary.ply", binary_ply(0, 2).substr(0, 215), "cutbinary.ply", "export it again"},
      {"novertex.ply", "ply\nformat ascii 1.0\nelement vertex 0\nelement face 0\nend_header\n", "novertex.ply",
       "must have vertices"},
      {"cut.stl", binary_stl({0, 0, 0, 1, 0, 0, 0, 1, 0}).substr(0, 120), "cut.stl", "134 bytes"},
      {"nan.stl", binary_stl({0, 0, 0, 1, 0, NAN, 0, 1, 0}), "nan.stl triangle 0 of 1", "finite"},
      {"flat.stl", binary_stl({0, 0, 0, 1, 0, 0, 1, 0, 0}), "flat.stl face 0", "must not repeat"},
      {"cut_text.stl", "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n", "cut_text.stl:5",
       "endsolid"},
      {"facet.stl", "solid s\nfacet\nvertex 0 0 0\nvertex 1 0 0\nendfacet\nendsolid\n", "facet.stl:5",
       "must have three vertices, got 2"},
      {"word.stl", "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 zero 0\n", "word.stl:4", "finite"},
      {"other.stl", "hello\n", "other.stl", "must start with 'solid'"},
      {"body.vtk", "x", "body.vtk", "must end in .obj"},
      {"body", "x", "body", "no ending"},
  };
  TemporaryFolder folder;
  for (const auto& broken : table) {
    const std::string path = folder.write(broken.file, broken.content);
    const std::string message = complaint_of([&] { read_mesh(path); });
    INFO(broken.file << ": " << message);
    CHECK(message.find(folder.path(broken.place)) == 0);
    CHECK(message.find(broken.reason) != std::string::npos);
    CHECK(message.find("; ") != std::string::npos);
  }
  CHECK(complaint_of([&] { read_mesh(folder.path("none.obj")); }).find("no such file") != std::string::npos);
  std::filesystem::create_directory(folder.path("folder.obj"));
  CHECK(complaint_of([&] { read_mesh(folder.path("folder.obj")); }).find("regular file") != std::string::npos);
}

TEST_CASE("mesh_reader: a PLY file is what CGAL takes it for before CGAL sees it", "[datasets][mesh][error]") {
  const std::string triangle = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  const std::string xyz = "property float x\nproperty float y\nproperty float z\n";
  const auto ply = [&](const std::string& vertex, const std::string& face = "property list uchar int vertex_indices\n",
                       const std::string& between = "") {
    return "ply\nformat ascii 1.0\nelement vertex 3\n" + vertex + between + "element face 1\n" + face + "end_header\n";
  };
  struct Broken {
    std::string content, reason;
  };
  const Broken table[] = {
      {ply("property int x\nproperty float y\nproperty float z\n") + triangle,
       "must have x as float or double, got 'int'"},
      {ply("property list uchar float x\nproperty float y\nproperty float z\n") + triangle, "must have x as float"},
      {ply("property float x\nproperty float y\n") + "0 0\n1 0\n0 1\n3 0 1 2\n", "must have one property z"},
      {ply(xyz + "property float x\n") + triangle, "must have one property x"},
      {"ply\nformat ascii 1.0\nproperty float x\nelement vertex 3\n", "must follow its element"},
      {ply(xyz + "property quad w\n") + triangle, "must have a type that is known, got 'quad'"},
      {ply(xyz + "property\n") + triangle, "property list TYPE TYPE NAME"},
      {ply(xyz, "property list float int vertex_indices\n") + triangle, "a whole number for a list's length"},
      {ply(xyz, "property list uchar float vertex_indices\n") + triangle, "a list of int or uint"},
      {ply(xyz, "property uchar red\n") + "0 0 0\n1 0 0\n0 1 0\n3\n", "a list of int or uint, vertex_indices"},
      {ply(xyz, "") + triangle, "must have properties"},
      {ply(xyz, "property list uint int vertex_indices\n") + "0 0 0\n1 0 0\n0 1 0\n4294967295 0 1 2\n",
       "4294967295 entries"},
      {ply(xyz, "property list int int vertex_indices\n") + "0 0 0\n1 0 0\n0 1 0\n-1 0 1 2\n", "-1 entries"},
      {ply(xyz, "property list uchar int vertex_indices\n") + "0 0 0\n1 0 0\n0 1 0\n300 0 1 2\n", "another length"},
      {ply(xyz) + "0 0 0\n1 0 0\n0 1 0\n2 0 1\n", "at least three corners"},
      {ply(xyz) + "0 0 0\n1 zero 0\n0 1 0\n3 0 1 2\n", "a number of type float, got 'zero'"},
      {ply(xyz, "property list uchar int vertex_indices\n", "element other 4611686018427387904\n") + triangle,
       "must have properties"},
      {ply(xyz, "property list uchar int vertex_indices\n", "element other 999999999\nproperty int a\n") + triangle,
       "must contain 999999999 of 'other'"},
      {ply(xyz, "property list uchar int vertex_indices\n", "element vertex 3\n") + triangle, "must occur once"},
      {"ply\nelement vertex 3\n" + xyz + "element face 1\nend_header\n", "must state its format"},
      {"ply\nformat ascii 1.0\nelement vertex -3\n", "a name and a count, got '-3'"},
      {"ply\nformat ascii 1.0\nelemnt vertex 3\n", "elements and properties, got 'elemnt'"},
  };
  TemporaryFolder folder;
  for (const Broken& broken : table) {
    const std::string path = folder.write("a.ply", broken.content);
    const std::string message = complaint_of([&] { read_mesh(path); });
    INFO(broken.content << message);
    CHECK(message.find(path) == 0);
    CHECK(message.find(broken.reason) != std::string::npos);
    CHECK(message.find("; ") != std::string::npos);
  }
  // A binary list that promises more than follows.
  std::string cut = binary_ply(0, 2);
  cut[cut.size() - 13] = static_cast<char>(200);
  CHECK(complaint_of([&] { read_mesh(folder.write("b.ply", cut)); }).find("200 entries") != std::string::npos);
  // Colors of mixed types and other elements are passed over, wherever they stand.
  const Mesh mesh = read_mesh(folder.write(
      "c.ply", ply("comment made by hand\nproperty uchar red\nproperty float green\nproperty list uchar int blue\n" +
                       ("property uchar g\nproperty uchar b\n" + xyz),
                   "property uchar red\nproperty list uchar uint vertex_index\n",
                   "element halfedge 1\nproperty float source\nproperty list uchar short target\n") +
                   "9 0.5 2 7 8 1 2 0 0 0\n9 0.5 0 1 2 1 0 0\n9 0.5 1 5 1 2 0 1 0\n0.5 3 1 2 3\n255 3 0 1 2\n"));
  CHECK(mesh.vertices.col(2) == Vec3(0, 1, 0));
  CHECK(mesh.faces == std::vector<std::vector<Index>>{{0, 1, 2}});
}

TEST_CASE("mesh_reader: of an OFF file only coordinates and corners count", "[datasets][mesh]") {
  TemporaryFolder folder;
  const auto read = [&](const std::string& text) { return read_mesh(folder.write("a.off", text)); };
  const std::string face = "3 0 1 2 7 7\n";  // a color of two numbers
  // Counts of edges that overflow, colors out of every table, textures that are missing.
  for (const std::string& text :
       {"OFF\n3 1 2147483647\n0 0 0\n1 0 0\n0 2 0\n" + face, "COFF\n3 1 0\n0 0 0 123456\n1 0 0 1 2\n0 2 0\n" + face,
        "STCNOFF\n3 1 0\n0 0 0\n1 0 0\n0 2 0\n" + face, "4OFF\n3 1 0\n0 0 0 1\n2 0 0 2\n0 1 0 0.5\n" + face}) {
    INFO(text);
    const Mesh mesh = read(text);
    REQUIRE(mesh.vertices.cols() == 3);
    CHECK(mesh.vertices.col(1) == Vec3(1, 0, 0));
    CHECK(mesh.vertices.col(2) == Vec3(0, 2, 0));
    CHECK(mesh.faces == std::vector<std::vector<Index>>{{0, 1, 2}});
  }
  CHECK(complaint_of([&] { read("4OFF\n3 1 0\n0 0 0 0\n2 0 0 2\n0 1 0 1\n" + face); }).find("other than 0") !=
        std::string::npos);
  CHECK(complaint_of([&] { read("nOFF\n3\n3 1 0\n0 0 0\n1 0 0\n0 2 0\n" + face); }).find("must be 'OFF'") !=
        std::string::npos);
}

TEST_CASE("mesh_reader: real meshes have the counts and the topology that they are known for",
          "[datasets][mesh][data]") {
  const std::string folder = pithball::tests::outside_recordings("meshes");
  struct Real {
    std::string file;
    Index vertices, faces, euler, diagonals;
  };
  const Real table[] = {{"bunny.off", 3485, 6966, 2, 0},        {"tshirt.obj", 1426, 2745, -2, 0},
                        {"flag.obj", 540, 1026, 1, 0},          {"cloth_12x12.obj", 144, 242, 1, 0},
                        {"torus.obj", 400, 800, 0, 0},          {"spot.obj", 2930, 5856, 2, 0},
                        {"bob_duck_quad.obj", 334, 334, 0, 668}};
  for (const auto& real : table) {
    INFO(real.file);
    const Mesh mesh = read_mesh(folder + "/" + real.file);
    CHECK(mesh.vertices.cols() == real.vertices);
    CHECK(static_cast<Index>(mesh.faces.size()) == real.faces);
    const Index edges = mesh.spring_groups.at("edge").size();
    CHECK(real.vertices - edges + real.faces == real.euler);
    CHECK(static_cast<Index>(mesh.springs.size()) == edges + real.diagonals);
    CHECK(mesh.spring_lengths().minCoeff() > 0);
  }
}
