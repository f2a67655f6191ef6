// What every block of values of the registries says of itself: what becomes of it where all masses and forces grow by
// λ.
#include <map>
#include <set>

#include "sim/core/error.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/constraint_specimens.hpp"
#include "tests/support/force_specimens.hpp"

using namespace pithball;
using namespace pithball::sim;
namespace force_suite = pithball::tests::force_suite;
namespace constraint_suite = pithball::tests::constraint_suite;

namespace {

// Powers of two, so that nothing is rounded anew.
constexpr double lambda = 4;

double factor_of(ValueScaling scaling, bool charges_interact) {
  switch (scaling) {
    case ValueScaling::Force:
    case ValueScaling::Stiffness:
    case ValueScaling::Inertia:
      return lambda;
    case ValueScaling::InverseForce:
    case ValueScaling::Compliance:
      return 1 / lambda;
    case ValueScaling::Charge:
      return charges_interact ? std::sqrt(lambda) : lambda;
    case ValueScaling::ExternalField:
      return charges_interact ? std::sqrt(lambda) : 1;
    case ValueScaling::Invariant:
      return 1;
    case ValueScaling::Unstated:
      break;
  }
  throw InvalidArgument({"", "scaling", "must be stated", "none", ""});
}

/// The model with each value grown as it says.
Model grown(const Model& model, bool charges_interact) {
  Vector values = model.values().data();
  for (const ValueBlock& block : model.values().blocks())
    values.segment(block.offset, block.size) *= factor_of(block.scaling, charges_interact);
  return model.with_values(values);
}

/// Forces that read constants of their own beside their values: pressures and densities of a fluid, temperatures of
/// baths.
bool reads_settings(const ForceTerm& term) { return term.as<Kick>() || term.traits().name.starts_with("sph"); }

}  // namespace

TEST_CASE("values: every force grows by the factor that its values declare", "[sim][values][registry]") {
  std::set<std::string> grew;
  for (const auto& [name, model] : force_suite::specimens()) {
    INFO(name);
    const State s = force_suite::Dice(1).state();
    for (const bool charges_interact : {true, false}) {
      const Model more = grown(model, charges_interact);
      for (const auto& term : model.terms()) {
        const ForceTraits& traits = term->traits();
        if (reads_settings(*term) || (traits.energy == EnergyKind::Coulomb && !charges_interact)) continue;
        Points force = Points::Zero(3, s.x.cols()), of_more = force;
        term->add_force(model, s, force);
        term->add_force(more, s, of_more);
        REQUIRE(force.norm() > 0);
        CHECK((of_more - lambda * force).norm() <= 1e-14 * of_more.norm());  // λ is a power of two: a few roundings
        grew.insert(traits.name);
      }
    }
  }
  CHECK(grew.size() >= 18);  // all but fluids and baths
}

TEST_CASE("values: scaling all values as declared does not change the motion of a body with constraints",
          "[sim][values][registry]") {
  for (const constraint_suite::Specimen& specimen : constraint_suite::specimens()) {
    INFO(specimen.name);
    const auto end_of = [](const Model& model) {
      return simulate(model, constraint_suite::moved(),
                      {.integrator = "xpbd", .time_step = 0.01, .steps = 5, .stage = {}})
          .states.back();
    };
    const State moved = end_of(specimen.model), of_more = end_of(grown(specimen.model, true));
    const State free = constraint_suite::moved();
    REQUIRE((moved.x - free.x - 0.05 * free.v).norm() > 1e-6 * moved.x.norm());  // the constraint acts
    CHECK((of_more.x - moved.x).norm() <= 1e-13 * moved.x.norm());
    CHECK((of_more.v - moved.v).norm() <= 1e-12 * moved.v.norm());
  }
}

TEST_CASE("values: blocks of one name have the same description, whatever declares them", "[sim][values][registry]") {
  std::map<std::string, ValueBlock> first;
  const auto look_at = [&](const Model& model) {
    for (const ValueBlock& block : model.values().blocks()) {
      const ValueBlock& other = first.try_emplace(block.name, block).first->second;
      INFO(block.name);
      CHECK(block.scaling != ValueScaling::Unstated);
      CHECK(block.owner == other.owner);
      CHECK(block.sign == other.sign);
      CHECK(block.scaling == other.scaling);
      CHECK(block.list == other.list);
    }
  };
  for (const auto& specimen : force_suite::specimens()) look_at(specimen.model);
  for (const auto& specimen : constraint_suite::specimens()) look_at(specimen.model);
  CHECK(first.at("distance_compliance").scaling == ValueScaling::Compliance);
  CHECK(first.at("electric_potential").scaling == ValueScaling::ExternalField);
  CHECK(first.at("gravity_potential").scaling == ValueScaling::Invariant);
}

TEST_CASE("values: a force that declares stiffnesses is proportional to them", "[sim][values][registry]") {
  std::set<std::string> elastic;
  for (const auto& [name, model] : force_suite::specimens()) {
    INFO(name);
    const State s = force_suite::Dice(1).state();
    Vector values = model.values().data();
    for (const ValueBlock& block : model.values().blocks())
      if (block.scaling == ValueScaling::Stiffness) values.segment(block.offset, block.size) *= lambda;
    const Model stiffer = model.with_values(values);
    for (const auto& term : model.terms()) {
      Points force = Points::Zero(3, s.x.cols()), of_stiffer = force;
      term->add_force(model, s, force);
      term->add_force(stiffer, s, of_stiffer);
      if (of_stiffer == force) continue;  // it has other values
      CHECK((of_stiffer - lambda * force).norm() <= 1e-14 * of_stiffer.norm());
      elastic.insert(term->traits().name);
    }
  }
  CHECK(elastic.size() >= 7);  // springs, hardening ones, two bendings, contacts with each other and with obstacles
}

TEST_CASE("values: every value with the unit of a stiffness or its inverse says so", "[sim][values][registry]") {
  std::set<std::string> said;
  const auto look_at = [&](const Model& model) {
    for (const ValueBlock& block : model.values().blocks()) {
      INFO(block.name);
      if (block.unit == "N/m") CHECK(block.scaling == ValueScaling::Stiffness);
      if (block.unit == "m/N") CHECK(block.scaling == ValueScaling::Compliance);
      for (const ValueScaling role : {ValueScaling::Stiffness, ValueScaling::Compliance, ValueScaling::Inertia})
        if (block.scaling == role) said.insert(block.name);
    }
  };
  for (const auto& specimen : force_suite::specimens()) look_at(specimen.model);
  for (const auto& specimen : constraint_suite::specimens()) look_at(specimen.model);
  for (const char* name : {"mass", "stiffness", "axial_stiffness", "cubic_stiffness", "contact_stiffness",
                           "distance_compliance", "pin_compliance"})
    CHECK(said.contains(name));
}

TEST_CASE("values: a block that does not say how it scales is rejected", "[sim][values]") {
  Values values;
  CHECK_THROWS_AS(values.add({"trap", "N/m", ValueOwner::Term, ValueSign::NonNegative}, Vector::Ones(1)),
                  InvalidArgument);
  CHECK(values.add({"trap", "N/m", ValueOwner::Term, ValueSign::NonNegative, ValueScaling::Force}, Vector::Ones(1)) ==
        0);
}
