// The loops over rows, and what they ask of a contact.
#include "sim/constraint/row_loops.hpp"

#include "tests/support/constraint_specimens.hpp"

using namespace pithball::tests::constraint_suite;

namespace {

/// What a sweep of one second and an exchange of momentum leave.
struct SweptRows {
  State s = moved();
  Vector lambda, depth;
  std::vector<ContactPush> push;
  Pushing pushing;

  SweptRows(const Specimen& specimen, const RowLoops& loops) {
    const std::vector<ConstraintRow> rows = specimen.rows(s.x);
    REQUIRE_FALSE(rows.empty());
    lambda = depth = Vector::Zero(rows.size());
    push.resize(rows.size());
    const Points before = s.v, a = Points::Constant(3, N, 0.01);
    const Vector inverse_mass = specimen.model.mass().cwiseInverse();
    const ActingRows acting{
        &specimen.model, 1, &inverse_mass, rows, {lambda.data(), rows.size()}, {depth.data(), rows.size()}, push};
    loops.sweep(specimen.constraint(), acting, s.x, s.v);
    if (specimen.constraint().as<ContactRows>())
      pushing = loops.exchange(specimen.constraint(), acting, s.x, before, a, s.v);
  }
};

}  // namespace

TEST_CASE("row_loops: compiled for one kind of constraint they do what the general ones do",
          "[sim][constraint][equivalence]") {
  int own = 0;
  for (const Specimen& specimen : specimens()) {
    const RowLoops general = LoopsOf<Constraint>::loops();
    own += specimen.constraint().loops().sweep != general.sweep;
    INFO(specimen.name);
    const SweptRows want(specimen, general), got(specimen, specimen.constraint().loops());
    REQUIRE((want.s.x - moved().x).norm() > 0.01);
    REQUIRE((want.s.v - moved().v).norm() > 0.01);
    const double rounding = 1e-14;  // of lengths and speeds near 1, through a few rows each
    CHECK((got.s.x - want.s.x).norm() < rounding);
    CHECK((got.s.v - want.s.v).norm() < rounding);
    CHECK((got.lambda - want.lambda).norm() < rounding);
    CHECK((got.depth - want.depth).norm() < rounding);
    CHECK(got.pushing.contacts == want.pushing.contacts);
    CHECK(got.pushing.deepest == Approx(want.pushing.deepest).epsilon(rounding));
    if (specimen.constraint().as<ContactRows>()) CHECK(want.pushing.contacts > 0);
    for (std::size_t r = 0; r < want.push.size(); ++r) {
      CHECK((got.push[r].point - want.push[r].point).norm() < rounding);
      CHECK((got.push[r].normal - want.push[r].normal).norm() < rounding);
      CHECK(std::abs(got.push[r].impulse - want.push[r].impulse) < rounding);
    }
  }
  CHECK(own >= 1);
}

TEST_CASE("row_loops: the gradient of a contact is a unit vector and its opposite", "[sim][constraint][contact]") {
  int contacts = 0;
  for (const Specimen& specimen : specimens()) {
    if (!specimen.constraint().as<ContactRows>()) continue;
    const State s = moved();
    for (const ConstraintRow& row : specimen.rows(s.x)) {
      INFO(specimen.name << ", item " << row.item);
      RowPoints gradient = RowPoints::Zero();
      specimen.constraint().evaluate(specimen.model, row, row_points(row, s.x), gradient);
      REQUIRE(row.count <= 2);
      CHECK(gradient.col(0).norm() == Approx(1).epsilon(1e-14));
      if (row.count == 2) CHECK(gradient.col(1) == -gradient.col(0));
      ++contacts;
    }
  }
  CHECK(contacts > 5);
}
