#include "datasets/mesh/mesh_generator.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <limits>
#include <numbers>
#include <set>

#include "datasets/mesh/mesh_edit.hpp"
#include "tests/datasets/sound_mesh.hpp"
#include "tests/datasets/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::datasets;
using pithball::InvalidArgument;
using pithball::testing::check_sound;
using pithball::testing::complaint_of;
using pithball::testing::euler_characteristic;

namespace {

std::size_t group_size(const Mesh& mesh, const std::string& name) { return mesh.spring_groups.at(name).size(); }

}  // namespace

TEST_CASE("torus: the default is the 145-vertex torus with 435 springs", "[datasets][mesh]") {
  const Mesh mesh = make_torus({});
  check_sound(mesh);
  CHECK(mesh.vertices.cols() == 145);
  CHECK(mesh.springs.size() == 435);
  CHECK(mesh.faces.size() == 290);
  CHECK(euler_characteristic(mesh) == 0);
  CHECK(mesh.vertices.col(0).isApprox(Vec3(5.5, 0, 0)));
  // The first index runs around the major circle: vertex 5 is the first of the second ring.
  const double alpha = 2 * std::numbers::pi / 29;
  CHECK(mesh.vertices.col(5).isApprox(Vec3(5.5 * std::cos(alpha), 5.5 * std::sin(alpha), 0)));
  CHECK(mesh.vertex_groups.at("ring1") == std::vector<Index>{5, 6, 7, 8, 9});
}

TEST_CASE("torus: both diagonals give four springs for each quad, and a rotation by one ring maps it to itself",
          "[datasets][mesh]") {
  TorusShape shape;
  shape.segments = {12, 7};
  shape.diagonals = Diagonals::Both;
  const Mesh mesh = make_torus(shape);
  check_sound(mesh);
  CHECK(mesh.springs.size() == 4 * 84);
  CHECK(mesh.faces.size() == 84);
  CHECK(euler_characteristic(mesh) == 0);
  std::vector<double> before, after;
  const auto lengths = mesh.spring_lengths();
  std::set<std::pair<Index, Index>> pairs;
  for (const auto& s : mesh.springs) pairs.insert({s.i, s.j});
  for (std::size_t s = 0; s < mesh.springs.size(); ++s) {
    const Index i = (mesh.springs[s].i + 7) % 84, j = (mesh.springs[s].j + 7) % 84;
    CHECK(pairs.count(std::minmax(i, j)) == 1);
    CHECK((mesh.vertices.col(i) - mesh.vertices.col(j)).norm() == Approx(lengths[s]).epsilon(1e-12));
  }
}

TEST_CASE("torus: the smallest and a large one keep their counts", "[datasets][mesh]") {
  const auto segments = GENERATE(std::array<Index, 2>{3, 3}, std::array<Index, 2>{3, 4}, std::array<Index, 2>{100, 20});
  const auto diagonals = GENERATE(Diagonals::One, Diagonals::Both);
  TorusShape shape;
  shape.segments = segments;
  shape.diagonals = diagonals;
  const Mesh mesh = make_torus(shape);
  check_sound(mesh);
  CHECK(static_cast<Index>(mesh.springs.size()) == segments[0] * segments[1] * (diagonals == Diagonals::One ? 3 : 4));
  CHECK(euler_characteristic(mesh) == 0);
}

TEST_CASE("sphere: counts, radius and nearly even spacing", "[datasets][mesh]") {
  const Index segments = GENERATE(1, 2, 3, 7, 14);
  const Mesh mesh = make_sphere({2.5, segments});
  check_sound(mesh);
  CHECK(mesh.vertices.cols() == 10 * segments * segments + 2);
  CHECK(static_cast<Index>(mesh.springs.size()) == 30 * segments * segments);
  CHECK(static_cast<Index>(mesh.faces.size()) == 20 * segments * segments);
  CHECK(euler_characteristic(mesh) == 2);
  CHECK((mesh.vertices.colwise().norm().array() - 2.5).abs().maxCoeff() < 1e-14);
  CHECK(mesh.vertices.rowwise().mean().norm() < 1e-13);
  const auto lengths = mesh.spring_lengths();
  // A divided icosahedron stretches by the gnomonic projection: at most 1.26² / cos… < 1.6 between shortest and
  // longest.
  CHECK(lengths.maxCoeff() / lengths.minCoeff() < 1.6);
  CHECK(mesh.vertices.col(mesh.vertex_groups.at("top")[0]).isApprox(Vec3(0, 0, 2.5)));
  for (const auto& f : mesh.faces) {  // outward orientation
    const Vec3 a = mesh.vertices.col(f[0]), b = mesh.vertices.col(f[1]), c = mesh.vertices.col(f[2]);
    REQUIRE((b - a).cross(c - a).dot(a) > 0);
  }
}

TEST_CASE("grid: stretch, shear and bend springs have their counts and lengths", "[datasets][mesh]") {
  GridShape shape;
  shape.size = {3, 2};
  shape.segments = {6, 5};
  const Mesh mesh = make_grid(shape);
  check_sound(mesh);
  CHECK(mesh.vertices.cols() == 42);
  CHECK(group_size(mesh, "stretch") == 6 * 6 + 7 * 5);
  CHECK(group_size(mesh, "shear") == 2 * 30);
  CHECK(group_size(mesh, "bend") == 5 * 6 + 7 * 4);
  CHECK(euler_characteristic(mesh) == 1);
  const auto lengths = mesh.spring_lengths();
  for (const Index s : mesh.spring_groups.at("shear")) CHECK(lengths[s] == Approx(std::hypot(0.5, 0.4)).epsilon(1e-12));
  CHECK(mesh.vertex_groups.at("corners").size() == 4);
  CHECK(mesh.vertices.col(mesh.vertex_groups.at("top_right")[0]).isApprox(Vec3(1.5, 1, 0)));
  CHECK(mesh.vertex_groups.at("top").size() == 7);
  CHECK(vertices_in_box(mesh, Vec3(-9, 0.99, -1), Vec3(9, 9, 1)) == mesh.vertex_groups.at("top"));

  shape.shear = shape.bend = false;
  CHECK(make_grid(shape).springs.size() == 71);
}

TEST_CASE("chain: evenly spaced along its axis", "[datasets][mesh]") {
  ChainShape shape;
  shape.length = 2;
  shape.segments = 4;
  shape.origin = Vec3(0, 0, 1);
  const Mesh mesh = make_chain(shape);
  check_sound(mesh);
  CHECK(mesh.springs.size() == 4);
  CHECK((mesh.spring_lengths().array() - 0.5).abs().maxCoeff() < 1e-15);
  CHECK(mesh.vertices.col(4).isApprox(Vec3(0, 0, -1)));
}

TEST_CASE("beam: rings, longitudinals and diagonals of a prismatic truss", "[datasets][mesh]") {
  const Index sides = GENERATE(3, 4, 6);
  const auto diagonals = GENERATE(Diagonals::One, Diagonals::Both);
  BeamShape shape;
  shape.sides = sides;
  shape.diagonals = diagonals;
  shape.ring_positions = {0, 0.1, 0.25, 0.32};
  shape.axis = Vec3(1, -2, 0.5);
  shape.side = Vec3(0, 1, 1);
  shape.radius = 0.05;
  const Mesh mesh = make_beam(shape);
  check_sound(mesh);
  CHECK(mesh.vertices.cols() == 4 * sides);
  CHECK(static_cast<Index>(group_size(mesh, "longitudinal")) == 3 * sides);
  CHECK(static_cast<Index>(group_size(mesh, "ring")) == 4 * sides * (sides - 1) / 2);
  CHECK(static_cast<Index>(group_size(mesh, "diagonal")) == 3 * sides * (diagonals == Diagonals::Both ? 2 : 1));
  CHECK(mesh.vertex_groups.at("bottom") == mesh.vertex_groups.at("ring3"));
  const Vec3 axis = shape.axis.normalized();
  for (Index r = 0; r < 4; ++r) {
    Vec3 center = Vec3::Zero();
    for (const Index v : mesh.vertex_groups.at("ring" + std::to_string(r))) {
      const Vec3 x = mesh.vertices.col(v);
      CHECK(axis.dot(x) == Approx(shape.ring_positions[r]).margin(1e-15));
      CHECK((x - axis * axis.dot(x)).norm() == Approx(0.05).epsilon(1e-12));
      center += x / static_cast<double>(sides);
    }
    CHECK((center - shape.ring_positions[r] * axis).norm() < 1e-15);
  }
}

TEST_CASE("beam: hangs from the origin along -z by default", "[datasets][mesh]") {
  const Mesh mesh = make_beam({});
  check_sound(mesh);
  CHECK(mesh.vertices.cols() == 33);
  CHECK(mesh.vertices.row(2).maxCoeff() == 0);
  CHECK(mesh.vertices.row(2).minCoeff() == Approx(-1));
  CHECK(mesh.vertices.col(0).isApprox(Vec3(0.1, 0, 0)));
}

TEST_CASE("tube: a beam whose rings are not braced", "[datasets][mesh]") {
  const auto diagonals = GENERATE(Diagonals::One, Diagonals::Both);
  BeamShape shape;
  shape.sides = 6, shape.segments = 4, shape.length = 0.8, shape.radius = 0.05, shape.diagonals = diagonals;
  const Mesh tube = make_tube(shape), beam = make_beam(shape);
  check_sound(tube);
  CHECK(tube.vertices == beam.vertices);
  CHECK(tube.vertex_groups == beam.vertex_groups);
  CHECK(group_size(tube, "ring") == 5 * 6);
  CHECK(group_size(tube, "longitudinal") == 4 * 6);
  CHECK(group_size(tube, "diagonal") == 4 * 6 * (diagonals == Diagonals::Both ? 2 : 1));
  const Eigen::VectorXd lengths = tube.spring_lengths();
  for (const Index spring : tube.spring_groups.at("ring"))
    CHECK(lengths[spring] == Approx(0.05).epsilon(1e-14));  // a hexagon's side is its radius
  for (const Index spring : tube.spring_groups.at("longitudinal")) CHECK(lengths[spring] == Approx(0.2).epsilon(1e-14));
  for (const Index spring : tube.spring_groups.at("diagonal"))
    CHECK(lengths[spring] == Approx(std::hypot(0.05, 0.2)).epsilon(1e-14));
  shape.sides = 3;  // nothing to brace
  CHECK(make_tube(shape).springs.size() == make_beam(shape).springs.size());
}

TEST_CASE("random_cloud: the seed decides, the box holds", "[datasets][mesh]") {
  RandomCloudShape shape;
  shape.count = 2000;
  shape.min = Vec3(-1, 0, 2);
  shape.max = Vec3(1, 3, 2.5);
  const Mesh a = make_random_cloud(shape), b = make_random_cloud(shape);
  check_sound(a);
  CHECK(a.vertices == b.vertices);
  CHECK(static_cast<Index>(vertices_in_box(a, shape.min, shape.max).size()) == 2000);
  // 2000 even draws: the mean is within five standard errors, width / sqrt(12·2000).
  const Vec3 error = a.vertices.rowwise().mean() - (shape.min + shape.max) / 2;
  CHECK((error.array().abs() < 5 * (shape.max - shape.min).array() / std::sqrt(12 * 2000.0)).all());
  shape.seed = 2;
  CHECK(make_random_cloud(shape).vertices != a.vertices);
  // The first number of mt19937_64 with seed 1, fixed by the C++ standard, so that seeds mean the same everywhere.
  CHECK(a.vertices(0, 0) == -1 + 2 * (static_cast<double>(2469588189546311528ULL >> 11) * 0x1p-53));
}

TEST_CASE("transformed: scales, then rotates, then shifts", "[datasets][mesh]") {
  Mesh mesh = make_chain({});
  Placement placement;
  placement.scale = 2;
  placement.axis = Vec3(0, 3, 0);
  placement.angle = std::numbers::pi / 2;
  placement.translate = Vec3(1, 0, 0);
  const Mesh moved = transformed(mesh, placement);
  // (0, 0, −1) doubled, turned by 90° about y to (−2, 0, 0), shifted.
  CHECK((moved.vertices.col(10) - Vec3(-1, 0, 0)).norm() < 1e-15);
  CHECK(moved.springs.size() == mesh.springs.size());
}

TEST_CASE("mesh generators: nonsense is rejected with the key and a remedy", "[datasets][mesh][error]") {
  const auto rejects = [](const std::function<void()>& make, const std::string& key) {
    const std::string message = complaint_of(make);
    INFO(message);
    CHECK(message.find(key) != std::string::npos);
    CHECK(message.find("; ") != std::string::npos);
  };
  rejects([] { make_torus({1, 2, {29, 5}, Diagonals::One}); }, "torus major_radius");
  rejects([] { make_torus({4, 1.5, {2, 5}, Diagonals::One}); }, "torus segments[0]");
  rejects([] { make_torus({4, -1, {29, 5}, Diagonals::One}); }, "torus minor_radius");
  rejects([] { make_sphere({0, 3}); }, "sphere radius");
  rejects([] { make_sphere({1, 0}); }, "sphere segments");
  rejects([] { make_grid({{1, NAN}, {2, 2}, true, true}); }, "grid size[1]");
  rejects([] { make_chain({1, 3, Vec3::Zero(), Vec3::Zero()}); }, "chain axis");
  rejects(
      [] {
        BeamShape s;
        s.side = Vec3::UnitZ();
        make_beam(s);
      },
      "beam side");
  rejects(
      [] {
        BeamShape s;
        s.ring_positions = {0, 0.2, 0.2};
        make_beam(s);
      },
      "beam ring_positions");
  rejects(
      [] {
        BeamShape s;
        s.sides = 2;
        make_beam(s);
      },
      "beam sides");
  rejects(
      [] {
        BeamShape s;
        s.radius = 0;
        make_tube(s);
      },
      "tube radius");
  rejects(
      [] {
        RandomCloudShape s;
        s.max = s.min;
        make_random_cloud(s);
      },
      "random_cloud box");
  rejects([] { vertices_in_box(make_chain({}), Vec3(1, 0, 0), Vec3(0, 1, 1)); }, "mesh box");
  rejects(
      [] {
        Placement p;
        p.scale = 0;
        transformed(make_chain({}), p);
      },
      "mesh scale");
}

TEST_CASE("lattice: fills its box with whole cells, and neighbors are as far apart as said", "[datasets][mesh]") {
  using Kind = LatticeShape::Kind;
  const auto nearest = [](const Points& x) {
    double least = 1e9, most = 0;
    for (Index i = 0; i < x.cols(); ++i) {
      double own = 1e9;
      for (Index j = 0; j < x.cols(); ++j)
        if (j != i) own = std::min(own, (x.col(i) - x.col(j)).norm());
      least = std::min(least, own), most = std::max(most, own);
    }
    return std::pair{least, most};
  };
  LatticeShape shape;
  shape.min = Vec3(0, 0, 0), shape.max = Vec3(0.4, 0.3, 0.5);
  const Points cubic = make_lattice(shape).vertices;
  CHECK(cubic.cols() == 4 * 3 * 5);
  CHECK((cubic.rowwise().mean() - Vec3(0.2, 0.15, 0.25)).norm() < 1e-14);
  CHECK((cubic.rowwise().minCoeff() - Vec3(0.05, 0.05, 0.05)).norm() < 1e-14);
  CHECK(nearest(cubic).first == Approx(0.1));
  CHECK(nearest(cubic).second == Approx(0.1));
  shape.max[1] = 0;  // one layer
  CHECK(make_lattice(shape).vertices.cols() == 4 * 5);
  CHECK(make_lattice(shape).vertices.row(1).isZero(0));
  shape.max = Vec3(0.7, 0.7, 0.7), shape.kind = Kind::FaceCenteredCubic;
  const Points fcc = make_lattice(shape).vertices;
  CHECK(fcc.cols() == 4 * 5 * 5 * 5);
  CHECK(nearest(fcc).first == Approx(0.1));
  CHECK(nearest(fcc).second == Approx(0.1));
  shape.radius = 0.3;
  const Points ball = make_lattice(shape).vertices;
  CHECK((ball.colwise() - Vec3::Constant(0.35)).colwise().norm().maxCoeff() <= 0.3);
  // The densest packing: √2/spacing³ points per volume, but for the ball's surface.
  CHECK(static_cast<double>(ball.cols()) == Approx(4 * M_PI / 3 * 27 * std::sqrt(2.0)).epsilon(0.1));
  shape.spacing = 1e-9;
  CHECK_THROWS_WITH(make_lattice(shape), Catch::Contains("at most 10000000 points"));
}

TEST_CASE("mesh_generator: counts whose product overflows or takes gigabytes are rejected by every shape",
          "[datasets][mesh][error]") {
  constexpr Index most = std::numeric_limits<Index>::max(), large = Index{1} << 62;
  const auto rejects = [](const auto& make, const std::string& what) {
    const std::string complaint = complaint_of([&] { make(); });
    INFO(complaint);
    CHECK(complaint.find(what) == 0);
    CHECK(complaint.find(" must give at most ") != std::string::npos);
    CHECK(complaint.find("; give fewer") != std::string::npos);
  };
  for (const std::array<Index, 2> segments :
       {std::array<Index, 2>{large, 4}, {2305843009213693955, 8}, {5000, 5000}, {3, most}})
    rejects([&] { make_torus({.segments = segments}); }, "torus segments:");
  for (const std::array<Index, 2> segments :
       {std::array<Index, 2>{4611686018427387903, 3}, {most, 1}, {1, most}, {5000, 5000}})
    rejects([&] { make_grid({.segments = segments}); }, "grid segments");
  for (const Index n : {Index{1001}, Index{3037000500}, large, most}) {
    rejects([&] { make_sphere({.segments = n}); }, "sphere segments:");
    rejects([&] { make_chain({.segments = std::max(n, most_points + 1)}); }, "chain segments:");
    rejects([&] { make_beam({.sides = 3, .segments = std::max(n, Index{5000000}), .ring_positions = {}}); }, "beam ");
    const Index sides = std::max(n, Index{8000});
    rejects([&] { make_beam({.sides = sides, .segments = 2, .ring_positions = {}}); }, "beam sides:");
    rejects([&] { make_random_cloud({.count = std::max(n, most_points + 1)}); }, "random_cloud count:");
  }
  CHECK(make_chain({.segments = 100000}).springs.size() == 100000);
}
