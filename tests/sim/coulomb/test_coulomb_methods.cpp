#include <Eigen/Geometry>
#include <cmath>
#include <random>
#include <tuple>

#include "datasets/mesh/point_set.hpp"
#include "sim/core/error.hpp"
#include "sim/coulomb/coulomb_registry.hpp"
#include "sim/coulomb/reference_sum.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/model/model.hpp"
#include "tests/sim/coulomb/direct_cases.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_limit.hpp"

// What every way to do the Coulomb sum promises. The suite runs over the registry, so that a new method cannot escape
// it; a method that is not known here must say what it promises.

using namespace pithball;
using namespace pithball::sim;
using direct_cases::relative_error;
using direct_cases::Sums;

namespace {

struct Specimen {
  CoulombOptions options;
  double error = 0;     ///< promised, relative L2 of field and potential
  double rounding = 0;  ///< of the approximation itself: by how much sums of another order may differ
  bool exact() const { return options.method == "direct"; }
  bool single() const { return options.precision == Precision::Single; }
  /// Whether the force comes from an energy and the Jacobian is symmetric.
  bool has_energy() const { return options.method != "ddef" && !single(); }
  std::unique_ptr<const CoulombSum> sum() const { return make_coulomb_sum(options); }
};

std::string label(const Specimen& s) {
  return s.options.method + ", tolerance " + std::to_string(s.options.tolerance) + (s.single() ? ", single" : "") +
         ", variant " + std::to_string(int(s.options.ddef.variant));
}

/// Sums over thousands of terms of both signs keep some ten roundings.
constexpr double sum_rounding = 1e-13;

CoulombOptions options_of(const std::string& method) {
  CoulombOptions options;
  options.method = method;
  return options;
}

std::vector<Specimen> specimens(double softening = 0) {
  std::vector<Specimen> all;
  for (const CoulombMethod& method : coulomb_methods()) {
    CoulombOptions options = options_of(method.name);
    options.softening = softening;
    if (method.name == "direct") {
      all.push_back({options, sum_rounding, sum_rounding});
      options.precision = Precision::Single;
      all.push_back({options, 1e-6, 1e-6});  // float32 pairs
    } else if (method.name == "fmm" || method.name == "auto") {
      for (double tolerance : {1e-2, 1e-6}) {
        options.tolerance = tolerance;
        all.push_back({options, tolerance, sum_rounding});
      }
    } else if (method.name == "ddef") {
      options.ddef.points = 200;
      // Errors are 10 to 40 %, see docs/ddef.md; 54 % on the cloth. What is counted twice is taken off again.
      for (auto variant : {DdefVariant::PaperText, DdefVariant::PaperAlgorithm, DdefVariant::Consistent}) {
        options.ddef.variant = variant;
        all.push_back({options, 0.7, 1e-11});
      }
    } else {
      FAIL("method " << method.name << ": say here what it promises");
    }
  }
  return all;
}

/// Evenly spread points, enough for `auto` to choose fmm at 1e-2 but direct at 1e-6, and for a tree of several levels.
const Index many = AutoCoulombSum::crossover(1e-2) + 100;

struct World {
  explicit World(const std::string& charges, Index n = many, const std::string& set = "sphere")
      : x(datasets::make_point_set(set, n)), q(datasets::make_charges(charges, x.cols())), u(3, x.cols()), w(u), dq(q) {
    std::mt19937 random(21);
    std::normal_distribution<double> normal;
    for (Points* points : {&u, &w})
      for (double& a : points->reshaped()) a = normal(random);
    for (double& a : dq) a = 1e-6 * normal(random);
  }
  Index size() const { return x.cols(); }
  Points x;
  Vector q;
  Points u, w;  ///< directions
  Vector dq;
};

Sums evaluate(const CoulombSum::Plan& plan, const Vector& q) {
  Sums sums(q.size());
  plan.evaluate({&q, nullptr}, {&sums.potential, &sums.field, &sums.gradient});
  return sums;
}

Points field(const CoulombSum::Plan& plan, const Vector& q) {
  Points e = Points::Zero(3, q.size());
  plan.evaluate({&q, nullptr}, {nullptr, &e});
  return e;
}

Points field(const Specimen& s, const Points& x, const Vector& q) { return field(*s.sum()->make_plan(x), q); }

void check_against_reference(const Specimen& s, const Points& x, const Vector& q) {
  const ReferenceSum reference = make_reference_sum(x, q, spread_targets(x.cols(), 60), s.options.softening);
  const Sums sums = evaluate(*s.sum()->make_plan(x), q);
  CAPTURE(label(s));
  CHECK(reference.field_error(sums.field) <= s.error);
  CHECK(reference.potential_error(sums.potential) <= s.error);
}

}  // namespace

TEST_CASE("coulomb methods: auto takes both ways in these tests", "[sim][coulomb]") {
  CHECK(AutoCoulombSum(1e-2).choice(many) == "fmm");
  CHECK(AutoCoulombSum(1e-6).choice(many) == "direct");
}

TEST_CASE("coulomb methods: each agrees with a sum in long double within its promise", "[sim][coulomb]") {
  for (const std::string set : {"sphere", "torus", "cloth"}) {
    const World world("one", many, set);
    for (const Specimen& s : specimens()) {
      CAPTURE(set);
      check_against_reference(s, world.x, world.q);
    }
  }
  // DDEF is exact for none and bad for charges of both signs.
  for (const std::string charges : {"mixed", "neutral"})
    for (const Specimen& s : specimens())
      if (s.options.method != "ddef") check_against_reference(s, World(charges).x, World(charges).q);
}

TEST_CASE("coulomb methods: softening softens", "[sim][coulomb]") {
  const World world("one");
  for (double softening : {0.01, 0.3})
    for (const Specimen& s : specimens(softening)) {
      CAPTURE(softening);
      check_against_reference(s, world.x, world.q);
    }
}

TEST_CASE("coulomb methods: none, one and two points", "[sim][coulomb]") {
  for (const Specimen& s : specimens()) {
    CAPTURE(label(s));
    for (Index n : {0, 1}) {
      const Points x = Points::Constant(3, n, 2.5);
      const Vector q = Vector::Constant(n, 1e-6);
      const auto sum = s.sum();
      const auto structure = sum->make_structure(x);
      const auto plan = sum->make_plan(x, structure);
      if (structure) CHECK(structure->crossings(x) == 0);
      const Sums sums = evaluate(*plan, q);
      CHECK(sums.potential.norm() == 0);
      CHECK(sums.field.norm() == 0);
      CHECK(sums.gradient.norm() == 0);
      Points df = Points::Zero(3, n), dx = df;
      Vector dq = Vector::Zero(n);
      plan->force_jvp(q, x, q, df);
      plan->force_vjp(q, x, dx, dq);
      CHECK(df.norm() + dx.norm() + dq.norm() == 0);
    }
    Points x(3, 2);
    x << 1, 4, 1, 5, 1, 1;  // 5 m apart
    const Vector q = (Vector(2) << 2e-6, -3e-6).finished();
    const Sums sums = evaluate(*s.sum()->make_plan(x), q);
    CHECK(sums.field.allFinite());
    if (s.options.method == "ddef") continue;  // a grid of two points says little
    const double error = s.single() ? s.error : 1e-15;
    CHECK(sums.potential[0] == Approx(coulomb_constant * q[1] / 5).epsilon(error));
    CHECK(sums.potential[1] == Approx(coulomb_constant * q[0] / 5).epsilon(error));
    CHECK(relative_error(sums.field.col(1), coulomb_constant * q[0] / 25 * Vec3(0.6, 0.8, 0)) < 2 * error);
  }
}

TEST_CASE("coulomb methods: points on a line and in a plane", "[sim][coulomb]") {
  const World cube("one", many, "cube");
  Points line = cube.x, plane = cube.x;
  line.bottomRows(2).setConstant(0.5);
  plane.row(2).setZero();
  const Points oblique = Vec3(1, -1, 0.5) * cube.x.row(0);
  for (const Points& x : {line, plane, oblique})
    for (const Specimen& s : specimens()) {
      if (s.options.method == "ddef") {
        CHECK(field(s, x, cube.q).allFinite());
        continue;
      }
      CAPTURE(label(s), x.leftCols(1).transpose());
      const ReferenceSum reference = make_reference_sum(x, cube.q, spread_targets(x.cols(), 60));
      // Neighbors at random on a line come within 1e-8 of each other; what rounding leaves of such distances is exact
      // in both sums.
      CHECK(reference.field_error(field(s, x, cube.q)) <= s.error);
    }
}

TEST_CASE("coulomb methods: the field moves, turns and scales with the points", "[sim][coulomb]") {
  const World world("one");
  const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, -2).normalized()).toRotationMatrix();
  for (const Specimen& s : specimens()) {
    CAPTURE(label(s));
    const Points here = field(s, world.x, world.q);
    REQUIRE(here.norm() > 0);
    // Two approximations, each within its promise; moved coordinates are rounded to 1e-15 of neighbors 0.07 apart.
    const double error = 2 * s.error + 1e-12;
    CHECK(relative_error(field(s, world.x.colwise() + Vec3(3, -7, 11), world.q), here) <= error);
    CHECK(relative_error(field(s, turn * world.x, world.q), turn * here) <= error);
    for (double scale : {1e-3, 40.0})
      CHECK(relative_error(scale * scale * field(s, scale * world.x, world.q), here) <= error);
    CHECK(relative_error(field(s, world.x, 1e-15 * world.q), 1e-15 * here) <= s.rounding);
  }
}

TEST_CASE("coulomb methods: results of charges add up", "[sim][coulomb]") {
  const World world("mixed");
  const Vector other = datasets::make_charges("one", world.size(), 5);
  for (const Specimen& s : specimens()) {
    CAPTURE(label(s));
    const auto plan = s.sum()->make_plan(world.x);
    const Sums a = evaluate(*plan, world.q), b = evaluate(*plan, other),
               both = evaluate(*plan, 2 * world.q - 3 * other);
    CHECK(relative_error(both.field, 2 * a.field - 3 * b.field) <= s.rounding);
    CHECK(relative_error(both.potential, 2 * a.potential - 3 * b.potential) <= s.rounding);
    CHECK(relative_error(both.gradient, 2 * a.gradient - 3 * b.gradient) <= s.rounding);
    // Charges and dipoles at the same points, too.
    const Points p = world.u * world.q.asDiagonal();
    Sums dipoles(world.size()), together(world.size());
    plan->evaluate({nullptr, &p}, {&dipoles.potential, &dipoles.field, &dipoles.gradient});
    plan->evaluate({&world.q, &p}, {&together.potential, &together.field, &together.gradient});
    CHECK(relative_error(together.field, a.field + dipoles.field) <= s.rounding);
    CHECK(relative_error(together.potential, a.potential + dipoles.potential) <= s.rounding);
    CHECK(relative_error(together.gradient, a.gradient + dipoles.gradient) <= s.rounding);
  }
}

TEST_CASE("coulomb methods: action and reaction", "[sim][coulomb][conservation]") {
  for (const std::string kind : {"one", "mixed"}) {
    const World world(kind);
    const Vector q = world.q.cwiseSign() * 1e-6;  // equal sizes, so that errors of forces are errors of the field
    for (const Specimen& s : specimens()) {
      if (s.options.method == "ddef") continue;  // its forces have no reactions
      const Points f = field(s, world.x, q) * q.asDiagonal();
      CAPTURE(label(s), kind);
      // |Σ δf_i| ≤ √N ‖δf‖, whatever the errors are; sums of exact forces: roundings of N terms.
      const double bound =
          s.exact() ? s.error * f.colwise().norm().sum() : s.error * std::sqrt(double(many)) * f.norm();
      CHECK(f.rowwise().sum().norm() <= bound);
      Vec3 torque = Vec3::Zero();
      for (Index i = 0; i < world.size(); ++i) torque += Vec3(world.x.col(i)).cross(Vec3(f.col(i)));
      CHECK(torque.norm() <= bound);  // the sphere's radius is 1
      CHECK(f.colwise().norm().sum() > 1e-3);
    }
  }
}

TEST_CASE("coulomb methods: results are added, and nothing is asked of null members", "[sim][coulomb]") {
  const World world("mixed");
  for (const Specimen& s : specimens()) {
    CAPTURE(label(s));
    const auto plan = s.sum()->make_plan(world.x);
    const Sums once = evaluate(*plan, world.q);
    Sums sums(world.size());
    for (int k = 0; k < 2; ++k) plan->evaluate({&world.q, nullptr}, {&sums.potential, &sums.field, &sums.gradient});
    CHECK(relative_error(sums.field, 2 * once.field) <= 1e-15);
    CHECK(relative_error(sums.potential, 2 * once.potential) <= 1e-15);
    CHECK(relative_error(sums.gradient, 2 * once.gradient) <= 1e-15);
    const Sums before = sums;
    plan->evaluate({nullptr, nullptr}, {&sums.potential, &sums.field, &sums.gradient});
    plan->evaluate({&world.q, nullptr}, {});
    CHECK(sums.field == before.field);
    CHECK(sums.potential == before.potential);
    CHECK(sums.gradient == before.gradient);
    const Index n = world.size();
    Points change = Points::Zero(3, n), pulled = change, changed_twice = change, pulled_twice = change;
    Vector by_charge = Vector::Zero(n), by_charge_twice = by_charge;
    plan->force_jvp(world.q, world.u, world.dq, change);
    plan->force_vjp(world.q, world.w, pulled, by_charge);
    for (int k = 0; k < 2; ++k) {
      plan->force_jvp(world.q, world.u, world.dq, changed_twice);
      plan->force_vjp(world.q, world.w, pulled_twice, by_charge_twice);
    }
    CHECK(relative_error(changed_twice, 2 * change) <= 1e-14);  // summands may be added one by one
    CHECK(relative_error(pulled_twice, 2 * pulled) <= 1e-14);
    CHECK(relative_error(by_charge_twice, 2 * by_charge) <= 1e-14);
  }
}

TEST_CASE("coulomb methods: bit-identical for any number of threads, and each time", "[sim][coulomb]") {
  const World world("mixed", 4000);
  for (const Specimen& s : specimens()) {
    CAPTURE(label(s));
    const auto everything = [&](int threads) {
      const pithball::tests::ThreadLimit limit(threads);
      const auto plan = s.sum()->make_plan(world.x);
      Sums sums = evaluate(*plan, world.q);
      Points df = Points::Zero(3, world.size()), dx = df;
      Vector dq = Vector::Zero(world.size());
      plan->force_jvp(world.q, world.u, world.dq, df);
      plan->force_vjp(world.q, world.w, dx, dq);
      return std::tuple(sums.potential, sums.field, sums.gradient, df, dx, dq);
    };
    const auto one = everything(1);
    CHECK(everything(1) == one);
    for (int threads : {2, 3}) CHECK(everything(threads) == one);
  }
}

TEST_CASE("coulomb methods: uncharged points at one place do no harm", "[sim][coulomb]") {
  World world("one");
  for (Index i = 0; i < 5; ++i) {
    world.x.col(17 + 300 * i) = Vec3(0.2, 0.1, -0.3);
    world.q[17 + 300 * i] = 0;
  }
  for (const Specimen& s : specimens()) {
    CAPTURE(label(s));
    const auto plan = s.sum()->make_plan(world.x);
    const Sums sums = evaluate(*plan, world.q);
    CHECK(sums.field.allFinite());
    CHECK(sums.potential.allFinite());
    CHECK(sums.gradient.allFinite());
    CHECK(sums.potential[17] == Approx(sums.potential[1217]).epsilon(s.error));  // the same place
    check_against_reference(s, world.x, world.q);
    Points df = Points::Zero(3, world.size()), dx = df;
    Vector dq = Vector::Zero(world.size());
    plan->force_jvp(world.q, world.u, Vector::Zero(world.size()), df);
    plan->force_vjp(world.q, world.w, dx, dq);
    CHECK(df.allFinite());
    CHECK(dx.allFinite());
  }
}

TEST_CASE("coulomb methods: two charges at one place are rejected by the force of each", "[sim][coulomb][error]") {
  World world("one", 300);
  world.x.col(211) = world.x.col(30);
  const State state{0, world.x, Points::Zero(3, world.size())};
  const auto model = [&](const Specimen& s) {
    return Model({.particles = world.size(), .springs = {}, .held = {}}, Vector::Ones(world.size()), world.q,
                 {std::make_shared<CoulombForce>(s.sum(), s.options.softening)});
  };
  for (const Specimen& s : specimens()) {
    CAPTURE(label(s));
    const Model m = model(s);
    CHECK_THROWS_AS(m.terms().front()->validate(m, state), InvalidArgument);
    CHECK_THROWS_WITH(m.terms().front()->validate(m, state), Catch::Contains("30 and 211"));
  }
  for (const Specimen& s : specimens(0.1)) {
    const Model m = model(s);
    CHECK_NOTHROW(m.terms().front()->validate(m, state));
    CHECK(field(s, world.x, world.q).allFinite());
  }
}

TEST_CASE("coulomb methods: force_jvp is the derivative with the structure frozen", "[sim][coulomb][fd]") {
  for (double softening : {0.0, 0.05})
    for (const Specimen& s : specimens(softening)) {
      if (s.single()) continue;  // its products are those of the exact sum: test_direct_single.cpp
      const World world("mixed");
      CAPTURE(label(s), softening);
      const auto sum = s.sum();
      const auto structure = sum->make_structure(world.x);
      const auto forces = [&](double h) -> Points {
        const Vector q = world.q + h * world.dq;
        return field(*sum->make_plan(world.x + h * world.u, structure), q) * q.asDiagonal();
      };
      // Fourth order: h⁴ times fifth derivatives of points 0.07 apart, and rounding over h, both below 1e-10.
      const double h = 1e-5;
      const Points want = (8 * (forces(h) - forces(-h)) - (forces(2 * h) - forces(-2 * h))) / (12 * h);
      Points df = Points::Zero(3, world.size());
      sum->make_plan(world.x, structure)->force_jvp(world.q, world.u, world.dq, df);
      REQUIRE(want.norm() > 0);
      CHECK(relative_error(df, want) < 1e-8);
      // Positions alone and charges alone.
      Points by_x = Points::Zero(3, world.size()), by_q = by_x;
      const Vector no_charge = Vector::Zero(world.size());
      const auto plan = sum->make_plan(world.x, structure);
      plan->force_jvp(world.q, world.u, no_charge, by_x);
      plan->force_jvp(world.q, Points::Zero(3, world.size()), world.dq, by_q);
      CHECK(by_q.norm() > 1e-3 * by_x.norm());
      CHECK(relative_error(by_x + by_q, df) < 10 * sum_rounding);
    }
}

TEST_CASE("coulomb methods: force_vjp is the transpose of force_jvp", "[sim][coulomb]") {
  for (double softening : {0.0, 0.05})
    for (const Specimen& s : specimens(softening)) {
      const World world("mixed");
      const auto plan = s.sum()->make_plan(world.x);
      Points df = Points::Zero(3, world.size()), dx = df;
      Vector dq = Vector::Zero(world.size());
      plan->force_jvp(world.q, world.u, world.dq, df);
      plan->force_vjp(world.q, world.w, dx, dq);
      const double there = (world.w.array() * df.array()).sum();
      const double back = (dx.array() * world.u.array()).sum() + dq.dot(world.dq);
      CAPTURE(label(s), softening);
      REQUIRE(df.norm() > 0);
      // Roundings of products that partly cancel, relative to what they are made of.
      CHECK(std::abs(there - back) <= sum_rounding * (world.w.norm() * df.norm() + dx.norm() * world.u.norm()));
    }
}

TEST_CASE("coulomb methods: the approximate force is minus the gradient of the approximate energy",
          "[sim][coulomb][fd]") {
  for (const Specimen& s : specimens()) {
    if (!s.has_energy()) continue;
    const World world("mixed");
    CAPTURE(label(s));
    const auto sum = s.sum();
    const auto structure = sum->make_structure(world.x);
    const auto energy = [&](double h) {
      Vector potential = Vector::Zero(world.size());
      sum->make_plan(world.x + h * world.u, structure)->evaluate({&world.q, nullptr}, {&potential});
      return 0.5 * world.q.dot(potential);
    };
    const double h = 1e-5;
    const double want = -(8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h);
    const Points f = field(*sum->make_plan(world.x, structure), world.q) * world.q.asDiagonal();
    const double got = (f.array() * world.u.array()).sum();
    REQUIRE(std::abs(want) > 0.01 * f.norm());
    // Rounding of the energy over h; an error of the size of the tolerance would be far larger at 1e-6.
    CHECK(std::abs(got - want) < 1e-8 * f.norm() + 1e-15 * world.q.norm() * std::abs(energy(0)) / h);
  }
}

TEST_CASE("coulomb methods: potentials are a symmetric function of the charges", "[sim][coulomb]") {
  const World world("mixed");
  const Vector other = datasets::make_charges("one", world.size(), 5);
  for (const Specimen& s : specimens()) {
    if (!s.has_energy()) continue;
    const auto plan = s.sum()->make_plan(world.x);
    const Vector a = evaluate(*plan, world.q).potential, b = evaluate(*plan, other).potential;
    CAPTURE(label(s));
    CHECK(std::abs(world.q.dot(b) - other.dot(a)) <= 1e-14 * (world.q.norm() * b.norm() + other.norm() * a.norm()));
  }
}

TEST_CASE("coulomb methods: a structure serves positions nearby", "[sim][coulomb]") {
  const World world("one");
  const Points moved = world.x + 1e-3 * world.u;  // 2 % of the distance of neighbors
  const ReferenceSum reference = make_reference_sum(moved, world.q, spread_targets(many, 60));
  for (const Specimen& s : specimens()) {
    CAPTURE(label(s));
    const auto sum = s.sum();
    const auto structure = sum->make_structure(world.x);
    CHECK(reference.field_error(field(*sum->make_plan(moved, structure), world.q)) <= s.error);
    if (structure) {
      CHECK(structure->crossings(world.x) == 0);
      CHECK(structure->crossings(moved) > 0);
      CHECK(structure->crossings(moved) < many / 5);
    }
  }
}

TEST_CASE("coulomb methods: names are known, others rejected", "[sim][coulomb][error]") {
  REQUIRE(coulomb_methods().front().name == "auto");
  for (const CoulombMethod& method : coulomb_methods()) {
    CHECK(make_coulomb_sum(options_of(method.name))->name() == method.name);
    CHECK_FALSE(method.summary.empty());
  }
  CHECK_THROWS_AS(make_coulomb_sum(options_of("guess")), InvalidArgument);
  CHECK_THROWS_WITH(make_coulomb_sum(options_of("guess")), Catch::Contains("auto, direct"));
}

TEST_CASE("coulomb: the pairs of a few points are those that the sum lacks without them", "[sim][coulomb]") {
  const direct_cases::Cloud all(200);
  Vector q = all.q;
  q[3] = q[63] = 0;
  const std::vector<Index> some{0, 17, 63, 64, 199};
  std::vector<Index> rest;
  for (Index i = 0; i < 200; ++i)
    if (!std::ranges::binary_search(some, i)) rest.push_back(i);
  const Points x_rest = all.x(Eigen::all, rest);
  const Vector q_rest = q(rest);
  int methods = 0;
  for (const Specimen& s : specimens(0.2)) {
    INFO(label(s));
    Sums sums(200), without(195);
    std::vector<Points> by_threads;
    for (const int threads : {1, 2, 3}) {
      const tests::ThreadLimit limit(threads);
      const auto plan = s.sum()->make_partial_plan(all.x, some);
      if (!plan) continue;
      sums = Sums(200);
      plan->evaluate({.charge = &q}, {.potential = &sums.potential, .field = &sums.field});
      by_threads.push_back(sums.field);
      CHECK(by_threads.back() == by_threads.front());
    }
    if (by_threads.empty()) continue;
    ++methods;
    const Sums whole = direct_cases::evaluate(all.x, &q, nullptr, 0.2);
    without = direct_cases::evaluate(x_rest, &q_rest, nullptr, 0.2);
    Points field = whole.field;
    Vector potential = whole.potential;
    field(Eigen::all, rest) -= without.field;
    potential(rest) -= without.potential;
    CHECK((sums.field - field).norm() < sum_rounding * whole.field.norm());
    CHECK((sums.potential - potential).norm() < sum_rounding * whole.potential.norm());
    CHECK_FALSE(s.sum()->make_partial_plan(all.x, rest));
  }
  CHECK(methods >= 4);
}
