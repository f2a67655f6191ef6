#include "app/report/report_page.hpp"

#include "tests/app/program.hpp"
#include "tests/support/places.hpp"
#include "tests/support/skip.hpp"

using namespace pithball::test;
using namespace pithball::app;

namespace {

const std::string tiny_page = "<!doctype html>\n<body>\n<!-- pithball:sections -->\n<p>end</p>\n</body>\n";

/// A copy of the program where it finds a page of its own, as an installed program does; no page: it finds none.
fs::path installed(const Workplace& place, const std::string& page = tiny_page) {
  if (!page.empty()) place.write("prefix/share/pithball/report.html", page);
  fs::create_directories(place / "prefix/bin");
  fs::copy_file(pithball::tests::built_program, place / "prefix/bin/pithball");
  return place / "prefix/bin/pithball";
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

/// The documents of a page.
std::vector<nlohmann::json> documents_of(const std::string& page) {
  std::vector<nlohmann::json> documents;
  const std::string begin = "<script type=\"application/json\" data-kind=\"";
  for (std::size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at + 1)) {
    const std::size_t from = page.find("\">", at) + 2;
    documents.push_back(nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from)));
  }
  return documents;
}

}  // namespace

TEST_CASE("report: the program writes the page of a run into its folder, and again in its place", "[app][report]") {
  const Workplace place;
  const fs::path program = installed(place);
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run("simulate small.yaml").status == 0);
  for (int time = 0; time < 2; ++time) {
    const Outcome outcome = place.run("report runs/small --json", "", program);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK(outcome.json()["report"] == "runs/small/report.html");
    CHECK(outcome.json()["status"] == "ok");
    const std::string page = read_text(place / "runs/small/report.html");
    CHECK(outcome.json()["bytes"] == page.size());
    CHECK(page.starts_with("<!doctype html>\n<body>\n<script type=\"application/json\" data-kind=\"summary\">{"));
    CHECK(page.ends_with("</script>\n\n<p>end</p>\n</body>\n"));
    const auto documents = documents_of(page);
    REQUIRE(documents.size() == outcome.json()["sections"].size());
    CHECK(documents.size() >= 5);
    for (std::size_t k = 0; k < documents.size(); ++k)
      CHECK(documents[k]["title"] == outcome.json()["sections"][k]["title"]);
    CHECK(!fs::exists(place / "runs/small/report.html.partial"));
  }
  REQUIRE(place.run("report runs/small/ --out other.html", "", program).status == 0);
  CHECK(read_text(place / "other.html") == read_text(place / "runs/small/report.html"));
}

TEST_CASE("report: --report of a command is `pithball report` at its end", "[app][report]") {
  const Workplace place;
  const fs::path program = installed(place);
  place.write("small.yaml", small_experiment);
  const Outcome outcome = place.run("simulate small.yaml --report --json", "", program);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.json()["report"] == "runs/small/report.html");
  const std::string page = read_text(place / "runs/small/report.html");
  REQUIRE(place.run("report runs/small", "", program).status == 0);
  CHECK(read_text(place / "runs/small/report.html") == page);
  // A gradient check keeps nothing unless it is asked to.
  REQUIRE(place.run("check-gradient small.yaml --steps 2", "", program).status == 0);
  CHECK(!fs::exists(place / "runs/small-gradient"));
  REQUIRE(place.run("check-gradient small.yaml --steps 2 --report", "", program).status == 0);
  for (const char* name : {"run.yaml", "gradient.json", "summary.json", "report.html"})
    CHECK(fs::exists(place / "runs/small-gradient" / name));
  // A diverged run has a report too, and keeps its status.
  const Outcome diverged = place.run(
      "simulate small.yaml --report --out burst --set simulation.integrator=velocity_verlet --set "
      "system.springs.stiffness=1e11",
      "", program);
  CHECK(diverged.status == 1);
  CHECK(documents_of(read_text(place / "burst/report.html")).front()["status"] == "diverged");
}

TEST_CASE("report: an interrupted run has one, and says that it was interrupted", "[app][report]") {
  const Workplace place;
  const fs::path program = installed(place);
  place.write("small.yaml", replaced(small_experiment, "duration: 0.2", "duration: 600"));
  place.write("signal.sh", signal_when_running);
  const Outcome stopped = place.run("simulate small.yaml --out parts --report", "sh signal.sh TERM", program);
  if (stopped.status == 0) pithball::tests::skip("the run was over before the signal came");
  CHECK(stopped.status == 1);
  const auto summary = documents_of(read_text(place / "parts/report.html")).front();
  CHECK(summary["status"] == "interrupted");
  CHECK(summary["grade"] == "bad");
  CHECK(summary["explanation"].get<std::string>().find("--resume") != std::string::npos);
}

TEST_CASE("report: text of an experiment cannot become part of the page", "[app][report]") {
  const Workplace place;
  const fs::path program = installed(place);
  const std::string text = "</script><script>alert(1)</script><!--";
  place.write("evil.yaml", replaced(replaced(small_experiment, "name: small", "name: 'a<script>alert(1)<b>'"),
                                    "{tip:", "{'" + text + "':"));
  REQUIRE(place.run("simulate evil.yaml --out run --report", "", program).status == 0);
  const std::string page = read_text(place / "run/report.html");
  CHECK(page.find("<script>") == std::string::npos);
  CHECK(page.find("<b>") == std::string::npos);
  CHECK(count_of(page, "<!--") == 0);
  CHECK(count_of(page, "<script ") == count_of(page, "</script>"));
  const auto documents = documents_of(page);
  CHECK(count_of(page, "</script>") == documents.size());
  CHECK(documents.front()["name"] == "a<script>alert(1)<b>");
  CHECK(documents.back()["yaml"].get<std::string>().find(text) != std::string::npos);
}

TEST_CASE("report: whatever is no run folder, or damaged, is rejected with place and remedy", "[app][report]") {
  const Workplace place;
  const fs::path program = installed(place);
  place.write("small.yaml", small_experiment);
  place.write("mine/run.yaml", "name: mine\n");
  REQUIRE(place.run("simulate small.yaml --out good").status == 0);
  REQUIRE(place.run("check-gradient small.yaml --steps 2 --out check").status == 0);
  const auto damaged = [&](const std::string& name, const std::string& of, const std::string& file, const char* text) {
    fs::copy(place / of, place / name);
    if (text)
      place.write(name + "/" + file, text);
    else
      fs::remove(place / (name + "/" + file));
  };
  damaged("no-summary", "good", "summary.json", nullptr);
  damaged("no-energy", "good", "energy.csv", nullptr);
  damaged("no-trajectory", "good", "trajectory.h5", nullptr);
  damaged("no-gradient", "check", "gradient.json", nullptr);
  damaged("half-summary", "good", "summary.json", "{\"command\": \"simul");
  damaged("other-summary", "good", "summary.json", "{\"command\": \"dance\"}");
  damaged("empty-summary", "good", "summary.json", "{}");
  damaged("list-summary", "good", "summary.json", "[1]");
  const std::string energies = read_text(place / "good/energy.csv");
  damaged("short-energy", "good", "energy.csv", energies.substr(0, energies.find("\n1,") + 1).c_str());
  damaged("text-trajectory", "good", "trajectory.h5", "no HDF5");
  damaged("other-gradient", "check", "gradient.json", "{\"blocks\": 7}");
  damaged("broken-yaml", "good", "run.yaml",
          "# Written by pithball: the experiment of this run with all defaults.\nname: [\n");
  const std::vector<std::pair<std::string, std::string>> cases{
      {"nowhere", "no such folder"},
      {"small.yaml", "a file"},
      {"mine", "run.yaml"},
      {"no-summary", "summary.json"},
      {"no-energy", "energy.csv"},
      {"no-trajectory", "trajectory.h5"},
      {"no-gradient", "gradient.json"},
      {"half-summary", "summary.json"},
      {"other-summary", "'dance'"},
      {"empty-summary", "command"},
      {"list-summary", "summary.json"},
      {"short-energy", "1 rows for 21 states"},
      {"text-trajectory", "HDF5"},
      {"other-gradient", "other-gradient"},
      {"broken-yaml", "run.yaml:"},
  };
  for (const auto& [folder, text] : cases) {
    const Outcome outcome = place.run("report " + folder, "", program);
    CAPTURE(folder, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(folder) != std::string::npos);
    CHECK(outcome.err.find(text) != std::string::npos);
    CHECK(outcome.err.find(';') != std::string::npos);  // a remedy
    CHECK(!fs::exists(place / (folder + "/report.html")));
  }
}

TEST_CASE("report: replaces no file that is not a report", "[app][report]") {
  const Workplace place;
  const fs::path program = installed(place);
  place.write("small.yaml", small_experiment);
  place.write("letter.html", "<p>Dear reader</p>");
  REQUIRE(place.run("simulate small.yaml").status == 0);
  for (const std::string out : {"letter.html", "small.yaml", "runs", "nowhere/page.html"}) {
    const Outcome outcome = place.run("report runs/small --out " + out, "", program);
    CAPTURE(out, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(out) != std::string::npos);
  }
  CHECK(read_text(place / "letter.html") == "<p>Dear reader</p>");
  CHECK(place.run("report runs/small --motion-size 0", "", program).status == 2);
}

TEST_CASE("report: without its page the program says what was missing, before it computes anything", "[app][report]") {
  const Workplace place;
  const fs::path program = installed(place, "");
  place.write("small.yaml", small_experiment);
  const Outcome early = place.run("simulate small.yaml --report", "", program);
  CHECK(early.status == 2);
  CHECK(early.err.find("npm or a network was missing") != std::string::npos);
  CHECK(!fs::exists(place / "runs"));
  REQUIRE(place.run("simulate small.yaml", "", program).status == 0);
  const Outcome late = place.run("report runs/small", "", program);
  CHECK(late.status == 2);
  CHECK(late.err.find("npm or a network was missing") != std::string::npos);
}

TEST_CASE("report page: needs the template's comment exactly once", "[app][report]") {
  CHECK(report_page(tiny_page, {}, "page") == replaced(tiny_page, "<!-- pithball:sections -->", ""));
  CHECK_THROWS_AS(report_page("<p></p>", {}, "page"), pithball::InvalidArgument);
  CHECK_THROWS_AS(report_page(tiny_page + tiny_page, {}, "page"), pithball::InvalidArgument);
}

TEST_CASE("report page: numbers that are not finite are null, and text that is no UTF-8 does not stop it",
          "[app][report]") {
  const Sections sections{{"table", {{"title", "\xff"}, {"rows", {{1.0, NAN, INFINITY}}}}}};
  const auto documents = documents_of(report_page(tiny_page, sections, "page"));
  REQUIRE(documents.size() == 1);
  CHECK(documents[0]["rows"][0][0] == 1.0);
  CHECK(documents[0]["rows"][0][1].is_null());
  CHECK(documents[0]["rows"][0][2].is_null());
}
