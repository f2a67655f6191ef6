#include <fmt/format.h>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;

namespace {

/// The recording of the demo with 0.1 m/s² t² added to every height: no charge and no stiffness explains that.
std::string lifted_tracks() {
  std::string text;
  for (const std::string& line : lines_of(read_text(demo_folder + "/tracks.csv"))) {
    if (line.empty() || line[0] == '#' || line[0] == 't') {
      text += line + "\n";
      continue;
    }
    std::istringstream cells(line);
    std::string cell;
    double time = 0;
    for (int column = 0; std::getline(cells, cell, ','); ++column) {
      if (column == 0) time = std::stod(cell);
      const bool height = column > 0 && column % 3 == 0 && !cell.empty();
      text += (column > 0 ? "," : "") + (height ? fmt::format("{}", std::stod(cell) + 0.1 * time * time) : cell);
    }
    text += (line.back() == ',' ? ",\n" : "\n");
  }
  return text;
}

}  // namespace

TEST_CASE("fit: an answer that cannot be right does not fit and says why; the demo's is not", "[app][fit][verdict]") {
  const Workplace place;
  place.write("charged-net.yaml", read_text(demo_experiment));
  place.write("tracks.csv", lifted_tracks());
  const Outcome outcome = place.run("fit charged-net.yaml --halve-step --json --quiet");
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.status == 1);
  CHECK(outcome.json()["status"] == "does not fit");
  const auto why = outcome.json()["why"].get<std::string>();
  CHECK(why.find("× the noise of") != std::string::npos);
  CHECK(why.find("standard errors are not meaningful") != std::string::npos);
  CHECK(!outcome.json()["remedy"].get<std::string>().empty());
  CHECK(nlohmann::json::parse(read_text(place / "runs/charged-net/summary.json"))["status"] == "does not fit");

  place.write("tracks.csv", read_text(demo_folder + "/tracks.csv"));
  const Outcome good = place.run("fit charged-net.yaml --halve-step --json --quiet");
  REQUIRE(good.status == 0);
  CHECK(good.json()["status"] == "converged");
  CHECK(good.json()["why"].is_null());
}
