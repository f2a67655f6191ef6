// What a skipped test is to CTest and to the closing lines of `make test`.
#include "tests/support/skip.hpp"

#include <unistd.h>

#include "tests/app/program.hpp"
#include "tests/support/places.hpp"

using namespace pithball::test;
using nlohmann::json;
using pithball::tests::skip;

// The tests that the tests below let ctest run; [.] keeps them out of all other runs.
TEST_CASE("example: passes", "[.]") { CHECK(true); }
TEST_CASE("example: fails", "[.]") { CHECK(false); }
TEST_CASE("example: lacks meshes", "[.]") { skip("recordings outside the clone: meshes"); }
TEST_CASE("example: lacks PyTorch", "[.]") { skip("PyTorch, which another command installs"); }
TEST_CASE("example: lacks (a) program", "[.]") { skip("no program lmp"); }
TEST_CASE("example: lacks the program too", "[.]") {
  CHECK(true);
  SECTION("in a section") { skip("no program lmp"); }
}
TEST_CASE("example: fails before it is skipped", "[.]") {
  CHECK(false);
  skip("no program lmp");
}
TEST_CASE("example: fails as often as a skipped test's exit status says", "[.]") {
  for (int k = 0; k < pithball::tests::skip_status; ++k) CHECK(false);
}

namespace {

/// What tests/run_tests.py says and returns of these examples.
Outcome run_examples(const Workplace& place, const std::vector<std::string>& titles,
                     const std::string& before = "CI=", const std::string& arguments = "") {
  std::string file;
  for (const std::string& title : titles)
    file += "add_test([==[" + title + "]==] \"" + fs::read_symlink("/proc/self/exe").string() + "\" [==[" + title +
            "]==])\nset_tests_properties([==[" + title + "]==] PROPERTIES SKIP_RETURN_CODE " +
            std::to_string(pithball::tests::skip_status) + ")\n";
  place.write("CTestTestfile.cmake", file);
  return place.run(arguments, before, pithball::tests::in_sources("tests/run_tests.py"));
}

}  // namespace

TEST_CASE("run_tests: passed, failed and skipped tests are counted, and skipped ones listed by reason", "[support]") {
  const Workplace place;
  const Outcome outcome = run_examples(place, {"example: passes", "example: fails", "example: lacks meshes",
                                               "example: lacks (a) program", "example: lacks the program too"});
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.status == 8);  // ctest's
  CHECK(
      outcome.out.ends_with("\nskipped (no program lmp): example: lacks (a) program; example: lacks the program too\n"
                            "skipped (recordings outside the clone: meshes): example: lacks meshes\n"
                            "1 passed, 1 failed, 3 skipped\n"));
}

TEST_CASE("run_tests: a quick test that takes long is listed, slow and nightly ones are not", "[support]") {
  const Workplace place;
  std::string file;
  for (const std::string title : {"example: works long", "example: works long (slow)", "example: works long (nightly)"})
    file += "add_test([==[" + title + "]==] sh -c \"echo 'processor time: 5.1 s'\")\n";
  place.write("CTestTestfile.cmake", file + "add_test(brief sh -c \"echo 'processor time: 4.9 s'\")\n");
  const Outcome outcome = place.run("", "CI=", pithball::tests::in_sources("tests/run_tests.py"));
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.out.ends_with(
      "\n\nnot quick (5.1 s of processor time): example: works long\n4 passed, 0 failed, 0 skipped\n"));
}

TEST_CASE("run_tests: what has failed is never skipped", "[support]") {
  const Workplace place;
  const Outcome outcome = run_examples(
      place, {"example: fails before it is skipped", "example: fails as often as a skipped test's exit status says"});
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.status == 8);
  CHECK(outcome.out.ends_with("\n\n0 passed, 2 failed, 0 skipped\n"));
}

TEST_CASE("run_tests: a test whose program is missing has failed", "[support]") {
  const Workplace place;
  place.write("CTestTestfile.cmake", "add_test(lost \"/no/such/program\")\n");
  const Outcome outcome = place.run("", "CI=", pithball::tests::in_sources("tests/run_tests.py"));
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.status == 8);
  CHECK(outcome.out.ends_with("\n0 passed, 1 failed, 0 skipped\n"));
}

TEST_CASE("run_tests: where CI=true only recordings and PyTorch may be missing", "[support]") {
  const Workplace place;
  CHECK(run_examples(place, {"example: passes", "example: lacks meshes", "example: lacks PyTorch"}, "CI=true").status ==
        0);
  CHECK(run_examples(place, {"example: lacks (a) program"}).status == 0);
  const Outcome outcome = run_examples(place, {"example: lacks (a) program"}, "CI=true");
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.status == 1);
  CHECK(outcome.out.find(
            "only recordings outside the clone, PyTorch, peers of the benchmark may be missing, got: no program lmp") !=
        std::string::npos);
  CHECK(outcome.out.ends_with("\n0 passed, 0 failed, 1 skipped\n"));
}

TEST_CASE("run_tests: what lacked recordings, and nothing else, runs again", "[support]") {
  const Workplace place;
  const std::vector<std::string> all{"example: passes", "example: lacks meshes", "example: lacks (a) program"};
  CHECK(run_examples(place, all, "CI=", "--results first.xml").status == 0);
  const Outcome again = run_examples(place, all, "CI=", "--skipped-of first.xml");
  CAPTURE(again.out, again.err);
  CHECK(again.status == 0);
  CHECK(
      again.out.ends_with("skipped (recordings outside the clone: meshes): example: lacks meshes\n"
                          "0 passed, 0 failed, 1 skipped\n"));
  // Where nothing lacked recordings, the first results are told once more.
  CHECK(run_examples(place, {"example: passes"}, "CI=", "--results whole.xml").status == 0);
  const Outcome whole = run_examples(place, {"example: passes"}, "CI=", "--skipped-of whole.xml");
  CHECK(whole.status == 0);
  CHECK(whole.out == "\n1 passed, 0 failed, 0 skipped\n");
}

TEST_CASE("tests: each of this build can be skipped", "[support]") {
  const fs::path build = fs::path(pithball::tests::built_program).parent_path();
  const Outcome listed = Workplace().run("--test-dir '" + build.string() + "' --show-only=json-v1", "env", "ctest");
  REQUIRE(listed.status == 0);
  const json all = listed.json();
  int count = 0;
  for (const json& test : all["tests"]) {
    if (!test.contains("command")) continue;  // a test program that was not built
    const std::string name = test["name"];
    if (name.starts_with("install:")) continue;  // needs what the build needs
    CAPTURE(name);
    json code;
    for (const json& property : test["properties"])
      if (property["name"] == "SKIP_RETURN_CODE") code = property["value"];
    CHECK(code == pithball::tests::skip_status);
    ++count;
  }
  CHECK(count > 0);
}
