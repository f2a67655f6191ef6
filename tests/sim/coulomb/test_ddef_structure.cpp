#include "sim/coulomb/ddef/ddef_structure.hpp"

#include <Eigen/LU>
#include <limits>

#include "tests/sim/coulomb/direct_cases.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::sim;
using direct_cases::Cloud;

TEST_CASE("ddef: every point lies in its tetrahedron, and no grid vertex in the sphere around it", "[sim][coulomb]") {
  const Cloud c(300);
  const DdefStructure s(c.x, {.points = 60});
  REQUIRE(s.vertices().cols() == 68);
  CHECK(s.crossings(c.x) == 0);
  Index occupied = 0;
  for (Index cell = 0; cell < s.cells(); ++cell) {
    Mat3 edges;
    const Vec3 origin = s.vertices().col(s.corners(cell)[0]);
    for (Index a = 0; a < 3; ++a)
      edges.col(a) = s.vertices().col(s.corners(cell)[static_cast<std::size_t>(a) + 1]) - origin;
    REQUIRE(edges.determinant() > 0);
    for (Index slot = s.first_slot(cell); slot < s.first_slot(cell + 1); ++slot) {
      const Index i = s.point(slot);
      CHECK(s.cell_of_point(i) == cell);
      const Vec3 weight = edges.inverse() * (c.x.col(i) - origin);
      CHECK(weight.minCoeff() > -1e-12);
      CHECK(weight.sum() < 1 + 1e-12);
      ++occupied;
    }
    const Vec3 center = origin + edges.transpose().inverse() * (0.5 * edges.colwise().squaredNorm().transpose());
    const double radius2 = (center - origin).squaredNorm();
    for (Index k = 0; k < s.vertices().cols(); ++k)
      CHECK((s.vertices().col(k) - center).squaredNorm() > radius2 * (1 - 1e-9));  // rounding of the four corners
  }
  CHECK(occupied == c.size());
}

TEST_CASE("ddef: the grid is Halton's points and the corners of the box around the charges", "[sim][coulomb]") {
  const Cloud c(50);
  const DdefStructure s(c.x, {.points = 10});
  const Vec3 low = s.vertices().rowwise().minCoeff(), high = s.vertices().rowwise().maxCoeff();
  const auto holds = [&](const Vec3& unit) {
    const Vec3 wanted = low + unit.cwiseProduct(high - low);
    return (s.vertices().colwise() - wanted).colwise().norm().minCoeff() < 1e-14;
  };
  CHECK((c.x.rowwise().minCoeff() - low).minCoeff() > 0);
  CHECK((high - c.x.rowwise().maxCoeff()).minCoeff() > 0);
  CHECK(holds({1. / 2, 1. / 3, 1. / 5}));
  CHECK(holds({1. / 4, 2. / 3, 2. / 5}));
  CHECK(holds({5. / 16, 10. / 27, 2. / 25}));  // the tenth: 1010, 101, 20 in bases 2, 3, 5
  for (int corner = 0; corner < 8; ++corner)
    CHECK(holds({double(corner & 1), double(corner >> 1 & 1), double(corner >> 2)}));
}

TEST_CASE("ddef: a frozen structure counts the points that left their tetrahedron", "[sim][coulomb]") {
  Cloud c(100);
  const DdefStructure s(c.x, {.points = 100});
  CHECK(s.crossings(c.x) == 0);
  const Vec3 corner = s.vertices().col(s.corners(s.cell_of_point(11))[2]);
  const Points at_rest = c.x;
  c.x.col(11) = corner;
  CHECK(s.crossings(c.x) == 0);  // on the boundary
  c.x.col(11) = corner + 1e-9 * (corner - at_rest.col(11));
  CHECK(s.crossings(c.x) == 1);
  c.x.col(12).setConstant(std::numeric_limits<double>::infinity());
  CHECK(s.crossings(c.x) == 2);
}
