#include "sim/force/spring_damper.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/force_specimens.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
namespace suite = pithball::tests::force_suite;

namespace {

const std::vector<Spring> more{{0, 3}, {5, 2}};
const Vector rest_lengths{{0.7, 1.1}};

/// A body on springs with these strengths, whose dampers are those of rods where their lengths are given.
Model body_on(const std::vector<Spring>& springs, const Vector& stiffness, const Vector& rest_length, bool are_rods) {
  Vector damping = Vector::Zero(stiffness.size());
  damping.head(suite::edges.size()).setConstant(0.3);
  std::vector<std::shared_ptr<ForceTerm>> terms{
      std::make_shared<SpringForce>(stiffness, rest_length,
                                    are_rods ? SpringForce::Form::Strain : SpringForce::Form::Length),
      are_rods ? std::make_shared<SpringDamper>(damping, rest_length) : std::make_shared<SpringDamper>(damping),
      std::make_shared<CubicSpring>(0 * damping)};
  return {{.particles = suite::N, .springs = springs, .held = {{1, {}}}},
          suite::specimen_masses(),
          suite::specimen_charges(),
          std::move(terms)};
}

Vector joined(const Vector& a, const Vector& b) {
  Vector both(a.size() + b.size());
  both << a, b;
  return both;
}

}  // namespace

TEST_CASE("with_springs: further springs of strength 0 change no force", "[sim][model]") {
  int with_values_of_springs = 0;
  for (const suite::Specimen& specimen : suite::specimens()) {
    INFO(specimen.name);
    const State s = suite::Dice(5).state();
    const Model longer = specimen.model.with_springs(more, rest_lengths);
    CHECK(longer.springs().size() == suite::edges.size() + 2);
    // Sums over charges do not depend on springs: the same operations in the same order.
    CHECK(suite::force_of(longer, s) == suite::force_of(specimen.model, s));
    with_values_of_springs += longer.values().size() > specimen.model.values().size();
  }
  CHECK(with_values_of_springs >= 3);  // springs, dampers and springs that harden
}

TEST_CASE("with_springs: with their strength, they are springs of the body", "[sim][model]") {
  const Index n = suite::edges.size();
  const Vector stiffness = Vector::LinSpaced(n, 10, 20), rest_length = Vector::LinSpaced(n, 0.5, 1.5);
  std::vector<Spring> all = suite::edges;
  all.insert(all.end(), more.begin(), more.end());
  const State s = suite::Dice(6).state();
  for (const bool are_rods : {false, true}) {
    INFO(are_rods);
    const Model whole = body_on(all, joined(stiffness, Vector{{7, 4}}), joined(rest_length, rest_lengths), are_rods);
    const Model part = body_on(suite::edges, stiffness, rest_length, are_rods);
    const Model longer = part.with_springs(more, rest_lengths);
    REQUIRE((suite::force_of(whole, s) - suite::force_of(part, s)).norm() > 1);
    CHECK(suite::force_of(longer, s) == suite::force_of(part, s));
    REQUIRE(longer.values().size() == whole.values().size());
    CHECK(suite::force_of(longer.with_values(whole.values().data()), s) == suite::force_of(whole, s));
  }
}

TEST_CASE("with_springs: values that change with time stay those of their own entries", "[sim][model][key_frames]") {
  const Index n = suite::edges.size();
  const Model body = body_on(suite::edges, Vector::LinSpaced(n, 10, 20), Vector::LinSpaced(n, 0.5, 1.5), false);
  // Damping comes after the stiffnesses, which become more; the rate of the leak comes after the keys.
  const Index damping = body.values().block(*body.values().find("damping")).offset;
  Model framed = body.with_key_frames({damping + 2, damping + 4}, {0, 2}).with_charge_leak(0.4);
  Vector data = framed.values().data();
  for (const Index e : {0, 1}) data[framed.key_frames()[0].key(e, 1)] = 5 + e;
  framed = framed.with_values(data);
  const Model longer = framed.with_springs(more, rest_lengths);
  for (const double t : {0.0, 1.0, 3.0}) {
    State s = suite::Dice(7).state();
    s.t = t;
    CHECK(suite::force_of(longer, s) == suite::force_of(framed, s));
    CHECK(longer.at(t).charge() == framed.at(t).charge());
    if (t > 0) CHECK((suite::force_of(framed, s) - suite::force_of(body, s)).norm() > 0.1);
  }
}

TEST_CASE("with_springs: springs that cannot be are rejected", "[sim][model][error]") {
  const Model body = body_on(suite::edges, Vector::Ones(7), Vector::Ones(7), false);
  CHECK_THROWS_WITH(body.with_springs({{0, 0}}, Vector::Ones(1)), Catch::Contains("two different particles"));
  CHECK_THROWS_WITH(body.with_springs({{0, 6}}, Vector::Ones(1)), Catch::Contains("between 0 and 5"));
  CHECK_THROWS_WITH(body.with_springs(more, Vector::Ones(1)), Catch::Contains("as many as their rest lengths"));
  const Model loose(Topology{.particles = 2, .springs = {}, .held = {}}, Vector::Ones(2), Vector::Zero(2), {});
  CHECK_THROWS_WITH(loose.with_springs({{0, 1}}, Vector::Ones(1)), Catch::Contains("a model that has springs"));
}
