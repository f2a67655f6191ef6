#include <cmath>

#include "datasets/capture/capture_format.hpp"
#include "datasets/capture/capture_reader.hpp"
#include "tests/datasets/formats/says.hpp"
#include "tests/datasets/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;
using pithball::sim::Vec3;

namespace {

Capture read_text(const TemporaryFolder& folder, const std::string& name, const std::string& text,
                  std::vector<std::string> select = {}) {
  CaptureSpec spec;
  spec.file = folder.write(name, text);
  spec.select = std::move(select);
  return read_capture(spec);
}

const std::string trc_head =
    "PathFileType\t4\t(X/Y/Z)\ta.trc\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\n"
    "60\t60\t999\t2\tmm\t60\n"
    "Frame#\tTime\tC7\t\t\tT10\t\t\n"
    "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n";
const std::string nexus_head =
    "Trajectories\n100\n,,a:C7,,,a:T10,,\nFrame,Sub Frame,X,Y,Z,X,Y,Z\n,,mm,mm,mm,mm,mm,mm\n";

}  // namespace

TEST_CASE("trc: tabs or commas, gaps as empty or NaN cells, rows counted instead of believed", "[datasets][trc]") {
  const TemporaryFolder folder;
  const std::string rows =
      "3\t0.5\t1\t2\t3\t4\t5\t6\n4\t0.517\t1\t\t3\tNaN\tNaN\tNaN\r\n5\t0.533\t7\t8\t9\t10\t11\t12\t\n\n";
  std::string commas = trc_head + "\n" + rows;
  for (char& c : commas)
    if (c == '\t') c = ',';
  for (const std::string& text : {trc_head + rows, trc_head + "\n" + rows, commas}) {
    const Capture capture = read_text(folder, "a.trc", text);
    REQUIRE(capture.frames() == 3);
    CHECK(capture.markers == std::vector<std::string>{"C7", "T10"});
    CHECK(capture.time == Eigen::Vector3d(0.5, 0.517, 0.533));
    CHECK(capture.positions[0].col(1).isApprox(Vec3(0.004, 0.005, 0.006)));
    CHECK(capture.present[1] == std::vector<bool>{false, false});
    CHECK(capture.positions[1].col(0).array().isNaN().all());
    CHECK(capture.positions[2].col(0).isApprox(Vec3(0.007, 0.008, 0.009)));
  }
  CHECK(find_capture_format(folder.write("a.txt", trc_head + rows)).name == "trc");  // whatever it is called
  std::string meters = trc_head + rows;
  meters.replace(meters.find("\tmm\t"), 4, "\tm\t");
  CHECK(read_text(folder, "a.trc", meters).positions[2].col(0) == Vec3(7, 8, 9));
}

TEST_CASE("trc, nexus_csv: cells at the ends of rows that lost their separators are missing samples",
          "[datasets][trc][nexus_csv]") {
  const TemporaryFolder folder;
  const std::string whole = "1\t0\t1\t2\t3\t4\t5\t6\n", second = "2\t0.1\t1\t2\t3\n", none = "3\t0.2\n",
                    partly = "4\t0.3\t1\t2\t3\t\n";
  const Capture capture = read_text(
      folder, "a.trc", trc_head + whole + second + none + partly + "5" + whole.substr(1, 1) + "0.4" + whole.substr(3));
  REQUIRE(capture.frames() == 5);
  CHECK(capture.present[0] == std::vector<bool>{true, true});
  CHECK(capture.present[1] == std::vector<bool>{true, false});
  CHECK(capture.present[2] == std::vector<bool>{false, false});
  CHECK(capture.present[3] == std::vector<bool>{true, false});
  CHECK(capture.present[4] == std::vector<bool>{true, true});
  CHECK(capture.notes == std::vector<std::string>{"3 rows end before the last marker: 4 samples are missing"});
  const Capture nexus = read_text(folder, "a.csv", nexus_head + "1,0,1,2,3,4,5,6\n2,0,1,2,3\n");
  CHECK(nexus.present[1] == std::vector<bool>{true, false});
  CHECK(nexus.notes == std::vector<std::string>{"1 row ends before the last marker: 1 sample is missing"});
  CHECK(read_text(folder, "a.trc", trc_head + whole).notes.empty());
}

TEST_CASE("trc: what is wrong is rejected with its line", "[datasets][trc][error]") {
  const TemporaryFolder folder;
  const auto complaint = [&](const std::string& text) {
    return complaint_of([&] { read_text(folder, "a.trc", text); });
  };
  const std::string row = "1\t0\t1\t2\t3\t4\t5\t6\n";
  says(complaint("Something\n" + trc_head + row), "a.trc:1 TRC file: must begin with PathFileType");
  says(complaint(trc_head), "rows of data");
  says(complaint(trc_head + "1\t0\t1\t2\t3\t4\t5\n"), "a.trc:6 row: must have 8 cells");
  says(complaint(trc_head + "1\t0\t1\t2\t3\t4\t5\t6\t7\n"), "a.trc:6 row: must have 8 cells");
  says(complaint(trc_head + row + "2\t0.1\t1\tzwei\t3\t4\t5\t6\n"), "a.trc:7 cell 4 cell: must be a finite number");
  says(complaint(trc_head + "1.5" + row.substr(1)), "whole number");
  says(complaint(trc_head + row + row), "later than the frame before");
  std::string many = trc_head + row;
  many.replace(many.find("\t2\tmm"), 5, "\t2000000000\tmm");
  says(complaint(many), "NumMarkers: must be the 2");
}

TEST_CASE("nexus_csv: recognized by its header, blocks apart, time by frame numbers", "[datasets][nexus_csv]") {
  const TemporaryFolder folder;
  const std::string rows = "11,0,1,2,3,4,5,6\r\n12,0,,,,4,5,6\n14,0,7,8,9,,,\n";
  const std::string devices = "Devices\n1000\n,,Force\nFrame,Sub Frame,Fx\n,,N\n1,0,5\n\n";
  for (const std::string& text : {nexus_head + rows, devices + nexus_head + rows, nexus_head + rows + "\n" + devices}) {
    const std::string file = folder.write("a.csv", text);
    REQUIRE(find_capture_format(file).name == "nexus_csv");
    const Capture capture = read_text(folder, "a.csv", text);
    REQUIRE(capture.frames() == 3);
    CHECK(capture.markers == std::vector<std::string>{"a:C7", "a:T10"});
    CHECK(capture.time.isApprox(Eigen::Vector3d(0, 0.01, 0.03)));  // frame 13 was dropped
    CHECK(capture.positions[2].col(0).isApprox(Vec3(0.007, 0.008, 0.009)));
    CHECK(capture.present[1] == std::vector<bool>{false, true});
    CHECK(capture.present[2] == std::vector<bool>{true, false});
  }
  CHECK(find_capture_format(folder.write("b.csv", "t,x,y,z\n0,1,2,3\n")).name == "table");
  const Capture one = read_text(folder, "a.csv", nexus_head + rows, {"a:T10"});
  CHECK(one.markers == std::vector<std::string>{"a:T10"});
  CHECK(one.positions[0].col(0).isApprox(Vec3(0.004, 0.005, 0.006)));
}

TEST_CASE("nexus_csv: naming columns selects the table", "[datasets][nexus_csv]") {
  const TemporaryFolder folder;
  CaptureSpec spec;
  spec.file = folder.write("a.csv", nexus_head + "1,0,1,2,3,4,5,6\n");
  spec.rows.header_line = 4;
  spec.rows.first_data_line = 6;
  spec.columns.frame = "Frame";
  spec.rate = 100;
  spec.columns.points = {{"#3", "#4", "#5"}};
  CHECK(read_capture(spec).positions[0].isApprox(Vec3(1e-3, 2e-3, 3e-3)));  // the line of units says mm
}

TEST_CASE("nexus_csv: what is wrong is rejected with its line", "[datasets][nexus_csv][error]") {
  const TemporaryFolder folder;
  const auto complaint = [&](const std::string& text, std::vector<std::string> select = {}) {
    return complaint_of([&] { read_text(folder, "a.csv", text, select); });
  };
  std::string mixed = nexus_head + "1,0,1,2,3,4,5,6\n";
  mixed.replace(mixed.rfind("mm"), 2, "cm");
  says(complaint(mixed), "a.csv:5 units: must be the same");
  says(complaint(nexus_head), "rows of data");
  says(complaint(nexus_head + "1,0,1,2,3,4\n"), "a.csv:6 row: must have 8 cells");
  says(complaint(nexus_head + "1,0,1,2,3,4,5,6\n", {"C7"}), "did you mean 'a:C7'?");
  says(complaint(nexus_head + "1,0,,,,,,\n"), "missing samples only");
  says(complaint("Devices\n100\n,,F\nFrame,Sub Frame,F\n,,N\n1,0,1\n"), "block Trajectories");
}
