#include <cmath>

#include "sim/kernel/equation_of_state.hpp"
#include "sim/kernel/smoothing.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::sim;

namespace {

template <class Check>
void for_each_smoothing(double h, Check check) {
  for (const int d : {2, 3}) {
    check("cubic_spline", d, kernel::CubicSpline(h, d));
    check("wendland_c2", d, kernel::WendlandC2(h, d));
  }
}

}  // namespace

TEST_CASE("smoothing: kernels have volume 1, reach to 2h and are as steep as they say", "[sim][kernel][fd]") {
  const double h = 0.7;
  for_each_smoothing(h, [&](const char* name, int d, const auto& W) {
    INFO(name << " in " << d << " dimensions");
    double volume = 0;
    const int parts = 4000;  // midpoint rule: an error of 1e-7
    for (int k = 0; k < parts; ++k) {
      const double r = 2 * h * (k + 0.5) / parts;
      volume += W(r).value * (d == 2 ? 2 * M_PI * r : 4 * M_PI * r * r) * 2 * h / parts;
    }
    CHECK(volume == Approx(1).epsilon(1e-6));
    for (const double q : {0.05, 0.4, 0.99, 1.01, 1.6, 1.97}) {
      const double r = q * h, e = 1e-5 * h, slope = (W(r + e).value - W(r - e).value) / (2 * e);
      REQUIRE(slope < 0);
      CHECK(W(r).slope * r == Approx(slope).epsilon(1e-6));
    }
    CHECK(W(2 * h).value == 0);
    CHECK(W(2 * h).slope == 0);
    CHECK(std::isfinite(W(0).slope));
    CHECK(W(2 * h * (1 - 1e-9)).value < 1e-15);
  });
}

TEST_CASE("equations of state: pressure is what the energy says, and sound has its speed", "[sim][kernel][fd]") {
  const kernel::Tait tait{1000, 30, 7, true};
  const kernel::Polytropic gas{2.5, 1.4};
  const auto check = [](const auto& P, double rho) {
    const double e = 1e-4 * rho, by_energy = (P(rho + e).specific_energy - P(rho - e).specific_energy) / (2 * e);
    REQUIRE(by_energy != 0);
    CHECK(P(rho).over_density_squared == Approx(by_energy).epsilon(1e-6));
  };
  for (const double rho : {900.0, 1010.0, 1200.0}) check(tait, rho);
  for (const double rho : {0.3, 1.0, 4.0}) check(gas, rho);
  const kernel::Tait slack{1000, 30, 7};
  CHECK(slack(999).over_density_squared == 0);
  CHECK(slack(999).specific_energy == 0);
  CHECK(slack(1010).over_density_squared == tait(1010).over_density_squared);
  CHECK(tait(999).over_density_squared < 0);
  CHECK(tait(1000).over_density_squared == 0);
  CHECK(std::abs(tait(1000).specific_energy) < 1e-12);
  const auto pressure = [&](double rho) { return tait(rho).over_density_squared * rho * rho; };
  CHECK((pressure(1000.1) - pressure(999.9)) / 0.2 == Approx(30 * 30).epsilon(1e-6));  // dP/dρ = c²
  CHECK(gas(2.0).over_density_squared * 4 == Approx(2.5 * std::pow(2.0, 1.4)));
}
