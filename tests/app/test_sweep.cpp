// `pithball sweep`, `run` and `collect`: many runs from one plan folder.

#include <sys/stat.h>

#include <set>
#include <sstream>

#include "sim/core/text.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using nlohmann::json;
using namespace pithball::test;

namespace {

std::string swept(const std::string& sweep) { return std::string(small_experiment) + "sweep: " + sweep + "\n"; }

const std::string over_six = "{grid: {system.charge: [1 uC, 2 uC, 3 uC], system.springs.stiffness: [10, 20]}}";

/// The lines of a CSV table without the last column, the seconds.
std::vector<std::string> without_seconds(const fs::path& table) {
  std::vector<std::string> lines = lines_of(read_text(table));
  for (std::string& line : lines) line.resize(line.rfind(','));
  return lines;
}

/// What the tasks of a plan find, each a line of the table.
std::vector<std::string> table_of(const Workplace& place, const std::string& plan) {
  REQUIRE(place.run_as_written("run --quiet " + plan).status == 0);
  REQUIRE(place.run_as_written("collect --quiet " + plan).status == 0);
  return without_seconds(place / (plan + "/table.csv"));
}

/// The cells of a line without quotes.
std::vector<std::string> cells_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> cells;
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

/// A plan of the sweep in the folder `plan` of a workplace.
void make_plan(const Workplace& place, const std::string& sweep) {
  place.write("small.yaml", swept(sweep));
  const Outcome made = place.run_as_written("sweep small.yaml --out plan --quiet");
  INFO(made.err);
  REQUIRE(made.status == 0);
}

}  // namespace

TEST_CASE("sweep: a grid is every combination, each the run that simulate makes", "[app][sweep]") {
  const Workplace place;
  make_plan(place, over_six);
  REQUIRE(place.run_as_written("run plan --quiet").status == 0);
  REQUIRE(place.run_as_written("collect plan --quiet").status == 0);
  const std::vector<std::string> lines = lines_of(read_text(place / "plan/table.csv"));
  REQUIRE(lines.size() == 7);
  CHECK(lines[0].starts_with("task,system.charge [uC],system.springs.stiffness,status,energy_error.mean,"));
  CHECK(lines[1].starts_with("0,1,10,ok,"));
  CHECK(lines[4].starts_with("3,2,20,ok,"));  // the last key fastest
  const Outcome alone =
      place.run("simulate small.yaml --json --quiet --set 'system.charge=2 uC' --set system.springs.stiffness=20");
  REQUIRE(alone.status == 0);
  const double mean = alone.json()["energy_error"]["mean"];
  CHECK(std::stod(lines[4].substr(std::string("3,2,20,ok,").size())) == mean);
  CHECK(mean > 1e-12);
}

TEST_CASE("sweep: samples, starts and seeds are the same in every plan", "[app][sweep]") {
  const Workplace place;
  const std::string sampled =
      "{latin_hypercube: {samples: 8, over: {system.charge: [1 uC, 9 uC]}}, seeds: {count: 2, keys: "
      "[forces.langevin.seed]}}";
  place.write("small.yaml", replaced(swept(sampled), "  - coulomb\n",
                                     "  - coulomb\n  - langevin: {thermal_energy: 1e-3, friction_rate: 1}\n"));
  for (const char* plan : {"a", "b"}) {
    const Outcome made = place.run_as_written(std::string("sweep small.yaml --quiet --out ") + plan);
    INFO(made.err);
    REQUIRE(made.status == 0);
  }
  const std::vector<std::string> rows = table_of(place, "a");
  CHECK(rows == table_of(place, "b"));
  REQUIRE(rows.size() == 17);
  CHECK(std::set<std::string>(rows.begin(), rows.end()).size() == 17);
  std::set<std::string> motions;
  std::set<int> strata;
  for (std::size_t k = 1; k < rows.size(); ++k) {
    const std::vector<std::string> cells = cells_of(rows[k]);
    strata.insert(static_cast<int>(std::stod(cells[1]) - 1));
    motions.insert(cells[4]);  // an error of the energy: other random forces, another motion
  }
  CHECK(strata.size() == 8);  // one sample in each eighth of the range
  CHECK(motions.size() == 16);
}

TEST_CASE("sweep: workers that are killed at random leave the table of an undisturbed run", "[app][sweep]") {
  const Workplace place;
  place.write("small.yaml", replaced(swept("{latin_hypercube: {samples: 60, over: {system.charge: [1 uC, 9 uC]}}}"),
                                     "duration: 0.2", "duration: 5"));
  for (const char* plan : {"calm", "killed"})
    REQUIRE(place.run_as_written(std::string("sweep small.yaml --quiet --out ") + plan).status == 0);
  REQUIRE(place.run_as_written("run calm --quiet --local 2").status == 0);
  // A worker is the child of the program that is asked for two of them.
  place.write("kill.sh",
              "\"$@\" & program=$!\n"
              "while kill -0 $program 2>/dev/null; do\n"
              "  sleep 0.05\n"
              "  worker=$(cat /proc/$program/task/$program/children 2>/dev/null | cut -d' ' -f1)\n"
              "  [ -n \"$worker\" ] && kill -9 $worker 2>/dev/null && echo killed >> kills\n"
              "  [ \"$(wc -l < kills 2>/dev/null || echo 0)\" -ge 8 ] && break\n"
              "done\n"
              "wait $program\n");
  const Outcome killed = place.run_as_written("run killed --quiet --local 2", "sh kill.sh");
  INFO(killed.err);
  CHECK(killed.status == 0);
  CHECK(!lines_of(read_text(place / "kills")).empty());
  for (const char* plan : {"calm", "killed"})
    REQUIRE(place.run_as_written(std::string("collect --quiet ") + plan).status == 0);
  CHECK(without_seconds(place / "calm/table.csv") == without_seconds(place / "killed/table.csv"));
  CHECK(without_seconds(place / "calm/table.csv").size() == 61);
}

TEST_CASE("sweep: Ctrl-C stops workers within a task and leaves nothing of it", "[app][sweep]") {
  const Workplace place;
  place.write("small.yaml", replaced(swept("{grid: {system.charge: [1 uC, 2 uC]}}"), "duration: 0.2", "duration: 1e6"));
  REQUIRE(place.run_as_written("sweep small.yaml --out plan --quiet").status == 0);
  // Workers have claimed their tasks before the signal.
  place.write("stop.sh",
              "\"$@\" & program=$!\n"
              "until [ \"$(ls plan/claims | wc -l)\" -ge \"$wanted\" ]; do sleep 0.02; done\n"
              "kill -INT $program\n"
              "wait $program\n");
  for (const char* workers : {"", " --local 2"}) {
    const std::string wanted = *workers ? "2" : "1";
    const Outcome stopped =
        place.run_as_written(std::string("run plan --json --quiet") + workers, "wanted=" + wanted + " sh stop.sh");
    INFO(stopped.err);
    CHECK(stopped.status == 1);
    CHECK(stopped.json()["interrupted"] == true);
    CHECK(stopped.json()["done"] == 0);
    for (const char* room : {"claims", "failures", "results"})
      CHECK(fs::is_empty(place / ("plan/" + std::string(room))));
  }
}

TEST_CASE("sweep: workers end with a program that is killed", "[app][sweep]") {
  const Workplace place;
  place.write("small.yaml", replaced(swept("{grid: {system.charge: [1 uC, 2 uC]}}"), "duration: 0.2", "duration: 1e6"));
  REQUIRE(place.run_as_written("sweep small.yaml --out plan --quiet").status == 0);
  place.write(
      "kill.sh",
      "\"$@\" & program=$!\n"
      "until [ \"$(ls plan/claims | wc -l)\" -ge 2 ]; do sleep 0.02; done\n"
      "cat /proc/$program/task/$program/children > workers\n"
      "kill -9 $program\n"
      "for tenth in $(seq 300); do\n"
      "  left=0; for worker in $(cat workers); do grep -qs '^State:.[RSD]' /proc/$worker/status && left=1; done\n"
      "  [ $left = 0 ] && exit 0; sleep 0.1\n"
      "done\n"
      "exit 7\n");
  CHECK(place.run_as_written("run plan --local 2 --quiet", "sh kill.sh").status == 0);
  CHECK(!read_text(place / "workers").empty());
}

TEST_CASE("sweep: a second run does nothing, and half a result is none", "[app][sweep]") {
  const Workplace place;
  make_plan(place, over_six);
  REQUIRE(place.run_as_written("run plan --quiet").status == 0);
  REQUIRE(place.run_as_written("collect plan --quiet").status == 0);
  const std::vector<std::string> whole = without_seconds(place / "plan/table.csv");
  CHECK(place.run_as_written("run plan --json --quiet").json()["done"] == 0);
  const std::string result = read_text(place / "plan/results/0000002.json");
  place.write("plan/results/0000002.json", result.substr(0, result.size() / 2));
  place.write("plan/results/0000004.json.123.partial", result);
  CHECK(place.run_as_written("collect plan --json --quiet").json()["collected"] == 5);
  CHECK(place.run_as_written("run plan --json --quiet").json()["done"] == 1);
  REQUIRE(place.run_as_written("collect plan --quiet").status == 0);
  CHECK(without_seconds(place / "plan/table.csv") == whole);
}

TEST_CASE("sweep: blocks and ranges share the tasks", "[app][sweep]") {
  const Workplace place;
  make_plan(place, over_six);
  CHECK(place.run_as_written("run plan --task 5 --json").json()["done"] == 1);
  CHECK(place.run_as_written("run plan --task 0-1 --json").json()["done"] == 2);
  int done = 0;
  for (const char* block : {"0/4", "1/4", "2/4", "3/4"})
    done += place.run_as_written(std::string("run plan --json --block ") + block).json()["done"].get<int>();
  CHECK(done == 3);
}

TEST_CASE("sweep: a task that fails three times is a row with its error", "[app][sweep]") {
  const Workplace place;
  const std::string box = "  - box_penalty: {min: [-3, -3, -3], max: [3, 3, 3], stiffness: 100}\n";
  const std::string corners =
      "{grid: {forces.box_penalty.min: [[-3, -3, -3], [2, 2, 2]], forces.box_penalty.max: [[1, 1, 1], [4, 4, 4]]}}";
  place.write("small.yaml", replaced(swept(corners), "  - coulomb\n", "  - coulomb\n" + box));
  REQUIRE(place.run_as_written("sweep small.yaml --out plan --quiet").status == 0);
  const Outcome run = place.run_as_written("run plan --json --quiet");
  CHECK(run.status == 1);
  CHECK(run.json()["failed"] == 1);
  CHECK(says(run.err, "plan: 1 of 4 tasks failed; `pithball collect` lists their errors"));
  CHECK(place.run_as_written("collect plan --quiet").status == 1);
  const std::string table = read_text(place / "plan/table.csv");
  CHECK(says(table, ",failed,"));
  CHECK(says(table, "box_penalty"));
  CHECK(says(read_text(place / "plan/failures/0000002.json"), "box_penalty"));
  CHECK(place.run_as_written("run plan --json --quiet").json()["done"] == 0);
  CHECK(place.run_as_written("run plan --json --quiet --retry").json()["done"] == 1);
}

TEST_CASE("sweep: mistakes are rejected before anything is written", "[app][sweep]") {
  const Workplace place;
  const auto rejected = [&](const std::string& sweep, const std::string& message) {
    place.write("small.yaml", swept(sweep));
    const Outcome outcome = place.run_as_written("sweep small.yaml --out plan");
    INFO(sweep << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(says(outcome.err, message));
    CHECK(lines_of(outcome.err).size() == 1);
    CHECK(place.listing() == "small.yaml ");
  };
  rejected("{}", "must name what differs between the tasks");
  rejected("{grid: {}}", "must");
  rejected("{grid: {system.charge: []}}", "must contain at least one value");
  rejected("{grid: {system.charge: [1 uC, 1 uC]}}", "1 twice");
  rejected("{grid: {system.charge: [1 uC, 2 uC]}, latin_hypercube: {samples: 2, over: {system.charge: [1 uC, 3 uC]}}}",
           "must set each key in one place, got 'system.charge' twice");
  rejected("{grid: {system.chargee: [1 uC, 2 uC]}}", "did you mean 'charge'?");
  rejected("{grid: {system.mass: [1, -1]}}", "sweep: with system.mass = -1: system.mass: must be > 0 kg");
  rejected("{gird: {system.charge: [1 uC]}}", "did you mean 'grid'?");
  rejected("{command: fti, grid: {system.charge: [1 uC]}}", "did you mean 'fit'?");
  rejected("{latin_hypercube: {samples: 9, over: {system.charge: [1 uC, 2 nC]}}}", "must have one unit at both ends");
  rejected("{latin_hypercube: {samples: 9, over: {system.charge: [2 uC, 1 uC]}}}", "must begin with the lower end");
  rejected("{latin_hypercube: {samples: 10000001, over: {system.charge: [1 uC, 2 uC]}}}", "at most 10000000 tasks");
  rejected("{latin_hypercube: {samples: 9223372036854775807, over: {system.charge: [1 uC, 2 uC]}}}",
           "sweep.latin_hypercube.samples: must make at most 10000000 tasks");
  rejected("{latin_hypercube: {samples: 9, over: {system.mass: [-1, 2]}}}",
           "with system.mass = -1: system.mass: must be");
  rejected("{latin_hypercube: {samples: 9, over: {output.every: [1, 4]}}}", "output.every: must be a whole number");
  rejected("{latin_hypercube: {samples: 9, over: {simulation.time_step: [0.01, 0.02]}}}",
           "with simulation.time_step = ");
  rejected("{seeds: {count: 2, keys: [system.mass]}}", "must be keys that hold a seed, got 'system.mass'");
  rejected("{bootstrap: 20}", "needs `command: fit` or");
  rejected("{command: identify, starts: 20}", "needs `command: fit`");
  rejected("{grid: {sweep.seed: [1, 2]}}", "outside `sweep:`");
}

TEST_CASE("sweep: a plan says what is wrong with it", "[app][sweep]") {
  const Workplace place;
  const auto rejected = [&](const std::string& arguments, const std::string& message) {
    const Outcome outcome = place.run_as_written(arguments);
    INFO(arguments << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(says(outcome.err, message));
  };
  rejected("run nothing", "must be a plan folder");
  place.write("mesh.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  place.write("mesh.yaml",
              "name: mesh\nsystem: {mesh: {file: mesh.obj}, mass: 1, springs: {stiffness: 10}}\n"
              "simulation: {integrator: imex_midpoint, time_step: 0.01, duration: 0.1}\n"
              "sweep: {grid: {system.mass: [1, 2]}}\n");
  const Outcome made = place.run_as_written("sweep mesh.yaml --out plan");
  INFO(made.err);
  REQUIRE(made.status == 0);
  rejected("sweep mesh.yaml --out plan", "must not exist yet");
  rejected("collect plan", "must contain results");
  rejected("run plan --task 2", "from 0 to 1");
  rejected("run plan --block 2/2", "--block");
  place.write("mesh.obj", "v 0 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\n");
  rejected("run plan", "as it was when the plan was made");
}

TEST_CASE("sweep: other commands leave the section alone", "[app][sweep]") {
  const Workplace place;
  place.write("small.yaml", swept(over_six));
  CHECK(place.run("simulate small.yaml --quiet --out a").status == 0);
}

TEST_CASE("sweep: values that `initial` replaces are rejected, and a draw names its recordings", "[app][sweep]") {
  const Workplace place;
  const auto plan = [&](const std::string& parameter, const std::string& sweep) {
    place.write("fit.yaml", std::string(small_experiment) +
                                "fit:\n  recordings:\n    - {name: one, planned: {rate: 50, duration: 0.1 s}}\n"
                                "    - {name: two, planned: {rate: 50, duration: 0.1 s}}\n"
                                "  residual: {sigma: 1 mm}\n  parameters: [" +
                                parameter + "]\nsweep: {command: identify, " + sweep + "}\n");
    fs::remove_all(place / "plan");
    return place.run_as_written("sweep fit.yaml --out plan --quiet");
  };
  const std::string of_charge = "grid: {system.charge: [1 uC, 2 uC]}";
  const Outcome replaced_values = plan("charge: {initial: 1.2 uC}", of_charge);
  CHECK(replaced_values.status == 2);
  CHECK(says(replaced_values.err, "values that `initial` in fit.parameters replaces"));
  CHECK(plan("charge", of_charge).status == 0);
  CHECK(plan("charge: {initial: 1.2 uC}", "grid: {system.springs.stiffness: [10, 20]}").status == 0);
  CHECK(plan("charge: {initial: 1.2 uC}", "grid: {simulation.time_step: [0.01, 0.005]}").status == 0);

  REQUIRE(plan("charge", "bootstrap: 20").status == 0);
  std::set<std::string> drawn;
  for (const std::string& row : table_of(place, "plan"))
    for (const std::string one : {"one one", "one two", "two one", "two two"})
      if (says(row, "," + one + ",")) drawn.insert(one);
  CHECK(drawn.size() == 4);
}

TEST_CASE("sweep: a plan that was edited is refused, and so are results of another plan", "[app][sweep]") {
  const Workplace place;
  make_plan(place, over_six);
  REQUIRE(place.run_as_written("run plan --task 0-2 --quiet").status == 0);
  const std::string plan = read_text(place / "plan/plan.yaml");
  place.write("plan/plan.yaml", replaced(plan, "damping: 0.1", "damping: 0.9"));
  for (const char* command : {"run plan", "collect plan"}) {
    const Outcome edited = place.run_as_written(command);
    CHECK(edited.status == 2);
    CHECK(says(edited.err, "plan/plan.yaml: must be as the program wrote it"));
  }
  place.write("plan/plan.yaml", plan);
  fs::rename(place / "plan", place / "kept");
  place.write("small.yaml", replaced(swept(over_six), "damping: 0.1", "damping: 0.9"));
  REQUIRE(place.run_as_written("sweep small.yaml --out plan --quiet").status == 0);
  fs::copy(place / "kept/results/0000001.json", place / "plan/results/0000001.json");
  for (const char* command : {"run plan", "collect plan"}) {
    const Outcome mixed = place.run_as_written(command);
    CHECK(mixed.status == 2);
    CHECK(says(mixed.err, "0000001.json: must be the result of task 1 of this plan, got one of another plan"));
  }
  CHECK(place.run_as_written("run kept --json --quiet").json()["done"] == 3);
}

TEST_CASE("sweep: one build of the program works on a plan, and each row names it", "[app][sweep]") {
  const Workplace place;
  make_plan(place, over_six);
  REQUIRE(place.run_as_written("run plan --task 0-2 --quiet").status == 0);
  const std::string first = read_text(place / "plan/results/0000000.json");
  const std::string build = nlohmann::json::parse(first)["program"];
  CHECK(build.starts_with("pithball "));
  CHECK(says(build, ", build "));
  for (int task = 0; task < 3; ++task) {
    const std::string name = pithball::formatted("plan/results/%07d.json", task);
    place.write(name, replaced(read_text(place / name), build, build + "f"));
  }
  const Outcome other = place.run_as_written("run plan");
  CHECK(other.status == 2);
  CHECK(says(other.err, "must be worked on by one build of the program, got results of " + build + "f, and this is"));
  CHECK(place.run_as_written("collect plan --quiet").status == 0);
  const std::vector<std::string> rows = lines_of(read_text(place / "plan/table.csv"));
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].ends_with(",error,program,seconds"));
  CHECK(says(rows[1], ",\"" + build + "f\","));
}

TEST_CASE("sweep: no file of a plan is written or read through a link or a pipe", "[app][sweep]") {
  const Workplace place;
  place.write("yours", "important");
  fs::create_directory(place / "elsewhere");
  const auto link = [&](const std::string& name, const std::string& to) {
    fs::remove_all(place / name);
    fs::create_symlink(place / to, place / name);
  };
  make_plan(place, over_six);
  for (const auto& [task, target] : {std::pair("0", "yours"), std::pair("1", "nothing")}) {
    link(std::string("plan/claims/000000") + task, target);
    const Outcome claimed = place.run_as_written(std::string("run plan --task ") + task);
    CHECK(claimed.status == 2);
    CHECK(says(claimed.err, "must be a file that only `pithball run` writes, got a symbolic link; remove it"));
  }
  fs::create_hard_link(place / "yours", place / "plan/claims/0000002");
  CHECK(place.run_as_written("run plan --task 2").status == 2);
  CHECK(read_text(place / "yours") == "important");
  CHECK(!fs::exists(place / "nothing"));
  fs::remove_all(place / "plan/claims");
  fs::create_directory(place / "plan/claims");

  REQUIRE(mkfifo((place / "plan/results/0000003.json").c_str(), 0600) == 0);
  link("plan/results/0000004.json", "yours");
  CHECK(place.run_as_written("collect plan", "timeout 20").status == 2);  // no result yet
  CHECK(place.run_as_written("run plan --json --quiet", "timeout 60").json()["done"] == 6);
  CHECK(place.run_as_written("collect plan --quiet", "timeout 20").status == 0);
  CHECK(read_text(place / "yours") == "important");

  for (const char* room : {"claims", "failures", "results"}) {
    fs::rename(place / ("plan/" + std::string(room)), place / "aside");
    link("plan/" + std::string(room), "elsewhere");
    const Outcome led_away = place.run_as_written("run plan");
    CHECK(led_away.status == 2);
    CHECK(says(led_away.err, "must be a folder"));
    CHECK(fs::is_empty(place / "elsewhere"));
    fs::remove(place / ("plan/" + std::string(room)));
    fs::rename(place / "aside", place / ("plan/" + std::string(room)));
  }
}

TEST_CASE("sweep: a script of a Slurm job writes its log through no link", "[app][sweep]") {
  const Workplace place;
  make_plan(place, over_six);
  place.write("yours", "important");
  fs::create_symlink(place / "yours", place / "plan/failures/job-0.log");
  const Outcome job = place.run_as_written(
      "plan/slurm.sh", "SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_COUNT=6 PITHBALL=false", "/bin/bash");
  CHECK(job.status == 1);  // of `false`
  CHECK(read_text(place / "yours") == "important");
  CHECK(fs::is_regular_file(fs::symlink_status(place / "plan/failures/job-0.log")));
}

TEST_CASE("sweep: a plan of 100,000 tasks is a few files, made in seconds", "[app][sweep]") {
  const Workplace place;
  place.write("small.yaml", swept("{latin_hypercube: {samples: 50000, over: {system.charge: [1 uC, 9 uC]}}, grid: "
                                  "{system.springs.stiffness: [10, 20]}}"));
  // Half a second is enough on an idle machine; the limit is one of processor time.
  REQUIRE(place.run_as_written("sweep small.yaml --out plan --quiet", "ulimit -t 2;").status == 0);
  std::uintmax_t bytes = 0, files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(place / "plan"))
    if (entry.is_regular_file()) ++files, bytes += entry.file_size();
  CHECK(files == 3);
  CHECK(bytes < 100000);
  REQUIRE(place.run_as_written("run plan --task 77777 --quiet").status == 0);
  REQUIRE(place.run_as_written("collect plan --quiet").status == 0);
  CHECK(says(read_text(place / "plan/table.csv"), "77777,20,"));
}
