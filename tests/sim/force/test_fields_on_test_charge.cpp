// The electric field that a force gives is its force on a further charge, over all forces of the registry.
#include <set>

#include "sim/force/coulomb_force.hpp"
#include "sim/force/image_plane.hpp"
#include "sim/force/point_charge.hpp"
#include "sim/force/screened_coulomb.hpp"
#include "sim/force/selected_force.hpp"
#include "tests/support/force_specimens.hpp"
#include "tests/support/lone_force.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::tests::force_suite;
using tests::columns;

namespace {

/// Between the particles, above and beside them, at least 0.4 m from each; within all tables and before all planes.
const Points probes = columns({{0.5, 0.45, 0.5}, {0.4, 0.6, 2.1}, {1.9, -0.7, 0.3}});

ChargeField field_of(const ForceTerm& term, const Model& model, const SourceCharges& sources, const Points& at) {
  ChargeField field = ChargeField::zero(at.cols());
  term.as<ActsOnTestCharge>()->add_field(model, sources, at, field);
  return field;
}
SourceCharges sources_of(const Model& model, const State& s) { return {s.t, s.x, model.at(s.t).charge()}; }

/// A model with one more particle at rest, which is like particle 0 in all but its charge.
struct Extended {
  Model model;
  State state;
  Extended(const Model& given, const State& s, const Vec3& x) : model(with_one_more(given)), state(s) {
    state.x.conservativeResize(3, N + 1);
    state.v.conservativeResize(3, N + 1);
    state.x.col(N) = x;
    state.v.col(N).setZero();
  }
  /// The force of a term on the additional particle if it has this charge.
  Vec3 force(std::size_t term, double charge) const {
    Vector values = model.values().data();
    model.values().of(values, Model::charge_block)[N] = charge;
    Points f = Points::Zero(3, N + 1);
    model.terms()[term]->add_force(model.with_values(values), state, f);
    return f.col(N);
  }

 private:
  static Model with_one_more(const Model& given) {
    std::vector<ParticleOrigin> origins;
    for (Index i = 0; i < N; ++i) origins.push_back({i, true});
    origins.push_back({0, false});
    return given.with_particles(origins);
  }
};

/// (F(q) − F(−q))/(2q) for a small charge: what is linear in it. (A plane also attracts it by its own image, in q².)
Vec3 force_per_charge(const Extended& extended, std::size_t term) {
  const double q = 1e-3 * specimen_charges().cwiseAbs().minCoeff();
  return (extended.force(term, q) - extended.force(term, -q)) / (2 * q);
}

std::vector<std::shared_ptr<ForceTerm>> selected(const std::vector<std::shared_ptr<ForceTerm>>& terms) {
  std::vector<std::shared_ptr<ForceTerm>> all;
  for (const auto& term : terms) all.push_back(std::make_shared<SelectedForce>(term, std::vector<Index>{0, 2, 3, 5}));
  return all;
}

/// All specimens, and those of forces with the ability also with `select`.
std::vector<Specimen> all_specimens() {
  std::vector<Specimen> all = specimens();
  const std::size_t plain = all.size();
  for (std::size_t k = 0; k < plain; ++k)
    if (all[k].model.terms().front()->as<ActsOnTestCharge>())
      all.push_back(specimen(all[k].name + " with select", selected(all[k].model.terms())));
  return all;
}

}  // namespace

TEST_CASE("fields: a force's field is its force on a further charge at rest, 0 for forces without the ability",
          "[sim][force]") {
  std::set<FieldOrigin> origins;
  int with = 0, without = 0;
  for (const auto& [name, model] : all_specimens()) {
    const State s = Dice(5).state();
    for (Index p = 0; p < probes.cols(); ++p) {
      const Extended extended(model, s, probes.col(p));
      for (std::size_t k = 0; k < model.terms().size(); ++k) {
        const ForceTerm& term = *model.terms()[k];
        INFO(name << ", " << term.traits().name << " at point " << p);
        const Vec3 per_charge = force_per_charge(extended, k);
        const auto* ability = term.as<ActsOnTestCharge>();
        if (!ability) {
          CHECK(per_charge == Vec3(Vec3::Zero()));  // both forces are the same sum
          ++without;
          continue;
        }
        const ChargeField field = field_of(term, model, sources_of(model, s), probes);
        REQUIRE(per_charge.norm() > 0);
        // Rounding of sums over six charges whose parts are up to 100 times the result.
        CHECK((field.field.col(p) - per_charge).norm() < 1e-12 * per_charge.norm());
        origins.insert(ability->field_origin());
        ++with;
      }
    }
  }
  CHECK(origins.size() == 3);
  CHECK(with == 3 * 2 * 13);  // points, with and without select, specimens: 2 coulomb, 2 screened_coulomb, 2 planes,
                              // 4 fields, a switched one, a potential, a point charge
  CHECK(without > 3 * 30);
}

TEST_CASE("fields: where there is a potential, the field is its negative gradient", "[sim][force][fd]") {
  int with = 0, without = 0;
  for (const auto& [name, model] : specimens())
    for (const auto& term : model.terms()) {
      if (!term->as<ActsOnTestCharge>()) continue;
      INFO(name << ", " << term->traits().name);
      const SourceCharges sources = sources_of(model, Dice(5).state());
      const ChargeField field = field_of(*term, model, sources, probes);
      if (!field.has_potential) {
        ++without;
        continue;
      }
      ++with;
      REQUIRE(field.field.colwise().norm().minCoeff() > 0);
      const Vec3 d(0.6, -0.5, 0.7);
      const Vector slope = fourth_order_difference(
          [&](double e) { return field_of(*term, model, sources, probes.colwise() + e * d).potential; });
      const double largest = field.field.norm() * d.norm();
      CHECK((slope + field.field.transpose() * d).norm() < difference_tolerance * largest);
    }
  CHECK(with == 11);
  CHECK(without == 2);  // given by expressions, and switched
}

TEST_CASE("fields: at a charge, at its image's side and outside of a table there is no value", "[sim][force]") {
  const auto is_nan = [](const ChargeField& field, Index k) {
    return field.field.col(k).array().isNaN().all() && std::isnan(field.potential[k]);
  };
  const Vector q{{3e-6, 0}};
  const Points x = columns({{0.2, 0.1, 0.7}, {1, 0, 0.4}});
  const auto at = [&](std::shared_ptr<ForceTerm> term, const Points& points) {
    const Model model = tests::with_charges(q, term);
    return field_of(*term, model, {0, x, q}, points);
  };
  const auto coulomb = [](double softening) {
    CoulombOptions options;
    options.softening = softening;
    return std::make_shared<CoulombForce>(make_coulomb_sum(options), softening);
  };
  for (const std::shared_ptr<ForceTerm>& bare :
       {std::shared_ptr<ForceTerm>(coulomb(0)), std::shared_ptr<ForceTerm>(std::make_shared<ScreenedCoulomb>(2, 1))}) {
    const ChargeField field = at(bare, x);
    CHECK(is_nan(field, 0));
    CHECK(field.field.col(1).allFinite());  // a particle without charge
  }
  const ChargeField soft = at(coulomb(0.5), x.leftCols(1));
  CHECK(soft.potential[0] == Approx(coulomb_constant * 3e-6 / 0.5).epsilon(1e-14));
  CHECK(soft.field.isZero(0));
  const ChargeField external = at(std::make_shared<PointCharge>(1e-6, Path(Vec3(1, 0, 0.4))), x);
  CHECK(is_nan(external, 1));
  CHECK(external.field.col(0).allFinite());

  // On an oblique plane, where rounding puts half of the points behind it, the potential of a charge and its image is
  // 0.
  const Vec3 normal = Vec3(2, -1, 2) / 3, point(0.1, 0.3, -0.2), along = normal.unitOrthogonal();
  Points on(3, 50);
  for (Index k = 0; k < on.cols(); ++k) on.col(k) = point + 0.05 * k * along + 0.02 * k * normal.cross(along);
  const auto plane = std::make_shared<ImagePlane>(point, normal);
  const ChargeField own = at(coulomb(0), on), images = at(plane, on);
  CHECK((own.potential + images.potential).cwiseAbs().maxCoeff() < 1e-13 * own.potential.maxCoeff());  // rounding
  CHECK(is_nan(at(plane, point - 1e-9 * normal), 0));
  CHECK(at(std::make_shared<ImagePlane>(point, normal, 0), point - normal).field.isZero(0));  // no plane
  const auto turned = std::make_shared<ImagePlane>(point, -normal);                           // the charge is behind it
  CHECK(is_nan(at(turned, point - normal), 0));
}

TEST_CASE("fields: that of a path's charge is where the charge is at that time, and so is its pole", "[sim][force]") {
  const auto term = std::make_shared<PointCharge>(-2e-6, Path({0, 2}, {Vec3(0, 0, 0), Vec3(0, 0, 4)}));
  const Model model = tests::with_charges(Vector{{0}}, term);
  const SourceCharges sources{0.5, columns({{9, 9, 9}}), Vector{{0}}};
  const Vec3 place = term->position(model, 0.5);
  REQUIRE(place != term->position(model, 0));
  CHECK(term->field_poles(model, 0.5) == std::vector<Vec3>{place});
  const ChargeField field = field_of(*term, model, sources, place + Vec3(2, 0, 0));
  CHECK(field.potential[0] == Approx(-coulomb_constant * 2e-6 / 2).epsilon(1e-14));
  CHECK(field.field(0, 0) == Approx(-coulomb_constant * 2e-6 / 4).epsilon(1e-14));  // toward a negative charge
}
