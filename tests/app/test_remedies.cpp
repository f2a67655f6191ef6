// Every cause that a fit names for its misfit has a remedy that the program accepts.

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/app/program.hpp"
#include "tests/app/recorded_ball.hpp"
#include "tests/support/catch.hpp"

using nlohmann::json;
using pithball::test::lines_of;
using pithball::test::Outcome;
using pithball::test::read_text;
using pithball::test::replaced;
using pithball::test::says;
using pithball::test::swinging_ball;
using pithball::test::Workplace;

namespace {

const std::string film = "--markers 1 --rate 20 --noise '3 mm' --seed 4";

/// A fit in which causes are looked for.
struct Misfit {
  std::string cause,                                                  ///< how the reason of one of them begins
      key;                                                            ///< how its key begins
  std::string truth, fit;                                             ///< the experiments that record and fit
  std::string how = film;                                             ///< options of `record`
  std::function<double(double)> reread = [](double x) { return x; };  ///< what a file has in place of each reading
};

/// A fit of the ball's stiffness, or of what is listed. Findings before the search are accepted, so that it is left to
/// the fit to name the cause.
std::string ball_fit(const std::string& recording, const std::string& parameters = "stiffness",
                     const std::string& system = swinging_ball) {
  return system +
         fmt::format(
             "fit:\n  recordings: [{{file: f.csv, accept_findings: [placeholder, repeats, swap, outlier, fill, "
             "full_turn, "
             "outside_image, order, axes, unit, correlated, resting, charged_pinned, ], {}}}]\n  parameters: [{}]\n",
             recording, parameters);
}

/// The ball below its pin, on a spring that begins beside the vertical.
const std::string pendulum = replaced(replaced(replaced(swinging_ball, "[0.2, 0, 0]", "[0.05, 0, -0.2]"), "forces: [",
                                               "forces: [gravity: [0, 0, -9.81], "),
                                      "stiffness: 35.53", "stiffness: 200");

/// Instruments, as keys of a recording.
const std::string angle = "measurement: {angle: {segments: [{segment: [0, 1], about: [0, 1, 0]}]}}",
                  distance = "measurement: {distance: {between: [[0, 1]]}}", force = "measurement: force, markers: [0]",
                  acceleration = "measurement: acceleration, markers: [1]",
                  camera =
                      "measurement: {camera: {focal_length: 900 px, image_size: [1280, 960]}}, markers: [1], "
                      "placement: {x_axis: [1, 0, 0], y_axis: [0, 0, -1], translation: [0, -1, -0.1]}";

/// The pendulum, whose drag is fitted to readings of an instrument in a file that has another unit or zero.
Misfit of_instrument(const std::string& cause, const std::string& key, const std::string& instrument,
                     std::function<double(double)> reread) {
  return {cause,
          key,
          pendulum + fmt::format("fit:\n  recordings: [{{name: film, planned: {{rate: 20, duration: 4 s}}, {}}}]\n"
                                 "  parameters: [linear_drag]\n",
                                 instrument),
          ball_fit(instrument, "linear_drag", pendulum),
          "--recording film",
          std::move(reread)};
}

std::function<double(double)> times(double factor) {
  return [=](double x) { return factor * x; };
}
std::function<double(double)> plus(double shift) {
  return [=](double x) { return x + shift; };
}

std::vector<Misfit> units_and_zeros() {
  const char *unit = "unit: the spread of the recorded readings", *zero = "zero of the readings";
  return {
      {"unit of length: the recorded distance", "scale: 1 mm", swinging_ball, ball_fit("markers: [1]"), film,
       times(1000)},
      of_instrument(unit, "scale: 1 deg", angle, times(180 / M_PI)),
      {"units or placement", "placement.fit: translation", swinging_ball, ball_fit("markers: [1]"), film, plus(0.5)},
      of_instrument("placement", "placement.fit: translation", camera, plus(100)),
      of_instrument(zero, "fit.parameters: [angle_zero]", angle, plus(2)),
      of_instrument(zero, "fit.parameters: [distance_zero]", distance, plus(0.3)),
      of_instrument(zero, "fit.parameters: [force_zero]", force, plus(30)),
      of_instrument(zero, "fit.parameters: [acceleration_bias]", acceleration, plus(200)),
  };
}

std::vector<Misfit> motions() {
  return {
      {"time step: at half of it", "simulation.time_step: ", swinging_ball,
       ball_fit("markers: [1]", "linear_drag", replaced(swinging_ball, "time_step: 0.5 ms", "time_step: 20 ms"))},
      {"initial state: the first frame", "initial_state: free",
       replaced(swinging_ball, "[0.2, 0, 0]", "[0.3, 0.02, 0]"), ball_fit("markers: [1]")},
      {"local minimum", "fit.st", swinging_ball,
       ball_fit("markers: [1]", "stiffness: {initial: 171}") + "  starts: none\n"},
      {"local minimum: the first", "fit.stages: ", swinging_ball,
       ball_fit("markers: [1]", "linear_drag", replaced(swinging_ball, "stiffness: 35.53", "stiffness: 34.5"))},
      {"the model is incomplete", "", replaced(swinging_ball, "stiffness: 35.53", "stiffness: 60"),
       ball_fit("markers: [1]", "linear_drag"), "--markers 1 --rate 100 --noise '3 mm' --seed 4"},
  };
}

/// Rewrites the readings of f.csv: every column but the time.
void reread(const Workplace& place, const std::function<double(double)>& change) {
  std::string text;
  for (const std::string& line : lines_of(read_text(place / "f.csv"))) {
    if (line.empty() || (line[0] != '-' && !std::isdigit(static_cast<unsigned char>(line[0])))) {
      text += line + "\n";
      continue;
    }
    std::istringstream columns(line);
    std::string cell, row;
    while (std::getline(columns, cell, ','))
      row += row.empty() ? cell : "," + (cell.empty() ? cell : fmt::format("{:.12g}", change(std::stod(cell))));
    text += row + "\n";
  }
  place.write("f.csv", text);
}

/// The options of a command that put the remedy of a cause into the experiment.
std::string with_remedy(const json& cause, const std::string& parameters) {
  std::string key = cause["key"];
  if (!cause["recording"].is_null()) key = "fit.recordings.0." + key;
  const std::size_t colon = key.find(": ");
  REQUIRE(colon != std::string::npos);
  std::string value = key.substr(colon + 2);
  if (key.starts_with("fit.parameters: ")) value = "[" + parameters + ", " + value.substr(1);  // beside those there
  return fmt::format(" --set '{}={}'", key.substr(0, colon), value);
}

/// Makes the recording, fits it, and fits it again with the remedy of each cause that was named.
void feed_back(const Misfit& one) {
  INFO(one.cause << " " << one.key);
  const Workplace place;
  place.write("truth.yaml", one.truth);
  const Outcome filmed = place.run("record truth.yaml --out f.csv " + one.how);
  INFO(filmed.err);
  REQUIRE(filmed.status == 0);
  reread(place, one.reread);
  place.write("fit.yaml", one.fit);
  const Outcome fit = place.run("fit fit.yaml --out run --json");
  INFO(fit.out.substr(0, 2000) << fit.err);
  REQUIRE((fit.status == 0 || fit.status == 1));
  bool named = false;
  const json told = fit.json();
  for (const json& cause : told["quality"]["causes"]) {
    const std::string reason = cause["reason"];
    INFO(reason);
    const bool is_it = reason.starts_with(one.cause);
    named = named || is_it;
    if (cause["key"].is_null()) {
      CHECK(says(cause["remedy"], "`pithball diagnose`"));
      if (is_it) CHECK(place.run("diagnose run").status == 0);
      continue;
    }
    if (is_it) CHECK(cause["key"].get<std::string>().starts_with(one.key));
    const std::string list = one.fit.substr(one.fit.rfind("parameters: [") + 13);
    const std::string options = with_remedy(cause, list.substr(0, list.rfind(']')));
    INFO(options);
    const Outcome mended = place.run("fit fit.yaml --out mended" + options);
    INFO(mended.out << mended.err);
    CHECK((mended.status == 0 || mended.status == 1));
    const bool is_whole =
        is_it && (reason.starts_with("unit") || reason.starts_with("zero") || reason.starts_with("placement"));
    if (is_whole) CHECK_FALSE(says(mended.out, "does not fit"));
  }
  CHECK(named);
}

}  // namespace

TEST_CASE("misfit causes: the remedy of a unit and of a zero is accepted, and mends the fit", "[app][fit][quality]") {
  feed_back(units_and_zeros().front());
  feed_back(units_and_zeros().back());
}

TEST_CASE("misfit causes: the remedy of every unit and zero is accepted, and mends the fit",
          "[app][fit][quality][slow]") {
  for (const Misfit& one : units_and_zeros()) feed_back(one);
}

TEST_CASE("misfit causes: the remedy of every step, start and minimum is accepted", "[app][fit][quality][slow]") {
  for (const Misfit& one : motions()) feed_back(one);
}
