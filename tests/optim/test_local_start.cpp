#include "optim/observation/local_start.hpp"

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "tests/optim/filmed.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;

namespace {

constexpr double pi = std::numbers::pi;

/// A recording of this sigma, each coordinate by a function of marker, component and time.
Observation recorded_from_a_start(Index markers, Index frames, double rate, double sigma,
                                  const std::function<double(Index, int, double)>& coordinate) {
  Observation o = test::filmed(markers, frames, rate, coordinate);
  o.noise.sigma.setConstant(sigma);
  return o;
}

/// Three markers that swing by 10 cm at about 1 Hz, with normal noise.
double start_place(Index m, int a, double t) { return 0.1 * std::sin((5 + static_cast<double>(m)) * t + a); }
double start_rate(Index m, int a) { return 0.1 * (5 + static_cast<double>(m)) * std::cos(a); }
Observation swinging_from_a_start(double noise, double sigma, unsigned seed, double rate = 50, Index frames = 60) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  return recorded_from_a_start(3, frames, rate, sigma,
                               [&](Index m, int a, double t) { return start_place(m, a, t) + noise * normal(random); });
}

/// Two markers on sine and cosine of one frequency: squares add up to one number in every frame.
Observation circling(double period, Index frames, double rate, double sigma) {
  return recorded_from_a_start(2, frames, rate, sigma, [=](Index m, int a, double t) {
    const double angle = 2 * pi * t / period + a;
    return m == 0 ? std::sin(angle) : std::cos(angle);
  });
}

}  // namespace

TEST_CASE("local_start: three frames of a parabola have the exact state and covariance", "[optim][start][reference]") {
  // v = (−3x_0 + 4x_1 − x_2)/(2h), x = x_0.
  const double h = 0.02, sigma = 10;  // more than the motion: no period is seen
  const Observation o = recorded_from_a_start(
      2, 3, 1 / h, sigma, [](Index m, int a, double t) { return 3 + m + (a - 2) * t + (m + 5) * t * t; });
  const LocalStarts found = fit_local_starts(o);
  CHECK(found.frames == 3);
  CHECK(found.degree == 2);
  CHECK(std::isinf(found.shortest_period));
  CHECK_FALSE(found.is_too_coarse());
  for (Index m = 0; m < 2; ++m)
    for (int a = 0; a < 3; ++a) {
      const LocalStart& start = found.markers.at(m);
      REQUIRE(start.is_seen(a));
      CHECK(start.x[a] == Approx(3.0 + static_cast<double>(m)).epsilon(1e-12));
      CHECK(start.v[a] == Approx(a - 2.0).margin(1e-10));
      CHECK(start.covariance[a](0, 0) == Approx(sigma * sigma).epsilon(1e-9));
      CHECK(start.covariance[a](0, 1) == Approx(-1.5 * sigma * sigma / h).epsilon(1e-9));
      CHECK(start.covariance[a](1, 1) == Approx(6.5 * sigma * sigma / (h * h)).epsilon(1e-9));
      CHECK(start.weak_deviation(a)[0] == Approx(std::sqrt(6.0) * sigma).epsilon(1e-9));
    }
}

TEST_CASE(
    "local_start: a cubic is met exactly, also where the first frame comes after the start and frames are missing",
    "[optim][start][reference]") {
  const auto cubic = [](Index m, int a, double t) { return 1 + a - 2 * t + 3 * t * t + (m - 4) * t * t * t; };
  Observation o = recorded_from_a_start(2, 12, 50, 10, cubic);
  o.recording_frame.clock_offset = 0.03;
  for (std::size_t f = 0; f < o.times.size(); ++f)
    for (Index m = 0; m < 2; ++m)
      for (int a = 0; a < 3; ++a) o.positions[f](a, m) = cubic(m, a, o.simulated_time(f));
  o.positions[2](1, 0) = NAN;
  o.recording_frame.translation = {1, 2, 3};
  const LocalStarts found = fit_local_starts(o);
  CHECK(found.degree == 3);
  CHECK(found.frames == 12);
  for (Index m = 0; m < 2; ++m)
    for (int a = 0; a < 3; ++a) {
      CHECK(found.markers.at(m).x[a] == Approx(2 + 2.0 * a).epsilon(1e-10));
      CHECK(found.markers.at(m).v[a] == Approx(-2).epsilon(1e-10));
    }
  CHECK(found.markers.at(0).samples[1] == 11);
  CHECK(found.markers.at(0).covariance[1](0, 0) > found.markers.at(0).covariance[0](0, 0));
}

TEST_CASE("local_start: of one frequency the period and what a parabola leaves out are exact",
          "[optim][start][reference]") {
  const double rate = 50, h = 1 / rate, period = 0.17, sigma = 1e-9;
  const Observation o = circling(period, 60, rate, sigma);
  CHECK(shortest_period(o, 0) == Approx(period).epsilon(1e-9));
  const LocalStarts found = fit_local_starts(o);
  CHECK(found.frames == 3);  // a quarter of the period is 2.1 intervals
  // The interpolant of t³ at 0, h, 2h has the slope −2h² at 0, and no value: Σ_vv = 4h⁴c², c = ω c_2/3. The second
  // difference of a circle has the length 4 sin²(ωh/2), so that the mean of c_2² is half of its square by (2h²)².
  const double omega = 2 * pi / period, c_2 = 4 * std::pow(std::sin(omega * h / 2), 2) / (2 * h * h);
  const double expected = 4 * std::pow(h, 4) * 0.5 * c_2 * c_2 * omega * omega / 9;
  for (int a = 0; a < 3; ++a) {
    CHECK(found.markers.at(0).covariance[a](1, 1) == Approx(expected).epsilon(1e-6));
    CHECK(found.markers.at(0).covariance[a](0, 0) < 1e-6 * expected * h * h);
    // What is left out is of the size of the error: cos at 0 has the third derivative −ω³ sin a.
    const double error = found.markers.at(0).v[a] - omega * std::cos(a);
    CHECK(std::abs(error) < 3 * std::sqrt(expected));
  }
}

TEST_CASE("local_start: intervals of positions and velocities hold the truth as often as they promise",
          "[optim][start][coverage]") {
  int positions = 0, velocities = 0, all = 0, coarse = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const LocalStarts found = fit_local_starts(swinging_from_a_start(2e-3, 2e-3, seed));
    if (found.is_too_coarse()) ++coarse;
    for (Index m = 0; m < 3; ++m)
      for (int a = 0; a < 3; ++a) {
        const LocalStart& start = found.markers.at(m);
        ++all;
        if (std::abs(start.x[a] - start_place(m, a, 0)) < 1.96 * std::sqrt(start.covariance[a](0, 0))) ++positions;
        if (std::abs(start.v[a] - start_rate(m, a)) < 1.96 * std::sqrt(start.covariance[a](1, 1))) ++velocities;
      }
  }
  INFO("positions " << positions << ", velocities " << velocities << " of " << all << ", too coarse " << coarse);
  // 95 % of 1800 is 1710 ± 9.2: four standard deviations, once in 16,000. What the polynomial leaves out is counted as
  // an error of its own, so that somewhat more may hold it.
  CHECK(positions > 1673);
  CHECK(velocities > 1673);
  CHECK(positions < 1790);
  CHECK(velocities < 1790);
  CHECK(coarse == 0);
}

TEST_CASE("local_start: a film with two or three frames a period is too coarse, noise alone is not", "[optim][start]") {
  CHECK(fit_local_starts(circling(0.1, 40, 25, 1e-6)).is_too_coarse());
  CHECK_FALSE(fit_local_starts(circling(0.5, 40, 25, 1e-6)).is_too_coarse());
  // A body at rest: each of four sums of squares passes 4 of its standard errors by accident about once in 30,000; χ²
  // has a longer tail, so that one of 200 is let pass.
  int alarms = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, 1e-3);
    if (fit_local_starts(recorded_from_a_start(3, 60, 50, 1e-3, [&](Index, int, double) {
          return normal(random);
        })).is_too_coarse())
      ++alarms;
  }
  CHECK(alarms <= 1);
}

TEST_CASE("local_start: nothing hangs on units", "[optim][start]") {
  const LocalStarts one = fit_local_starts(swinging_from_a_start(2e-3, 2e-3, 7));
  for (const double length : {1e-6, 1e3})
    for (const double time : {1e-6, 1e6}) {
      Observation o = swinging_from_a_start(2e-3, 2e-3 * length, 7);
      for (sim::Points& x : o.positions) x *= length;
      for (double& t : o.times) t *= time;
      const LocalStarts other = fit_local_starts(o);
      CHECK(other.frames == one.frames);
      CHECK(other.shortest_period == Approx(time * one.shortest_period).epsilon(1e-9));
      CHECK(other.markers.at(1).x[2] == Approx(length * one.markers.at(1).x[2]).epsilon(1e-9));
      CHECK(other.markers.at(1).v[2] == Approx(length / time * one.markers.at(1).v[2]).epsilon(1e-9));
      const double covariance = one.markers.at(1).covariance[2](0, 1);
      CHECK(other.markers.at(1).covariance[2](0, 1) == Approx(length * length / time * covariance).epsilon(1e-6));
    }
}

TEST_CASE("local_start: forecast frames and markers that are seen late take no part", "[optim][start]") {
  Observation o = swinging_from_a_start(0, 1e-6, 1);
  o.validation.from = o.times[5];
  CHECK(fit_local_starts(o).frames <= 5);
  o.validation.from = -std::numeric_limits<double>::infinity();
  CHECK(fit_local_starts(o).frames >= 3);
  for (std::size_t f = 0; f < 20; ++f) o.positions[f].col(1).setConstant(NAN);
  const LocalStarts found = fit_local_starts(o);
  CHECK(found.markers.at(0).is_seen(0));
  CHECK_FALSE(found.markers.at(1).is_seen(0));
  // Two frames give a line, one tells no velocity.
  CHECK(fit_local_starts(swinging_from_a_start(0, 1e-3, 1, 50, 2)).degree == 1);
  CHECK_FALSE(fit_local_starts(swinging_from_a_start(0, 1e-3, 1, 50, 1)).markers.at(0).is_seen(0));
}
