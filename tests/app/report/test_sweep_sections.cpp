#include "app/report/sweep_sections.hpp"

#include "app/base/json_text.hpp"
#include "sim/core/counter_noise.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::app;

namespace {

/// Tasks with a label and as many figures, all of them noise with all its digits; every tenth has failed.
SweepTable noisy_table(sim::Index tasks, std::size_t figures) {
  SweepTable table;
  table.tasks = tasks;
  table.labels = {"draw"};
  for (std::size_t k = 0; k < figures; ++k) table.figures.push_back("value " + std::to_string(k) + " [C]");
  const sim::CounterNoise noise(1, 1);
  for (sim::Index task = 0; task < tasks; ++task) {
    TaskResult& row = table.rows.emplace_back();
    row.task = task;
    row.status = task % 10 == 9 ? TaskResult::task_failed : "converged";
    row.labels = {{"draw", std::to_string(task)}};
    row.seconds = noise.uniform(task, figures);
    if (row.failed())
      row.error = "the mass " + std::to_string(row.seconds) + " is too small";
    else
      for (std::size_t k = 0; k < figures; ++k) row.figures.emplace_back(table.figures[k], noise.uniform(task, k));
  }
  return table;
}

const Section& titled(const Sections& sections, const std::string& title) {
  for (const Section& section : sections)
    if (section.title() == title) return section;
  FAIL("no section " << title);
  return sections.front();
}

}  // namespace

TEST_CASE("sweep_sections: ten thousand tasks with fifty figures are less than 19 MB", "[app][report][sweep]") {
  std::size_t bytes = 0;
  for (const Section& section : sweep_sections({}, noisy_table(10000, 50)))
    bytes += json_text(section.document, -1).size();
  CHECK(bytes < 19'000'000);
  CHECK(bytes > 5'000'000);
}

TEST_CASE("sweep_sections: failures whose texts differ in numbers only have one cause", "[app][report][sweep]") {
  const Sections sections = sweep_sections({}, noisy_table(100, 3));
  const nlohmann::ordered_json rows = titled(sections, "How the tasks ended").document["rows"];
  REQUIRE(rows.size() == 2);
  CHECK(rows[0][0] == "converged");
  CHECK(rows[0][1] == 90);
  CHECK(rows[1][0] == "failed");
  CHECK(rows[1][1] == 10);
  CHECK(rows[1][2] == 9);
}

TEST_CASE("sweep_sections: pictures offer what was found before what was set", "[app][report][sweep]") {
  const Sections sections = sweep_sections({}, noisy_table(20, 3));
  CHECK(titled(sections, "Over draw").document["choice"]["names"] ==
        nlohmann::ordered_json{"value 0 [C]", "value 1 [C]", "value 2 [C]"});
  CHECK(titled(sections, "Over value 1").document["choice"]["names"] ==
        nlohmann::ordered_json{"value 0 [C]", "value 2 [C]", "draw"});
}
