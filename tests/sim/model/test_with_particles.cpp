#include "sim/constraint/constraint.hpp"
#include "sim/model/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/constraint_specimens.hpp"
#include "tests/support/force_specimens.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

/// All six particles of the suites in another order.
const std::vector<Index> order{3, 0, 5, 1, 4, 2};

std::vector<ParticleOrigin> reordered() {
  std::vector<ParticleOrigin> origins;
  for (const Index i : order) origins.push_back({i, true});
  return origins;
}

/// What each row of a model's only constraint says, in ascending order.
std::vector<double> conditions(const Model& model, const Points& x) {
  std::vector<ConstraintRow> rows;
  const Constraint& constraint = *model.constraints().front();
  constraint.add_rows(model, x, Vector::Constant(x.cols(), 10), rows);
  std::vector<double> values;
  RowPoints gradient;
  for (const ConstraintRow& row : rows)
    values.push_back(constraint.evaluate(model, row, row_points(row, x), gradient) +
                     row_compliance(constraint, model, row));
  std::ranges::sort(values);
  return values;
}

}  // namespace

TEST_CASE("with_particles: every force is the same in another order of the particles", "[sim][model][population]") {
  namespace suite = tests::force_suite;
  suite::Dice dice(11);
  for (const suite::Specimen& specimen : suite::specimens()) {
    INFO(specimen.name);
    const State s = dice.state();
    const State other{s.t, s.x(Eigen::all, order), s.v(Eigen::all, order)};
    const Points f = suite::force_of(specimen.model, s);
    const Model model = specimen.model.with_particles(reordered());
    // Sums over pairs in another order; fast sums build other trees, whose error they then show.
    const bool approximate = specimen.model.frozen().terms() != specimen.model.terms();
    CHECK((suite::force_of(model, other) - f(Eigen::all, order)).norm() <= (approximate ? 1e-3 : 1e-12) * f.norm());
    for (std::size_t k = 0; k < model.terms().size(); ++k)
      if (const auto energy = specimen.model.terms()[k]->energy(specimen.model, s))
        CHECK(*model.terms()[k]->energy(model, other) ==
              Approx(*energy).epsilon(approximate ? 1e-3 : 1e-12).margin(1e-14));
  }
}

TEST_CASE("with_particles: every constraint is the same in another order, and with one more particle",
          "[sim][model][population]") {
  namespace suite = tests::constraint_suite;
  for (const suite::Specimen& specimen : suite::specimens()) {
    INFO(specimen.name);
    const Points x = suite::moved().x;
    const std::vector<double> before = conditions(specimen.model, x);
    REQUIRE_FALSE(before.empty());
    const std::vector<double> after = conditions(specimen.model.with_particles(reordered()), x(Eigen::all, order));
    REQUIRE(after.size() == before.size());
    for (std::size_t k = 0; k < after.size(); ++k) CHECK(after[k] == Approx(before[k]).margin(1e-14));

    // A further particle like number 1, at its place: obstacles stop it too if they stop that one, links and pins
    // leave it alone.
    std::vector<ParticleOrigin> origins = reordered();
    origins.push_back({1, false});
    Points more(3, 7);
    more << x(Eigen::all, order), x.col(1);
    const std::size_t rows = conditions(specimen.model.with_particles(origins), more).size();
    const bool stops = specimen.constraint().as<ContactRows>() && specimen.name != "spheres";
    const std::size_t walls = specimen.name == "box" && before.size() == 36 ? 6 : 1;
    if (specimen.name != "spheres") CHECK(rows == before.size() + (stops ? walls : 0));
    if (specimen.name == "spheres") CHECK(rows == before.size() + 5);  // everybody but the one of radius 0
  }
}

TEST_CASE("with_particles: springs, holds and values follow their particles", "[sim][model][population]") {
  const Model model({.particles = 4, .springs = {{1, 3}}, .held = {{2, {}}}}, Vector{{1, 2, 3, 4}},
                    Vector{{5, 6, 7, 8}}, {tests::springs(1, 10, 1)});
  CHECK(model.bound() == std::vector<bool>{false, true, true, true});
  const Model next = model.with_particles({{1, true}, {2, true}, {3, true}, {0, false}, {2, false}});
  CHECK(next.particles() == 5);
  CHECK(Vector(next.mass()) == Vector{{2, 3, 4, 1, 3}});
  CHECK(Vector(next.charge()) == Vector{{6, 7, 8, 5, 7}});
  REQUIRE(next.springs().size() == 1);
  CHECK(next.springs()[0].i == 0);
  CHECK(next.springs()[0].j == 2);
  CHECK(next.is_held(1));
  CHECK_FALSE(next.is_held(4));  // like a held one, but not that one
  CHECK(Vector(next.values()[*next.values().find("stiffness")]) == Vector{{10}});

  CHECK_THROWS_WITH((model.with_particles({})), Catch::Contains("at least one particle"));
  CHECK_THROWS_WITH((model.with_particles({{0, true}, {1, true}, {2, true}})), Catch::Contains("none for 3"));
  CHECK_THROWS_WITH((model.with_particles({{0, true}, {0, true}, {1, true}, {2, true}, {3, true}})),
                    Catch::Contains("0 twice"));
  CHECK_THROWS_WITH((model.with_particles({{4, false}, {1, true}, {2, true}, {3, true}})),
                    Catch::Contains("between 0 and 3"));
  const Model framed = model.with_key_frames({4}, {0, 1});
  CHECK_THROWS_WITH((framed.with_particles({{1, true}, {2, true}, {3, true}})), Catch::Contains("key frames"));
}
