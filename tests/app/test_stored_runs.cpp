// What reads a stored trajectory reads it by pages, finds what is damaged, and leaves a full disk as it found it.
#include <cstring>

#include "datasets/trajectory/h5md_reader.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::test;

namespace {

/// Flips a bit of this number where the file holds it.
void flip_bit_of(const fs::path& file, double number) {
  std::string bytes = read_text(file);
  char pattern[sizeof number];
  std::memcpy(pattern, &number, sizeof number);
  const std::size_t at = bytes.find(std::string(pattern, sizeof number));
  REQUIRE(at != std::string::npos);
  bytes[at + 2] = static_cast<char>(bytes[at + 2] ^ 1);
  std::ofstream(file, std::ios::binary) << bytes;
}

/// 20,000 particles that fall: 1 MB for each snapshot.
const char* const many_particles = R"(name: many
system:
  mesh: {random_cloud: {count: 20000, min: [-10, -10, -10], max: [10, 10, 10]}}
  mass: 1
  springs: none
  velocities: [1, 0.5, 2]
forces: [{gravity: [0, 0, -9.81]}]
simulation: {integrator: velocity_verlet, time_step: 0.01, duration: 1.5}
)";

/// Commands on a large run `run`, each with memory for less than all of it.
void run_in_little_memory(const std::vector<std::string>& commands) {
  const Workplace place;
  place.write("many.yaml", many_particles);
  REQUIRE(place.run("simulate many.yaml --out run --quiet").status == 0);
  REQUIRE(fs::file_size(place / "run/trajectory.h5") > 140'000'000);
  // Private memory: 150 states take 144 MB, twice that while they are copied; programs themselves about 50.
  const std::string limited = "ulimit -d 220000; ";
  for (const std::string& arguments : commands) {
    const Outcome outcome = place.run(arguments + " --quiet", limited);
    CAPTURE(arguments, outcome.err);
    CHECK(outcome.status == 0);
  }
}

}  // namespace

TEST_CASE("stored runs: a damaged trajectory is called damaged by all that read it, and nothing is written",
          "[app][report][export]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run("simulate small.yaml --out run --quiet").status == 0);
  const auto stored = datasets::read_h5md((place / "run/trajectory.h5").string()).trajectory.states;
  flip_bit_of(place / "run/trajectory.h5", stored[11].x(2, 1));
  for (const std::string arguments :
       {"report run", "export run --format csv --out e", "export run --format npz --out e",
        "export run --format vtk --out e", "export run --format obj --out e", "export run --format pc2 --out e",
        "field run --grid 2,2,2 --out f.csv", "data show run/trajectory.h5"}) {
    const Outcome outcome = place.run(arguments);
    CAPTURE(arguments, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("trajectory.h5 /particles/all/position/value: must be readable, got damaged bytes") !=
          std::string::npos);
    CHECK(lines_of(outcome.err).size() == 1);
    CHECK(place.listing() == "run small.yaml ");
    CHECK(!fs::exists(place / "run/report.html"));
  }
}

TEST_CASE("stored runs: a full disk is reported in one line", "[app]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  // As on a full disk, writing fails, beyond a megabyte.
  place.write("full.sh", "trap '' XFSZ\nulimit -f 2000\nexec \"$@\"\n");
  const Outcome full = place.run("simulate small.yaml --out run --quiet --set simulation.duration=300", "sh full.sh");
  INFO(full.err);
  CHECK(full.status == 1);
  CHECK(lines_of(full.err).size() == 1);
  CHECK(full.err.find("cannot write to run.partial/trajectory.h5: is the disk full?") != std::string::npos);
}

TEST_CASE("stored runs: export to CSV and PC2 and field take memory for a page of a trajectory",
          "[app][report][export]") {
  run_in_little_memory({"export run --format csv --every 50 --out csv", "export run --format pc2 --out pc2",
                        "field run --total --grid 2,2,2 --out f.csv"});
}

TEST_CASE("stored runs: report, export and field take memory for a page of a trajectory, not for all of it",
          "[app][report][export][slow]") {
  run_in_little_memory({"export run --format npz --out npz", "export run --format csv --every 50 --out csv",
                        "export run --format pc2 --out pc2", "report run --motion-size 1",
                        "field run --total --grid 2,2,2 --out f.csv"});
}
