// A recording beside the simulated start: other orders, axes and units are found, and clean recordings show none.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "optim/measurement/kinds/acceleration.hpp"
#include "optim/measurement/kinds/angle.hpp"
#include "optim/measurement/kinds/camera.hpp"
#include "optim/measurement/kinds/force.hpp"
#include "optim/measurement/kinds/velocity.hpp"
#include "optim/screening/marker_order.hpp"
#include "optim/screening/reading_change.hpp"
#include "optim/screening/start_findings.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::BodyOptions;
using pithball::test::make_body;

namespace {

using Random = std::mt19937;

double between(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

/// A body that swings under gravity, and the model at start values that are not the true ones.
struct Case {
  diff::Scenario start;
  Observation recording;
};

BodyOptions truth() { return {.gravity = true, .time_step = 0.01, .steps = 100}; }

/// By a factor between 1/2 and 2 each.
diff::Scenario wrong_start(Random& random) {
  BodyOptions o = truth();
  o.charge *= std::exp2(between(random, -1, 1));
  o.stiffness *= std::exp2(between(random, -1, 1));
  o.damping *= std::exp2(between(random, -1, 1));
  return make_body("start", o);
}

Case make_case(Random& random, double noise) {
  return {wrong_start(random), test::record(make_body("truth", truth()), 4, noise, random())};
}

RecordingReading reading_of(const Observation& o) {
  RecordingReading reading;
  for (std::size_t m = 0; m < o.markers.size(); ++m) reading.entries.push_back(std::to_string(m));
  return reading;
}

std::vector<Finding> find(const Case& c) { return find_at_start(c.start, c.recording, reading_of(c.recording)); }

/// The only finding, with this key.
bool finds(const std::vector<Finding>& found, FindingKind kind, const std::string& key) {
  return found.size() == 1 && found[0].kind == kind && found[0].key == key;
}

void reorder(Observation& o, const std::vector<Index>& order) {
  for (Points& frame : o.positions) frame = Points(frame(Eigen::all, order));
}

template <class Turn>
void turn(Observation& o, Turn change) {
  for (Points& frame : o.positions)
    for (Index m = 0; m < frame.cols(); ++m) frame.col(m) = change(Vec3(frame.col(m)));
}

/// RMS distance of the recording from the start over the frames in which it is compared best, in noise.
double misfit_in_noise(const Case& c) {
  const StartReadings readings = simulate_readings(c.start, c.recording, 1);
  return std::sqrt(residuals_of(readings, {}, {}, 1).mean());
}

/// How many of so many exchanges of two markers are found, of those that are at least three times the noise off.
int found_orders(int tries) {
  Random random(1);
  int found = 0;
  for (int made = 0; made < tries;) {
    Case c = make_case(random, std::exp(between(random, std::log(0.005), std::log(0.3))));
    std::vector<Index> order{0, 1, 2, 3};
    std::ranges::shuffle(order, random);
    if (std::ranges::is_sorted(order)) continue;
    reorder(c.recording, order);
    if (misfit_in_noise(c) < 3.5) continue;
    ++made;
    std::string key = "markers: [";
    for (std::size_t k = 0; k < 4; ++k) key += (k == 0 ? "" : ", ") + std::to_string(order[k]);
    found += finds(find(c), FindingKind::Order, key + "]");
  }
  return found;
}

/// The same for mirrored axes.
int found_mirrors(int tries) {
  Random random(2);
  int found = 0;
  for (int made = 0; made < tries;) {
    Case c = make_case(random, std::exp(between(random, std::log(0.005), std::log(0.3))));
    const int axis = static_cast<int>(random() % 3);
    turn(c.recording, [&](Vec3 x) {
      x[axis] = -x[axis];
      return x;
    });
    if (misfit_in_noise(c) < 3.5) continue;
    ++made;
    std::string key = "axes: [";
    for (int a = 0; a < 3; ++a) key += std::string(a == 0 ? "" : ", ") + (a == axis ? "-" : "") + "xyz"[a];
    found += finds(find(c), FindingKind::Axes, key + "]");
  }
  return found;
}

/// The same for units of length.
int found_units(int tries) {
  Random random(3);
  int found = 0;
  for (int made = 0; made < tries; ++made) {
    Case c = make_case(random, std::exp(between(random, std::log(0.001), std::log(0.1))));
    const bool in_mm = random() % 2;
    turn(c.recording, [&](const Vec3& x) { return Vec3(x * (in_mm ? 1000 : 100)); });
    c.recording.noise.sigma *= in_mm ? 1000 : 100;
    found += finds(find(c), FindingKind::Unit, in_mm ? "scale: 1 mm" : "scale: 1 cm");
  }
  return found;
}

/// How many of so many clean recordings show anything: noise from none to a tenth of the body, few and many frames,
/// gaps, all starts.
int false_alarms(int tries) {
  Random random(4);
  int alarms = 0;
  for (int k = 0; k < tries; ++k) {
    const double noise = k % 5 == 0 ? 0 : std::exp(between(random, std::log(1e-4), std::log(0.1)));
    Case c = make_case(random, noise);
    if (k % 5 == 0) c.recording.noise.origin = SigmaOrigin::Guess;
    const std::size_t frames = 2 + random() % (c.recording.times.size() - 1);
    c.recording.times.resize(frames);
    c.recording.positions.resize(frames);
    for (Points& frame : c.recording.positions)
      for (Index m = 0; m < 4; ++m)
        if (random() % 8 == 0) frame.col(m).setConstant(NAN);
    alarms += !find(c).empty();
  }
  return alarms;
}

/// Free particles without forces.
diff::Scenario make_resting(const Points& x, const std::string& name = "resting") {
  sim::Topology topology;
  topology.particles = x.cols();
  sim::State state;
  state.x = x;
  state.v = Points::Zero(3, x.cols());
  return {.name = name,
          .model = sim::Model(topology, sim::Vector::Ones(x.cols()), sim::Vector::Zero(x.cols()), {}),
          .initial = state,
          .integrator = "imex_midpoint",
          .time_step = 0.01,
          .steps = 100,
          .stage = {}};
}

Points lattice(Index n) {
  Points x(3, n * n);
  for (Index i = 0; i < n * n; ++i)
    x.col(i) = Vec3(0.1 * static_cast<double>(i % n), 0, 0.1 * static_cast<double>(i / n));
  return x;
}

/// A pendulum of 0.5 m by a stiff spring, let go at this speed.
diff::Scenario make_pendulum(double speed, double stiffness) {
  using namespace sim;
  State state;
  state.x.resize(3, 2);
  state.x << 0, 0, 0, 0, 0, -0.5;
  state.v = Points::Zero(3, 2);
  state.v(0, 1) = speed;
  Topology topology;
  topology.particles = 2;
  topology.springs.push_back({0, 1});
  topology.held.push_back({0, {}});
  const Model model(topology, Vector::Constant(2, 0.01), Vector::Zero(2),
                    {std::make_shared<SpringForce>(Vector::Constant(1, stiffness), Vector::Constant(1, 0.5)),
                     std::make_shared<Gravity>(Vec3(0, 0, -9.81))});
  return {.name = "pendulum",
          .model = model,
          .initial = state,
          .integrator = "imex_midpoint",
          .time_step = 1e-3,
          .steps = 1000,
          .stage = {}};
}

/// What an instrument reads of a run every 20 steps, with noise.
Observation read_by(const diff::Scenario& scenario, Index marker, std::shared_ptr<const Instrument> instrument,
                    const RecordingFrame& frame, double noise) {
  Observation o;
  o.markers = {{"a", {{marker, 1.0}}}};
  o.noise.sigma = Vector::Constant(1, noise);
  o.instrument = std::move(instrument);
  o.recording_frame = frame;
  for (int f = 0; f <= 50; ++f) {
    o.times.push_back(0.02 * f);
    o.positions.push_back(Points::Zero(3, 1));
  }
  const StartReadings readings = simulate_readings(scenario, o, 51);
  Random random(5);
  std::normal_distribution<double> normal;
  for (std::size_t f = 0; f < o.times.size(); ++f)
    for (int a = 0; a < 3; ++a) o.positions[f](a, 0) = readings.simulated[f](a, 0) + noise * normal(random);
  return o;
}

}  // namespace

TEST_CASE("assignment: the least sum, and the next one", "[optim][screening]") {
  Eigen::MatrixXd costs(3, 3);
  costs << 4, 1, 3, 2, 0, 5, 3, 2, 2;
  const Assignment best = assign(costs);
  CHECK(best.column == std::vector<Index>{1, 0, 2});
  CHECK(best.cost == 5);
  Random random(1);
  for (int k = 0; k < 20; ++k) {  // against all orders of six
    const Index n = 2 + k % 5;
    Eigen::MatrixXd some = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return between(random, 0, 1); });
    std::vector<Index> order;
    for (Index i = 0; i < n; ++i) order.push_back(i);
    double least = INFINITY;
    do {
      double sum = 0;
      for (Index i = 0; i < n; ++i) sum += some(i, order[i]);
      least = std::min(least, sum);
    } while (std::ranges::next_permutation(order).found);
    CHECK(assign(some).cost == Approx(least));
    CHECK(assign(some).next_cost >= least);
  }
}

TEST_CASE("start findings: exchanged markers, mirrored axes and other units are found", "[optim][screening]") {
  CHECK(found_orders(10) >= 9);
  CHECK(found_mirrors(10) >= 9);
  CHECK(found_units(10) >= 9);
}

TEST_CASE("start findings: 190 of 200 of each", "[optim][screening][slow]") {
  CHECK(found_orders(200) >= 190);
  CHECK(found_mirrors(200) >= 190);
  CHECK(found_units(200) >= 190);
}

TEST_CASE("start findings: clean recordings show none", "[optim][screening]") { CHECK(false_alarms(40) == 0); }

TEST_CASE("start findings: at most 1 of 100 clean recordings", "[optim][screening][slow]") {
  CHECK(false_alarms(1000) <= 10);
}

TEST_CASE("start findings: an order that is not unique is no finding", "[optim][screening]") {
  Points x(3, 3);  // two markers at one place
  x << 0, 0, 1, 0, 0, 0, 0, 0, 0;
  Case c{make_resting(x), test::record(make_resting(x), 10, 1e-3, 1)};
  CHECK(find(c).empty());
  reorder(c.recording, {1, 0, 2});
  CHECK(find(c).empty());
  reorder(c.recording, {2, 1, 0});  // either of the two is exchanged with the third
  CHECK(std::ranges::none_of(find(c), [](const Finding& finding) { return finding.kind == FindingKind::Order; }));
}

TEST_CASE("start findings: a lattice that is a little off keeps its order", "[optim][screening]") {
  Case c{make_resting(lattice(6)), test::record(make_resting(lattice(6)), 20, 1e-3, 1)};
  CHECK(find(c).empty());
  for (const double off : {0.01, 0.04, 0.06}) {  // parts of its spacing of 0.1
    Case shifted = c;
    turn(shifted.recording, [&](const Vec3& at) { return Vec3(at + Vec3(off, 0, 0.3 * off)); });
    CHECK(find(shifted).empty());
  }
  std::vector<Index> order;
  for (Index i = 0; i < 36; ++i) order.push_back(i == 7 ? 22 : i == 22 ? 7 : i);
  reorder(c.recording, order);
  const std::vector<Finding> found = find(c);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == FindingKind::Order);
  CHECK(found[0].marker == "7, 22");
  CHECK(found[0].sentence.find("markers '7' and '22' are exchanged") != std::string::npos);
}

TEST_CASE("start findings: axes in the file's own names, and with their unit", "[optim][screening]") {
  Random random(6);
  Case c = make_case(random, 1e-3);
  turn(c.recording, [](const Vec3& x) { return Vec3(x[0], x[2], -x[1]); });  // y is up
  RecordingReading reading = reading_of(c.recording);
  CHECK(finds(find_at_start(c.start, c.recording, reading), FindingKind::Axes, "axes: [x, -z, y]"));
  reading.axes = {"x", "-z", "y"};  // as if it was written although the file's z is up
  CHECK(finds(find_at_start(c.start, c.recording, reading), FindingKind::Axes, "axes: [x, -y, -z]"));
  turn(c.recording, [](const Vec3& x) { return Vec3(1000 * x); });
  c.recording.noise.sigma *= 1000;
  const std::vector<Finding> both = find_at_start(c.start, c.recording, reading_of(c.recording));
  REQUIRE(both.size() == 2);
  CHECK(both[0].key == "axes: [x, -z, y]");
  CHECK(both[1].key == "scale: 1 mm");
  CHECK(both[1].number == Approx(1000));
}

TEST_CASE("start findings: readings of instruments in their own units", "[optim][screening]") {
  const diff::Scenario truth = make_pendulum(0.8, 500), start = make_pendulum(0.8, 400);
  const auto key_of = [&](Observation o, double factor) {
    for (Points& frame : o.positions) frame *= factor;
    o.noise.sigma *= std::abs(factor);
    const std::vector<Finding> found = find_at_start(start, o, {});
    return found.empty() ? std::string() : found.size() == 1 ? found[0].key : "more than one";
  };
  const SegmentAngle segment{.segment = {{{0, 1}}, {{1, 1}}}, .direction = -Vec3::UnitZ(), .about = Vec3::UnitY()};
  const Observation angle = read_by(truth, 1, make_angle_instrument({segment}), {}, 0.005);
  CHECK(key_of(angle, 1).empty());
  CHECK(key_of(angle, 180 / std::numbers::pi) == "scale: 1 deg");
  CHECK(key_of(angle, -1) == "about: the opposite direction");
  const Observation velocity = read_by(truth, 1, make_velocity_instrument(), {}, 0.005);
  CHECK(key_of(velocity, 1).empty());
  CHECK(key_of(velocity, 1000) == "scale: 1 mm/s");
  CHECK(key_of(velocity, 3.6) == "scale: 1 km/h");
  const Observation acceleration = read_by(truth, 1, make_acceleration_instrument(), {}, 0.1);
  CHECK(key_of(acceleration, 1).empty());
  CHECK(key_of(acceleration, 1 / 9.80665) == "scale: 9.80665 m/s^2");
  const Observation force = read_by(truth, 0, make_force_instrument(2, {{0}}), {}, 1e-3);
  CHECK(key_of(force, 1).empty());
  CHECK(key_of(force, 1000) == "scale: 1 mN");
}

TEST_CASE("start findings: rows of pixels that are counted upward", "[optim][screening]") {
  const diff::Scenario truth = make_pendulum(0.8, 500), start = make_pendulum(0.8, 400);
  RecordingFrame camera = RecordingFrame();
  camera.rotation = Vec3(-std::numbers::pi / 2, 0, 0);  // looks along y, rows downward
  camera.translation = Vec3(0, -2, -0.25);
  camera.own[recording_frame_offset("focal_length") - 8] = 1000;
  camera.own[recording_frame_offset("principal_x") - 8] = 640;
  camera.own[recording_frame_offset("principal_y") - 8] = 360;
  Observation o = read_by(truth, 1, make_camera_instrument({}), camera, 0.7);
  CHECK(find_at_start(start, o, {}).empty());
  for (Points& frame : o.positions) frame(1, 0) = 720 - frame(1, 0);
  CHECK(finds(find_at_start(start, o, {}), FindingKind::Axes, "camera: {flip: [v]}"));
}

TEST_CASE("start findings: a start from the recording, and times in ms", "[optim][screening]") {
  Random random(7);
  Case c = make_case(random, 1e-3);
  RecordingReading reading = reading_of(c.recording);
  reading.placed_by_recording = {1, 2, 3};
  const auto start_there = [&] {
    const Points first = c.recording.positions[0];
    for (const Index i : reading.placed_by_recording) {
      c.start.initial.x.col(i) = first.col(i);
      c.start.initial.v.col(i) = (c.recording.positions[1].col(i) - first.col(i)) / c.recording.times[1];
    }
  };
  start_there();
  CHECK(find_at_start(c.start, c.recording, reading).empty());
  turn(c.recording, [](const Vec3& x) { return Vec3(1000 * x); });
  c.recording.noise.sigma *= 1000;
  start_there();
  const std::vector<Finding> found = find_at_start(c.start, c.recording, reading);
  CHECK(finds(found, FindingKind::Unit, "scale: 1 mm"));

  Case slow = make_case(random, 1e-3);
  for (double& time : slow.recording.times) time *= 1000;
  slow.start.steps *= 1000;
  CHECK(finds(find(slow), FindingKind::Unit, "columns: {time_scale: 1 ms}"));
}

namespace {

/// What a step of one parameter of the pendulum leaves of these readings.
double left_by(const std::string& parameter, const Observation& readings, const diff::Scenario& start) {
  Parameter fitted = test::shared(parameter);
  if (parameter == "velocity") {
    fitted.entries.sharing = EntrySharing::None;
    fitted.entries.selected = {1};
  }
  const TrajectoryResidual residual(ParameterMap({start}, {fitted}), {readings});
  return left_by_parameters(residual, residual.map().initial(), 0);
}

}  // namespace

TEST_CASE("start findings: another unit of readings that a parameter changes likewise is not decidable",
          "[optim][screening]") {
  const diff::Scenario truth = make_pendulum(0.8, 500), start = make_pendulum(0.1, 450);
  Observation swing = read_by(truth, 1, make_velocity_instrument(), {}, 0.005);
  swing.times.resize(8);  // of 20 ms each: as good as linear in the speed
  swing.positions.resize(8);
  CHECK(left_by("velocity", swing, start) < 0.01);
  CHECK(left_by("stiffness", swing, start) > 0.1);
  for (Points& frame : swing.positions) frame *= 1000;
  swing.noise.sigma *= 1000;
  CHECK(left_by("velocity", swing, start) < 0.01);
  CHECK(left_by("stiffness", swing, start) > 0.1);
  RecordingReading reading;
  CHECK(finds(find_at_start(truth, swing, reading), FindingKind::Unit, "scale: 1 mm/s"));
  bool asked = false;
  reading.left_by_parameters = [&] {
    asked = true;
    return 0.0;
  };
  CHECK(find_at_start(truth, swing, reading).empty());
  CHECK(asked);
}
