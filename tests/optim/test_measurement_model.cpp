#include <cmath>

#include "optim/observation/readings.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::complaint;
using pithball::test::contains;
using pithball::test::make_body;

namespace {

/// An observation of particle 0 at these times; observed positions are 0.
Observation watch(std::vector<double> times) {
  Observation o;
  o.markers = {{"m", {{0, 1.0}}}};
  o.times = std::move(times);
  o.positions.assign(o.times.size(), Points::Zero(3, 1));
  o.noise.sigma = Vector::Ones(1);
  return o;
}

diff::Scenario span(double time_step, Index steps) {
  test::BodyOptions options;
  options.time_step = time_step;
  options.steps = steps;
  return make_body("a", options);
}

/// The state at time t of a made-up motion of four particles; x and v are functions (particle, component, t).
template <class Position, class Velocity>
sim::State motion(double t, Position position, Velocity velocity) {
  sim::State s{t, Points(3, 4), Points(3, 4)};
  for (Index i = 0; i < 4; ++i)
    for (int a = 0; a < 3; ++a) {
      s.x(a, i) = position(i, a, t);
      s.v(a, i) = velocity(i, a, t);
    }
  return s;
}

template <class Position, class Velocity>
Vector observe(const MeasurementModel& measurement, double h, Index steps, Position position, Velocity velocity) {
  Readings readings(measurement);
  for (Index n = 0; n <= steps; ++n) readings.add_state(n, motion(n * h, position, velocity));
  Vector r(measurement.rows());
  CHECK(readings.residual(span(h, steps).model, r).empty());
  return r;
}

double cubic(Index i, int a, double t) { return 1 + 0.3 * a - 2 * t + (1.5 + i) * t * t - 0.7 * t * t * t; }
double cubic_velocity(Index i, int, double t) { return -2 + 2 * (1.5 + i) * t - 2.1 * t * t; }
double wave(Index, int a, double t) { return std::sin(3 * t + a); }
double wave_velocity(Index, int a, double t) { return 3 * std::cos(3 * t + a); }

}  // namespace

TEST_CASE("measurement: cubic motion is interpolated exactly, steps themselves are copied", "[optim][measurement]") {
  const double h = 0.1;
  const std::vector<double> times = {0, 0.013, 0.1, 0.25, 0.39999, 0.4};
  const MeasurementModel measurement(watch(times), span(h, 4), Part::Fit);
  REQUIRE(measurement.rows() == 18);
  CHECK(measurement.last_step() == 4);
  const Vector r = observe(measurement, h, 4, cubic, cubic_velocity);
  for (std::size_t f = 0; f < times.size(); ++f)
    for (int a = 0; a < 3; ++a) CHECK(r[static_cast<Index>(3 * f) + a] == Approx(cubic(0, a, times[f])).epsilon(1e-13));
}

TEST_CASE("measurement: interpolation of a wave errs by at most h^4/384 of its fourth derivative, and with order 4",
          "[optim][measurement][order]") {
  const auto worst = [](double h) {
    const auto steps = static_cast<Index>(std::lround(1 / h));
    std::vector<double> times;
    for (int k = 0; k < 200; ++k) times.push_back(0.005 * k + 0.0013);
    const MeasurementModel measurement(watch(times), span(h, steps), Part::Fit);
    const Vector r = observe(measurement, h, steps, wave, wave_velocity);
    double error = 0;
    for (std::size_t f = 0; f < times.size(); ++f) error = std::max(error, std::abs(r[3 * f] - wave(0, 0, times[f])));
    return error;
  };
  const double coarse = worst(0.1), fine = worst(0.05);
  CHECK(coarse <= std::pow(0.1, 4) / 384 * 81);
  CHECK(std::log2(coarse / fine) == Approx(4).margin(0.15));
}

TEST_CASE("measurement: missing samples and components have no rows, and sigma divides", "[optim][measurement]") {
  Observation o = watch({0, 0.1, 0.2});
  o.markers = {{"a", {{0, 1.0}}}, {"b", {{1, 0.25}, {2, 0.75}}}};
  o.positions.assign(3, Points::Constant(3, 2, 0.5));
  o.positions[1](2, 0) = std::nan("");
  o.present.assign(3, {true, true});
  o.present[2][1] = false;
  o.noise.sigma = Eigen::Vector2d(0.1, 0.2);
  const MeasurementModel measurement(o, span(0.1, 2), Part::Fit);
  CHECK(measurement.rows() == 3 + 3 + 2 + 3 + 3);
  REQUIRE(measurement.samples().size() == 5);
  CHECK(measurement.samples()[2].row_count == 2);
  CHECK(measurement.samples()[4].marker == 0);
  const Vector r = observe(measurement, 0.1, 2, cubic, cubic_velocity);
  CHECK(r[0] == Approx((cubic(0, 0, 0) - 0.5) / 0.1));
  CHECK(r[7] == Approx((cubic(0, 1, 0.1) - 0.5) / 0.1));
  CHECK(r[8] == Approx((0.25 * cubic(1, 0, 0.1) + 0.75 * cubic(2, 0, 0.1) - 0.5) / 0.2));
}

TEST_CASE("measurement: displacements are taken from the start or from given rest shapes", "[optim][measurement]") {
  Observation o = watch({0, 0.15});
  o.positions[0] = Points::Constant(3, 1, 2);
  o.positions[1] = Points::Constant(3, 1, 2.5);
  o.reference.kind = Reference::Kind::Start;
  Vector r = observe(MeasurementModel(o, span(0.1, 2), Part::Fit), 0.1, 2, cubic, cubic_velocity);
  CHECK(r.head(3).norm() < 1e-14);
  CHECK(r[3] == Approx(cubic(0, 0, 0.15) - cubic(0, 0, 0) - 0.5));

  o.reference.observed = Points::Constant(3, 1, 1.9);
  r = observe(MeasurementModel(o, span(0.1, 2), Part::Fit), 0.1, 2, cubic, cubic_velocity);
  CHECK(r[0] == Approx(-0.1));

  o.reference.kind = Reference::Kind::Given;
  o.reference.model = Points::Constant(3, 1, 0.25);
  r = observe(MeasurementModel(o, span(0.1, 2), Part::Fit), 0.1, 2, cubic, cubic_velocity);
  CHECK(r[3] == Approx(cubic(0, 0, 0.15) - 0.25 - (2.5 - 1.9)));
}

TEST_CASE("measurement: a time offset moves the recording on the simulation's clock", "[optim][measurement]") {
  Observation o = watch({10.0, 10.05});
  o.recording_frame.clock_offset = -9.9;
  const Vector r = observe(MeasurementModel(o, span(0.1, 2), Part::Fit), 0.1, 2, cubic, cubic_velocity);
  CHECK(r[0] == Approx(cubic(0, 0, 0.1)));
  CHECK(r[3] == Approx(cubic(0, 0, 0.15)));
}

TEST_CASE("measurement: fit and forecast share the frames between them, and a short fit ends the rollout early",
          "[optim][measurement]") {
  Observation o = watch({0, 0.1, 0.2, 0.3, 0.4});
  o.validation.from = 0.25;
  const MeasurementModel fitted(o, span(0.1, 4), Part::Fit), forecast(o, span(0.1, 4), Part::ValidationFrame);
  CHECK(fitted.rows() == 9);
  CHECK(fitted.last_step() == 2);
  CHECK(forecast.rows() == 6);
  CHECK(forecast.samples()[0].frame == 3);
  o.validation.from = -std::numeric_limits<double>::infinity();
  CHECK(MeasurementModel(o, span(0.1, 4), Part::Fit).rows() == 0);
}

TEST_CASE("measurement: tangents and seeds are the derivative and its transpose", "[optim][measurement]") {
  Observation o = watch({0, 0.03, 0.1, 0.27, 0.3});
  o.markers = {{"a", {{0, 0.5}, {3, 0.5}}}, {"b", {{2, 1.0}}}};
  o.positions.assign(5, Points::Zero(3, 2));
  o.positions[2](1, 1) = std::nan("");
  o.noise.sigma = Eigen::Vector2d(0.1, 0.3);
  for (Reference::Kind reference : {Reference::Kind::Absolute, Reference::Kind::Start}) {
    o.reference.kind = reference;
    o.reference.observed = Points::Zero(3, 2);
    const MeasurementModel measurement(o, span(0.1, 3), Part::Fit);
    // The inputs are affine in the states, so the tangent of a motion is the difference of two of them.
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    Vector z = measurement.initial_inputs(), w(z.size());
    const Vector z0 = z;
    for (double& x : w) x = normal(random);
    RowMatrix J = RowMatrix::Zero(z.size(), 1);
    double paired = 0;
    for (Index n = 0; n <= 3; ++n) {
      Eigen::MatrixXd dx(12, 1), dv(12, 1);
      for (Index k = 0; k < 12; ++k) {
        dx(k) = normal(random);
        dv(k) = normal(random);
      }
      sim::State s{0, Points(3, 4), Points(3, 4)};
      sim::flat(s.x) = dx;
      sim::flat(s.v) = dv;
      measurement.add_state(n, s, z);
      measurement.add_tangent(n, dx, dv, J);
      Points gx = Points::Zero(3, 4), gv = Points::Zero(3, 4);
      measurement.add_seed(n, w, gx, gv);
      paired += sim::flat(gx).dot(dx.col(0)) + sim::flat(gv).dot(dv.col(0));
    }
    REQUIRE(J.norm() > 1);
    CHECK((z - z0 - J.col(0)).norm() < 1e-12 * J.norm());
    CHECK(paired == Approx(w.dot(J.col(0))).epsilon(1e-12));
  }
}

TEST_CASE("measurement: bad observations are rejected before any run", "[optim][measurement][error]") {
  const auto rejects = [](const Observation& o, const std::string& words) {
    const std::string message = complaint([&] { MeasurementModel(o, span(0.1, 2), Part::Fit); });
    INFO("expected: " << words << "\nmessage:  " << message);
    CHECK(contains(message, words));
    CHECK(contains(message, "recording 'a'"));
  };
  rejects(watch({0, 0.21}), "must be within the simulated time span of 0 to 0.2");
  rejects(watch({-0.01}), "simulated time span");
  rejects(watch({}), "at least one");
  rejects(watch({0.1, 0.1}), "strictly increasing");
  CHECK_NOTHROW(MeasurementModel(watch({0.2 + 1e-12}), span(0.1, 2), Part::Fit));
  Observation o = watch({0});
  o.noise.sigma[0] = 0;
  rejects(o, "must be > 0, got 0");
  o = watch({0});
  o.markers[0].vertices[0].first = 4;
  rejects(o, "vertices must be below 4");
  o = watch({0, 0.1});
  o.positions[1].resize(3, 2);
  rejects(o, "must be 3×1");
  o = watch({0, 0.1});
  o.present.assign(1, {true});
  rejects(o, "one row for each time");
  o = watch({0, 0.1});
  o.reference.kind = Reference::Kind::Start;
  o.positions[0](1, 0) = std::nan("");
  rejects(o, "present in the first frame");
}
