#include "sim/coulomb/coulomb_registry.hpp"
#include "tests/sim/coulomb/direct_cases.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_limit.hpp"

using namespace pithball::sim;
using namespace direct_cases;

namespace {

/// Potential and field, of charges.
Sums evaluate_charges(const Cloud& c, Precision precision, double softening = 0) {
  Sums sums(c.size());
  DirectCoulombSum(softening, precision).make_plan(c.x)->evaluate({&c.q, nullptr}, {&sums.potential, &sums.field});
  return sums;
}

void check_single(const Cloud& c, double softening = 0) {
  const Sums single = evaluate_charges(c, Precision::Single, softening),
             twice = evaluate_charges(c, Precision::Double, softening);
  CHECK(relative_error(single.field, twice.field) < 1e-6);
  CHECK(relative_error(single.potential, twice.potential) < 1e-6);
  if (c.size() > 100) CHECK((single.field.array() != twice.field.array()).any());  // it was single
}

}  // namespace

TEST_CASE("direct Coulomb sum in single precision: fields are good to 1e-6", "[sim][coulomb][equivalence]") {
  with_every_instruction_set([] {
    for (Index n : {0, 1, 2, 17, 145, 1000}) {
      CAPTURE(n);
      Cloud c(n);
      check_single(c);
      check_single(c, 0.3);
      c.x.array() += 100;  // only differences count
      check_single(c);
    }
  });
}

TEST_CASE("direct Coulomb sum in single precision: clusters, planes and small worlds", "[sim][coulomb][equivalence]") {
  Cloud c(1500);
  for (Index i = 0; i < c.size(); ++i)
    if (i % 3 != 0) c.x.col(i) = c.x.col(i / 300) + 1e-3 * c.x.col(i);  // five clusters and loose points between them
  check_single(c);
  c.x.row(2).setConstant(0.25);
  check_single(c);
  c.x *= 1e-9;  // nanometers, elementary charges
  c.q *= 1.6e-19;
  check_single(c);
  c.x *= 1e-40;  // and what float could not hold
  c.q *= 1e60;
  check_single(c);
  c.q[7] = 0;  // not all charged: in double
  const Sums single = evaluate_charges(c, Precision::Single), twice = evaluate_charges(c, Precision::Double);
  CHECK(single.field == twice.field);
}

TEST_CASE("direct Coulomb sum in single precision: what is not single is as in double", "[sim][coulomb]") {
  const Cloud c(200);
  const auto single = DirectCoulombSum(0, Precision::Single).make_plan(c.x), twice = DirectCoulombSum().make_plan(c.x);
  Sums a(200), b(200);
  single->evaluate({&c.q, &c.p}, {nullptr, nullptr, &a.gradient});
  twice->evaluate({&c.q, &c.p}, {nullptr, nullptr, &b.gradient});
  single->force_jvp(c.q, c.u, c.dq, a.field);
  twice->force_jvp(c.q, c.u, c.dq, b.field);
  CHECK(relative_error(a.gradient, b.gradient) < rounding);
  CHECK(relative_error(a.field, b.field) < rounding);
  single->force_vjp(c.q, c.w, a.field, a.potential);
  twice->force_vjp(c.q, c.w, b.field, b.potential);
  CHECK(relative_error(a.field, b.field) < rounding);
  CHECK(relative_error(a.potential, b.potential) < rounding);
}

TEST_CASE("direct Coulomb sum in single precision: bit-identical for any number of threads", "[sim][coulomb]") {
  const auto field = [](int count) {
    const pithball::tests::ThreadLimit limit(count);
    return evaluate_charges(Cloud(2500), Precision::Single).field;
  };
  const Points one = field(1);
  for (int count : {2, 3, 7}) CHECK(field(count) == one);
}

TEST_CASE("direct Coulomb sum in single precision: asked for by an option", "[sim][coulomb]") {
  const Cloud c(100);
  CoulombOptions options;
  options.method = "direct";
  options.precision = Precision::Single;
  Points field = Points::Zero(3, 100);
  make_coulomb_sum(options)->make_plan(c.x)->evaluate({&c.q, nullptr}, {nullptr, &field});
  Points want = Points::Zero(3, 100);
  DirectCoulombSum(0, Precision::Single).make_plan(c.x)->evaluate({&c.q, nullptr}, {nullptr, &want});
  CHECK(field == want);
}
