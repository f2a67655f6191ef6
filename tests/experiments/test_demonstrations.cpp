#include <set>

#include "experiments/demonstrations/demonstration.hpp"
#include "sim/run/simulator.hpp"
#include "tests/app/program.hpp"
#include "tests/support/skip.hpp"

using namespace pithball;
using namespace pithball::app;
using namespace pithball::experiments;
using pithball::test::Workplace;

TEST_CASE("demonstrations: every one runs at small size and its figures hold", "[experiments][demonstrations][slow]") {
  REQUIRE(!demonstrations().empty());
  for (const Demonstration& demonstration : demonstrations()) {
    const Experiment experiment = demonstration_experiment(demonstration, true);
    const diff::Scenario& s = experiment.scenario;
    std::optional<sim::Population> population;
    if (experiment.population) population.emplace(*experiment.population, s.model, s.initial.t);
    const sim::Trajectory trajectory = sim::simulate(s.model, s.initial,
                                                     {.integrator = s.integrator,
                                                      .time_step = s.time_step,
                                                      .steps = s.steps,
                                                      .every = experiment.every,
                                                      .stage = s.stage},
                                                     {}, nullptr, population ? &*population : nullptr);
    INFO(demonstration.name);
    REQUIRE(trajectory.status == sim::StepStatus::Ok);
    const auto figures = demonstration.figures({experiment, trajectory});
    REQUIRE(!figures.empty());
    for (const DemonstrationFigure& figure : figures) {
      INFO(figure.quantity << ": " << figure.value << ", expected " << figure.expected << " ± " << figure.tolerance);
      CHECK(figure.holds());
      CHECK(figure.tolerance < std::max(std::abs(figure.expected), 1.0));  // what cannot fail shows nothing
    }
  }
}

TEST_CASE("demonstrations: names are those of files, and a figure that is off does not hold",
          "[experiments][demonstrations]") {
  std::set<std::string> names;
  for (const Demonstration& demonstration : demonstrations()) {
    CHECK(names.insert(demonstration.name).second);
    CHECK(demonstration_experiment(demonstration, false).name == demonstration.name);
  }
  const DemonstrationFigure right{"length", 1.01, 1, 0.02, "m", "a ruler"},
      wrong{"length", 1.03, 1, 0.02, "m", "a ruler"};
  CHECK(right.holds());
  CHECK_FALSE(wrong.holds());
  CHECK_FALSE(DemonstrationFigure{"length", NAN, 1, 0.02, "m", "a ruler"}.holds());
  const DemonstrationOutcome outcome{"ruler", "ok", 2, 100, 0.5, {right, wrong}};
  CHECK_FALSE(outcome.holds());
  CHECK(DemonstrationOutcome{"ruler", "ok", 2, 100, 0.5, {right}}.holds());
  CHECK_FALSE(DemonstrationOutcome{"ruler", "diverged", 2, 100, 0.5, {}}.holds());
  const std::string text = text_of_demonstrations({outcome});
  CHECK(text.find("200 a second") != std::string::npos);
  CHECK(text.find("holds") < text.find("FAILS"));
}

TEST_CASE("demos: runs the named one into its folder and prints its figures", "[experiments][demonstrations]") {
  const Workplace place;
  const auto result = place.run("demos tracers_in_vortex --quick --json --out demos");
  REQUIRE(result.status == 0);
  const auto listed = nlohmann::json::parse(result.out);
  CHECK(listed["all_hold"] == true);
  CHECK(listed["demonstrations"].size() == 1);
  CHECK(listed["demonstrations"][0]["figures"].size() == 2);
  CHECK(std::filesystem::exists(place / "demos/tracers_in_vortex/trajectory.h5"));
  const auto unknown = place.run("demos perpetuum_mobile");
  CHECK(unknown.status == 2);
  CHECK(unknown.err.find("tracers_in_vortex") != std::string::npos);
}

TEST_CASE("demos: a signal stops those that would follow too", "[experiments][demonstrations]") {
  const Workplace place;
  // Sends the signal while the first run goes on.
  place.write("signal.sh", R"("$@" & program=$!
while [ ! -s demos/draped_cloth.partial/run.yaml ] && kill -0 $program 2>/dev/null; do sleep 0.02; done
kill -INT $program 2>/dev/null
wait $program
)");
  const auto stopped = place.run("demos draped_cloth triple_pendulum --json --out demos", "sh signal.sh");
  CAPTURE(stopped.err);
  const auto listed = nlohmann::json::parse(stopped.out);
  if (listed["demonstrations"].size() == 2) pithball::tests::skip("the run was over before the signal came");
  CHECK(stopped.status == 1);
  CHECK(listed["all_hold"] == false);
  CHECK(listed["demonstrations"][0]["demonstration"] == "draped_cloth");
  CHECK(listed["demonstrations"][0]["status"] == "interrupted");
  CHECK_FALSE(std::filesystem::exists(place / "demos/triple_pendulum"));
}
