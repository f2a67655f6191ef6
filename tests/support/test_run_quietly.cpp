// The line that `make demo` shows of each of its steps.
#include "tests/app/program.hpp"
#include "tests/support/places.hpp"
#include "tests/support/skip.hpp"

using namespace pithball::test;

namespace {

/// A shell command, run quietly in a folder with a log of one earlier line.
Outcome run_quietly(const Workplace& place, const std::string& command) {
  place.write("log", "earlier\n");
  return place.run("log working sh -c '" + command + "'", "",
                   pithball::tests::in_sources("third_party/run_quietly.sh"));
}

}  // namespace

TEST_CASE("run_quietly: what a command prints goes to the log, behind what is there", "[support]") {
  const Workplace place;
  const Outcome outcome = run_quietly(place, "echo one; echo two >&2");
  CHECK(outcome.status == 0);
  CHECK(outcome.out.starts_with("working ...\nworking: done in "));
  CHECK(outcome.err.empty());
  CHECK(read_text(place / "log") == "earlier\none\ntwo\n");
}

TEST_CASE("run_quietly: a failed command keeps its status, and its last words are shown", "[support]") {
  const Workplace place;
  const Outcome outcome = run_quietly(place, "for k in $(seq 50); do echo line $k; done; exit 3");
  CHECK(outcome.status == 3);
  CHECK(says(outcome.err, "line 50\nworking failed; all that was printed: log\n"));
  CHECK(says(outcome.err, "line 11\n"));
  CHECK_FALSE(says(outcome.err, "line 10\n"));  // 40 lines
  CHECK_FALSE(says(outcome.err, "earlier"));
}
