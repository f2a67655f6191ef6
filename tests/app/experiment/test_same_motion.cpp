// Groups of recordings of one motion in experiment files.

#include "app/experiment/recording/recording_parameters.hpp"

#include <fmt/format.h>

#include "tests/app/experiment/ball_document.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::app;
using namespace pithball::test;

namespace {

/// Two tracks of the ball, the second planar.
void write_tracks(const Workplace& place) {
  std::string whole = "t,x,y,z\n", flat = "t,x,z\n";
  for (int f = 0; f < 40; ++f) {
    const double t = f / 100.0, x = 0.3 + 0.02 * std::cos(9 * t), z = -0.2 + 0.01 * std::sin(9 * t);
    whole += fmt::format("{},{:.9g},{:.9g},{:.9g}\n", t, x + 1e-4 * std::sin(1e4 * f), 1e-4 * std::sin(2e4 * f), z);
    flat += fmt::format("{},{:.9g},{:.9g}\n", t, x + 1e-4 * std::sin(3e4 * f), z + 1e-4 * std::sin(4e4 * f));
  }
  place.write("a.csv", whole);
  place.write("b.csv", flat);
}

/// A fit of both; `keys` of the second recording, and of the fit.
std::string both(const std::string& keys, const std::string& fit, const std::string& start = "free",
                 const std::string& offset = "0.1 s") {
  return "fit:\n  recording_defaults: {markers: [1], initial_state: " + start +
         "}\n  recordings:\n    - {file: a.csv, time_offset: " + offset +
         "}\n    - {file: b.csv, time_offset: " + offset + keys + "}\n" + fit;
}

const std::string clock_of_b = ", clock: {offset: [0.05 s, 0.15 s]}", one = "  same_motion: [[a, b]]\n",
                  stiffness = "  parameters: [stiffness]\n";

}  // namespace

TEST_CASE("same motion: recordings of a group share one start and one body, and have clocks of their own",
          "[app][same_motion]") {
  const Workplace place;
  write_tracks(place);
  const auto names = [&](const std::string& fit) { return read_ball(place, both(clock_of_b, fit)).fit->map().names(); };
  using Names = std::vector<std::string>;
  CHECK(names(one + stiffness) == Names{"stiffness", "clock_offset[b]", "position[a+b][1].x", "position[a+b][1].y",
                                        "position[a+b][1].z", "velocity[a+b][1].x", "velocity[a+b][1].y",
                                        "velocity[a+b][1].z"});
  CHECK(names("  same_motion: []\n" + stiffness).size() == 2 + 6 + 4);
  const Names each =
      names(one + "  parameters: [stiffness: {recordings: each}, placement_rotation: {recordings: each}]\n");
  CHECK(each[0] == "stiffness[a+b]");
  CHECK(each[1] == "placement_rotation[a].x");
  CHECK(each[4] == "placement_rotation[b].x");

  const FitSpec spec = read_ball(place, both(clock_of_b, one + stiffness));
  const optim::Vector theta = spec.fit->map().initial() + optim::Vector::Constant(8, 0.01);
  const sim::State a = spec.fit->map().scatter(theta, 0).initial, b = spec.fit->map().scatter(theta, 1).initial;
  CHECK(a.x == b.x);
  CHECK(a.v == b.v);
}

TEST_CASE("same motion: groups that are none are rejected, with place and remedy", "[app][same_motion][error]") {
  const Workplace place;
  write_tracks(place);
  const auto rejects = [&](const std::string& document, const std::string& words) {
    const std::string message = ball_complaint(place, document);
    INFO(document << "\n" << message);
    CHECK(says(message, words));
    CHECK(says(message, "ball.yaml:"));
  };
  const auto group = [&](const std::string& names) { return "  same_motion: " + names + "\n" + stiffness; };
  rejects(both("", group("[[a, c]]")), "must list names of recordings");
  rejects(both("", group("[[a]]")), "at least two recordings");
  rejects(both("", group("[[a, b], [b, a]]")), "each recording once");
  rejects(both(", set: {system.mass: 0.2}", group("[[a, b]]")), "other values of the body");
  rejects(both(", set: {simulation.time_step: 5 ms}", group("[[a, b]]")), "another time step");
  rejects(both(", initial_state: from_system", group("[[a, b]]")), "another `initial_state`");
  rejects(both("", group("[[a, b]]"), "from_recording", "0 s"), "does not come from one recording alone");
  rejects(both(clock_of_b, group("[[b, a]]")), "a fixed clock offset in the first recording");
}
