#include "sim/force/screened_coulomb.hpp"

#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/force/coulomb_force.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/lone_force.hpp"
#include "tests/support/map_settings.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

TEST_CASE("screened_coulomb: a Debye–Hückel pair has its energy and force", "[sim][force]") {
  // Two ions of one elementary charge in water at 1 nm, with a Debye length of 0.7 nm.
  const double e = 1.602176634e-19, r = 1e-9, length = 0.7e-9;
  MapSettings settings(2, {{"relative_permittivity", 78.5}, {"screening_length", length}});
  const Model pair = with_charges(Vector{{e, -e}}, ScreenedCoulomb::make(settings).front());
  const Points x = columns({{0, 0, 0}, {0.6 * r, 0, 0.8 * r}});
  const double u = -coulomb_constant * e * e / (78.5 * r) * std::exp(-r / length);
  CHECK(*pair.terms()[0]->energy(pair, {0, x, Points::Zero(3, 2)}) == Approx(u).epsilon(1e-13));
  const Vec3 attraction = -u / r * (1 + r / length) * Vec3(0.6, 0, 0.8);
  CHECK((force_at(pair, x).col(0) - attraction).norm() < 1e-13 * attraction.norm());
  CHECK((force_at(pair, x).col(1) + attraction).norm() < 1e-13 * attraction.norm());
}

TEST_CASE("screened_coulomb: without screening it is Coulomb's force over the permittivity", "[sim][force]") {
  const Vector q{{2e-6, -1e-6, 0, 3e-6}};
  const Points x = columns({{0, 0, 0}, {1, 0.2, 0}, {0.1, 0.1, 0}, {-0.3, 0.4, 0.9}});
  const Points plain =
      force_at(with_charges(q, std::make_shared<CoulombForce>(std::make_shared<DirectCoulombSum>())), x);
  CHECK((force_at(with_charges(q, std::make_shared<ScreenedCoulomb>(4, 0)), x) - plain / 4).norm() <
        1e-14 * plain.norm());
}

TEST_CASE("screened_coulomb: the derivative by the screening exists where there is none", "[sim][force][fd]") {
  const Vector q{{2e-6, -1e-6, 3e-6}};
  const Points x = columns({{0, 0, 0}, {1, 0.2, 0}, {-0.3, 0.4, 0.9}});
  const Model model = with_charges(q, std::make_shared<ScreenedCoulomb>(1, 0));
  const Index screening = model.values().block(*model.values().find("screening")).offset;
  Variation d = Variation::zero(3, model.values().size());
  d.values[screening] = 1;
  Points df = Points::Zero(3, 3);
  const State s{0, x, Points::Zero(3, 3)};
  model.terms()[0]->add_jvp(model, s, d, df);
  REQUIRE(df.norm() > 0);
  // F(m) = F(0) + m F' + m^{3/2} … to one side: Richardson's extrapolation in √m.
  const auto quotient = [&](double m) {
    Vector values = model.values().data();
    values[screening] = m;
    return Points((force_at(model.with_values(values), x) - force_at(model, x)) / m);
  };
  const double m = 1e-6;
  const Points extrapolated = 2 * quotient(m / 4) - quotient(m);
  CHECK((extrapolated - df).norm() < 1e-5 * df.norm());
  CHECK((quotient(m) - df).norm() > 1e-5 * df.norm());
}

TEST_CASE("screened_coulomb: too many charges, and charges in one place, are rejected", "[sim][force][error]") {
  const auto term = std::make_shared<ScreenedCoulomb>(1, 1);
  const Index many = 10'001;
  Points line = Points::Zero(3, many);
  for (Index i = 0; i < many; ++i) line(0, i) = i;
  const State s{0, line, Points::Zero(3, many)};
  CHECK_THROWS_WITH(with_charges(all(many, 1e-9), term).validate(s), Catch::Contains("at most 10000 charges"));
  Vector one_less = all(many, 1e-9);
  one_less[5] = 0;
  CHECK_NOTHROW(with_charges(one_less, term).validate(s));
  CHECK_THROWS_WITH(with_charges(all(2, 1e-9), term).validate({0, Points::Ones(3, 2), Points::Zero(3, 2)}),
                    Catch::Contains("particles 0 and 1 at the same point"));
}
