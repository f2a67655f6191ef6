// Lists of claims: the paper's is complete and consistent, those of the cases can be read, and mistakes are told with
// their place.

#include <algorithm>
#include <set>

#include "experiments/captured/captured_case.hpp"
#include "experiments/claim/claim_report.hpp"
#include "experiments/claim_list/claim_list.hpp"
#include "experiments/claim_list/result_path.hpp"
#include "sim/core/error.hpp"
#include "tests/app/program.hpp"
#include "tests/support/places.hpp"
#include "tests/support/recordings.hpp"

using namespace pithball;
using namespace pithball::experiments;
using pithball::test::Workplace;
namespace fs = std::filesystem;

namespace {

const fs::path& paper_folder() {
  static const fs::path folder = fs::path(pithball::tests::source_folder) / "experiments/paper";
  return folder;
}

const std::string small_list = R"(items:
  - name: swing
    title: "Swing: how it goes"
    about: A small body swings.
    runs:
      - {name: motion, simulate: small.yaml}
    claims:
      - says: it swings without failing
        find: motion/status
        is: ok
        why: It is small.
)";

/// What reading a list says; empty: nothing.
std::string complaint(const std::string& text) {
  const Workplace place;
  place.write("small.yaml", pithball::test::small_experiment);
  place.write("list.yaml", text);
  try {
    read_claim_list(place / "list.yaml");
    return "";
  } catch (const InvalidArgument& error) {
    return error.what();
  }
}

/// The data sets that a run reads and that are not in this repository.
std::vector<std::string> outside_needs(const ItemRun& run) {
  std::vector<std::string> names;
  for (const std::string& name : run.needs)
    if (!names_backend(name) && !fs::exists(pithball::tests::recordings(name))) names.push_back(name);
  return names;
}

}  // namespace

TEST_CASE("paper list: every item can be read, whole and quick, and has its page", "[experiments][paper]") {
  const std::vector<Item> items = read_claim_list(paper_folder() / "claims.yaml").items;
  REQUIRE(items.size() >= 5);
  std::set<std::string> files;
  for (const Item& item : items) {
    INFO(item.name);
    CHECK(!item.claims.empty());
    CHECK(!item.about.empty());
    CHECK(item.title.find(':') != std::string::npos);
    CHECK(fs::exists(paper_folder() / (item.name + ".md")));
    for (const ItemRun& run : item.runs) {
      INFO(run.name);
      if (outside_needs(run).empty())
        for (const bool quick : {false, true}) CHECK(!prepare(run, quick).inputs.empty());
      CHECK(!run.show.empty());
      if (!run.file.empty()) files.insert(run.file.filename().string());
    }
    for (const ListedClaim& listed : item.claims) {
      INFO(listed.claim.what);
      CHECK(!listed.claim.what.empty());
      CHECK(experiments::reason_text(listed.claim).size() > 20);
    }
  }
  for (const auto& entry : fs::directory_iterator(paper_folder()))  // no experiment that nothing runs
    if (entry.path().extension() == ".yaml" && entry.path().filename() != "claims.yaml")
      CHECK(files.count(entry.path().filename().string()) == 1);
}

TEST_CASE("paper list: runs on meshes of other authors can be read too", "[experiments][paper]") {
  int count = 0;
  for (const Item& item : read_claim_list(paper_folder() / "claims.yaml").items)
    for (const ItemRun& run : item.runs) {
      const std::vector<std::string> outside = outside_needs(run);
      if (outside.empty()) continue;
      CAPTURE(item.name, run.name);
      for (const std::string& name : outside) pithball::tests::outside_recordings(name);
      for (const bool quick : {false, true}) CHECK(!prepare(run, quick).inputs.empty());
      ++count;
    }
  CHECK(count > 0);
}

TEST_CASE("paper list: items are chosen by name, in the list's order", "[experiments][paper]") {
  const std::vector<Item> items = read_claim_list(paper_folder() / "claims.yaml").items;
  const std::string first = items[0].name, second = items[1].name;
  const std::vector<Item> chosen = chosen_items(items, {second, first});
  REQUIRE(chosen.size() == 2);
  CHECK(chosen[0].name == first);
  CHECK(chosen_items(items, {}).size() == items.size());
  CHECK_THROWS_WITH(chosen_items(items, {first + "x"}), Catch::Matchers::Contains("did you mean '" + first + "'?"));
}

TEST_CASE("paper list: mistakes are reported with line, key and remedy", "[experiments][paper]") {
  using pithball::test::replaced;
  CHECK(complaint(small_list) == "");
  const auto says = [](const std::string& what, const std::string& by, const std::string& message) {
    const std::string heard = complaint(replaced(small_list, what, by));
    INFO(heard);
    CHECK(heard.find("list.yaml:") != std::string::npos);
    CHECK(heard.find(message) != std::string::npos);
  };
  says("is: ok", "is: ok\n        about: 3",
       "must contain exactly one of at_most, at_least, about, is, beats, not_stated");
  says("        is: ok\n", "", "must contain exactly one of");
  says("is: ok", "about: 3", "within");
  says("is: ok", "not_stated: false", "must be true");
  says("motion/status", "movement/status", "must begin with a run of the item, got 'movement'");
  says("simulate: small.yaml", "simulate: large.yaml", "must name an experiment file");
  says("simulate: small.yaml", "simulat: small.yaml",
       "must contain exactly one of simulate, fit, compare, scan, jax_md_charge");
  says("        why:", "        wye:", "why");
  says("        why:", "        differs: It does not.\n        why:", "must contain exactly one of why, differs");
  says("is: ok\n        why:", "not_stated: true\n        differs:",
       "must be given together with a stated number or word");
  says("simulate: small.yaml", "simulate: small.yaml, needs: [lamps]", "must name backends or data sets, got 'lamps'");
  says("is: ok", "about: 3\n        within_errors: 2", "requires the key error");
  says("is: ok", "beats: motion/seconds", "rival");
  says("find: motion/status", "find: {medium: speed}", "must contain exactly one of value, median");
  says("find: motion/status", "find: {median: speed}", "speed");
  says("    claims:", "    values: {speed: [1, two]}\n    claims:",
       "must contain numbers, or `none` for one that is left out, got 'two'");
  says("    claims:", "    values: {speed: movement/speed}\n    claims:", "must begin with a run of the item");
  says("name: swing", "name: Swing 1", "must be small letters, digits and _");
  says("    claims:", "      - {name: motion, simulate: small.yaml}\n    claims:", "'motion' again");
}

TEST_CASE("claim list: every case has one that can be read, with its page, and whose paths begin with its runs",
          "[experiments][claim]") {
  const std::vector<std::string> names = experiments::case_names();
  REQUIRE(names.size() >= 5);
  for (const std::string& name : names) {
    INFO(name);
    const experiments::CaseFolder found = experiments::read_case_folder(name);
    CHECK(found.item.name == name);
    CHECK(!found.item.runs.empty());
    CHECK(!found.item.claims.empty());
    CHECK(!found.item.tables.empty());
    CHECK(fs::exists(experiments::find_captured_folder() / name / "README.md"));
    for (const ItemRun& run : found.item.runs) CHECK(run.needs == std::vector<std::string>{name});
    for (const ListedClaim& listed : found.item.claims) CHECK(experiments::reason_text(listed.claim).size() > 9);
  }
}
