// Recordings whose samples, order, axes or units are not what the file says: the fit is doubtful and names the key.

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <random>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;

namespace {

/// A string of five charged balls on a hook, and its fit from another charge and stiffness.
std::string string_with(const std::string& charge, const std::string& stiffness) {
  return fmt::format(R"(name: string
system:
  mesh: {{chain: {{length: 0.5 m, segments: 5}}}}
  mass: 2 g
  charge: {{all: {}, top: 0 C}}
  pinned: [top]
  springs: {{stiffness: {}, damping: 0.01 N s/m}}
forces:
  - gravity: [0, 0, -9.81]
  - coulomb
  - point_charge: {{charge: 1 uC, position: [-0.15, 0, -0.4]}}
  - drag: {{linear: 1 g/s}}
)",
                     charge, stiffness);
}

std::string string_fit(const std::string& recording) {
  return string_with("40 nC", "7 N/m") +
         "simulation: {time_step: 2 ms}\nfit:\n  recordings:\n    - {file: tracks.csv, " + recording +
         "}\n  parameters: [charge: {multiplier: true}, stiffness]\n";
}

/// Leaves the tracks of the true string, 81 frames with 2 mm noise.
void record_string(const Workplace& place) {
  place.write("truth.yaml", string_with("60 nC", "5 N/m") + "simulation: {time_step: 1 ms, duration: 1.6 s}\n");
  const Outcome made =
      place.run("record truth.yaml --markers 1,2,3,4,5 --rate 50 --noise '2 mm' --out tracks.csv --quiet");
  INFO(made.err);
  REQUIRE(made.status == 0);
}

using Cells = std::vector<std::vector<std::string>>;

/// The rows of the tracks, the header first.
Cells read_cells(const Workplace& place) {
  Cells rows;
  for (const std::string& line : lines_of(read_text(place / "tracks.csv"))) {
    if (line.starts_with("#")) continue;
    std::vector<std::string>& row = rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
    if (line.ends_with(',')) row.emplace_back();
  }
  return rows;
}

void write_cells(const Workplace& place, const Cells& rows) {
  std::string text;
  for (const std::vector<std::string>& row : rows) text += fmt::format("{}\n", fmt::join(row, ","));
  place.write("tracks.csv", text);
}

/// Every number of the tracks but the times, changed.
template <class Change>  // change(coordinate, number)
void change_numbers(const Workplace& place, Change change) {
  Cells rows = read_cells(place);
  for (std::size_t r = 1; r < rows.size(); ++r)
    for (std::size_t c = 1; c < rows[r].size(); ++c)
      if (!rows[r][c].empty()) rows[r][c] = fmt::format("{:.9g}", change((c - 1) % 3, std::stod(rows[r][c])));
  write_cells(place, rows);
}

nlohmann::json fit(const Workplace& place, const std::string& experiment) {
  place.write("fit.yaml", experiment);
  const Outcome outcome = place.run("fit fit.yaml --json --quiet --overwrite");
  INFO(outcome.out << outcome.err);
  REQUIRE((outcome.status == 0 || outcome.status == 1));
  return outcome.json();
}

/// Kinds of the faults that nothing answers.
std::set<std::string> open_faults(const nlohmann::json& fit) {
  std::set<std::string> kinds;
  for (const nlohmann::json& finding : fit["findings"])
    if (finding["fault"] && !finding["answered"]) kinds.insert(finding["kind"].get<std::string>());
  return kinds;
}

const std::string markers = "markers: [1, 2, 3, 4, 5]";
using Kinds = std::set<std::string>;

}  // namespace

TEST_CASE("screening: a clean fit has no finding and fits", "[app][fit][screening]") {
  const Workplace place;
  record_string(place);
  const nlohmann::json found = fit(place, string_fit(markers));
  CHECK(found["status"] == "converged");
  CHECK(found["findings"].empty());
}

TEST_CASE("screening: exchanged markers make a fit doubtful until their order is written", "[app][fit][screening]") {
  const Workplace place;
  record_string(place);
  place.write("fit.yaml", string_fit("markers: [1, 4, 3, 2, 5]"));
  const Outcome outcome = place.run("fit fit.yaml --out run");
  INFO(outcome.out << outcome.err);
  const std::string first_line = lines_of(outcome.out).front();
  CHECK(says(first_line, "markers '1' and '3' are exchanged"));
  CHECK(says(first_line, "markers: [1, 2, 3, 4, 5]"));
  CHECK(says(outcome.err, "are exchanged"));  // before the search
  const auto stored = nlohmann::json::parse(read_text(place / "run/fit.json"));
  CHECK(open_faults(stored) == Kinds{"order"});
  CHECK(stored["status"] != "converged");
  CHECK(says(stored["why"], "are exchanged"));
  CHECK(says(stored["remedy"], "accept_findings: [order]"));
  const nlohmann::json accepted = fit(place, string_fit("markers: [1, 4, 3, 2, 5], accept_findings: [order]"));
  CHECK(open_faults(accepted).empty());
  CHECK(accepted["findings"].size() == 1);
}

TEST_CASE("screening: mirrored axes are named with their key", "[app][fit][screening]") {
  const Workplace place;
  record_string(place);
  change_numbers(place, [](std::size_t axis, double x) { return axis == 2 ? -x : x; });
  const nlohmann::json wrong = fit(place, string_fit(markers));
  CHECK(open_faults(wrong) == Kinds{"axes"});
  CHECK(wrong["status"] != "converged");
  CHECK(says(wrong["remedy"], "axes: [x, y, -z]"));
  const nlohmann::json right = fit(place, string_fit(markers + ", axes: [x, y, -z]"));
  CHECK(right["status"] == "converged");
  CHECK(open_faults(right).empty());
}

TEST_CASE("screening: readings in another unit are named with the scale that reads them", "[app][fit][screening]") {
  const Workplace place;
  record_string(place);
  change_numbers(place, [](std::size_t, double x) { return 1000 * x; });
  const nlohmann::json wrong = fit(place, string_fit(markers));
  CHECK(open_faults(wrong) == Kinds{"unit"});
  CHECK(wrong["status"] != "converged");
  CHECK(says(wrong["remedy"], "scale: 1 mm"));
  const nlohmann::json right = fit(place, string_fit(markers + ", scale: 1 mm"));
  CHECK(right["status"] == "converged");
  CHECK(open_faults(right).empty());
}

TEST_CASE("screening: a charge that is a hundred times too small is no other unit", "[app][fit][screening]") {
  const Workplace place;
  const auto drop = [](const std::string& charge, const std::string& rest) {
    return "name: drop\nsystem: {vertices: [[0, 0, 0]], mass: 1 ug, charge: " + charge +
           "}\nforces: [electric_field: [1 kV/m, 0, 0], drag: {linear: 1 mg/s}]\n" + rest;
  };
  place.write("truth.yaml", drop("10 pC", "simulation: {time_step: 0.1 ms, duration: 1 s}\n"));
  REQUIRE(place.run("record truth.yaml --rate 50 --noise '10 um' --out tracks.csv").status == 0);
  const nlohmann::json found =
      fit(place, drop("1 pC",
                      "simulation: {time_step: 0.1 ms}\nfit:\n  recordings: [{file: tracks.csv}]\n"
                      "  parameters: [charge]\n"));
  CHECK(open_faults(found).empty());
  CHECK(found["status"] == "converged");
}

TEST_CASE("screening: a written loss answers outliers, and the remedy says where to write it",
          "[app][fit][screening]") {
  const Workplace place;
  record_string(place);
  std::size_t row = 0;
  change_numbers(place, [&](std::size_t axis, double x) { return axis == 0 && ++row == 100 ? x + 0.2 : x; });
  const nlohmann::json found = fit(place, string_fit(markers));
  CHECK(open_faults(found) == Kinds{"outlier"});
  CHECK(says(found["remedy"], "write `residual: {loss: huber}` below `fit`"));
  place.write("fit.yaml", replaced(string_fit(markers), "fit:", "fit:\n  residual: {loss: huber}"));
  const Outcome answered = place.run("fit fit.yaml --out answered --json --quiet --threads 1");
  INFO(answered.err);
  CHECK(open_faults(answered.json()).empty());
}

TEST_CASE("filled_samples: stretches filled by interpolation are found, and masked on request",
          "[app][fit][screening]") {
  const Workplace place;
  record_string(place);
  Cells rows = read_cells(place);
  constexpr std::size_t before = 20, after = 27;
  for (std::size_t c = 1; c <= 3; ++c) {  // the first marker, on a line between two frames
    const double from = std::stod(rows[before][c]), step = (std::stod(rows[after][c]) - from) / (after - before);
    for (std::size_t r = before + 1; r < after; ++r)
      rows[r][c] = fmt::format("{}", from + step * static_cast<double>(r - before));
  }
  write_cells(place, rows);
  CHECK(open_faults(fit(place, string_fit(markers))) == Kinds{"fill"});
  CHECK(open_faults(fit(place, string_fit(markers + ", filled_samples: keep"))).empty());
  const nlohmann::json masked = fit(place, string_fit(markers + ", filled_samples: mask"));
  CHECK(masked["findings"].empty());
  CHECK(masked["status"] == "converged");
}

TEST_CASE("missing: numbers of the file that mean a lost sample", "[app][fit][screening]") {
  const Workplace place;
  record_string(place);
  Cells rows = read_cells(place);
  Cells gaps = rows;
  for (std::size_t r = 5; r < rows.size(); r += 9) {  // all of a sample, and one coordinate
    for (std::size_t c = 1; c <= 3; ++c) {
      rows[r][c] = "0";
      gaps[r][c].clear();
    }
    rows[r][4] = "-999";
    for (std::size_t c = 4; c <= 6; ++c) gaps[r][c].clear();
    rows[r + 1][8] = gaps[r + 1][8] = "0";  // a coordinate that passes 0 is measured
  }
  write_cells(place, gaps);
  const nlohmann::json with_gaps = fit(place, string_fit(markers));
  write_cells(place, rows);
  const nlohmann::json masked = fit(place, string_fit(markers + ", missing: [0, -999]"));
  CHECK(masked["parameters"] == with_gaps["parameters"]);  // to the last digit
  CHECK(masked["errors"]["recordings"] == with_gaps["errors"]["recordings"]);

  const nlohmann::json kept = fit(place, string_fit(markers));
  CHECK(open_faults(kept).contains("placeholder"));
  CHECK(kept["status"] != "converged");
  const nlohmann::json meant = fit(place, string_fit(markers + ", missing: none"));
  CHECK(!open_faults(meant).contains("placeholder"));
  place.write("fit.yaml", string_fit(markers + ", missing: 0"));
  const Outcome refused = place.run("fit fit.yaml");
  CHECK(refused.status == 2);
  CHECK(says(refused.err, "missing"));
}

TEST_CASE("sigma: a number without a unit beside scale is in the unit of the file", "[app][fit][screening]") {
  const Workplace place;
  record_string(place);
  change_numbers(place, [](std::size_t, double x) { return 1000 * x; });
  const auto chi_square = [&](const std::string& sigma) {
    return fit(place, string_fit(markers + ", scale: 1 mm, sigma: " + sigma))["quality"]["reduced_chi_square"]
        .get<double>();
  };
  const double right = chi_square("2 mm");
  CHECK(right == Approx(1).epsilon(0.3));
  CHECK(chi_square("2") == right);
  CHECK(chi_square("[2, 2, 2 mm]") == Approx(right));
}

TEST_CASE("accept_findings: an unknown kind is refused with the nearest one", "[app][fit][screening]") {
  const Workplace place;
  record_string(place);
  place.write("fit.yaml", string_fit(markers + ", accept_findings: [ordre]"));
  const Outcome refused = place.run("fit fit.yaml");
  CHECK(refused.status == 2);
  CHECK(says(refused.err, "order"));
}

namespace {

/// A ball that turns about its pivot by a stiff spring, read by an encoder.
std::string turning(const std::string& recording) {
  return R"(name: turning
system:
  vertices: [[0, 0, 0], [0, 0, -0.3]]
  mass: 0.2
  pinned: [0]
  groups: {bob: {vertices: [1]}}
  velocities: {bob: [-4.8, 0, 0]}
  springs: {edges: [[0, 1]], stiffness: 2000}
forces: [gravity: [0, 0, -9.81], drag: {linear: 0.02}]
simulation: {time_step: 1 ms}
fit:
  recordings:
    - file: tracks.csv
      measurement: {angle: {segments: [{segment: [0, 1], direction: [0, 0, -1], about: [0, 1, 0]}]}}
      )" +
         recording + "\n  parameters: [linear_drag]\n";
}

}  // namespace

TEST_CASE("prediction: errors of angles are angles", "[app][fit][measurements]") {
  const Workplace place;
  std::string planned = turning("sigma: 0.005");
  planned.replace(planned.find("file: tracks.csv"), 16, "name: encoder\n      planned: {rate: 100, duration: 2 s}");
  place.write("plan.yaml", planned);
  REQUIRE(place.run("record plan.yaml --recording encoder --out tracks.csv").status == 0);
  const auto predict = [&](const std::string& more) {
    place.write("predict.yaml", replaced(turning("role: validation"), "\n  parameters: [linear_drag]", ""));
    return lines_of(place.run("fit predict.yaml --overwrite" + more).out).front();
  };
  CHECK(says(predict(""), "deg, static baseline"));
  const std::string far = predict(" --set 'system.velocities.bob=[4.8, 0, 0]'");  // the other way round
  INFO(far);
  CHECK(says(far, "deg, static baseline"));
  CHECK(says(read_text(place / "runs/turning/fit.json"), "deg, static baseline only"));
}

TEST_CASE("unwrap: angles of an encoder that wraps are continued", "[app][fit][screening]") {
  const Workplace place;
  std::string planned = turning("sigma: 0.005");
  planned.replace(planned.find("file: tracks.csv"), 16, "name: encoder\n      planned: {rate: 100, duration: 2 s}");
  place.write("plan.yaml", planned);
  const Outcome made = place.run("record plan.yaml --recording encoder --out tracks.csv");
  INFO(made.err);
  REQUIRE(made.status == 0);
  Cells rows = read_cells(place);
  REQUIRE(rows.size() > 100);
  Cells wrapped = rows;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    const double angle = std::stod(rows[r][1]);
    wrapped[r][1] = fmt::format("{:.9g}", angle - 2 * std::numbers::pi * std::round(angle / (2 * std::numbers::pi)));
  }
  REQUIRE(wrapped != rows);
  const auto drag = [](const nlohmann::json& found) { return found["parameters"][0]["estimate"].get<double>(); };
  const nlohmann::json whole = fit(place, turning(""));
  write_cells(place, wrapped);
  const nlohmann::json jumps = fit(place, turning(""));
  CHECK(open_faults(jumps).contains("full_turn"));
  CHECK(jumps["status"] != "converged");
  CHECK(says(jumps["remedy"], "unwrap: true"));
  const nlohmann::json continued = fit(place, turning("unwrap: true"));
  CHECK(continued["status"] == "converged");
  CHECK(drag(continued) == Approx(drag(whole)).epsilon(1e-6));
  CHECK(!open_faults(fit(place, turning("unwrap: false"))).contains("full_turn"));
}

TEST_CASE("screening: an encoder that counts degrees is named", "[app][fit][screening]") {
  const Workplace place;
  std::string planned = turning("sigma: 0.005");
  planned.replace(planned.find("file: tracks.csv"), 16, "name: encoder\n      planned: {rate: 100, duration: 2 s}");
  place.write("plan.yaml", planned);
  REQUIRE(place.run("record plan.yaml --recording encoder --out tracks.csv").status == 0);
  change_numbers(place, [](std::size_t, double angle) { return angle * 180 / std::numbers::pi; });
  const nlohmann::json wrong = fit(place, turning(""));
  CHECK(open_faults(wrong) == Kinds{"unit"});
  CHECK(says(wrong["remedy"], "scale: 1 deg"));
  CHECK(fit(place, turning("scale: 1 deg"))["status"] == "converged");
}

TEST_CASE("angle: a bare number beyond a full turn is noted", "[app][simulate][screening]") {
  const Workplace place;
  const auto notes = [&](const std::string& angle) {
    place.write("turned.yaml",
                "name: turned\nsystem:\n  mesh: {chain: {length: 0.5 m, segments: 2}, rotate: {axis: [0, 1, 0], "
                "angle: " +
                    angle +
                    "}}\n  mass: 2 g\n  pinned: [top]\n  springs: {stiffness: 5 N/m}\n"
                    "forces: [gravity: [0, 0, -9.81]]\n"
                    "simulation: {time_step: 1 ms, duration: 5 ms}\n");
    const Outcome outcome = place.run("simulate turned.yaml --overwrite");
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return outcome.out;
  };
  CHECK(says(notes("90"), "90 without a unit is 90 rad"));
  CHECK(!says(notes("90 deg"), "without a unit"));
  CHECK(!says(notes("1.57"), "without a unit"));
  CHECK(!says(notes("90 rad"), "without a unit"));
}

TEST_CASE("screening: a pinned particle with the charge of all is a remark", "[app][fit][screening]") {
  const Workplace place;
  record_string(place);
  std::string charged = string_fit(markers);
  const std::string one_charge = "charge: 40 nC";
  charged.replace(charged.find("charge: {all: 40 nC, top: 0 C}"), 30, one_charge);
  const nlohmann::json found = fit(place, charged);
  bool remarked = false;
  for (const nlohmann::json& finding : found["findings"]) remarked |= finding["kind"] == "charged_pinned";
  CHECK(remarked);
  CHECK(open_faults(found).empty());
  // The remark itself is no doubt; but the residuals show that the pinned particle has no charge.
  INFO(found["why"]);
  CHECK(found["status"] == "doubtful");
  CHECK(says(found["why"], "charge[0] or "));  // a charge of the surroundings would do the same
  CHECK(says(found["why"], "would lower χ²"));
}
