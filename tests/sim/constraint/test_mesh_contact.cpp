#include "sim/constraint/mesh_contact.hpp"

#include <cmath>

#include "sim/constraint/obstacle_contact.hpp"
#include "sim/force/gravity.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using pithball::tests::columns;

namespace {

/// The surface of the box [0, 1] × [0, 2] × [0, 3], two triangles to a side.
Surface box_surface() {
  Surface box{Points(3, 8), {}};
  for (Index k = 0; k < 8; ++k) box.vertices.col(k) = Vec3(k & 1 ? 1 : 0, k & 2 ? 2 : 0, k & 4 ? 3 : 0);
  const std::array<Index, 4> sides[] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  for (const auto& s : sides) {
    box.triangles.push_back({s[0], s[1], s[2]});
    box.triangles.push_back({s[0], s[2], s[3]});
  }
  return box;
}

ObstacleOptions for_one(const ContactLaw& law = {}, double radius = 0) {
  return {{0}, Vector::Constant(1, radius), law};
}

Model with_obstacle(std::shared_ptr<Constraint> obstacle, const Vec3& acceleration = Vec3::Zero()) {
  return Model({.particles = 1, .springs = {}, .held = {}}, Vector::Ones(1), Vector::Zero(1),
               {std::make_shared<Gravity>(acceleration)}, {std::move(obstacle)});
}

struct Evaluated {
  double C;
  Vec3 normal;
};
Evaluated at(const Model& model, const Vec3& x) {
  RowPoints place, gradient;
  place.col(0) = x;
  const double C = model.constraints()[0]->evaluate(model, {0, 1, {0}}, place, gradient);
  return {C, gradient.col(0)};
}

}  // namespace

TEST_CASE("mesh: the surface of a box stops as the box does, at faces, edges and corners, outside and inside",
          "[sim][constraint][contact][equivalence]") {
  for (const double radius : {0.0, 0.1}) {
    const Model block =
        with_obstacle(std::make_shared<BoxContact>(Vec3::Zero(), Vec3(1, 2, 3), Side::Outside, for_one({}, radius)));
    const Model mesh = with_obstacle(std::make_shared<MeshContact>(box_surface(), Side::Outside, for_one({}, radius)));
    const Model inside = with_obstacle(std::make_shared<MeshContact>(box_surface(), Side::Inside, for_one({}, radius)));
    Index within = 0, beyond = 0;
    for (double x = -0.53; x < 1.6; x += 0.26)
      for (double y = -0.57; y < 2.6; y += 0.31)
        for (double z = -0.61; z < 3.6; z += 0.29) {
          INFO(x << " " << y << " " << z);
          const Evaluated a = at(block, {x, y, z}), b = at(mesh, {x, y, z}), c = at(inside, {x, y, z});
          CHECK(b.C == Approx(a.C).margin(1e-13));
          CHECK((b.normal - a.normal).norm() < 1e-12);
          CHECK(c.C + radius == Approx(-(a.C + radius)).margin(1e-13));
          CHECK((c.normal + a.normal).norm() < 1e-12);
          ++(a.C + radius < 0 ? within : beyond);
        }
    CHECK(within > 50);
    CHECK(beyond > 200);
  }
}

TEST_CASE("mesh: on the surface itself the normal is that of the face", "[sim][constraint][contact]") {
  const Model mesh = with_obstacle(std::make_shared<MeshContact>(box_surface(), Side::Outside, for_one()));
  const Evaluated on_top = at(mesh, {0.3, 0.7, 3});
  CHECK(on_top.C == 0);
  CHECK((on_top.normal - Vec3(0, 0, 1)).norm() < 1e-15);
}

TEST_CASE("mesh: triangles turned inwards throughout are turned round", "[sim][constraint][contact]") {
  Surface turned = box_surface();
  for (auto& triangle : turned.triangles) std::swap(triangle[0], triangle[1]);
  const Model mesh = with_obstacle(std::make_shared<MeshContact>(turned, Side::Outside, for_one()));
  CHECK(at(mesh, {0.5, 1, 3.5}).C == Approx(0.5));
  CHECK(at(mesh, {0.5, 1, 2.9}).C == Approx(-0.1));
}

TEST_CASE("mesh: a ball falls on it, bounces and comes to rest on it", "[sim][constraint][contact]") {
  const Model mesh = with_obstacle(
      std::make_shared<MeshContact>(box_surface(), Side::Outside, for_one({.restitution = 0.3, .friction = 0.5}, 0.2)),
      Vec3(0, 0, -9.81));
  const Trajectory run = simulate(mesh, {0, columns({{0.4, 1, 3.7}}), columns({{0.1, 0, 0}})},
                                  {.integrator = "xpbd", .time_step = 0.01, .steps = 200, .stage = {}});
  REQUIRE(run.status == StepStatus::Ok);
  double lowest = 10, highest_later = 0;
  for (const State& s : run.states) {
    lowest = std::min(lowest, s.x(2, 0));
    if (s.t > 0.4) highest_later = std::max(highest_later, s.x(2, 0));
  }
  CHECK(lowest > 3.2 - 1e-9);
  CHECK(highest_later > 3.21);  // 0.3² of 0.5 m: 0.045 m
  CHECK(run.states.back().x(2, 0) == Approx(3.2).margin(1e-9));
  CHECK(run.states.back().v.norm() < 1e-9);
}

TEST_CASE("mesh: surfaces that are open, or turned here and there, are rejected", "[sim][constraint][error]") {
  const auto make = [](Surface surface) { MeshContact(std::move(surface), Side::Outside, for_one()); };
  CHECK_NOTHROW(make(box_surface()));
  Surface open = box_surface();
  open.triangles.pop_back();
  CHECK_THROWS_WITH(make(open), Catch::Contains("constraints.mesh.surface: must be closed and oriented"));
  Surface twisted = box_surface();
  std::swap(twisted.triangles[3][0], twisted.triangles[3][1]);
  CHECK_THROWS_WITH(make(twisted), Catch::Contains("must be closed and oriented"));
  Surface bad = box_surface();
  bad.triangles[2][1] = 99;
  CHECK_THROWS_WITH(make(bad), Catch::Contains("three different vertices"));
  CHECK_THROWS_WITH(make({}), Catch::Contains("must have triangles, got none"));
}
