#include <cmath>

#include "sim/core/text.hpp"
#include "tests/datasets/formats/reading.hpp"
#include "tests/datasets/formats/says.hpp"

using Catch::Detail::Approx;
using namespace pithball::datasets;
using namespace pithball::testing;
using pithball::sim::Index;

TEST_CASE("table rows: frames repeat in a long table, whatever names its markers", "[datasets][capture][rows]") {
  Reading reading{"a.csv"};
  reading.spec.rate = 10;
  for (const std::string marker : {"Trajectory", "track", "Track", "track_id", "TID", "object", "id", "ID", "Track n°",
                                   "bead", "blob", "nummer", "which", "m0"}) {
    CAPTURE(marker);
    for (const std::string frame : {"frame", "Frame", "frame_idx", "Slice", "Slice n°"}) {
      const std::string header = marker + "," + frame + ",x,y\n";
      const Capture one_after_other =
          reading.read(header + "1,0,10,5\n1,1,11,5\n1,2,12,5\n2,0,50,8\n2,1,51,8\n2,2,52,8\n");
      CHECK(one_after_other.frames() == 3);
      CHECK(one_after_other.markers == std::vector<std::string>{"1", "2"});
      CHECK(one_after_other.positions[2](0, 1) == 52);
      const Capture by_frame = reading.read(header + "a,0,10,5\nb,0,50,8\na,1,11,5\nb,1,51,8\na,5,12,5\nb,5,52,8\n");
      CHECK(by_frame.markers == std::vector<std::string>{"a", "b"});
      CHECK(by_frame.time.isApprox(Eigen::Vector3d(0, 0.1, 0.5)));
    }
  }
  reading.spec.rate = 0;  // by times
  CHECK(reading.read("trk,t,x,y\n1,0,10,5\n1,0.1,11,5\n2,0,50,8\n2,0.1,51,8\n").markers.size() == 2);
  // Tracks that follow each other: they are not one marker.
  CHECK(reading.read("track,t,x,y\n1,0,10,5\n1,0.1,11,5\n2,0.2,50,8\n2,0.3,51,8\n").markers.size() == 2);
  // Numbers of rows, or what happens in them, name no marker.
  CHECK(reading.read("id,t,x,y\n1,0,10,5\n2,0.1,11,5\n3,0.2,50,8\n").markers.size() == 1);
  CHECK(reading.read("label,t,x,y\nrest,0,10,5\nrest,0.1,11,5\nswing,0.2,50,8\nswing,0.3,50,8\n").markers.size() == 1);

  says(reading.complaint("p,q,t,x,y\n1,3,0,10,5\n1,3,1,11,5\n2,4,0,50,8\n2,4,1,51,8\n"),
       "several columns that may name markers: 'p', 'q'; name it: columns: {marker: NAME}");
  says(reading.complaint("t,x,y\n0,10,5\n1,11,5\n0,50,8\n1,51,8\n"), "name the column of markers");
  reading.spec.rate = 10;
  says(reading.complaint("track,x,y\n1,10,5\n1,11,5\n2,50,8\n2,51,8\n"),
       "frame: must be known where each row holds one marker, got markers in the column 'track'");
  reading.spec.rows.segment = {{"track", "2"}};
  CHECK(reading.read("track,x,y\n1,10,5\n1,11,5\n2,50,8\n2,51,8\n").markers.size() == 1);
}

TEST_CASE("table rows: frames, times and a rate are used, and agree", "[datasets][capture][rows]") {
  Reading reading{"a.csv"};
  CHECK(reading.read("Time,X,Y\n0,1,2\n0.1,1,2\n0.35,1,2\n").time[2] == 0.35);
  reading.spec.rate = 10;
  CHECK(reading.read("frame,x,y\n7,1,2\n8,1,2\n12,1,2\n").time.isApprox(Eigen::Vector3d(0, 0.1, 0.5)));
  CHECK(reading.read("frame,time,x,y\n0,0,1,2\n1,0.1,1,2\n5,0.5,1,2\n").time.isApprox(Eigen::Vector3d(0, 0.1, 0.5)));
  CHECK(reading.read("time,x,y\n0,1,2\n0.1,1,2\n0.2,1,2\n0.5,1,2\n").time.isApprox(Eigen::Vector4d(0, 0.1, 0.2, 0.5)));
  const std::string even = "time,x,y\n0,1,2\n0.02,1,2\n0.04,1,2\n0.06,1,2\n";
  says(reading.complaint(even), "rate: must agree with the column 'time', got 10 1/s");
  says(reading.complaint("Time,x,y\n0,1,2\n0.1,1,2\n0.35,1,2\n0.4,1,2\n"), "rate: must agree with the column 'Time'");
  says(reading.complaint("frame,time,x,y\n0,0,1,2\n1,0.02,1,2\n2,0.04,1,2\n"), "must agree with the column 'time'");
  reading.spec.columns.time = "none";
  CHECK(reading.read(even).time[3] == Approx(0.3));
  reading.spec.columns.time = "";
  reading.spec.rate = 0;
  const std::string dropped = "frame,t,x,y\n0,0,1,2\n1,0.1,1,2\n5,0.2,1,2\n6,0.3,1,2\n";
  says(reading.complaint(dropped), "1 gaps in the frame numbers, where the times go on evenly");
  says(reading.complaint(dropped), "rate: 10; to use the times, columns: {frame: none}");
  reading.spec.columns.frame = "none";
  CHECK(reading.read(dropped).time[3] == 0.3);
  reading.spec.columns.frame = "";
  CHECK(reading.read("frame,t,x,y\n0,0,1,2\n1,0.1,1,2\n5,0.5,1,2\n").frames() == 3);
  says(reading.complaint("frame,x,y\n0,1,2\n1,1,2\n"),
       "got frame numbers without a rate; give rate: frames per second");
}

TEST_CASE("table rows: rounded times are recognized", "[datasets][capture][rows]") {
  Reading reading{"a.csv"};
  std::string rounded = "t,x,y\n", whole = "t,x,y\n";
  for (int k = 0; k < 40; ++k) {
    const double t = k / 30.0;
    rounded += std::to_string(std::round(100 * t) / 100).substr(0, 4) + ",1," + std::to_string(k) + "\n";
    whole += std::to_string(t) + ",1," + std::to_string(k) + "\n";
  }
  const Capture capture = reading.read(rounded);
  REQUIRE(capture.notes.size() == 1);
  says(capture.notes[0], "times are written in steps of 0.01 s, and frames seem to be even: `rate: 30");
  CHECK(reading.read(whole).notes.empty());
  // Zeros at the end left out, of times that are uneven beyond their rounding.
  std::string uneven = "t,x,y\n0,1,1\n";
  for (int k = 1; k < 40; ++k)
    uneven += (k == 30 ? "1" : std::to_string(k / 30.0 + 0.004 * std::sin(3.0 * k))) + ",1," + std::to_string(k) + "\n";
  CHECK(reading.read(uneven).notes.empty());
  for (const double rate : {24.0, 30.0, 60.0, 120.0}) {
    std::string even = "t,x,y\n";
    for (int k = 0; k < 100; ++k) even += pithball::formatted("%.10g,1,%d\n", k / rate, k);
    CAPTURE(rate);
    CHECK(reading.read(even).notes.empty());
  }
  reading.spec.rate = 30;
  CHECK(reading.read(rounded).time[39] == Approx(1.3));
  const std::string coarse = "t,x,y\n9.93,1,2\n9.97,1,3\n10.0,1,4\n10.0,1,5\n10.1,1,6\n";
  CHECK(reading.read(coarse).time[4] == Approx(4 / 30.0));
  reading.spec.rate = 0;
  says(reading.complaint(coarse), "times are rounded: give rate");
}

TEST_CASE("table rows: runs side by side end where their time is empty", "[datasets][capture][rows]") {
  Reading reading{"a.csv"};
  const std::string runs =
      "Time (s) Run #1,Position (m) Run #1,Time (s) Run #2,Position (m) Run "
      "#2\n0,0.5,0,0.4\n0.05,0.53,0.05,0.41\n0.1,0.54,,\n0.15,0.545,,\n";
  reading.spec.columns.time = "Time (s) Run #2";
  reading.spec.columns.points = {{"Position (m) Run #2"}};
  CHECK(reading.read(runs).frames() == 2);
  reading.spec.columns.time = "Time (s) Run #1";
  reading.spec.columns.points = {{"Position (m) Run #1"}};
  CHECK(reading.read(runs).frames() == 4);
  says(reading.complaint("Time (s) Run #1,Position (m) Run #1\n0,1\n,2\n"), "must not be missing");
}

TEST_CASE("table rows: separators at the end, headers in comments, tabs that a spreadsheet left out",
          "[datasets][capture][rows]") {
  Reading reading{"a.csv"};
  for (const std::string text :
       {"t,x,y,\n0,1,2\n1,3,4\n", "t,x,y\n0,1,2,\n1,3,4,\n", "t,x,y,\n0,1,2,\n1,3,4,\n", "t;x;y;;\n0;1;2\n1;3;4;;\n",
        "# t,x,y\n0,1,2\n1,3,4\n", "# by hand\n# t x y\n0 1 2\n1 3 4\n", "#t\tx\ty\n0\t1\t2\n1\t3\t4\n",
        "\xEF\xBB\xBFt,x,y\n0,1,2\n1,3,4\n"}) {
    CAPTURE(text);
    const Capture capture = reading.read(text);
    CHECK(capture.markers.size() == 1);
    CHECK(capture.time == Eigen::Vector2d(0, 1));
    CHECK(capture.positions[1](1, 0) == 4);
  }
  const Capture lost = reading.read("t\tp_x\tp_y\tq_x\tq_y\n0\t1\t2\t3\t4\n1\t3\t4\n");
  CHECK(lost.present[1] == std::vector<bool>{true, false});
  says(reading.complaint("0,1,2\n1,3,4\n"),
       "a.csv:1 header: must hold the names of the columns, got numbers; give `header_line: 0`");
  says(reading.complaint("# a,b\n0,1,2\n1,3,4\n"), "give `header_line: 0`");
  says(reading.complaint("t,x,y\n0,1,2\n1,3\n"), "must have 3 cells, got 2");
}

TEST_CASE("table rows: masses of Tracker with subscripts, trailing separators and rounded times",
          "[datasets][tracker]") {
  Reading reading{"a.txt"};
  const Capture subscripts =
      reading.read("mass_A\nt_{1}\tx_{1}\ty_{1}\tfunc\n0.0\t0.177\t-0.576\t-0.298\n0.03\t0.176\t-0.57\t-0.29\n");
  CHECK(subscripts.markers == std::vector<std::string>{"mass_A"});
  CHECK(subscripts.frames() == 2);
  const Capture commas = reading.read(",mass A,,\nt,x,y,\n0.0,1,2\n0.1,,\n0.2,3,4\n");
  CHECK(commas.frames() == 3);
  CHECK(commas.present[1] == std::vector<bool>{false});
  reading.spec.rate = 30;
  const Capture rounded = reading.read(
      "plate,,,left,,\nt,x,y,t,x,y\n9.93,1,2,9.93,3,4\n9.97,1,2,9.97,3,4\n1.00E+01,1,2,1.00E+01,3,4\n1.00E+01,1,2,1."
      "00E+01,3,5\n");
  CHECK(rounded.frames() == 4);
  CHECK(rounded.time[3] == Approx(0.1));
  says(reading.complaint("a\nt,x,y\n0,1,2\n0.100,1,2\n"), "rate: must agree with the times");
}
