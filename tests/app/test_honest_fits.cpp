// Fits that succeed and still do not know: perfect residuals, and a report that says what was not found.

#include <string>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using nlohmann::json;
using pithball::test::Outcome;
using pithball::test::Workplace;

namespace {

/// Simulates a recording of `truth`, without noise, and fits `wrong`, which is the same file with other values, to it.
struct HonestFit {
  HonestFit(const Workplace& place, const std::string& truth, const std::string& wrong, const std::string& fit) {
    place.write("truth.yaml", truth);
    REQUIRE(place.run("record truth.yaml --rate 50 --out tracks.csv").status == 0);
    place.write("fit.yaml", wrong + fit);
    const Outcome text = place.run("fit fit.yaml --out run");
    INFO(text.err);
    REQUIRE(text.status == 0);
    printed = text.out;
    told = json::parse(pithball::test::read_text(place / "run/fit.json"));
    before = place.run("identify fit.yaml").out;
  }
  bool is_perfect() const { return told["errors"]["fit"].get<double>() < 1e-6; }  // meters, of motions of 10 cm
  bool notes(const std::string& words) const {
    for (const json& note : told["notes"])
      if (note.get<std::string>().find(words) != std::string::npos) return true;
    return false;
  }
  /// Whether fit.json, the text and `identify` all say of a parameter that it is not determined because of this pair.
  bool names_pair(const json& parameter, const std::string& a, const std::string& b) const {
    const auto both = [&](const std::string& text) {
      return text.find(a) != std::string::npos && text.find(b) != std::string::npos;
    };
    const std::string direction = parameter["weak_direction"].is_null() ? "" : parameter["weak_direction"];
    return !parameter["identifiable"] && parameter["standard_error"].is_null() && both(direction) &&
           printed.find("not identifiable: " + direction) != std::string::npos &&
           before.find("not identifiable: ") != std::string::npos;
  }
  std::string printed, before;
  json told;
};

std::string two_balls(const std::string& mass, const std::string& charge, const std::string& springs,
                      const std::string& forces) {
  return "name: balls\nsystem:\n  vertices: [[0, 0, 0], [0, 0, -1]]\n  mass: " + mass + "\n  charge: " + charge +
         "\n  velocities: [0, 0, 0]\n  pinned: [0]\n  springs: {edges: [[0, 1]], " + springs + "}\nforces: " + forces +
         "\nsimulation: {integrator: imex_midpoint, time_step: 0.01, duration: 1}\n";
}

}  // namespace

TEST_CASE("honest fit: mass and stiffness of a ball on a spring fit perfectly and are not known",
          "[app][fit][identify]") {
  const Workplace place;
  const HonestFit fit(place, two_balls("0.2", "0", "stiffness: 20, rest_length: 0.9", "[gravity: [0, 0, -9.81]]"),
                      two_balls("0.3", "0", "stiffness: 22, rest_length: 0.9", "[gravity: [0, 0, -9.81]]"),
                      "fit:\n  recordings: [{file: tracks.csv}]\n  parameters: [mass, stiffness]\n");
  CHECK(fit.is_perfect());
  const json& parameters = fit.told["parameters"];
  for (const json& parameter : parameters) CHECK(fit.names_pair(parameter, "mass", "stiffness"));
  REQUIRE(fit.told["weak_directions"].size() == 1);
  CHECK(fit.notes("mass and stiffness can both be multiplied by one factor"));
  CHECK(fit.before.find("mass and stiffness can both be multiplied by one factor") != std::string::npos);
  // What is known is their ratio.
  CHECK(parameters[1]["estimate"].get<double>() / parameters[0]["estimate"].get<double>() == Approx(100).epsilon(1e-6));
}

TEST_CASE("honest fit: the sign of a charge that only its like acts on is not known", "[app][fit][identify]") {
  const Workplace place;
  const std::string springs = "stiffness: 20, rest_length: 0.9", forces = "[gravity: [0, 0, -9.81], coulomb]";
  const std::string section = "fit:\n  recordings: [{file: tracks.csv}]\n  parameters: [charge]\n";
  const HonestFit fit(place, two_balls("0.2", "8 uC", springs, forces), two_balls("0.2", "-6 uC", springs, forces),
                      section);
  CHECK(fit.is_perfect());
  CHECK(fit.told["parameters"][0]["estimate"].get<double>() == Approx(-8e-6).epsilon(1e-6));
  const std::string sentence = "charge: the sign cannot be determined";
  CHECK(fit.notes(sentence));
  CHECK(fit.printed.find(sentence) != std::string::npos);
  CHECK(fit.before.find(sentence) != std::string::npos);
  // A known charge nearby tells it.
  const std::string seen = "[gravity: [0, 0, -9.81], coulomb, point_charge: {charge: 5 uC, position: [0.5, 0, -1]}]";
  const Workplace other;
  const HonestFit known(other, two_balls("0.2", "8 uC", springs, seen), two_balls("0.2", "6 uC", springs, seen),
                        section);
  CHECK_FALSE(known.notes("sign"));
  // So does a known potential of charges.
  const std::string potential =
      "[gravity: [0, 0, -9.81], coulomb, field_potential: {expression: 1e4*x, weight: charge}]";
  const Workplace third;
  const HonestFit drawn(third, two_balls("0.2", "8 uC", springs, potential),
                        two_balls("0.2", "6 uC", springs, potential), section);
  CHECK_FALSE(drawn.notes("sign"));
}

TEST_CASE("honest fit: where a charged ball hangs still, its charge and the rest length are one number",
          "[app][fit][identify]") {
  const Workplace place;
  const std::string forces = "[gravity: [0, 0, -9.81], coulomb]";
  const std::string section =
      "fit:\n  recordings: [{file: tracks.csv, initial_state: equilibrium}]\n  parameters: [charge, rest_length]\n";
  // Rest at distance l: k (l − l0) = m g + k_c q²/l². With l = 1: l0 = 1 − (0.2·9.81 + 8.9875517923e9·(8e-6)²)/20.
  const std::string rest = "stiffness: 20, rest_length: 0.8731398342646399";
  const HonestFit fit(place, two_balls("0.2", "8 uC", rest, forces),
                      two_balls("0.2", "6 uC", "stiffness: 20, rest_length: 0.9", forces), section);
  CHECK(fit.is_perfect());
  for (const json& parameter : fit.told["parameters"]) CHECK(fit.names_pair(parameter, "charge", "rest_length"));
  CHECK_FALSE(fit.notes("multiplied by one factor"));
}
