#include <cmath>
#include <random>
#include <set>

#include "diff/check/gradient_check.hpp"
#include "optim/measurement/measurement_kinds.hpp"
#include "optim/observation/readings.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/instrument_specimens.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;

namespace {

/// Four charged particles that swing, the first pinned.
diff::Scenario body() {
  test::BodyOptions options;
  options.time_step = 0.01;
  options.steps = 20;
  options.gravity = true;
  return test::make_body("a", options);
}

/// Somewhere in general position, a body of this size ahead of a camera there.
RecordingFrame general_frame(double size) {
  RecordingFrame frame{0, 1, Vec3(0.3, -0.2, 0.25), size * Vec3(0.1, 0.2, -3)};
  for (double& value : frame.own) value = 0.7;
  set_lens({0.11, -0.05, 0.002, -0.003, 0.01}, frame);
  frame.set_scale(0.7 * size);
  frame.own[recording_frame_offset("focal_length") - 8] = 900;
  return frame;
}

/// Numbers for the inputs of an instrument: a made-up motion of the body, so many times as large.
Points make_inputs(const std::vector<Input>& inputs, const diff::Scenario& scenario, double size) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  Points z(3, static_cast<Index>(inputs.size()));
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    for (int a = 0; a < 3; ++a) z(a, k) = 0.1 * normal(random);
    if (inputs[k].motion <= Motion::Displacement)
      for (const auto& [i, weight] : inputs[k].vertices) z.col(k) += weight * scenario.initial.x.col(i);
  }
  return size * z;
}

}  // namespace

TEST_CASE("measurement kinds: every kind has an instrument in these tests, and names of its own",
          "[optim][measurement]") {
  std::set<std::string> tested, names;
  for (const auto& [name, instrument] : test::instrument_specimens()) tested.insert(instrument->kind().name);
  for (const MeasurementKind* kind : measurement_kinds()) {
    INFO(kind->name);
    CHECK(names.insert(kind->name).second);
    CHECK(tested.count(kind->name) == 1);
    CHECK(kind->components.size() >= 1);
    CHECK(kind->components.size() <= 3);
    CHECK(kind->shown_unit.factor > 0);
  }
  std::set<std::string> values;
  Index next = 0;
  for (const RecordingFrameValue& value : recording_frame_values()) {
    CHECK(values.insert(value.name).second);
    CHECK(value.offset == next);
    next += value.size;
  }
  CHECK(RecordingFrame{}.values().size() == next);
}

TEST_CASE("measurement kinds: derivatives of readings agree with differences", "[optim][measurement][derivative]") {
  const diff::Scenario scenario = body();
  const double size = GENERATE(1e-3, 1.0, 1e3);
  const RecordingFrame frame = general_frame(size);
  for (const auto& [name, instrument] : test::instrument_specimens()) {
    const std::vector<Input> inputs = instrument->inputs(0, {{{1, 0.4}, {3, 0.6}}, Motion::Position});
    const Points z = make_inputs(inputs, scenario, size);
    const Index K = z.cols();
    const auto read = [&](const Points& at, const Vector& values, const Vector& model_values) {
      const Viewpoint viewpoint(RecordingFrame::of(values));
      const sim::Model model = scenario.model.with_values(model_values);
      Vec3 reading = Vec3::Zero();
      REQUIRE(instrument->read({0, at, viewpoint, model, 0.1}, reading, nullptr) == nullptr);
      return reading;
    };
    ReadingSlope slope{Eigen::MatrixXd::Zero(3, 3 * K), Eigen::MatrixXd::Zero(3, RecordingFrame::size()), {}};
    const Viewpoint viewpoint(frame);
    Vec3 reading;
    REQUIRE(instrument->read({0, z, viewpoint, scenario.model, 0.1}, reading, &slope) == nullptr);
    const Vector values = frame.values(), of_model = scenario.model.values().data();
    const auto check = [&](const std::string& what, Index k, double scale, const auto& moved,
                           const Eigen::Ref<const Vector>& found) {
      for (int a = 0; a < instrument->components(); ++a) {
        INFO("size " << size << ", " << name << ", component " << a << " by " << what << " " << k);
        const bool one_sided = scale == 0;  // at a value that cannot be negative
        const auto estimate = diff::differentiate([&](double s) { return std::optional(moved(s)[a]); },
                                                  one_sided ? 0.01 : scale, one_sided);
        REQUIRE(estimate);
        // Ridders' table of a smooth function is right to some ten digits of the largest derivative.
        CHECK(std::abs(found[a] - estimate->value) <=
              1e-7 * std::max(std::abs(estimate->value), found.cwiseAbs().maxCoeff()) + 10 * estimate->error);
      }
    };
    for (Index k = 0; k < 3 * K; ++k)
      check(
          "input", k, 0.01 * size,
          [&](double s) {
            Points at = z;
            at.reshaped()[k] += s;
            return read(at, values, of_model);
          },
          slope.inputs.col(k));
    for (Index k = 2; k < values.size(); ++k)
      check(
          "recording frame value", k, values[k] == 0 ? 0.01 : 0.01 * std::abs(values[k]),
          [&](double s) {
            Vector at = values;
            at[k] += s;
            return read(z, at, of_model);
          },
          slope.frame.col(k));
    for (Index k = 0; k < of_model.size() && slope.model_values.size() > 0; ++k)
      check(
          "model value", k, 0.01 * std::abs(of_model[k]),
          [&](double s) {
            Vector at = of_model;
            at[k] += s;
            return read(z, values, at);
          },
          slope.model_values.col(k));
    CHECK(slope.inputs.norm() > 0);
    if (name == "camera")
      for (const char* value : {"lens_k1", "lens_k2", "lens_p1", "lens_p2", "lens_k3"})
        CHECK(slope.frame.col(recording_frame_offset(value)).norm() > 0);
    if (name == "point" || name == "velocity" || name == "acceleration" || name == "force")
      CHECK(slope.frame.col(RecordingFrame::scale_offset).norm() > 0);
  }
}
