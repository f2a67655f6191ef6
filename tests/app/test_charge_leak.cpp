// Charges that leak, as an experiment file says it.
#include <cmath>

#include "app/experiment/experiment.hpp"
#include "app/experiment/experiment_file.hpp"
#include "app/run_folder/kept_states.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using test::replaced;
using test::small_experiment;

namespace {

app::Experiment read(const std::string& text) { return app::read_experiment(app::parse_document(text, {"file"})); }
std::string leaking(const std::string& leak) {
  return replaced(small_experiment, "  charge: 1 uC\n", "  charge: 1 uC\n  charge_leak: " + leak + "\n");
}

}  // namespace

TEST_CASE("charge_leak: the file's time constant, or its inverse, is the model's", "[app][charge_leak]") {
  for (const char* leak : {"{time_constant: 20 s}", "{rate: 0.05}"}) {
    const app::Experiment experiment = read(leaking(leak));
    const sim::Model& model = experiment.scenario.model;
    REQUIRE(model.charge_leak());
    CHECK(model.values().data()[model.charge_leak()->rate] == Approx(0.05));
    CHECK(model.at(10).charge()[1] == Approx(1e-6 * std::exp(-0.5)).epsilon(1e-14));
    const datasets::H5mdBody body = app::trajectory_body(model, 10);
    CHECK(body.charge[1] == model.at(10).charge()[1]);
    CHECK(body.changing == std::vector<std::string>{"charge"});
  }
  CHECK_FALSE(read(small_experiment).scenario.model.charge_leak());
}

TEST_CASE("charge_leak: what contradicts it is rejected at its place", "[app][charge_leak][error]") {
  CHECK_THROWS_WITH(read(leaking("{}")),
                    Catch::Contains("charge_leak: must have either time_constant or rate, got none"));
  CHECK_THROWS_WITH(read(leaking("{time_constant: 20 s, rate: 1}")), Catch::Contains("got both"));
  CHECK_THROWS_WITH(read(leaking("{rate: -1}")), Catch::Contains("rate: must be >= 0"));
  const std::string framed =
      replaced(leaking("{time_constant: 1 s}"),
               "simulation:", "key_frames:\n  - charge: {times: [0, 1], factors: [1, 2]}\nsimulation:");
  CHECK_THROWS_WITH(read(framed), Catch::Contains("charges that leak"));
}
