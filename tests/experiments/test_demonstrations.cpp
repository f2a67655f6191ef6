#include <set>

#include "experiments/claim/claim.hpp"
#include "experiments/claim/claim_report.hpp"
#include "experiments/demonstrations/demonstration.hpp"
#include "sim/run/simulator.hpp"
#include "tests/app/program.hpp"
#include "tests/support/skip.hpp"

using namespace pithball;
using namespace pithball::app;
using namespace pithball::experiments;
using pithball::test::Workplace;

namespace {

/// Runs it at small size; its claims must hold.
void run_small(const Demonstration& demonstration) {
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
  const std::vector<Claim> claims = demonstration.claims({experiment, trajectory});
  REQUIRE(!claims.empty());
  CAPTURE(table_of_claims({{"", claims}}));
  CHECK(exit_status(claims) == 0);
  for (const Claim& claim : claims) {  // what cannot fail shows nothing
    REQUIRE(claim.kind == ClaimKind::Within);
    CHECK(claim.tolerance < std::max(std::abs(std::get<double>(claim.expected)), 1.0));
  }
}

}  // namespace

TEST_CASE("demonstrations: the cheapest run at small size and their figures hold", "[experiments][demonstrations]") {
  const std::set<std::string> cheap{"magnetic_bottle", "tracers_in_vortex", "triple_pendulum"};
  std::size_t run = 0;
  for (const Demonstration& demonstration : demonstrations())
    if (cheap.count(demonstration.name) > 0) {
      run_small(demonstration);
      ++run;
    }
  CHECK(run == cheap.size());
}

TEST_CASE("demonstrations: every one runs at small size and its figures hold", "[experiments][demonstrations][slow]") {
  REQUIRE(!demonstrations().empty());
  for (const Demonstration& demonstration : demonstrations()) run_small(demonstration);
}

TEST_CASE("demonstrations: names are those of files, and a run that failed leaves a missed claim",
          "[experiments][demonstrations]") {
  std::set<std::string> names;
  for (const Demonstration& demonstration : demonstrations()) {
    CHECK(names.insert(demonstration.name).second);
    CHECK(demonstration_experiment(demonstration, false).name == demonstration.name);
  }
  const Claim right = claim_within("length", 1.01, 1, 0.02, "m", "a ruler"),
              wrong = claim_within("length", 1.03, 1, 0.02, "m", "a ruler");
  CHECK(exit_status(claims_of({{"ruler", "ok", 2, 100, 0.5, {right}}})) == 0);
  CHECK(exit_status(claims_of({{"ruler", "ok", 2, 100, 0.5, {right}}, {"other", "ok", 2, 100, 0.5, {wrong}}})) == 1);
  CHECK(exit_status(claims_of({{"ruler", "diverged", 2, 100, 0.5, {claim_of_failed_run("diverged")}}})) == 1);
  const std::string text = table_of_claims(claims_of({{"ruler", "ok", 2, 100, 0.5, {right, wrong}}}));
  CHECK(text.find("200 a second") != std::string::npos);
  CHECK(text.find("holds") < text.find("MISSED"));
}

TEST_CASE("demos: runs the named one into its folder and prints its figures", "[experiments][demonstrations]") {
  const Workplace place;
  const auto result = place.run("demos tracers_in_vortex --quick --json --out demos");
  REQUIRE(result.status == 0);
  const auto listed = nlohmann::json::parse(result.out);
  CHECK(listed["all_hold"] == true);
  CHECK(listed["demonstrations"].size() == 1);
  REQUIRE(listed["demonstrations"][0]["figures"].size() == 2);
  for (const char* key : {"quantity", "value", "expected", "tolerance", "unit", "why", "holds"})
    CHECK(listed["demonstrations"][0]["figures"][0].contains(key));
  CHECK(listed["demonstrations"][0]["figures"][0]["holds"] == true);
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
