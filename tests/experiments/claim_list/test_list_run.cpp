// `pithball-lab paper` on a small list, and on a cheap item of its own.

#include "app/report/report_page.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

using nlohmann::json;
using namespace pithball::test;

namespace {

/// Two items of milliseconds each; `second_file` is the second one's experiment.
std::string two_items(const std::string& second_file = "small.yaml") {
  return R"(items:
  - name: first
    title: "Figure 1: errors"
    about: Two methods.
    runs:
      - name: errors
        compare: small.yaml
        set: ["compare.integrators=[imex_midpoint]", "compare.time_steps=[0.02, 0.01]"]
        quick: [simulation.duration=0.1]
        show: [Comparison, Energy error at 0.02 s]
    claims:
      - {says: it ends, find: "errors/rows[time_step=0.02]/status", is: ok, why: It is stable at any step.}
      - {says: it is exact, find: "errors/rows[time_step=0.02]/energy_error/mean", at_most: 0, differs: It is not.}
      - {says: finer is better, find: "errors/rows[time_step=0.01]/energy_error/mean",
         beats: "errors/rows[time_step=0.02]/energy_error/mean", rival: the coarse step, why: It is of second order.}
      - {says: it lasts, find: errors/instants/spacing, not_stated: true, whole_only: true, why: Quick runs are short.}
  - name: second
    title: "Figure 2: motion"
    about: One method.
    runs:
      - {name: motion, simulate: )" +
         second_file + R"(, show: [Motion]}
    claims:
      - {says: it fails, find: motion/status, is: diverged, differs: It does not.}
)";
}

json claims_of(const json& outcome, std::size_t item) { return outcome.at("items").at(item).at("claims"); }

}  // namespace

TEST_CASE("paper: a list becomes verdicts, run folders and one page", "[experiments][paper]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  place.write("list.yaml", two_items());
  const Outcome outcome = place.run("paper --threads 1 --list list.yaml --quick --json --quiet");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);  // what is known to differ is not missed
  const json result = outcome.json();
  CHECK(result["ok"] == true);
  CHECK(result["counts"] == json({{"holds", 1}, {"differs, as explained", 2}, {"better", 1}, {"skipped", 1}}));
  CHECK(claims_of(result, 0)[0]["verdict"] == "holds");
  CHECK(claims_of(result, 0)[1]["verdict"] == "differs, as explained");
  CHECK(claims_of(result, 0)[1]["value"].get<double>() > 0);
  CHECK(claims_of(result, 0)[2]["verdict"] == "better");
  CHECK(claims_of(result, 0)[3]["verdict"] == "skipped");
  CHECK(claims_of(result, 1)[0]["verdict"] == "differs, as explained");
  CHECK(place.listing() == "list.yaml runs small.yaml ");
  const fs::path folder = place / "runs/paper";
  CHECK(json::parse(read_text(folder / "paper.json"))["counts"] == result["counts"]);
  CHECK(read_text(folder / "first/errors/run.yaml").find("duration: 0.1") != std::string::npos);
  const std::string page = read_text(folder / "report.html");
  for (const char* title : {"\"Claims\"", "\"Figure 1: errors\"", "\"Figure 1: Comparison\"",
                            "\"Figure 1: Energy error at 0.02 s\"", "\"Figure 2: Motion\""})
    CHECK(page.find(title) != std::string::npos);
  CHECK(page.find("It is of second order.") != std::string::npos);
  CHECK(!fs::exists(place / "runs/paper.partial"));
}

TEST_CASE("paper: the table lists claim, number, ours and verdict; a chosen item is alone", "[experiments][paper]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  place.write("list.yaml", two_items());
  const Outcome outcome = place.run("paper second --threads 1 --list list.yaml --out out");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out.find("Figure 2: motion") != std::string::npos);
  CHECK(outcome.out.find("Figure 1") == std::string::npos);
  CHECK(outcome.out.find("it fails") != std::string::npos);
  for (const char* word :
       {"claim", "measured", "expected", "verdict", "diverged", "differs, as explained", "1 items in"})
    CHECK(outcome.out.find(word) != std::string::npos);
  CHECK(outcome.err.find("[1/1] Figure 2: motion") != std::string::npos);
}

TEST_CASE("paper: a run whose program is not there is left out, and its claims are skipped", "[experiments][paper]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  place.write("list.yaml", replaced(two_items(), "set: [\"compare.integrators=[imex_midpoint]\"",
                                    "needs: [lammps]\n        set: [\"compare.integrators=[lammps]\""));
  const Outcome outcome =
      place.run("paper --threads 1 --list list.yaml --json --quiet", "PITHBALL_LAMMPS=/nowhere/lmp");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const json result = outcome.json();
  CHECK(result["programs"].empty());
  CHECK(result["counts"] == json({{"differs, as explained", 1}, {"skipped", 4}}));
  CHECK(claims_of(result, 0)[0]["remark"] == "needs LAMMPS, see docs/backends.md");
  CHECK(!fs::exists(place / "runs/paper/first/errors"));
  const std::string page = read_text(place / "runs/paper/report.html");
  CHECK(page.find("not available, its runs are skipped") != std::string::npos);
}

TEST_CASE("paper: JAX MD is asked for one charge of final positions, and other fits are rejected",
          "[experiments][paper]") {
  const Workplace place;
  place.write("fit.yaml", std::string(small_experiment) + R"(fit:
  recordings: [{file: tracks.csv, markers: [0]}]
  parameters: [{mass: {share: all, initial: 0.2}}]
)");
  place.write("tracks.csv", "t,x0,y0,z0\n0.1,0,0,0\n0.2,0,0,-0.1\n");
  place.write("list.yaml", R"(items:
  - name: charge
    title: "Figure 6: charge"
    about: By JAX MD.
    runs: [{name: fit, jax_md_charge: fit.yaml}]
    claims: [{says: it converges, find: fit/status, is: converged, why: It should.}]
)");
  const Outcome outcome = place.run("paper --list list.yaml");
  INFO(outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.err.find("must have one recording and one charge that all particles share") != std::string::npos);
}

TEST_CASE("paper: wrong input is rejected before anything is written", "[experiments][paper]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  place.write("broken.yaml", replaced(small_experiment, "mass: 0.1", "mass: -1"));
  place.write("list.yaml", two_items("broken.yaml"));
  place.write("other/keep.txt", "mine");
  const auto rejected = [&](const std::string& arguments, const std::string& message) {
    const Outcome outcome = place.run("paper " + arguments);
    INFO(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(message) != std::string::npos);
    CHECK(place.listing() == "broken.yaml list.yaml other small.yaml ");
  };
  rejected("--list list.yaml", "broken.yaml:");
  rejected("third --list list.yaml", "must be one of first, second");
  rejected("--list missing.yaml", "missing.yaml");
  rejected("first --list list.yaml --out other", "must not exist yet or be an earlier run folder");
  CHECK(read_text(place / "other/keep.txt") == "mine");
}

TEST_CASE("paper: a missed claim, or one that the results do not hold, ends with status 1 and a page",
          "[experiments][paper]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  place.write("list.yaml", replaced(two_items(), "motion/status", "motion/statos"));
  const Outcome outcome = place.run("paper --threads 1 --list list.yaml --json --quiet");
  INFO(outcome.err);
  CHECK(outcome.status == 1);
  CHECK(outcome.json()["ok"] == false);
  CHECK(claims_of(outcome.json(), 1)[0]["verdict"] == "missed");
  CHECK(claims_of(outcome.json(), 1)[0]["remark"] == "the results hold no value at motion/statos");
  CHECK(fs::exists(place / "runs/paper/report.html"));

  place.write("list.yaml", replaced(two_items(), "is: diverged, differs:", "is: diverged, why:"));
  const Outcome missed = place.run("paper --threads 1 --list list.yaml --json --quiet --overwrite");
  CHECK(missed.status == 1);
  CHECK(missed.json()["ok"] == false);
  CHECK(missed.json()["counts"]["missed"] == 1);
  CHECK(place.run("paper first --threads 1 --list list.yaml --quiet --overwrite").status == 0);
}

TEST_CASE("paper: what an unfinished run has finished is kept, unless its file has changed", "[experiments][paper]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  place.write("list.yaml", two_items());
  const std::string command = "paper --threads 1 --list list.yaml --json --quiet --out out";
  REQUIRE(place.run(command).status == 0);
  const auto unfinished = [&] {  // as if killed at the end of the first item
    fs::rename(place / "out", place / "out.partial");
    fs::remove_all(place / "out.partial/second");
  };
  const auto kept = [&](const std::string& further) {
    const json items = place.run(command + further).json()["items"];
    return std::pair<bool, bool>(items[0]["kept"], items[1]["kept"]);
  };
  unfinished();
  CHECK(kept(" --resume") == std::pair(true, false));
  CHECK(fs::exists(place / "out/first/errors/compare.json"));
  unfinished();
  CHECK(kept("") == std::pair(false, false));
  unfinished();
  place.write("small.yaml", replaced(small_experiment, "stiffness: 10", "stiffness: 11"));
  CHECK(kept(" --resume") == std::pair(false, false));
}

TEST_CASE("paper: the quick variant of figure 8 runs, and each of its claims finds its number",
          "[experiments][paper]") {
  const Workplace place;
  const Outcome outcome = place.run("paper figure_08 --threads 1 --quick --json --quiet --list " +
                                    pithball::tests::in_sources("experiments/paper/claims.yaml"));
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  for (const json& claim : claims_of(outcome.json(), 0)) CHECK(!claim["value"].is_null());
  const std::string page = read_text(place / "runs/paper/report.html");
  CHECK(page.find("\"Figure 8, motion: Motion\"") != std::string::npos);
}
