// Runs whose energy comes from a close approach, or from friction that steps do not resolve: what they say, and whether
// it helps.

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "sim/core/types.hpp"
#include "sim/integrator/integrator_choice.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using nlohmann::json;
using test::Outcome;
using test::says;
using test::Workplace;

namespace {

/// Two charges at rest, `size` apart, of 1 g and 3 g, that fall into one another within 0.2 s; others are far
/// away.
std::string infall(double size, const std::string& settings = "") {
  const double q = std::sqrt(0.09 * std::pow(size, 3) / sim::coulomb_constant);  // k q² = 90 m d³/s², m = 1 g
  return fmt::format(
      "name: infall\nsystem:\n  vertices: [[0, {0}, 0], [{1}, 0, 0], [{2}, 0, 0]]\n  mass: [0.001, 0.001, 0.003]\n"
      "  charge: [0, {3}, -{3}]\n  springs: none\nforces:\n  - coulomb{4}\n"
      "simulation: {{time_step: 0.1 ms, duration: 0.2 s}}\n",
      9 * size, -size / 2, size / 2, q, settings);
}

/// What follows `what` in the text up to the next backquote.
std::string quoted_after(const std::string& text, const std::string& what) {
  const std::size_t from = text.find(what);
  REQUIRE(from != std::string::npos);
  return text.substr(from + what.size(), text.find('`', from + what.size()) - from - what.size());
}

}  // namespace

TEST_CASE("close approach: a collapse is named with its particles, and the softening that it prints helps",
          "[app][simulate][verdict]") {
  const Workplace place;
  for (const double size : {1e-9, 0.1, 1e9})
    for (const std::string name : {"imex_midpoint", "velocity_verlet", "rk4", "leapfrog"}) {
      INFO(name << ", " << size << " m");
      place.write("infall.yaml", infall(size));
      const std::string run = "simulate infall.yaml --json --overwrite --set simulation.integrator=" + name;
      const Outcome outcome = place.run(run);
      const json found = outcome.json();
      INFO(found.dump());
      CHECK((found["status"] == "doubtful" || found["status"] == "diverged"));
      CHECK(outcome.status == (found["status"] == "doubtful" ? 0 : 1));
      const std::string why = found["why"], remedy = found["remedy"];
      CHECK(says(why, "particles 1 and 2 are "));
      CHECK(says(why, "a close approach that the steps do not resolve"));
      CHECK_FALSE(says(why + remedy, "implicit"));
      CHECK_FALSE(says(remedy, "imex_euler"));
      const std::string softening = quoted_after(remedy, "`softening: ");
      place.write("infall.yaml", infall(size, ": {softening: " + softening + "}"));
      CHECK(place.run(run).json()["status"] == "ok");
    }
}

TEST_CASE("close approach: a collapse that makes 100,000 times the energy has diverged", "[app][simulate][verdict]") {
  // They fly toward each other, and are 1e-9 of the size apart after 1024 steps.
  const Workplace place;
  for (const double size : {1e-9, 1.0, 1e9}) {
    INFO(size << " m");
    const double q = std::sqrt(1e-12 * std::pow(size, 3) / sim::coulomb_constant);
    place.write("encounter.yaml",
                fmt::format("name: encounter\nsystem:\n  vertices: [[{:.17g}, 0, 0], [{}, 0, 0]]\n  mass: 1\n  charge: "
                            "[{}, -{}]\n  springs: none\n  velocities: [[{}, 0, 0], [{}, 0, 0]]\nforces: [coulomb]\n"
                            "simulation: {{time_step: 0.0009765625, duration: 1.07421875}}\noutput: {{every: 10}}\n",
                            size * (0.5 + 1e-9), -size / 2, q, q, -size / 2, size / 2));
    const Outcome outcome = place.run("simulate encounter.yaml --json --overwrite");
    const json found = outcome.json();
    INFO(found.dump());
    CHECK(outcome.status == 1);
    CHECK(found["status"] == "diverged");
    const std::string why = found["why"];
    CHECK(why.find("diverged: up to step ") == 0);
    CHECK(says(why, "times the energy of the motion: particles 0 and 1 are "));
    CHECK(says(why, " m apart at step 1024 (t = 1 s)"));
    CHECK(says(found["remedy"], "`integrator: imex_adaptive`"));
  }
}

TEST_CASE("close approach: an adaptive pair that meets a singularity speaks of its substeps",
          "[app][simulate][verdict]") {
  const Workplace place;
  place.write("infall.yaml", infall(0.1));
  for (const std::string name : {"dormand_prince", "bogacki_shampine", "heun_euler"}) {
    const Outcome outcome = place.run("simulate infall.yaml --json --overwrite --set simulation.integrator=" + name);
    const json found = outcome.json();
    INFO(name << found.dump());
    CHECK(outcome.status == 1);
    CHECK(found["status"] == "not_converged");
    const std::string why = found["why"], remedy = found["remedy"];
    CHECK(says(why, "no substep, however short, reached the tolerance of " + name));
    CHECK(says(why, "particles 1 and 2 are "));
    CHECK_FALSE(says(why + remedy, "implicit"));
    CHECK_FALSE(says(remedy, "max_iterations"));
    place.write("soft.yaml", infall(0.1, ": {softening: " + quoted_after(remedy, "`softening: ") + "}"));
    CHECK(place.run("simulate soft.yaml --json --overwrite --set simulation.integrator=" + name).json()["status"] ==
          "ok");
  }
}

TEST_CASE("close approach: what is resolved, driven, or starts without energy raises no alarm",
          "[app][simulate][verdict]") {
  const Workplace place;
  const auto is_fine = [&](const std::string& what, const std::string& text) {
    place.write("good.yaml", "name: good\n" + text);
    const Outcome outcome = place.run("simulate good.yaml --json --overwrite");
    INFO(what << outcome.err << outcome.out);
    REQUIRE(outcome.status == 0);
    CHECK(outcome.json()["status"] == "ok");
    CHECK(outcome.json()["why"].is_null());
  };
  // Aphelion 1999 times as far away as perihelion: speeds grow as much.
  const double q = std::sqrt(1 / sim::coulomb_constant);
  const std::string comet = fmt::format(
      "system: {{vertices: [[0, 0, 0], [1, 0, 0]], mass: [1e6, 1], charge: [{}, -{}], springs: none, "
      "velocities: [[0, 0, 0], [0, {}, 0]]}}\nforces: [coulomb]\nsimulation: {{time_step: 1 ms, duration: 1.5, ",
      q, q, std::sqrt(1e-3));
  is_fine("comet", comet + "integrator: dormand_prince}\n");
  is_fine("comet", comet + "integrator: imex_adaptive}\n");
  is_fine("burst",
          "system: {vertices: [[0, 0, 0], [1 um, 0, 0]], mass: 1 g, charge: 1 nC, springs: none}\nforces: [coulomb]\n"
          "simulation: {time_step: 10 ns, duration: 100 us}\n");
  is_fine("driven from rest",
          "system: {vertices: [[0, 0, 0], [1, 0, 0]], mass: 1 g, springs: {edges: [[0, 1]], stiffness: 1}}\nforces:\n"
          "  - applied_force: {each: {expression: [1e-9*exp(20*t), 0, 0]}}\nsimulation: {time_step: 1 ms, duration: "
          "1.5}\n");
  is_fine("field from zero",
          "system: {vertices: [[0, 0, 0]], mass: 1 g, charge: 1 nC, springs: none}\nforces:\n"
          "  - electric_field: {uniform: [0, 0, 1e6]}\nsimulation: {time_step: 1 ms, duration: 1}\n"
          "key_frames: [{electric_field: {components: z, times: [0.5, 0.501], values: [0, 1e6]}}]\n");
}

TEST_CASE("friction in a part of a step: a fit whose start diverges names an integrator that helps",
          "[app][fit][verdict]") {
  const Workplace place;
  // A drop in a gas, at rest when a field is switched on: its friction acts in a 400th of a step, at any size.
  const auto drop = [](double size, double charge) {
    return fmt::format(
        "name: drop\nsystem: {{vertices: [[0, 0, 0]], mass: 1, charge: {}, springs: none, velocities: [[0, 0, {}]]}}\n"
        "forces:\n  - applied_force: {{each: [0, 0, {}]}}\n  - electric_field: {{uniform: [0, 0, 1]}}\n"
        "  - drag: {{linear: 4e5}}\n"
        "key_frames: [{{electric_field: {{components: z, times: [0, 0.1, 0.1001], values: [0, 0, 1]}}}}]\n"
        "simulation: {{time_step: 1 ms, duration: 0.3}}\n",
        charge, -size, -4e5 * size);
  };
  for (const double size : {1e-9, 1.0, 1e9}) {
    INFO(size << " m/s");
    const double charge = 1e6 * size;
    place.write("drop.yaml", drop(size, charge));
    REQUIRE(place
                .run("record drop.yaml --out drop.csv --overwrite --markers 0 --rate 100 --noise '" +
                     fmt::format("{} m", 1e-6 * size) + "' --set simulation.integrator=imex_euler")
                .status == 0);
    place.write("fit.yaml", drop(size, 1e9 * charge) +
                                "fit: {recordings: [{file: drop.csv, markers: [0]}], parameters: [charge]}\n");
    const Outcome failed = place.run("fit fit.yaml --json --overwrite");
    INFO(failed.err << failed.out);
    CHECK(failed.status == 1);
    CHECK(failed.json()["status"] == "failed");
    CHECK(says(failed.json()["why"], "recording 'drop': diverged at step "));
    REQUIRE(says(failed.json()["remedy"], "`integrator: imex_euler`"));
    const Outcome helped = place.run("fit fit.yaml --json --overwrite --set simulation.integrator=imex_euler");
    INFO(helped.err << helped.out);
    CHECK(helped.json()["parameters"][0]["estimate"].get<double>() == Approx(charge).epsilon(0.05));
  }
}
