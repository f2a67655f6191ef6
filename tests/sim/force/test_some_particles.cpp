#include "sim/force/some_particles.hpp"

#include <set>

#include "sim/force/coulomb_force.hpp"
#include "sim/force/gravity.hpp"
#include "sim/force/selected_force.hpp"
#include "sim/model/particle_origin.hpp"
#include "tests/support/force_specimens.hpp"

using namespace pithball;
using namespace pithball::tests::force_suite;

namespace {

/// A model with two further particles, one of them between the others, and the model without them.
struct Joined {
  explicit Joined(const Model& first)
      : rest(first),
        whole(first.with_particles(
            {{0, true}, {1, true}, {1, false}, {2, true}, {3, true}, {4, true}, {5, true}, {4, false}})) {
    at_rest = Dice(5).state();
    at_whole = {at_rest.t, Points(3, 8), Points(3, 8)};
    const std::vector<Index> others{0, 1, 3, 4, 5, 6};
    at_whole.x(Eigen::all, others) = at_rest.x;
    at_whole.v(Eigen::all, others) = at_rest.v;
    at_whole.x(Eigen::all, joined) << 0.5, 0.3, 0.4, 0.8, 0.6, 0.7;
    at_whole.v(Eigen::all, joined) << 1, 2, -1, 0.5, 0.3, -2;
  }
  /// F of the whole − F of the rest.
  Points force(std::size_t term, double* size) const {
    Points f = Points::Zero(3, 8), without = Points::Zero(3, N);
    whole.terms()[term]->add_force(whole, at_whole, f);
    rest.terms()[term]->add_force(rest, at_rest, without);
    *size = f.norm();
    f(Eigen::all, std::vector<Index>{0, 1, 3, 4, 5, 6}) -= without;
    return f;
  }

  const std::vector<Index> joined{2, 7};
  Model rest, whole;
  State at_rest, at_whole;
};

/// Whether the part of two particles in a term is known, and that it is then the difference of the two sums.
bool check_part(const Joined& both, std::size_t k) {
  const SomeParticles some(both.whole, both.at_whole, both.joined);
  const auto& term = both.whole.terms()[k];
  Points part = Points::Zero(3, 8);
  if (!some.add_force(term, part)) {
    CHECK(part == Points::Zero(3, 8));
    CHECK_FALSE(some.energy(term));
    return false;
  }
  double size = 0;
  const Points difference = both.force(k, &size);
  CHECK((part - difference).norm() <= 1e-13 * size);  // rounding of sums of some ten terms
  if (const auto all = term->energy(both.whole, both.at_whole)) {
    const double rest = both.rest.terms()[k]->energy(both.rest, both.at_rest).value_or(0);
    REQUIRE(some.energy(term));
    CHECK(*some.energy(term) == Approx(*all - rest).margin(1e-13 * (std::abs(*all) + std::abs(rest))));
  }
  return true;
}

}  // namespace

TEST_CASE("some particles: their part in a force and its energy is what the sum lacks without them", "[sim][force]") {
  std::set<std::string> known;
  for (const auto& [name, model] : specimens()) {
    const Joined both(model);
    for (std::size_t k = 0; k < model.terms().size(); ++k) {
      INFO(name << ", " << model.terms()[k]->traits().name);
      if (check_part(both, k)) known.insert(name);
    }
  }
  for (const char* name : {"coulomb", "newtonian_gravity", "gravity", "springs", "electric_field", "point_charge",
                           "field_potential", "plane_penalty", "sphere_penalty", "box_penalty", "hinge_bending"}) {
    INFO(name);
    CHECK(known.count(name) == 1);
  }
  CHECK(known.count("sph") == 0);
  CHECK(known.count("applied_force") == 0);  // a total is shared by all
}

TEST_CASE("some particles: in a force on selected particles only those count that are selected", "[sim][force]") {
  const std::shared_ptr<ForceTerm> gravity = std::make_shared<Gravity>(Vec3(1, 2, -9));
  const std::shared_ptr<ForceTerm> coulomb = std::make_shared<CoulombForce>(std::make_shared<DirectCoulombSum>());
  // Like 4, one of those that join: selected, too. In the last selection nobody is.
  for (const std::vector<Index>& selected : {std::vector<Index>{0, 2, 3, 4, 5}, std::vector<Index>{0, 3}}) {
    const Model model = specimen("selected", {std::make_shared<SelectedForce>(gravity, selected),
                                              std::make_shared<SelectedForce>(coulomb, selected)})
                            .model;
    const Joined both(model);
    CHECK(check_part(both, 0));
    CHECK(check_part(both, 1));
  }
}

TEST_CASE("some particles: their kinetic energy is theirs alone", "[sim][force]") {
  const Joined both(specimen("gravity", {std::make_shared<Gravity>(Vec3(1, 2, -9))}).model);
  const SomeParticles last = SomeParticles::from(both.whole, both.at_whole, 7);
  CHECK(last.kinetic_energy() ==
        Approx(specimen_masses()[4] / 2 * both.at_whole.v.col(7).squaredNorm()).epsilon(1e-15));
}
