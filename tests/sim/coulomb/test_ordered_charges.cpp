#include "datasets/mesh/point_set.hpp"
#include "sim/coulomb/coulomb_registry.hpp"
#include "sim/coulomb/fmm/fmm_structure.hpp"
#include "tests/sim/coulomb/direct_cases.hpp"
#include "tests/sim/coulomb/ordered_charges.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_limit.hpp"

using namespace pithball;
using namespace pithball::sim;
using direct_cases::relative_error;
using direct_cases::Sums;
using tests::ordered_charges;
using tests::OrderedCharges;
using tests::sum_of;

namespace {

Sums fields(const CoulombSum::Plan& plan, const Vector& q) {
  Sums sums(q.size());
  plan.evaluate({&q, nullptr}, {&sums.potential, &sums.field});
  return sums;
}

/// The order that a structure has settled on, 0 where all pairs are near; and the order before.
struct Orders {
  explicit Orders(const CoulombSum::Structure& structure) {
    const auto& first = dynamic_cast<const fmm::FmmStructure&>(structure);
    const auto settled = first.settled();
    REQUIRE(settled);
    const fmm::FmmStructure& used = *settled ? **settled : first;
    before = first.operators().order();
    after = used.tree().far().empty() ? 0 : used.operators().order();
  }
  int before, after;
};

/// Every method that promises an accuracy keeps it; ddef promises none.
void check_ordered(const std::vector<OrderedCharges>& bodies, const std::vector<double>& tolerances) {
  for (const OrderedCharges& body : bodies) {
    const Sums want = fields(*sum_of("direct", 1e-6)->make_plan(body.x), body.q);
    for (const CoulombMethod& method : coulomb_methods()) {
      if (method.name == "ddef") continue;
      for (const double tolerance : tolerances) {
        CAPTURE(body.name, body.q.size(), method.name, tolerance);
        const Sums got = fields(*sum_of(method.name, tolerance)->make_plan(body.x), body.q);
        CHECK(relative_error(got.field, want.field) <= tolerance);
        CHECK(relative_error(got.potential, want.potential) <= tolerance);
      }
    }
  }
}

/// Rock salt whose order of expansion is raised at 1e-4, and directions in which it moves.
struct Crystal {
  OrderedCharges body = ordered_charges().front();
  direct_cases::Cloud moves{body.q.size()};
};

}  // namespace

TEST_CASE("fmm: charges in perfect order keep the tolerance with every method", "[sim][coulomb][fmm]") {
  check_ordered(ordered_charges(), {1e-2, 1e-4, 1e-7});
}

TEST_CASE("fmm: charges in perfect order keep every tolerance", "[sim][coulomb][fmm][slow]") {
  for (const double size : {1.0, 1.3, 1.6})
    check_ordered(ordered_charges(size), {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10});
}

TEST_CASE("fmm: the tolerance of ordered charges knows no scale", "[sim][coulomb][fmm]") {
  const Crystal crystal;
  for (const double length : {1e-9, 1e6})
    for (const double charge : {1e-15, 1e3}) {
      CAPTURE(length, charge);
      const Points x = length * crystal.body.x;
      const Vector q = charge * crystal.body.q;
      const Sums want = fields(*sum_of("direct", 1e-6)->make_plan(x), q);
      const Sums got = fields(*sum_of("fmm", 1e-4)->make_plan(x), q);
      CHECK(relative_error(got.field, want.field) <= 1e-4);
    }
}

TEST_CASE("fmm: the order is raised for charges in order, not for random ones", "[sim][coulomb][fmm]") {
  const auto orders = [](const Points& x, const Vector& q) {
    const auto sum = sum_of("fmm", 1e-4);
    const auto structure = sum->make_structure(x);
    fields(*sum->make_plan(x, structure), q);
    return Orders(*structure);
  };
  const Crystal crystal;
  const Orders raised = orders(crystal.body.x, crystal.body.q);
  CHECK(raised.after > raised.before);
  for (const auto& set : datasets::point_sets())
    for (const std::string& kind : datasets::charge_kinds()) {
      CAPTURE(set.name, kind);
      const Points x = datasets::make_point_set(set.name, 6000);
      const Orders kept = orders(x, datasets::make_charges(kind, x.cols()));
      CHECK(kept.after == kept.before);
    }
}

TEST_CASE("fmm: a raised order is one smooth function of positions and charges", "[sim][coulomb][fmm][fd]") {
  const Crystal c;
  const Index n = c.body.q.size();
  const auto sum = sum_of("fmm", 1e-4);
  const auto structure = sum->make_structure(c.body.x);
  const Points u = 0.01 * c.moves.u;
  const Vector dq = 1e-6 * c.moves.dq;
  Points df = Points::Zero(3, n), dx = df;
  Vector to_charge = Vector::Zero(n);
  sum->make_plan(c.body.x, structure)->force_jvp(c.body.q, u, dq, df);  // settles the order
  REQUIRE(Orders(*structure).after > Orders(*structure).before);
  const auto forces = [&](double h) -> Points {
    const Vector q = c.body.q + h * dq;
    return fields(*sum->make_plan(c.body.x + h * u, structure), q).field * q.asDiagonal();
  };
  // Fourth order: h⁴ times fifth derivatives of points that move by a hundredth of their distance, and rounding over h.
  const double h = 1e-3;
  const Points want = (8 * (forces(h) - forces(-h)) - (forces(2 * h) - forces(-2 * h))) / (12 * h);
  REQUIRE(want.norm() > 0);
  CHECK(relative_error(df, want) < 1e-8);
  sum->make_plan(c.body.x, structure)->force_vjp(c.body.q, c.moves.w, dx, to_charge);
  const double there = (c.moves.w.array() * df.array()).sum();
  const double back = (dx.array() * u.array()).sum() + to_charge.dot(dq);
  // Roundings of n products that partly cancel.
  CHECK(std::abs(there - back) <= 1e-12 * (c.moves.w.norm() * df.norm() + dx.norm() * u.norm()));
}

TEST_CASE("fmm: the raised order is the same in fields and derivatives, for any number of threads, and each time",
          "[sim][coulomb][fmm]") {
  const Crystal c;
  const Index n = c.body.q.size();
  const auto sum = sum_of("fmm", 1e-4);
  const auto everything = [&](int threads) {
    const tests::ThreadLimit limit(threads);
    const auto by_field = sum->make_structure(c.body.x), by_product = sum->make_structure(c.body.x),
               by_potential = sum->make_structure(c.body.x);
    const Points field = fields(*sum->make_plan(c.body.x, by_field), c.body.q).field;
    Points df = Points::Zero(3, n);
    sum->make_plan(c.body.x, by_product)->force_jvp(c.body.q, c.moves.u, c.moves.dq, df);
    Vector potential = Vector::Zero(n);
    sum->make_plan(c.body.x, by_potential)->evaluate({&c.body.q, nullptr}, {&potential});
    CHECK(Orders(*by_field).after == Orders(*by_product).after);
    CHECK(Orders(*by_field).after == Orders(*by_potential).after);
    return std::tuple(field, df, potential);
  };
  const auto one = everything(1);
  CHECK(everything(1) == one);
  for (const int threads : {2, 3}) CHECK(everything(threads) == one);
}

TEST_CASE("fmm: uncharged points keep the tolerance apart from charged ones", "[sim][coulomb][fmm]") {
  // Above the middle of a face, where the fields of the ions cancel.
  const OrderedCharges body = ordered_charges().front();
  const Index n = body.q.size(), m = 1000;
  Points x(3, n + m);
  Vector q = Vector::Zero(n + m);
  x.leftCols(n) = body.x;
  x.rightCols(m) = datasets::make_point_set("cube", m) * 3;
  x.rightCols(m).colwise() += Vec3(7.5, 7.5, 20);
  q.head(n) = body.q;
  const Sums want = fields(*sum_of("direct", 1e-6)->make_plan(x), q);
  for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
    CAPTURE(tolerance);
    const Sums got = fields(*sum_of("fmm", tolerance)->make_plan(x), q);
    CHECK(relative_error(got.field.leftCols(n), want.field.leftCols(n)) <= tolerance);
    CHECK(relative_error(got.field.rightCols(m), want.field.rightCols(m)) <= tolerance);
  }
}
