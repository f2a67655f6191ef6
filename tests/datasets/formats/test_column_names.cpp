#include <cmath>
#include <fstream>
#include <sstream>

#include "datasets/capture/column_name.hpp"
#include "datasets/text/text_scan.hpp"
#include "tests/datasets/formats/reading.hpp"
#include "tests/datasets/formats/says.hpp"
#include "tests/support/places.hpp"

using Catch::Detail::Approx;
using namespace pithball::datasets;
using namespace pithball::testing;
using pithball::sim::Index;
using pithball::tests::in_sources;

namespace {

/// The rows of the tables of docs/column_names.md: name, what it holds, axis, point, unit.
std::vector<std::vector<std::string>> rows_of_page() {
  std::ifstream page(in_sources("docs/column_names.md"));
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    std::size_t at = line.find('`') + 1, end = line.find('`', at);
    cells.push_back(line.substr(at, end - at));
    for (at = line.find('|', end) + 1; at < line.size(); at = end + 1) {
      end = std::min(line.find('|', at), line.size());
      cells.emplace_back(trim(std::string_view(line).substr(at, end - at)));
    }
    rows.push_back(cells);
  }
  return rows;
}

/// What a name holds, in the words of the page.
std::string held_by(const ColumnName& name) {
  const bool is_used = name.quantity < Quantity::Other && !name.axis_is_loose;
  if (is_used && !name.unclear.empty()) return "error";
  if (!is_used) return "not used";
  switch (name.quantity) {
    case Quantity::Length:
      return "length";
    case Quantity::Pixel:
      return "pixel";
    case Quantity::Angle:
      return "angle";
    case Quantity::Velocity:
      return "velocity";
    case Quantity::Acceleration:
      return "acceleration";
    case Quantity::Force:
      return "force";
    case Quantity::Time:
      return "time";
    case Quantity::Frame:
      return "frame";
    case Quantity::Identity:
      return "marker";
    case Quantity::Likelihood:
      return "likelihood";
    default:
      return "";
  }
}

}  // namespace

TEST_CASE("column names: every spelling of the page is taken for what it says", "[datasets][capture][columns]") {
  const auto rows = rows_of_page();
  REQUIRE(rows.size() >= 200);
  for (const auto& row : rows) {
    const ColumnName name = parse_column_name(row[0]);
    CAPTURE(row[0]);
    CHECK(held_by(name) == row[1]);
    if (row[1] == "not used" || row[1] == "error") continue;
    const std::string axes = row[1] == "pixel" && (row[2] == "u" || row[2] == "v") ? "uv" : "xyz";
    CHECK((name.axis ? std::string(1, axes[*name.axis]) : "") == row[2]);
    CHECK(name.point == row[3]);
    CHECK(name.unit == row[4]);
  }
}

TEST_CASE("column names: the sizes of units", "[datasets][capture][columns]") {
  struct Size {
    std::string unit;
    Quantity quantity;
    double factor;
  };
  using enum Quantity;
  for (const Size& size : {Size{"mm", Length, 1e-3},
                           {"Millimeters", Length, 1e-3},
                           {"CM", Length, 1e-2},
                           {"µm", Length, 1e-6},
                           {"in", Length, 0.0254},
                           {"px", Pixel, 1},
                           {"deg", Angle, std::acos(-1) / 180},
                           {"mm/s", Velocity, 1e-3},
                           {"km/h", Velocity, 1 / 3.6},
                           {"m·s⁻¹", Velocity, 1},
                           {"cm/s^2", Acceleration, 1e-2},
                           {"m/s²", Acceleration, 1},
                           {"mm s^-2", Acceleration, 1e-3},
                           {"m/s/s", Acceleration, 1},
                           {"g", Acceleration, 9.80665},
                           {"mN", Force, 1e-3},
                           {"kN", Force, 1e3},
                           {"ms", Time, 1e-3},
                           {"µs", Time, 1e-6},
                           {"Minutes", Time, 60}}) {
    CAPTURE(size.unit);
    const auto unit = find_unit(size.unit);
    REQUIRE(unit);
    CHECK(unit->quantity == size.quantity);
    CHECK(unit->factor == Approx(size.factor).epsilon(1e-14));
  }
  for (const char* none : {"", "left", "MN", "G", "m/m", "s/m", "kg", "1", "m^3", "mmm"}) {
    CAPTURE(none);
    const auto unit = find_unit(none);
    CHECK((!unit || unit->quantity == Other));
  }
}

TEST_CASE("column names: units of coordinates, times and a line below the names are used",
          "[datasets][capture][columns]") {
  Reading reading{"a.csv"};
  for (const std::string header :
       {"t,x (mm),y (mm)", "t,x[mm],y[mm]", "t,x_mm,y_mm", "t,X / mm,Y / mm", "t,tip x (mm),tip y (mm)",
        "t,x1 (mm),y1 (mm)", "Time (s),Position X (mm),Position Y (mm)", "t,x,y\ns,mm,mm", "t,x,y\n[s],[mm],[mm]",
        "t,x,y\n,mm,mm", "t,x (\xB5m),y (\xB5m)"}) {
    CAPTURE(header);
    const bool is_micrometer = header.find('\xB5') != std::string::npos;
    const Capture capture = reading.read(header + "\n0,1,2\n0.5,3,4\n");
    CHECK(capture.positions[1](0, 0) == Approx(is_micrometer ? 3e-6 : 3e-3).epsilon(1e-14));
    CHECK(capture.time == Eigen::Vector2d(0, 0.5));
    REQUIRE(!capture.notes.empty());
    says(capture.notes[0], "as the header says");
  }
  CHECK(reading.read("Time (ms),x,y\n0,1,2\n500,3,4\n").time.isApprox(Eigen::Vector2d(0, 0.5)));
  CHECK(reading.read("t_ms,x,y\n0,1,2\n500,3,4\n").time.isApprox(Eigen::Vector2d(0, 0.5)));
  CHECK(reading.read("t,x,y\nms,m,m\n0,1,2\n500,3,4\n").time.isApprox(Eigen::Vector2d(0, 0.5)));
  CHECK(reading.read("t,x,y\n0,1,2\n500,3,4\n").notes.empty());
  CHECK(reading.read("t,x_m,y_m\n0,1,2\n1,3,4\n").positions[1](0, 0) == 3);
  CHECK(reading.read("t,x_m,y_m,x_n,y_n\n0,1,2,3,4\n1,3,4,5,6\n").markers == std::vector<std::string>{"m", "n"});
  CHECK(reading.read("t,x_in,y_in,x_out,y_out\n0,1,2,3,4\n1,3,4,5,6\n").markers ==
        std::vector<std::string>{"in", "out"});
  CHECK(reading.read("t,a_x,a_y,b_x,b_y\n0,1,2,3,4\n1,3,4,5,6\n").markers == std::vector<std::string>{"a", "b"});

  reading.spec.columns.points = {{"x (mm)", "y (mm)"}};
  CHECK(reading.read("t,x (mm),y (mm)\n0,1,2\n1,3,4\n").positions[1](1, 0) == Approx(4e-3).epsilon(1e-14));
  reading.spec.columns.points = {{"#2", "#3"}};
  CHECK(reading.read("t,x (mm),y (mm)\n0,1,2\n1,3,4\n").positions[1](1, 0) == Approx(4e-3).epsilon(1e-14));
}

TEST_CASE("column names: what contradicts or is not understood is an error with the key",
          "[datasets][capture][columns][error]") {
  Reading reading{"a.csv"};
  const std::string rows = "\n0,1,2\n1,3,4\n";
  says(reading.complaint("t,acc_x,acc_y" + rows),
       "got the accelerations 'acc_x', 'acc_y'; write `measurement: acceleration`");
  says(reading.complaint("t,vx,vy" + rows), "write `measurement: velocity`");
  says(reading.complaint("t,x (m/s),y (m/s)" + rows), "write `measurement: velocity`");
  says(reading.complaint("t,Fx (N),Fy (N)" + rows), "write `measurement: force`");
  says(reading.complaint("t,x (px),y (px)" + rows), "camera: …}`, or `scale`: the length of a pixel");
  says(reading.complaint("t,x (left),y (left)" + rows),
       "column 'x (left)': must have a unit of its quantity in brackets");
  // Listed by number, it needs a scale: the remedy must not lead to a unit that nobody named.
  reading.spec.columns.points = {{"#2", "#3"}};
  says(reading.complaint("t,x (10^-3 m),y (10^-3 m)" + rows), "rename the column, or give `scale`");
  reading.spec.frame_of_reference.scale = 1e-3;
  CHECK(reading.read("t,x (10^-3 m),y (10^-3 m)" + rows).positions[1](0, 0) == Approx(3e-3));
  reading.spec.frame_of_reference.scale = {};
  reading.spec.columns.points = {};
  CHECK(reading.read("t,x <mm>,y <mm>" + rows).positions[1](0, 0) == Approx(3e-3));
  says(reading.complaint("t,x (mm),y (cm)" + rows), "must be in one unit, got 'mm' and 'cm'");
  says(reading.complaint("t,x (mm),y" + rows), "must name a unit each, or none, got 'x (mm)', 'y'");
  says(reading.complaint("Time (left),x,y" + rows), "column 'Time (left)': must have a unit of time");
  reading.spec.frame_of_reference.scale = 1e-2;
  says(reading.complaint("t,x (mm),y (mm)" + rows),
       "scale: must be the unit that the columns name, got 0.01, and 'x (mm)'");
  CHECK(reading.read("t,x (cm),y (cm)" + rows).positions[1](0, 0) == Approx(3e-2));
  CHECK(reading.read("t,x (px),y (px)" + rows).positions[1](0, 0) == Approx(3e-2));  // the length of a pixel
  reading.spec.frame_of_reference.scale = {};
  reading.spec.columns.time_scale = 1e-3;
  says(reading.complaint("t (s),x,y" + rows), "time_scale: must be the unit of the column's name");
  CHECK(reading.read("t (ms),x,y" + rows).time[1] == Approx(1e-3));
  reading.spec.columns.time_scale = {};
  reading.spec.columns.points = {{"acc_x", "acc_y"}};
  says(reading.complaint("t,acc_x,acc_y" + rows), "column 'acc_x': must hold positions, got accelerations");

  reading.spec.columns.points = {};
  reading.spec.quantity = Quantity::Acceleration;
  CHECK(reading.read("t,x,y,ax (g),ay (g)\n0,1,2,1,0\n").positions[0](0, 0) == Approx(9.80665));
  CHECK(reading.read("t,x,y\n0,1,2\n").positions[0](0, 0) == 1);
  says(reading.complaint("t,x (mm),y (mm)" + rows), "write `measurement: point`");
  reading.spec.quantity = Quantity::Angle;
  reading.spec.components = {"angle"};
  CHECK(reading.read("t,theta (deg)\n0,180\n").positions[0](0, 0) == Approx(std::acos(-1)));
  CHECK(reading.read("t,angle1,angle2\n0,1,2\n").markers == std::vector<std::string>{"1", "2"});
  CHECK(reading.read("t,theta (gon)\n0,200\n").positions[0](0, 0) == Approx(std::acos(-1)));
  says(reading.complaint("t,theta (arcmin)\n0,180\n1,181\n"), "must have a unit of its quantity in brackets");
  reading.spec.quantity = Quantity::Pixel;
  reading.spec.components = {"u", "v"};
  CHECK(reading.read("t,u0,v0,u1,v1\n0,1,2,3,4\n").markers == std::vector<std::string>{"0", "1"});
  CHECK(reading.read("t,x (px),y (px)\n0,1,2\n").positions[0](1, 0) == 2);
  says(reading.complaint("t,x (mm),y (mm)" + rows), "must be pixels");
}

TEST_CASE("column names: ten thousand points in a header are found at once", "[datasets][capture][columns]") {
  Reading reading{"a.csv"};
  std::string header = "t", row = "0";
  const Index points = 10'000;
  for (Index k = 0; k < points; ++k) {
    const std::string number = std::to_string(k);
    header.append(",p").append(number).append("_x,p").append(number).append("_y");
    row += ",1,2";
  }
  CHECK(reading.read(header + "\n" + row + "\n").markers.size() == points);
}
