// A parameter that entries share which differ: it multiplies them, so that a fit starts at the model as given.

#include <bit>
#include <cstdint>
#include <limits>
#include <set>

#include "optim/parameter/parameter_map.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/support/constraint_specimens.hpp"
#include "tests/support/force_specimens.hpp"
#include "tests/support/rich_system.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::BodyOptions;
using pithball::test::complaint;
using pithball::test::contains;
using pithball::test::make_body;
using pithball::test::shared;

namespace {

bool same_bits(const Vector& a, const Vector& b) {
  return std::ranges::equal(a, b, [](const double x, const double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

diff::Scenario scenario_of(const sim::Model& model) {
  const sim::Points x = sim::Points::Random(3, model.particles()), v = sim::Points::Random(3, model.particles());
  return {.name = "some", .model = model, .initial = {0, x, v}, .time_step = 0.01, .steps = 1, .stage = {}};
}

diff::Scenario with_charges(const Vector& charge) {
  diff::Scenario scenario = make_body("a");
  scenario.model = scenario.model.with_values([&] {
    Vector values = scenario.model.values().data();
    const sim::ValueBlock& block = scenario.model.values().block(*scenario.model.values().find("charge"));
    values.segment(block.offset, block.size) = charge;
    return values;
  }());
  return scenario;
}

}  // namespace

TEST_CASE("differing values: every registered value with entries that differ starts as given, to the last bit",
          "[optim][parameter_map]") {
  std::vector<sim::Model> models{tests::rich_scenario("imex_midpoint", 0.01, 1).model};
  for (const auto& one : tests::force_suite::specimens()) models.push_back(one.model);
  for (const auto& one : tests::constraint_suite::specimens()) models.push_back(one.model);
  std::set<std::string> seen;
  for (const sim::Model& model : models) {
    const diff::Scenario scenario = scenario_of(model);
    std::vector<std::string> names{"position", "velocity"};
    for (const sim::ValueBlock& block : model.values().blocks())
      if (block.size > 0 && !block.key_time) names.push_back(block.name);
    for (const std::string& name : names) {
      INFO(name);
      Parameter p = shared(name);
      if (name == "charge" && model.charge().isZero(0)) continue;  // a stationary start, which is rejected
      const ParameterMap map({scenario}, {p});
      if (map.differing().empty()) continue;
      seen.insert(name);
      CHECK(map.size() == 1);
      CHECK(map.differing()[0].keeps_ratios != map.differing()[0].keeps_zeros);
      CHECK(same_bits(map.scatter(map.initial(), 0).physical_values(), scenario.physical_values()));
    }
  }
  // Those of one number have nothing to differ.
  for (const char* name : {"mass",
                           "charge",
                           "position",
                           "velocity",
                           "stiffness",
                           "rest_length",
                           "damping",
                           "axial_stiffness",
                           "cubic_stiffness",
                           "linear_drag",
                           "quadratic_drag",
                           "dry_friction",
                           "contact_radius",
                           "plane_penalty_radius",
                           "hydrodynamic_radius",
                           "distance_length",
                           "distance_compliance",
                           "distance_damping",
                           "pin_compliance",
                           "pin_damping",
                           "spheres_radius"})
    CHECK(seen.count(name) == 1);
}

TEST_CASE("differing values: charges that cancel, zeros and both signs keep their ratios", "[optim][parameter_map]") {
  const Vector given{{10e-9, 20e-9, -30e-9, 0}};
  const ParameterMap map({with_charges(given)}, {shared("charge")});
  REQUIRE(map.size() == 1);
  CHECK(map.info()[0].unit.empty());
  CHECK(map.info()[0].initial == 1);
  REQUIRE(map.differing().size() == 1);
  CHECK(map.differing()[0].name == "charge");
  CHECK(map.differing()[0].unit == "C");
  CHECK(map.differing()[0].lowest == -30e-9);
  CHECK(map.differing()[0].highest == 20e-9);
  CHECK(same_bits(map.scatter(map.initial(), 0).model.charge(), given));
  CHECK(map.scatter(Vector::Constant(1, 2), 0).model.charge().isApprox(2 * given, 1e-15));
}

TEST_CASE("differing values: zeros beside one value stay zero, and the value has its unit", "[optim][parameter_map]") {
  const Vector given{{0, 20e-9, 20e-9, 0}};
  const ParameterMap map({with_charges(given)}, {shared("charge")});
  REQUIRE(map.size() == 1);
  CHECK(map.info()[0].unit == "C");
  CHECK(map.info()[0].initial == 20e-9);
  REQUIRE(map.differing().size() == 1);
  CHECK(map.differing()[0].keeps_zeros);
  CHECK(!map.differing()[0].keeps_ratios);
  CHECK(same_bits(map.scatter(map.initial(), 0).model.charge(), given));
  const Vector other = map.scatter(2 * map.initial(), 0).model.charge();
  CHECK(other[0] == 0);
  CHECK(other[1] == other[2]);
  CHECK(other[1] != 20e-9);
  // Also between recordings: one of them without charge.
  const ParameterMap two({with_charges(Vector::Constant(4, 20e-9)), with_charges(given)}, {shared("charge")});
  REQUIRE(two.size() == 1);
  CHECK(two.info()[0].unit == "C");
  CHECK(same_bits(two.scatter(two.initial(), 1).model.charge(), given));
  Parameter replaced = shared("charge");
  replaced.initial = 5e-9;  // what is written goes before: one value for all
  const ParameterMap one({with_charges(given)}, {replaced});
  CHECK(one.scatter(one.initial(), 0).model.charge()[0] == Approx(5e-9));
}

TEST_CASE("differing values: equal entries are one value, also where only rounding tells them apart",
          "[optim][parameter_map]") {
  const ParameterMap equal({with_charges(Vector::Constant(4, 6e-6))}, {shared("charge")});
  CHECK(equal.differing().empty());
  CHECK(equal.info()[0].unit == "C");
  CHECK(equal.info()[0].initial == 6e-6);
  // A body of 0.1 kg with loads: own + load − load is not the same number for all.
  std::vector<diff::Scenario> loaded;
  Parameter mass = shared("mass");
  for (const double load : {0.2, 0.3, 0.7}) {
    loaded.push_back(make_body("m" + std::to_string(load), {.mass = 0.1 + load}));
    mass.offset.push_back(Vector::Constant(4, load));
  }
  REQUIRE((0.1 + 0.2) - 0.2 != (0.1 + 0.7) - 0.7);
  const ParameterMap own(loaded, {mass});
  CHECK(own.differing().empty());
  CHECK(own.info()[0].unit == "kg");
  CHECK(own.info()[0].initial == Approx(0.1).epsilon(1e-14));
}

TEST_CASE("differing values: what is written goes before", "[optim][parameter_map]") {
  const diff::Scenario body = make_body("a");  // stiffnesses of 9.6 to 14.4 N/m
  const auto map_of = [&](const Parameter& p) { return ParameterMap({body}, {p}); };
  Parameter replaced = shared("stiffness");
  replaced.factor = false;
  CHECK(map_of(replaced).info()[0].initial == Approx(12).epsilon(1e-12));
  REQUIRE(map_of(replaced).differing().size() == 1);
  CHECK_FALSE(map_of(replaced).differing()[0].keeps_ratios);
  const ParameterMap started = map_of(shared("stiffness", 5));
  CHECK(started.info()[0].unit == "N/m");
  CHECK_FALSE(started.differing().at(0).keeps_ratios);
  Parameter each = shared("stiffness");
  each.entries.sharing = EntrySharing::None;
  CHECK(map_of(each).differing().empty());
  CHECK(map_of(each).info()[0].unit == "N/m");

  Parameter groups = shared("stiffness");
  groups.entries.sharing = EntrySharing::Group;
  groups.entries.groups = {{"left", {0, 1}}, {"right", {3, 5}}};
  const ParameterMap grouped = map_of(groups);
  CHECK(grouped.size() == 2);
  CHECK(grouped.info()[1].initial == 1);
  CHECK(same_bits(grouped.scatter(grouped.initial(), 0).physical_values(), body.physical_values()));
  groups.entries.groups = {{"one", {0}}, {"other", {3}}};
  CHECK(map_of(groups).differing().empty());
}

TEST_CASE("differing values: they may differ between recordings alone, and keep their ratios there too",
          "[optim][parameter_map]") {
  const auto scenarios = [] { return std::vector{make_body("a", {.mass = 0.2}), make_body("b", {.mass = 0.5})}; };
  const ParameterMap both(scenarios(), {shared("mass")});
  CHECK(both.differing().at(0).keeps_ratios);
  for (const Index s : {0, 1})
    CHECK(same_bits(both.scatter(both.initial(), s).physical_values(), scenarios()[s].physical_values()));
  Parameter each = shared("mass");
  each.recordings.sharing = RecordingSharing::Each;
  CHECK(ParameterMap(scenarios(), {each}).differing().empty());
}

TEST_CASE("differing values: bounds are those of every entry, and a prior is that of one value",
          "[optim][parameter_map]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Parameter stiffness = shared("stiffness");  // 9.6 to 14.4 N/m
  stiffness.range.lower = 4.8;
  stiffness.range.upper = 28.8;
  const ParameterMap map({make_body("a")}, {stiffness});
  CHECK(map.info()[0].lower == Approx(0.5));
  CHECK(map.info()[0].upper == Approx(2));
  Parameter charge = shared("charge");
  charge.range.upper = 40e-9;
  const ParameterMap mixed({with_charges(Vector{{10e-9, 20e-9, -30e-9, 0}})}, {charge});
  CHECK(mixed.info()[0].upper == Approx(2));
  CHECK(mixed.info()[0].lower == Approx(-4.0 / 3));
  charge.range.upper = 15e-9;
  CHECK(contains(complaint([&] {
                   ParameterMap({with_charges(Vector{{10e-9, 20e-9, -30e-9, 0}})}, {charge});
                 }),
                 "must contain all the values that start there, got -3e-08 to 2e-08 C"));
  stiffness.factor = true;  // bounds of the factor
  stiffness.range.lower = 0.25;
  stiffness.range.upper = infinity;
  CHECK(ParameterMap({make_body("a")}, {stiffness}).info()[0].lower == 0.25);

  Parameter known = shared("stiffness");
  known.priors.push_back(GaussianPrior{12, 1});
  const ParameterMap one({make_body("a")}, {known});
  CHECK(one.info()[0].unit == "N/m");
  CHECK_FALSE(one.differing().at(0).keeps_ratios);
}
