#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "datasets/trajectory/h5md.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace pithball::test;
using pithball::datasets::read_h5md;

namespace {

using nlohmann::json;

bool mentions(const Outcome& outcome, const std::string& what) { return outcome.err.find(what) != std::string::npos; }

/// The same experiment with a mass of its own.
std::string with_mass(const std::string& mass) { return replaced(small_experiment, "mass: 0.1", "mass: " + mass); }

/// A comparison that takes a moment.
const std::string comparison = replaced(small_experiment, "duration: 0.2", "duration: 2") + R"(
compare: {integrators: [velocity_verlet, imex_midpoint, rk4], time_steps: [0.01, 0.005], reference: {time_step: 1e-4}}
)";

/// What of a comparison does not tell how long it took.
json without_seconds(json document) {
  if (document.is_object()) {
    for (const char* key : {"seconds", "compile_seconds"}) document.erase(key);
  }
  if (document.is_structured())
    for (json& entry : document) entry = without_seconds(entry);
  return document;
}

/// A shell script that kills a program as soon as a file is there and longer than so many bytes: `sh kill_at.sh FILE
/// BYTES PROGRAM …`.
const std::string kill_at = R"sh(file=$1; bytes=$2; shift 2
"$@" & program=$!
while kill -0 $program 2>/dev/null; do
  if [ "$(stat -c %s "$file" 2>/dev/null || echo 0)" -gt "$bytes" ]; then kill -KILL $program; break; fi
done
wait $program
)sh";

}  // namespace

TEST_CASE("run folder: a finished run is replaced only if asked, and what the user put into it stays",
          "[app][folder]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run_as_written("simulate small.yaml --out run --report").status == 0);
  place.write("run/notes.txt", "thesis");
  place.write("run/figures/a.txt", "figure");
  const std::string before = read_text(place / "run/summary.json");

  const Outcome rejected = place.run_as_written("simulate small.yaml --out run --set system.mass=2");
  CHECK(rejected.status == 2);
  CHECK(mentions(rejected, "--overwrite"));
  CHECK(read_text(place / "run/summary.json") == before);
  CHECK(place.listing() == "run small.yaml ");

  REQUIRE(place.run_as_written("simulate small.yaml --out run --set system.mass=2 --overwrite").status == 0);
  CHECK(read_text(place / "run/summary.json") != before);
  CHECK(read_text(place / "run/run.yaml").find("mass: 2") != std::string::npos);
  CHECK(read_text(place / "run/notes.txt") == "thesis");
  CHECK(read_text(place / "run/figures/a.txt") == "figure");
  CHECK(!fs::exists(place / "run/report.html"));  // of the run that is gone
  CHECK(place.listing() == "run small.yaml ");
}

TEST_CASE("run folder: a draft that a killed program left in a finished run goes with that run", "[app][folder]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run_as_written("simulate small.yaml --out run").status == 0);
  place.write("run/.record.json.oRpVDO", "{}");
  place.write("run/.record.json.of-mine", "thesis");
  REQUIRE(place.run_as_written("simulate small.yaml --out run --overwrite").status == 0);
  CHECK(!fs::exists(place / "run/.record.json.oRpVDO"));
  CHECK(read_text(place / "run/.record.json.of-mine") == "thesis");
}

TEST_CASE("run folder: nothing beside the run is touched, whatever its name", "[app][folder]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const std::vector<std::string> names{"run.old/thesis.txt",       "run.partial.old/thesis.txt", "run.journal",
                                       "run.export-partial/a.txt", "table.export-partial/a.txt", ".run.XXXXXX/a.txt"};
  for (const std::string& name : names) place.write(name, "thesis");
  REQUIRE(place.run_as_written("simulate small.yaml --out run").status == 0);
  REQUIRE(place.run_as_written("simulate small.yaml --out run --overwrite").status == 0);
  REQUIRE(place.run_as_written("export run --format csv --out table").status == 0);
  for (const std::string& name : names) CHECK(read_text(place / name) == "thesis");
}

TEST_CASE("run folder: a folder of something else is rejected under either name, by every command", "[app][folder]") {
  const Workplace place;
  place.write("small.yaml", comparison + "scan: {over: {system.mass: [0.1, 0.2]}}\n");
  for (const std::string command :
       {"simulate small.yaml", "compare small.yaml", "scan small.yaml", "check-gradient small.yaml", "paper --quick"})
    for (const std::string name : {"mine", "other.partial"}) {
      place.write(name + "/thesis.txt", "thesis");
      const Outcome outcome = place.run_as_written(command + " --overwrite --out " + name.substr(0, name.find('.')));
      CAPTURE(command, name, outcome.err);
      CHECK(outcome.status == 2);
      CHECK(mentions(outcome, "something else"));
      CHECK(read_text(place / (name + "/thesis.txt")) == "thesis");
      fs::remove_all(place / name);
    }
}

TEST_CASE("run folder: a record that names files elsewhere removes none of them", "[app][folder]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  place.write("victim.txt", "thesis");
  place.write("folder/victim.txt", "thesis");
  REQUIRE(place.run_as_written("simulate small.yaml --out run").status == 0);
  fs::create_directory_symlink(place / "folder", place / "run/link");
  json record = json::parse(read_text(place / "run/record.json"));
  for (const std::string& name : {std::string("../victim.txt"), (place / "victim.txt").string(),
                                  std::string("link/victim.txt"), std::string("..")})
    record["own"].push_back(name);
  place.write("run/record.json", record.dump());
  REQUIRE(place.run_as_written("simulate small.yaml --out run --overwrite").status == 0);
  CHECK(read_text(place / "victim.txt") == "thesis");
  CHECK(read_text(place / "folder/victim.txt") == "thesis");
}

TEST_CASE("run folder: no file is written through a link", "[app][folder]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  place.write("precious.txt", "thesis");
  REQUIRE(place.run_as_written("simulate small.yaml --out run").status == 0);
  for (const char* name : {"report.html.partial", ".report.html.XXXXXX", "summary.json.partial"})
    fs::create_symlink(place / "precious.txt", place / "run" / name);
  REQUIRE(place.run_as_written("report run").status == 0);
  CHECK(read_text(place / "precious.txt") == "thesis");
}

TEST_CASE("run folder: a link to a folder is followed, so that a run lies on the disk that is meant", "[app][folder]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  fs::create_directory(place / "disk");
  fs::create_directory_symlink(place / "disk", place / "run");
  REQUIRE(place.run_as_written("simulate small.yaml --out run").status == 0);
  CHECK(fs::is_symlink(place / "run"));
  CHECK(fs::exists(place / "disk/summary.json"));
}

TEST_CASE("run folder: two programs do not write one run", "[app][folder]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run_as_written("simulate small.yaml --out run").status == 0);
  fs::rename(place / "run", place / "run.partial");
  const int folder = open((place / "run.partial").c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(flock(folder, LOCK_EX) == 0);
  for (const std::string how : {"--resume", "--overwrite"}) {
    const Outcome second = place.run_as_written("simulate small.yaml --out run " + how);
    CHECK(second.status == 2);
    CHECK(mentions(second, "a run in progress"));
  }
  close(folder);  // as the kernel does for a killed program
  CHECK(place.run_as_written("simulate small.yaml --out run --resume").status == 0);
}

TEST_CASE("run folder: a run that replaces another and is interrupted leaves the other", "[app][folder]") {
  const Workplace place;
  place.write("small.yaml", replaced(with_mass("0.1"), "duration: 0.2", "duration: 600"));
  place.write("signal.sh", signal_when_running);
  place.write("short.yaml", small_experiment);
  REQUIRE(place.run_as_written("simulate short.yaml --out parts").status == 0);
  const std::string before = read_text(place / "parts/summary.json");
  const Outcome stopped = place.run_as_written("simulate small.yaml --out parts --overwrite", "sh signal.sh TERM");
  if (stopped.status == 0) return;  // so fast a machine
  CHECK(stopped.status == 1);
  CHECK(stopped.out.find("parts.partial") != std::string::npos);
  CHECK(read_text(place / "parts/summary.json") == before);
  REQUIRE(place.run_as_written("simulate small.yaml --out parts --resume").status == 0);
  CHECK(read_text(place / "parts/summary.json") != before);
  CHECK(!fs::exists(place / "parts.partial"));
}

TEST_CASE("run folder: what a run was made from is compared before it is resumed", "[app][folder]") {
  const Workplace place;
  place.write("ring.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  place.write("ring.yaml", R"(name: ring
system: {mesh: {file: ring.obj}, mass: 0.1, springs: {stiffness: 10}}
simulation: {integrator: velocity_verlet, time_step: 0.01, duration: 0.2}
)");
  const auto begin = [&] {
    fs::remove_all(place / "run");
    fs::remove_all(place / "run.partial");
    REQUIRE(place.run_as_written("simulate ring.yaml --out run").status == 0);
    fs::rename(place / "run", place / "run.partial");  // as if it had been killed just before it got its name
  };
  begin();
  CHECK(place.run_as_written("simulate ring.yaml --out run --resume").status == 0);

  begin();
  place.write("ring.obj", "v 0 0 0\nv 1 0 0\nv 0 1.1 0\nf 1 2 3\n");
  const Outcome changed = place.run_as_written("simulate ring.yaml --out run --resume");
  CHECK(changed.status == 2);
  CHECK(mentions(changed, "ring.obj' has changed"));
  CHECK(fs::exists(place / "run.partial/trajectory.h5"));
  const Outcome again = place.run_as_written("simulate ring.yaml --out run --resume --overwrite --json");
  REQUIRE(again.status == 0);
  CHECK(again.json()["resumed_from_step"].is_null());

  begin();
  const Outcome other = place.run_as_written("simulate ring.yaml --out run --resume --set system.mass=2");
  CHECK(other.status == 2);
  CHECK(mentions(other, "the experiment has changed"));

  json record = json::parse(read_text(place / "run.partial/record.json"));
  record["inputs"]["program"] = "pithball 0.1.0, build 0123";
  place.write("run.partial/record.json", record.dump());
  const Outcome build = place.run_as_written("simulate ring.yaml --out run --resume");
  CHECK(build.status == 2);
  CHECK(mentions(build, "build 0123"));
}

TEST_CASE("run folder: a kill between finishing and naming costs nothing", "[app][folder]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run_as_written("simulate small.yaml --out run").status == 0);
  const std::string energies = read_text(place / "run/energy.csv");

  fs::rename(place / "run", place / "run.partial");
  REQUIRE(place.run_as_written("simulate small.yaml --out run --resume").status == 0);
  CHECK(read_text(place / "run/energy.csv") == energies);

  // After the exchange of names, before the replaced run was removed: it goes, but for what is the user's.
  REQUIRE(place.run_as_written("simulate small.yaml --out other --set system.mass=2").status == 0);
  const json replaced_record = json::parse(read_text(place / "other/record.json"));
  json record = json::parse(read_text(place / "run/record.json"));
  record["replaces"] = replaced_record["id"];
  place.write("run/record.json", record.dump());
  fs::rename(place / "other", place / "run.partial");
  const Outcome complete = place.run_as_written("simulate small.yaml --out run --resume");
  CHECK(complete.status == 2);
  CHECK(mentions(complete, "a complete one"));
  REQUIRE(place.run_as_written("simulate small.yaml --out run --overwrite").status == 0);
  CHECK(!fs::exists(place / "run.partial"));
}

TEST_CASE("run folder: a program killed while creating the folder does not block later ones", "[app][folder]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  fs::create_directory(place / "run.partial");
  place.write("run.partial/.record.json.Ab12Cd", "{");
  REQUIRE(place.run_as_written("simulate small.yaml --out run").status == 0);
  CHECK(!fs::exists(place / "run/.record.json.Ab12Cd"));
}

TEST_CASE("run folder: a killed comparison or scan makes only the runs that are missing", "[app][folder]") {
  for (const std::string command : {"compare", "scan"}) {
    const Workplace place;
    place.write("kill_at.sh", kill_at);
    place.write("many.yaml", comparison + "scan: {over: {system.mass: [0.1, 0.2, 0.3]}}\n");
    REQUIRE(place.run_as_written(command + " many.yaml --out whole").status == 0);
    const Outcome killed =
        place.run_as_written(command + " many.yaml --out parts", "sh kill_at.sh parts.partial/ledger.bin 1000");
    CAPTURE(command, killed.err);
    if (killed.status != 0) {
      CHECK(!fs::exists(place / "parts"));
      const auto kept = fs::file_size(place / "parts.partial/ledger.bin");
      CHECK(kept > 1000);
      const Outcome unasked = place.run_as_written(command + " many.yaml --out parts");
      CHECK(unasked.status == 2);
      CHECK(mentions(unasked, "--resume"));
      REQUIRE(place.run_as_written(command + " many.yaml --out parts --resume").status == 0);
    }
    CHECK(without_seconds(json::parse(read_text(place / ("parts/" + command + ".json")))) ==
          without_seconds(json::parse(read_text(place / ("whole/" + command + ".json")))));
    CHECK(!fs::exists(place / "parts/ledger.bin"));
  }
}

TEST_CASE("run folder: a full disk costs nothing that was kept", "[app][folder]") {
  const Workplace place;
  // Files of this process may have so many bytes, and writing more is an error as on a full disk.
  place.write("limit.sh", "ulimit -f $(($1 / 512))\ntrap '' XFSZ\nshift\nexec \"$@\"\n");
  place.write("net.yaml", R"(name: net
system: {mesh: {grid: {size: [1, 1], segments: [12, 12]}}, mass: 0.01, springs: {stiffness: 100}}
forces: [{gravity: [0, 0, -9.81]}]
simulation: {integrator: velocity_verlet, time_step: 0.001, duration: 0.3}
)");
  REQUIRE(place.run_as_written("simulate net.yaml --out whole").status == 0);
  const auto bytes = fs::file_size(place / "whole/trajectory.h5");
  for (const double share : {0.02, 0.3, 0.6, 0.95}) {
    CAPTURE(share);
    fs::remove_all(place / "run.partial");
    fs::remove_all(place / "run");
    const auto limit = static_cast<int>(share * static_cast<double>(bytes));
    const Outcome starved =
        place.run_as_written("simulate net.yaml --out run --quiet", "sh limit.sh " + std::to_string(limit));
    CAPTURE(starved.err);
    CHECK(starved.status == 1);
    CHECK(std::count(starved.err.begin(), starved.err.end(), '\n') == 1);
    CHECK(place.run_as_written("report run.partial").status == 0);
    REQUIRE(place.run_as_written("simulate net.yaml --out run --resume").status == 0);
    CHECK(read_text(place / "run/energy.csv") == read_text(place / "whole/energy.csv"));
    const auto made = read_h5md((place / "run/trajectory.h5").string()).trajectory.states;
    const auto wanted = read_h5md((place / "whole/trajectory.h5").string()).trajectory.states;
    REQUIRE(made.size() == wanted.size());
    for (std::size_t k = 0; k < made.size(); ++k) CHECK((made[k].x == wanted[k].x && made[k].v == wanted[k].v));
  }
}

TEST_CASE("run folder: report shows of a run without a result what it is to be", "[app][folder][report]") {
  const Workplace place;
  place.write("many.yaml", comparison);
  for (const std::string command : {"simulate", "compare"}) {
    CAPTURE(command);
    REQUIRE(place.run_as_written(command + " many.yaml --out " + command).status == 0);
    fs::rename(place / command, place / (command + ".partial"));
    const std::string folder = command + ".partial/";
    json record = json::parse(read_text(place / (folder + "record.json")));
    record["complete"] = false;
    place.write(folder + "record.json", record.dump());
    fs::remove(place / (folder + "summary.json"));
    fs::remove(place / (folder + "compare.json"));
    const Outcome shown = place.run_as_written("report " + folder + " --json");
    CAPTURE(shown.err);
    REQUIRE(shown.status == 0);
    CHECK(shown.json()["status"] == "incomplete");
    CHECK(shown.json()["sections"].size() == 2);
    CHECK(mentions(place.run_as_written("export " + folder + " --format csv"), "--resume"));

    record["complete"] = true;  // then something has been lost
    place.write(folder + "record.json", record.dump());
    CHECK(place.run_as_written("report " + folder).status == 2);
  }
}

TEST_CASE("run folder: a killed recording is resumed to the same film, and no film is cut short", "[app][folder]") {
  const Workplace place;
  place.write("kill_at.sh", kill_at);
  place.write("long.yaml", replaced(small_experiment, "duration: 0.2", "duration: 400"));
  const std::string record = "record long.yaml --rate 100 --noise '1 mm' --missing 0.1 --out ";
  REQUIRE(place.run_as_written(record + "whole.csv").status == 0);
  const Outcome killed =
      place.run_as_written(record + "parts.csv", "sh kill_at.sh parts.csv.record.partial/energy.csv 100000");
  if (killed.status != 0) {
    CHECK(!fs::exists(place / "parts.csv"));
    REQUIRE(place.run_as_written(record + "parts.csv --resume").status == 0);
  }
  CHECK(read_text(place / "parts.csv") == read_text(place / "whole.csv"));
  CHECK(place.listing() == "kill_at.sh long.yaml parts.csv whole.csv ");
  const Outcome again = place.run_as_written(record + "parts.csv");
  CHECK(again.status == 2);
  CHECK(mentions(again, "must not exist yet, got an existing file; give --overwrite"));
  CHECK(place.run_as_written(record + "parts.csv --overwrite").status == 0);
}

namespace {

/// In front of a program: its n-th call of this name fails with this error, and with `how` "+" every later one.
std::string failing(const std::string& call, const std::string& error, int n, const std::string& how = "") {
  return "strace -f -qq -o /dev/null -e trace=" + call + " -e inject=" + call + ":error=" + error +
         ":when=" + std::to_string(n) + how;
}

void need_strace() {
  if (std::system("strace -qq -o /dev/null true 2>/dev/null") != 0) pithball::tests::skip("strace cannot trace here");
}

}  // namespace

TEST_CASE("run folder: a write that fails once is no complete run", "[app][folder]") {
  need_strace();
  const Workplace place;
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run_as_written("simulate small.yaml --out whole --quiet").status == 0);
  const std::string whole = read_text(place / "whole/trajectory.h5");
  int failed = 0;
  for (int n = 1; n <= 9; ++n) {  // the first of them write masses, charges and springs
    CAPTURE(n);
    fs::remove_all(place / "run");
    const Outcome struck = place.run_as_written("simulate small.yaml --out run --quiet", failing("pwrite64", "EIO", n));
    CAPTURE(struck.err);
    if (struck.status == 0) {
      CHECK(read_text(place / "run/trajectory.h5") == whole);
      continue;
    }
    ++failed;
    CHECK(lines_of(struck.err).size() == 1);
    CHECK(!fs::exists(place / "run"));
    CHECK(place.run_as_written("simulate small.yaml --out run --quiet --resume").status == 0);
    CHECK(read_text(place / "run/trajectory.h5") == whole);
  }
  CHECK(failed >= 7);
}

TEST_CASE("run folder: a file system without locks holds runs, and they can be read", "[app][folder]") {
  need_strace();
  const Workplace place;
  place.write("small.yaml", small_experiment);
  for (const char* error : {"ENOLCK", "EOPNOTSUPP"}) {
    const std::string without = failing("flock", error, 1, "+");
    const Outcome made = place.run_as_written("simulate small.yaml --out run --overwrite --quiet", without);
    CAPTURE(error, made.err);
    CHECK(made.status == 0);
    CHECK(place.run_as_written("export run --format csv --quiet --out " + std::string(error), without).status == 0);
  }
}

TEST_CASE("run folder: a limit of the size of files is a full disk, whoever sets it", "[app][folder]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const Outcome starved = place.run_as_written("simulate small.yaml --out run --quiet", "ulimit -f 20;");
  CHECK(starved.status == 1);
  CHECK(lines_of(starved.err).size() == 1);
}

TEST_CASE("run folder: a damaged JSON file is told without the words of a library", "[app][folder]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run_as_written("simulate small.yaml --out run --quiet").status == 0);
  const std::string summary = read_text(place / "run/summary.json");
  place.write("run/summary.json", summary.substr(0, summary.size() / 2));
  const Outcome told = place.run_as_written("report run");
  CHECK(told.status == 2);
  CHECK(says(told.err, "must be as the program wrote it, got an error at line "));
  CHECK(!says(told.err, "json.exception"));
}
