// Recordings without identities by the program: tables of points in no order, detections of two cameras, what is
// written and what is refused.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <sstream>
#include <string>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using pithball::test::lines_of;
using pithball::test::Outcome;
using pithball::test::read_text;
using pithball::test::replaced;
using pithball::test::says;
using pithball::test::Workplace;

namespace {

/// Three charged balls on springs about a hook.
const std::string three_balls = R"(name: balls
system:
  vertices: [[0, 0, 0], [0.3, 0, 0.05], [-0.1, 0.25, -0.1], [-0.15, -0.2, 0.1]]
  velocities: [[0, 0, 0], [0, 0.9, 0.2], [-0.8, 0, 0.3], [0.5, -0.5, -0.4]]
  mass: 0.1
  groups: {hook: {vertices: [0]}}
  charge: 0.6 uC
  pinned: [0]
  springs: {edges: [[0, 1], [0, 2], [0, 3]], stiffness: 8, rest_length: 0.2}
forces: [coulomb]
simulation: {integrator: velocity_verlet, time_step: 2 ms, duration: 2 s}
)";

using Rows = std::vector<std::vector<std::string>>;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

/// Rows of a table without comments and header.
Rows rows_of(const std::string& text) {
  Rows rows;
  bool is_header = true;
  for (const std::string& line : lines_of(text)) {
    if (line.empty() || line[0] == '#') continue;
    if (!is_header) rows.push_back(cells_of(line));
    is_header = false;
  }
  return rows;
}

/// Puts the points of each row, of `size` cells each, in another order.
std::string shuffled(const std::string& text, std::size_t size) {
  std::mt19937 random(4);
  const Rows rows = rows_of(text);
  const std::size_t points = (rows.front().size() - 1) / size;
  std::string table = "t";
  for (std::size_t k = 0; k < points; ++k)
    for (std::size_t a = 0; a < size; ++a) table += std::string(",") + "xyz"[a] + std::to_string(k);
  table += "\n";
  for (const auto& row : rows) {
    std::vector<std::size_t> order(points);
    for (std::size_t k = 0; k < points; ++k) order[k] = k;
    std::shuffle(order.begin(), order.end(), random);
    table += row[0];
    for (const std::size_t k : order)
      for (std::size_t a = 0; a < size; ++a) table += "," + row[1 + size * k + a];
    table += "\n";
  }
  return table;
}

/// The points of each row as detections in no order, some missing and some false.
std::string detections_of(const std::string& text, double sigma, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> chance, across(300, 900), down(200, 600);
  std::string table =
      "frame,time [s],x [px],y [px],variance_x [px^2],covariance_xy [px^2],variance_y [px^2],size "
      "[px],brightness,snr\n";
  int frame = 0;
  for (const auto& row : rows_of(text)) {
    std::multimap<double, std::pair<std::string, std::string>> by_y;
    for (std::size_t k = 1; k + 1 < row.size(); k += 2)
      if (chance(random) > 0.1) by_y.emplace(std::stod(row[k + 1]), std::pair(row[k], row[k + 1]));
    if (chance(random) < 0.3) {
      const std::string u = std::to_string(across(random)), v = std::to_string(down(random));
      by_y.emplace(std::stod(v), std::pair(u, v));
    }
    for (const auto& [y, place] : by_y)
      table += std::to_string(frame) + "," + row[0] + "," + place.first + "," + place.second + "," +
               std::to_string(sigma * sigma) + ",0," + std::to_string(sigma * sigma) + ",2,100,20\n";
    ++frame;
  }
  return table;
}

const std::string parameters = "  parameters: [charge: {initial: 0.7 uC}, stiffness: {initial: 7}]\n";

double number(const Outcome& fit, std::size_t parameter, const char* key) {
  return fit.json()["parameters"][parameter][key].get<double>();
}

void check_within_an_error(const Outcome& own, const Outcome& labelled) {
  for (std::size_t k = 0; k < 2; ++k) {
    CAPTURE(k);
    const double error = number(labelled, k, "standard_error");
    CHECK(error > 0);
    CHECK(std::abs(number(own, k, "estimate") - number(labelled, k, "estimate")) < error);
  }
}

}  // namespace

TEST_CASE("identities: columns in no order give the fit of the labelled table", "[app][fit][identity]") {
  const Workplace place;
  place.write("truth.yaml", three_balls);
  REQUIRE(place.run("record truth.yaml --markers 1,2,3 --rate 50 --noise '1 mm' --out f.csv").status == 0);
  place.write("s.csv", shuffled(read_text(place / "f.csv"), 3));
  const std::string fit = "fit:\n  recordings: [{file: f.csv, markers: [1, 2, 3], sigma: 1 mm}]\n" + parameters;
  place.write("labelled.yaml", three_balls + fit);
  place.write("open.yaml", three_balls + replaced(fit, "file: f.csv", "file: s.csv, identities: unknown"));
  const Outcome labelled = place.run("fit labelled.yaml --json"), own = place.run("fit open.yaml --json --out run");
  INFO(own.out << own.err);
  REQUIRE(own.status == 0);
  REQUIRE(labelled.status == 0);
  check_within_an_error(own, labelled);
  CHECK(own.json()["status"] == labelled.json()["status"]);
  CHECK(!labelled.json().contains("identities"));
  const auto found = own.json()["identities"][0];
  CHECK(found["detections"] == 303);
  CHECK(found["assigned"] == 303);
  CHECK(found["open"].empty());
  const auto table = lines_of(read_text(place / "run/identities.csv"));
  CHECK(table.at(0) == "recording,frame,detection,particle,probability,chosen");
  CHECK(table.size() >= 304);
  CHECK(place.run("report run").status == 0);
  CHECK(says(read_text(place / "run/report.html"), "Identities"));
  // Columns as names of particles are exchanged in two thirds of the frames: nothing can be known of them but that.
  place.write("partly.yaml", three_balls + replaced(fit, "file: f.csv", "file: s.csv, identities: partly"));
  const Outcome partly = place.run("fit partly.yaml --json");
  INFO(partly.out << partly.err);
  REQUIRE(partly.status == 0);
  check_within_an_error(partly, labelled);
  CHECK(partly.json()["identities"][0]["exchange_rate"].get<double>() > 0.4);
}

TEST_CASE("identities: a fit that leaves the points of a particle behind is doubtful", "[app][fit][identity]") {
  const Workplace place;
  place.write("truth.yaml", three_balls);
  REQUIRE(place.run("record truth.yaml --markers 1,2,3 --rate 50 --noise '1 mm' --out f.csv").status == 0);
  // The last ball's points are not there from 1.4 s on.
  std::string table = "t,x0,y0,z0,x1,y1,z1,x2,y2,z2\n";
  for (auto row : rows_of(read_text(place / "f.csv"))) {
    if (std::stod(row[0]) > 1.4) std::fill(row.end() - 3, row.end(), "");
    for (std::size_t k = 0; k < row.size(); ++k) table += (k > 0 ? "," : "") + row[k];
    table += "\n";
  }
  place.write("s.csv", table);
  place.write("open.yaml", three_balls +
                               "fit:\n  recordings: [{file: s.csv, identities: unknown, markers: [1, 2, 3], "
                               "sigma: 1 mm}]\n" +
                               parameters);
  const Outcome own = place.run("fit open.yaml --json");
  INFO(own.out << own.err);
  CHECK(own.json()["status"] == "doubtful");
  CHECK(says(own.json()["why"].get<std::string>(), "is lost in frames 71 to 100, though in the picture"));
}

TEST_CASE("identities: detections of two cameras", "[app][fit][identity][camera]") {
  const Workplace place;
  const auto camera = [](const std::string& pose) {
    return "measurement: {camera: {focal_length: 900 px, image_size: [1280, 960]}}, markers: [1, 2, 3], initial_state: "
           "from_system, placement: {" +
           pose + "}";
  };
  const std::string front = camera("x_axis: [1, 0, 0], y_axis: [0, 0, -1], translation: [0, -1.5, 0]"),
                    side = camera("x_axis: [0, 1, 0], y_axis: [0, 0, -1], translation: [1.5, 0, 0]");
  const auto recordings = [&](const std::string& a, const std::string& b) {
    return "fit:\n  recordings:\n  - {name: front, " + a + ", " + front + "}\n  - {name: side, " + b + ", " + side +
           "}\n  same_motion: [[front, side]]\n" + parameters;
  };
  const std::string planned = "planned: {rate: 40, duration: 2 s}, sigma: 0.5 px";
  place.write("truth.yaml", three_balls + recordings(planned, planned));
  REQUIRE(place.run("record truth.yaml --recording front --out a.csv").status == 0);
  REQUIRE(place.run("record truth.yaml --recording side --seed 2 --out b.csv").status == 0);
  place.write("da.csv", detections_of(read_text(place / "a.csv"), 0.5, 1));
  place.write("db.csv", detections_of(read_text(place / "b.csv"), 0.5, 2));
  place.write("labelled.yaml", three_balls + recordings("file: a.csv, sigma: 0.5 px", "file: b.csv, sigma: 0.5 px"));
  place.write("open.yaml",
              three_balls + recordings("file: da.csv, identities: unknown", "file: db.csv, identities: unknown"));
  const Outcome labelled = place.run("fit labelled.yaml --json"), own = place.run("fit open.yaml --json");
  INFO(labelled.out << labelled.err << own.out << own.err);
  REQUIRE(labelled.status == 0);
  REQUIRE(own.status == 0);
  check_within_an_error(own, labelled);
  REQUIRE(own.json()["identities"].size() == 2);
  for (const auto& found : own.json()["identities"]) {
    CHECK(found["detection_rate"].get<double>() == Approx(0.9).margin(0.06));
    CHECK(found["false_per_frame"].get<double>() == Approx(0.3).margin(0.16));
  }
  // Without the key, detections have no names.
  place.write("known.yaml", three_balls + recordings("file: da.csv", "file: db.csv"));
  const Outcome known = place.run("fit known.yaml");
  CHECK(known.status == 2);
  CHECK(says(known.err, "write `identities: unknown`"));
}

TEST_CASE("identities: balls half a spacing beside the start may be either, and the fit says so",
          "[app][fit][identity]") {
  const Workplace place;
  const std::string row = R"(name: row
system:
  vertices: [[0, 0, 0], [0.4, 0, 0]]
  mass: 0.1
forces: [{gravity: [0, 0, -9.81]}, {drag: {linear: 0.1}}]
simulation: {integrator: velocity_verlet, time_step: 2 ms, duration: 1 s}
)";
  place.write("truth.yaml", replaced(row, "[[0, 0, 0], [0.4, 0, 0]", "[[0.2, 0, 0], [0.6, 0, 0]"));
  REQUIRE(place.run("record truth.yaml --markers 0,1 --rate 50 --noise '1 mm' --out f.csv").status == 0);
  place.write("fit.yaml", row +
                              "fit:\n  recordings: [{file: f.csv, markers: [0, 1], sigma: 1 mm, identities: unknown, "
                              "initial_state: free}]\n  parameters: [linear_drag: {initial: 0.12}]\n");
  const Outcome fit = place.run("fit fit.yaml --json");
  INFO(fit.out << fit.err);
  CHECK(fit.json()["status"] == "doubtful");
  CHECK(says(fit.json()["why"], "may be exchanged in all frames"));
  CHECK(says(fit.json()["remedy"], "start positions under `system`"));
}

TEST_CASE("identities: what needs names is refused", "[app][fit][identity][error]") {
  const Workplace place;
  place.write("truth.yaml", three_balls);
  REQUIRE(place.run("record truth.yaml --markers 1,2,3 --rate 50 --noise '1 mm' --out f.csv").status == 0);
  const auto refusal = [&](const std::string& keys) {
    place.write("fit.yaml",
                three_balls + "fit:\n  recordings: [{file: f.csv, identities: unknown, " + keys + "}]\n" + parameters);
    const Outcome fit = place.run("fit fit.yaml");
    INFO(fit.err);
    CHECK(fit.status == 2);
    return fit.err;
  };
  CHECK(says(refusal("markers: nearest_vertex"), "must give particles"));
  CHECK(says(refusal("markers: [1, 2, 3], role: validation"), "must be fit where `identities` are not known"));
  CHECK(says(refusal("markers: [1, 2, 3], rest_frames: {first: 3}"), "must be omitted for `identities: unknown`"));
  CHECK(says(refusal("markers: [1, 2, 3], measurement: velocity"), "its readings are not places"));
}
