#include <Eigen/Geometry>

#include "sim/force/gravity.hpp"
#include "sim/force/sph_fluid.hpp"
#include "sim/model/model.hpp"
#include "sim/neighbors/neighbor_registry.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

constexpr double spacing = 0.1, rest_density = 1000, sound_speed = 30;

/// Points of a square (2) or cubic (3) lattice with that many along each axis, centered on the origin.
Points lattice(Index along, int dimensions) {
  const Index layers = dimensions == 3 ? along : 1;
  Points x(3, along * along * layers);
  Index k = 0;
  for (Index a = 0; a < along; ++a)
    for (Index b = 0; b < along; ++b)
      for (Index c = 0; c < layers; ++c)
        x.col(k++) = spacing * (Vec3(a, b, c) - Vec3(0.5 * (along - 1), 0.5 * (along - 1), 0.5 * (layers - 1)));
  return x;
}

FluidPairs water_pairs(int dimensions, double h = 1.5 * spacing) {
  return {make_neighbor_search("auto"), kernel::WendlandC2(h, dimensions), h, dimensions};
}

Vector masses(Index n, int dimensions) { return Vector::Constant(n, rest_density * std::pow(spacing, dimensions)); }

Model fluid(Index n, int dimensions, std::vector<std::shared_ptr<ForceTerm>> terms, std::vector<Held> held = {}) {
  return Model({.particles = n, .springs = {}, .held = std::move(held)}, masses(n, dimensions), Vector::Zero(n),
               std::move(terms));
}

std::shared_ptr<ForceTerm> pressure(int dimensions) {
  return std::make_shared<SphPressure>(water_pairs(dimensions), kernel::Tait{rest_density, sound_speed, 7});
}

Index nearest_to_origin(const Points& x) {
  Index nearest = 0;
  x.colwise().squaredNorm().minCoeff(&nearest);
  return nearest;
}

}  // namespace

TEST_CASE("sph: a lattice of rest density has that density inside", "[sim][force]") {
  for (const int d : {2, 3}) {
    const Points x = lattice(d == 2 ? 21 : 11, d);
    const Model model = fluid(x.cols(), d, {pressure(d)});
    const double rho = water_pairs(d).density(model, x)[nearest_to_origin(x)];
    INFO(d);
    CHECK(rho == Approx(rest_density).epsilon(0.01));  // what a sum over a lattice differs from the integral by
  }
}

TEST_CASE("sph: viscosity is μ ∇²v inside, keeps momentum and only takes energy", "[sim][force]") {
  // v = (a y², 0, 0) has no divergence and ∇²v = (2a, 0, 0).
  for (const int d : {2, 3}) {
    INFO(d);
    const double mu = 40, a = 1.3;
    const Points x = lattice(d == 2 ? 31 : 21, d);
    const Model model = fluid(x.cols(), d, {std::make_shared<SphViscosity>(water_pairs(d, 2.5 * spacing), mu)});
    State s{0, x, Points::Zero(3, x.cols())};
    s.v.row(0) = a * x.row(1).array().square();
    Points f = Points::Zero(3, x.cols());
    model.terms()[0]->add_force(model, s, f);
    const Index inside = nearest_to_origin(x);
    const double wanted = mu * 2 * a * std::pow(spacing, d);  // per volume
    // The sum over a lattice converges as h grows over its spacing (13 % short at 1.5 spacings), but for 0.01 h².
    CHECK(f(0, inside) == Approx(wanted).epsilon(0.05));
    CHECK(std::abs(f(1, inside)) < 0.02 * wanted);
    CHECK(flat(f).dot(flat(s.v)) < 0);
    Vec3 torque = Vec3::Zero();
    for (Index i = 0; i < x.cols(); ++i) torque += x.col(i).cross(f.col(i));
    CHECK(f.rowwise().sum().norm() < 1e-12 * f.cwiseAbs().sum());
    CHECK(torque.norm() < 1e-12 * f.cwiseAbs().sum());
  }
}

TEST_CASE("sph: a column of water comes to rest with its weight on the bottom", "[sim][force]") {
  // Two dimensions: a floor of three held layers and side walls likewise; 8 × 12 particles of water above it.
  const Index wide = 8, high = 12, walls = 3;
  std::vector<Vec3> place;
  std::vector<Held> held;
  for (Index a = -walls; a < wide + walls; ++a)
    for (Index b = -walls; b < high + walls; ++b) {
      const bool inside = a >= 0 && a < wide && b >= 0;
      if (inside && b >= high) continue;
      if (!inside) held.push_back({static_cast<Index>(place.size()), {}});
      place.push_back(spacing * Vec3(a, 0, b));
    }
  Points x(3, static_cast<Index>(place.size()));
  for (std::size_t i = 0; i < place.size(); ++i) x.col(i) = place[i];
  const double g = 9.81;
  const auto weight = std::make_shared<Gravity>(Vec3(0, 0, -g));
  const FluidPairs pairs = water_pairs(2);
  const Model model = fluid(x.cols(), 2, {pressure(2), std::make_shared<SphViscosity>(pairs, 300.0), weight}, held);
  const State start{0, x, Points::Zero(3, x.cols())};
  const Trajectory run = simulate(
      model, start, {.integrator = "velocity_verlet", .time_step = 0.001, .steps = 2500, .every = 2500, .stage = {}});
  REQUIRE(run.status == StepStatus::Ok);
  const State& end = run.states.back();
  CHECK(end.v.colwise().norm().maxCoeff() < 0.05);  // a hundredth of √(2 g H): particles go on to rearrange
  // All that the held particles push up with is the water's weight, and no more goes sideways than by rounding's kin.
  Points f = Points::Zero(3, x.cols());
  model.terms()[0]->add_force(model, end, f);
  double carried = 0;
  for (const Held& h : held) carried -= f(2, h.particle);
  const double water = masses(1, 2)[0] * g * (wide * high);
  CHECK(carried == Approx(water).epsilon(0.02));
  // Pressure grows with depth as ρ g z: between two heights in the middle of the column.
  const Vector rho = pairs.density(model, end.x);
  const kernel::Tait tait{rest_density, sound_speed, 7};
  double sum_zz = 0, sum_zp = 0, mean_z = 0, mean_p = 0, n = 0;
  const auto each = [&](auto use) {
    for (Index i = 0; i < x.cols(); ++i) {
      const double z = end.x(2, i);
      if (model.is_held(i) || z < 1.5 * spacing || z > 0.75 * spacing * high) continue;
      if (end.x(0, i) < 1.5 * spacing || end.x(0, i) > spacing * (wide - 2.5)) continue;
      use(z, tait(rho[i]).over_density_squared * rho[i] * rho[i]);
    }
  };
  each([&](double z, double p) { mean_z += z, mean_p += p, n += 1; });
  REQUIRE(n > 10);
  mean_z /= n, mean_p /= n;
  each([&](double z, double p) { sum_zz += (z - mean_z) * (z - mean_z), sum_zp += (z - mean_z) * (p - mean_p); });
  CHECK(sum_zp / sum_zz == Approx(-rest_density * g).epsilon(0.15));  // seven layers that settled into no lattice
}
