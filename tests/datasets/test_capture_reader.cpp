#include "datasets/capture/capture_reader.hpp"

#include <Eigen/LU>
#include <cmath>
#include <filesystem>
#include <random>
#include <sstream>

#include "datasets/capture/capture_spec.hpp"
#include "datasets/text/text_scan.hpp"
#include "tests/datasets/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::datasets;
using pithball::InvalidArgument;
using namespace pithball::testing;
using pithball::sim::Vec3;

TEST_CASE("capture_reader: names with blanks and quotes, missing samples and scale", "[datasets][capture]") {
  TemporaryFolder folder;
  CaptureSpec spec;
  spec.file = folder.write("a.csv",
                           "\xEF\xBB\xBF\"t, s\",R ,XM,\"a \"\"b\"\"\",z\r\n"
                           "0.0,1,10,20,30\r\n0.1,2,,20,30\r\n0.25,3,\"11\",NaN,30\r\n0.5,4, 12 ,+22,-3e1\r\n\r\n");
  spec.columns.time = "t, s";
  spec.columns.points = {{"XM", "a \"b\"", "z"}, {"R", "0", "5"}};
  spec.frame_of_reference.scale = 0.01;
  const Capture capture = read_capture(spec);
  REQUIRE(capture.frames() == 4);
  CHECK(capture.time == Eigen::Vector4d(0, 0.1, 0.25, 0.5));
  CHECK(capture.markers == std::vector<std::string>{"XM", "R"});
  CHECK(capture.positions[0].col(0).isApprox(Vec3(0.1, 0.2, 0.3)));
  CHECK(capture.positions[3].col(0).isApprox(Vec3(0.12, 0.22, -0.3)));
  CHECK(capture.positions[3].col(1).isApprox(Vec3(0.04, 0, 0.05)));
  CHECK(capture.present[0] == std::vector<bool>{true, true});
  CHECK(capture.present[1] == std::vector<bool>{false, true});
  CHECK(capture.present[2] == std::vector<bool>{false, true});
  CHECK(capture.positions[1].col(0).hasNaN());
}

TEST_CASE("capture_reader: frame numbers keep the gaps that dropped frames leave", "[datasets][capture]") {
  TemporaryFolder folder;
  CaptureSpec spec;
  spec.file = folder.write("a.csv", "x,y,z,Slice\n1,2,3,7\n1,2,3,8\n1,2,3,11\n");
  spec.rate = 10;
  CHECK(read_capture(spec).time.isApprox(Eigen::Vector3d(0, 0.1, 0.4)));
  spec.columns.frame = "Slice";
  CHECK(read_capture(spec).time.isApprox(Eigen::Vector3d(0, 0.1, 0.4)));
  spec.columns.frame = "none";
  CHECK(read_capture(spec).time.isApprox(Eigen::Vector3d(0, 0.1, 0.2)));
}

TEST_CASE("capture_reader: segments, subsets and order select rows", "[datasets][capture]") {
  TemporaryFolder folder;
  std::ostringstream text;
  text << "ID,t,x,y,z\n";
  for (int id : {0, 1})
    for (int k = 0; k < 10; ++k) text << id << ',' << k << ',' << 100 * id + k << ",0,0\n";
  CaptureSpec spec;
  spec.file = folder.write("a.csv", text.str());
  const auto segments = list_segments(spec.file, "ID");
  REQUIRE(segments.size() == 2);
  CHECK(segments[1].value == "1");
  CHECK(segments[1].first_line == 12);
  CHECK(segments[1].rows == 10);

  const auto first_coordinates = [](const Capture& capture) {
    std::vector<double> x;
    for (const auto& p : capture.positions) x.push_back(p(0, 0));
    return x;
  };
  spec.rows.segment = {{"ID", "1.0"}};
  CHECK(read_capture(spec).frames() == 10);
  CHECK(read_capture(spec).name == "a ID=1.0");
  spec.subset.skip_first = 2;
  spec.subset.skip_last = 1;
  CHECK(read_capture(spec).time[0] == 2);
  spec.subset.from = 2.5;
  spec.subset.to = 7;
  spec.subset.every = 2;
  CHECK(first_coordinates(read_capture(spec)) == std::vector<double>{103, 105, 107});

  // Counted time starts with the segment, not with the subset.
  spec.columns.time.clear();
  spec.rate = 100;
  CHECK(complaint_of([&] { read_capture(spec); }).find("rate: must agree with the column 't'") != std::string::npos);
  spec.columns.time = "none";
  spec.subset = {};
  spec.subset.skip_first = 3;
  CHECK(read_capture(spec).time[0] == 0.03);

  CaptureSpec shuffled;
  shuffled.file = folder.write("b.csv", "time;x;y;z\n2;20;0;0\n0;0;0;0\n1;10;0;0\n");
  shuffled.rows.order = RowOrder::Time;
  CHECK(first_coordinates(read_capture(shuffled)) == std::vector<double>{0, 10, 20});
}

TEST_CASE("capture_reader: repeated samples are kept or masked, as asked", "[datasets][capture]") {
  TemporaryFolder folder;
  CaptureSpec spec;
  spec.file = folder.write("a.csv", "x,y,z\n1,2,3\n1,2,3\n1,2,4\n");
  spec.rate = 1;
  CHECK(read_capture(spec).present[1][0]);
  spec.missing.repeated = RepeatedSamples::Mask;
  const Capture capture = read_capture(spec);
  CHECK(capture.frames() == 3);
  CHECK(!capture.present[1][0]);
  CHECK(capture.present[2][0]);
}

TEST_CASE("capture_reader: tables without a header, with blanks between cells, with constants", "[datasets][capture]") {
  TemporaryFolder folder;
  CaptureSpec spec;
  spec.file = folder.write("a.txt", "# made by hand\n100   21.5\n101 22.5\n");
  spec.rows.header_line = 0;
  spec.rate = 20;
  spec.columns.frame = "#1";
  spec.columns.points = {{"#2"}};
  spec.frame_of_reference.scale = 2;
  const Capture capture = read_capture(spec);
  CHECK(capture.positions[1].col(0) == Vec3(45, 0, 0));
  CHECK(capture.time[1] == 0.05);
}

TEST_CASE("capture_reader: a coordinate that was not recorded is NaN and hides no other", "[datasets][capture]") {
  TemporaryFolder folder;
  CaptureSpec spec;
  spec.file = folder.write("flat.csv", "t,X,Y\n0,1,2\n1,1,3\n2,,4\n");
  spec.columns.points = {{"X", "none", "none"}, {"none", "Y"}};
  spec.frame_of_reference.axes = {"y", "-x", "z"};  // turned, so that a product with NaN would spread
  spec.missing.repeated = RepeatedSamples::Mask;
  const Capture capture = read_capture(spec);
  CHECK(capture.markers == std::vector<std::string>{"X", "Y"});
  CHECK(std::isnan(capture.positions[0](0, 0)));
  CHECK(capture.positions[0](1, 0) == -1);
  CHECK(std::isnan(capture.positions[0](2, 0)));
  CHECK(capture.positions[0](0, 1) == 2);
  CHECK(std::isnan(capture.positions[0](1, 1)));
  CHECK(capture.positions[0](2, 1) == 0);  // left out of the list: 0, as documented
  CHECK(capture.constant == std::vector<std::array<bool, 3>>{{{false, false, false}}, {{false, false, true}}});
  CHECK(capture.present[0] == std::vector<bool>{true, true});
  CHECK(capture.present[1] == std::vector<bool>{false, true});  // X repeats itself
  CHECK(capture.present[2] == std::vector<bool>{false, true});  // X is empty

  spec.columns.points = {{"X", "2.5", "none"}};  // a constant is turned with its axis
  CHECK(read_capture(spec).constant == std::vector<std::array<bool, 3>>{{{true, false, false}}});
  spec.columns.points = {{"X", "none", "none"}};
  CHECK(read_capture(spec).constant.empty());

  spec.columns.points = {{"none", "none", "3"}};
  CHECK_THROWS_AS(read_capture(spec), pithball::InvalidArgument);
}

TEST_CASE("capture_reader: turning up is a rotation", "[datasets][capture]") {
  TemporaryFolder folder;
  CaptureSpec spec;
  spec.file = folder.write("a.csv", "t,x,y,z\n0,1,2,3\n");
  for (const std::string up : {"x", "-x", "y", "-y", "z", "-z"}) {
    INFO(up);
    spec.frame_of_reference.axes = axes_with_up(up);
    const auto of = [&](const std::string& row) {
      spec.file = folder.write("a.csv", std::string("t,x,y,z\n0,").append(row).append("\n"));
      return Vec3(read_capture(spec).positions[0].col(0));
    };
    pithball::sim::Mat3 matrix;
    matrix << of("1,0,0"), of("0,1,0"), of("0,0,1");
    CHECK(matrix.determinant() == 1);
    Vec3 direction = Vec3::Zero();
    direction[up.back() - 'x'] = up.size() == 2 ? -1 : 1;
    CHECK(matrix * direction == Vec3::UnitZ());
  }
}

TEST_CASE("capture_reader: a written capture reads back to the last bit", "[datasets][capture]") {
  const unsigned seed = 20240607;
  INFO("seed " << seed);
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  Capture capture;
  const Index frames = 50, markers = 7;
  capture.time.resize(frames);
  double t = -1.0 / 3;
  for (Index m = 0; m < markers; ++m) capture.markers.push_back(std::to_string(m));
  for (Index f = 0; f < frames; ++f) {
    capture.time[f] = t += 1e-3 * std::exp(normal(engine));
    pithball::sim::Points x(3, markers);
    std::vector<bool> present(markers);
    for (Index m = 0; m < markers; ++m) {
      present[m] = m == 0 || normal(engine) < 1;
      for (Index a = 0; a < 3; ++a) x(a, m) = present[m] ? normal(engine) * std::pow(10, 20 * normal(engine)) : NAN;
    }
    capture.positions.push_back(x);
    capture.present.push_back(present);
  }
  TemporaryFolder folder;
  const std::string file = folder.path("out.csv");
  write_capture_csv(capture, file, "made by a test\nof two lines");
  CaptureSpec spec;
  spec.file = file;
  const Capture back = read_capture(spec);
  CHECK(back.time == capture.time);
  CHECK(back.present == capture.present);
  CHECK(back.markers == capture.markers);
  for (Index f = 0; f < frames; ++f)
    for (Index m = 0; m < markers; ++m)
      if (capture.present[f][m]) REQUIRE(back.positions[f].col(m) == capture.positions[f].col(m));
  CHECK(complaint_of([&] { write_capture_csv(capture, folder.path("none/out.csv")); }).find("must be writable") !=
        std::string::npos);
}

TEST_CASE("capture_reader: broken recordings are rejected with file, line, column and remedy",
          "[datasets][capture][error]") {
  struct Broken {
    std::string name, content;
    std::function<void(CaptureSpec&)> change;
    std::string place, reason;
  };
  const auto nothing = [](CaptureSpec&) {};
  const std::string good = "ID,t,x1,y1,z1\n0,0,1,2,3\n0,1,1,2,3\n1,2,1,2,3\n";
  const Broken table[] = {
      {"empty.csv", "", nothing, "empty.csv", "must not be empty"},
      {"header.csv", "t,x,y,z\n", nothing, "header.csv:1", "must have rows"},
      {"ragged.csv", "t,x,y,z\n0,1,2,3\n1,1,2\n", nothing, "ragged.csv:3", "must have 4 cells, got 3"},
      {"blank.csv", "t,x,y,z\n0,1,2,3\n\n1,1,2,3\n", nothing, "blank.csv:3", "must have 4 cells"},
      {"long.csv", "t,x,y,z\n0,1,2,3,4\n", nothing, "long.csv:2", "must have 4 cells, got 5"},
      {"word.csv", "t,x,y,z\n0,1,2,3\n1,1,two,3\n", nothing, "word.csv:3:5", "finite number or empty, got 'two'"},
      {"inf.csv", "t,x,y,z\n0,1,2,inf\n", nothing, "inf.csv:2:7", "finite number"},
      {"decimal.csv", "t;x;y;z\n0;1,5;2.5;3\n", nothing, "decimal.csv:2:3", "got '1,5' and elsewhere '2.5'"},
      {"thousands.csv", "t;x;y;z\n0;1,500;2;3\n", nothing, "thousands.csv:2:3", "part thousands"},
      {"million.csv", "t;x;y;z\n0;1,5;1,500,000;3\n", nothing, "million.csv:2:7", "finite number"},
      {"bothways.csv", "t,m1_x,m1_y,x_2,y_2\n0,1,2,3,4\n", nothing, "bothways.csv points",
       "'2' with the axis first and 'm1' with the axis last"},
      {"incomplete.csv", "t,m1_x,m1_y,m2_x\n0,1,2,3\n", nothing, "incomplete.csv points", "y of 'm1' and none of 'm2'"},
      {"mixedaxes.csv", "t,m1_x,m1_y,m2_x,m2_z\n0,1,2,3,4\n", nothing, "mixedaxes.csv points",
       "y of 'm1' and none of 'm2'"},
      {"twice.csv", "t,m1_x,m1_y,m1.x\n0,1,2,3\n", nothing, "twice.csv points", "columns 'm1_x' and 'm1.x'"},
      {"blankmiddle.csv", "\n\nt,x,y,z\n0,1,2,3\n\n1,1,2,3\n", nothing, "blankmiddle.csv:5", "must have 4 cells"},
      {"quote.csv", "t,x,y,z\n0,\"1,2,3\n", nothing, "quote.csv:2:3", "close its quote"},
      {"notime.csv", "x,y,z\n0,1,2\n", nothing, "notime.csv", "neither a time column nor a rate"},
      {"same.csv", "t,x,y,z\n0,1,2,3\n0,1,2,3\n", nothing, "same.csv:3", "must increase strictly"},
      {"back.csv", "t,x,y,z\n0,1,2,3\n1,1,2,3\n0.5,1,2,3\n", nothing, "back.csv:4", "row_order: time"},
      {"hole.csv", "t,x,y,z\n0,1,2,3\n,1,2,3\n", nothing, "hole.csv:3:1", "must not be missing"},
      {"allmissing.csv", "t,x,y,z\n0,,,\n1,,,\n", nothing, "allmissing.csv", "at least one sample"},
      {"nopoints.csv", "t,a,b\n0,1,2\n", nothing, "nopoints.csv", "'t', 'a', 'b'"},
      {"column.csv", good,
       [](CaptureSpec& s) {
         s.columns.points = {{"x1", "y1", "zz1"}};
       },
       "column.csv points[0]", "did you mean 'z1'"},
      {"number.csv", good, [](CaptureSpec& s) { s.columns.points = {{"#9"}}; }, "number.csv points[0]", "#1 to #5"},
      {"constant.csv", good,
       [](CaptureSpec& s) {
         s.columns.points = {{"0", "1", "2"}};
       },
       "constant.csv points[0]", "at least one column"},
      {"four.csv", good,
       [](CaptureSpec& s) {
         s.columns.points = {{"x1", "y1", "z1", "t"}};
       },
       "four.csv points[0]", "one, two or three"},
      {"double.csv", "t,x,x\n0,1,2\n", [](CaptureSpec& s) { s.columns.points = {{"x"}}; }, "double.csv points[0]",
       "#2"},
      {"names.csv", good,
       [](CaptureSpec& s) {
         s.columns.names = {"a", "b"};
       },
       "names.csv markers", "each of the 1 points"},
      {"segment.csv", good,
       [](CaptureSpec& s) {
         s.rows.segment = {{"ID", "7"}};
       },
       "segment.csv rows.ID", "holds 0, 1, got '7'"},
      {"segmentcolumn.csv", good,
       [](CaptureSpec& s) {
         s.rows.segment = {{"id", "0"}};
       },
       "segmentcolumn.csv rows", "did you mean 'ID'"},
      {"runs.csv", "ID,x,y,z\n0,1,2,3\n1,1,2,3\n0,1,2,3\n",
       [](CaptureSpec& s) {
         s.rows.segment = {{"ID", "0"}};
         s.rate = 1;
       },
       "runs.csv:4", "a second run"},
      {"timecolumn.csv", good, [](CaptureSpec& s) { s.columns.time = "time"; }, "timecolumn.csv time", "'t'"},
      {"both.csv", good,
       [](CaptureSpec& s) {
         s.columns.time = std::string("t");
         s.rate = 100;
       },
       "both.csv time", "together with rate"},
      {"rate.csv", good, [](CaptureSpec& s) { s.rate = -1; }, "rate.csv rate", "> 0"},
      {"frame.csv", good, [](CaptureSpec& s) { s.columns.frame = "ID"; }, "frame.csv frame", "needs a rate"},
      {"fraction.csv", "x,y,z,n\n1,2,3,1\n1,2,3,1.5\n",
       [](CaptureSpec& s) {
         s.rate = 1;
         s.columns.frame = std::string("n");
       },
       "fraction.csv:3:7", "whole number"},
      {"repeat.csv", "x,y,z,n\n1,2,3,1\n1,2,3,1\n",
       [](CaptureSpec& s) {
         s.rate = 1;
         s.columns.frame = std::string("n");
       },
       "repeat.csv:3", "remove the repeated row"},
      {"scale.csv", good, [](CaptureSpec& s) { s.frame_of_reference.scale = -1; }, "scale.csv scale", "> 0"},
      {"axes.csv", good,
       [](CaptureSpec& s) {
         s.frame_of_reference.axes = {"x", "x", "z"};
       },
       "axes.csv axes", "each of x, y, z once"},
      {"skip.csv", good, [](CaptureSpec& s) { s.subset.skip_first = 3; }, "skip.csv frames", "none of 3 frames"},
      {"window.csv", good, [](CaptureSpec& s) { s.subset.from = 5; }, "window.csv frames",
       "must leave at least one frame"},
      {"every.csv", good, [](CaptureSpec& s) { s.subset.every = 0; }, "every.csv every", ">= 1"},
      {"units.csv", "# by hand\nt,x,y,z\ns,m,cubit,m\n0,1,2,3\n", [](CaptureSpec&) {}, "units.csv:3",
       "if it holds units, `first_data_line: 3`"},
      {"title.csv", "a,long,title,line\nt,x,y,z\n0,1,2,3\n",
       [](CaptureSpec& s) {
         s.rate = 1;
         s.columns.points = {{"a", "long", "line"}};
       },
       "title.csv", "`header_line: 2`"},
      {"lines.csv", good, [](CaptureSpec& s) { s.rows.header_line = 9; }, "lines.csv:4", "must have rows"},
  };
  TemporaryFolder folder;
  for (const auto& broken : table) {
    CaptureSpec spec;
    spec.file = folder.write(broken.name, broken.content);
    broken.change(spec);
    const std::string message = complaint_of([&] { read_capture(spec); });
    INFO(broken.name << ": " << message);
    CHECK(message.find(folder.path(broken.place)) == 0);
    CHECK(message.find(broken.reason) != std::string::npos);
    CHECK(message.find("; ") != std::string::npos);
  }
  CHECK(complaint_of([] { axes_with_up("up"); }).find("must be x, y, z") != std::string::npos);
  CaptureSpec spec;
  spec.file = folder.path("none.csv");
  CHECK(complaint_of([&] { read_capture(spec); }).find("no such file") != std::string::npos);
}

TEST_CASE("capture_reader: a marker that lacks a column is named, not passed over", "[datasets][capture][error]") {
  struct Incomplete {
    std::string header, complaint;
  };
  const Incomplete table[] = {
      {"t,x1,y1,z1,x2,y2",
       "a.csv:2 marker '2': must have columns x, y and z, got no column 'z2'; add the column, or list the columns of "
       "each "
       "marker: `columns: {points: [[x2, y2, none], …]}`"},
      {"t,x1,y1,z1,x2,yy2,z2", "got no column 'y2'; rename 'yy2' to 'y2', or list the columns"},
      {"t,x1,y1,z1,x2,z2",
       "got no column 'y2'; add the column, or list the columns of each marker: `columns: {points: [[x2, none, z2]"},
      {"t,x1,y1,zz1", "marker '1': must have columns x, y and z, got no column 'z1'; rename 'zz1' to 'z1'"},
      {"t,x1,y1,z1,z2", "marker '2': must have columns x, y and z, got no column 'x2'"},
      {"t,m1_x,m1_y,m1_z,m2_x,m2_y", "marker 'm2': must have columns x, y and z, got no column 'm2_z'"},
  };
  TemporaryFolder folder;
  const auto read = [&](const std::string& header) {
    std::string row = "0";
    for (const char c : header) row += c == ',' ? ",1" : "";
    CaptureSpec spec;
    spec.file = folder.write("a.csv", "# a comment\n" + header + "\n" + row + "\n");
    return read_capture(spec);
  };
  for (const Incomplete& incomplete : table) {
    const std::string message = complaint_of([&] { read(incomplete.header); });
    INFO(message);
    CHECK(message.starts_with(folder.path("a.csv") + ":2 marker"));
    CHECK(message.find(incomplete.complaint) != std::string::npos);
  }
  // Other columns are none of a marker's.
  for (const char* header : {"t,X1,y1,Z1", "t,x1,y1,z1,yaw,zoom", "t,x1,y1,z1,x_gain", "t,x,y,z,temperature"}) {
    INFO(header);
    CHECK(read(header).markers.size() == 1);
  }
}

TEST_CASE("obj_frames: files in the order of their numbers, times from the rate or the names", "[datasets][capture]") {
  TemporaryFolder folder;
  for (const std::string k : {"2", "10", "100"})
    folder.write(std::string("frame").append(k).append(".obj"),
                 std::string("v ").append(k).append(" 0 0\nv 1 2 3\nv 0 1 0\nf 1 2 3\n"));
  folder.write("notes.txt", "not a frame");
  ObjFramesSpec spec;
  spec.folder = folder.root();
  spec.rate = 2;
  spec.frame_of_reference = {10, axes_with_up("y")};
  const Capture counted = read_obj_frames(spec);
  REQUIRE(counted.frames() == 3);
  CHECK(counted.time == Eigen::Vector3d(0, 0.5, 1));
  CHECK(counted.positions[2](0, 0) == 1000);
  CHECK(counted.positions[2].col(1) == Vec3(10, -30, 20));
  CHECK(counted.markers[2] == "2");
  CHECK(counted.name == std::filesystem::path(folder.root()).filename().string());
  spec.folder += "/";
  CHECK(read_obj_frames(spec).name == counted.name);
  spec.number_from_name = true;
  spec.subset.skip_last = 1;
  CHECK(read_obj_frames(spec).time == Eigen::Vector2d(0, 4));
}

TEST_CASE("obj_frames: changed topology, missing numbers and empty folders are rejected",
          "[datasets][capture][error]") {
  TemporaryFolder folder;
  ObjFramesSpec spec;
  spec.folder = folder.root();
  spec.rate = 1;
  CHECK(complaint_of([&] { read_obj_frames(spec); }).find("must contain .obj files") != std::string::npos);
  folder.write("0.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\n");
  folder.write("1.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 4\n");
  CHECK(complaint_of([&] {
          read_obj_frames(spec);
        }).find(folder.path("1.obj") + " frame: must have the vertices and faces") == 0);
  folder.write("1.obj", "v 0 0 0\nv 1 0 0\nf 1 2 9\n");
  CHECK(complaint_of([&] { read_obj_frames(spec); }).find(folder.path("1.obj") + ":3") == 0);
  spec.number_from_name = true;
  folder.write("last.obj", "v 0 0 0\n");
  CHECK(complaint_of([&] { read_obj_frames(spec); }).find("a unique number") != std::string::npos);
  spec.rate = 0;
  CHECK(complaint_of([&] { read_obj_frames(spec); }).find("rate") != std::string::npos);
  spec.rate = 1;
  spec.folder = folder.path("none");
  CHECK(complaint_of([&] { read_obj_frames(spec); }).find("readable folder") != std::string::npos);
}

TEST_CASE("capture_reader: markers named by their axes, planar where the header has two", "[datasets][capture]") {
  TemporaryFolder folder;
  const auto read = [&](const std::string& header, const std::string& row) {
    CaptureSpec spec;
    spec.file = folder.write("a.csv", header + "\n" + row + "\n");
    return read_capture(spec);
  };
  for (const std::string header : {"t,m1_x,m1_y,m2_x,m2_y", "t,m1.x,m1.y,m2.x,m2.y", "t,m1 X,m1 Y,m2 X,m2 Y",
                                   "t,x_m1,y_m1,x_m2,y_m2", "t,xm1,ym1,xm2,ym2", "t;m1-x;m1-y;m2-x;m2-y"}) {
    CAPTURE(header);
    const Capture capture = read(header, header[1] == ';' ? "0;1;2;3;4" : "0,1,2,3,4");
    CHECK(capture.markers == std::vector<std::string>{"m1", "m2"});
    CHECK(capture.positions[0].col(1).head(2) == Eigen::Vector2d(3, 4));
    CHECK(std::isnan(capture.positions[0](2, 1)));
    CHECK(capture.present[0] == std::vector<bool>{true, true});
    CHECK(capture.constant.empty());
  }
  CHECK(read("t,x,y", "0,1,2").markers == std::vector<std::string>{"0"});
  CHECK(read("t,x1,y1,x2,y2", "0,1,2,3,4").markers == std::vector<std::string>{"1", "2"});
  CHECK(read("t,year,x,y", "0,2020,1,2").positions[0](1, 0) == 2);
  CHECK(read("t,foot_x,foot_z", "0,1,2").positions[0](2, 0) == 2);
  CHECK(read("t,m1_x,m1_y,m1_z", "0,1,2,3").positions[0].col(0) == Vec3(1, 2, 3));
}

TEST_CASE("capture_reader: blank lines above the header, decimal commas, UTF-16", "[datasets][capture]") {
  TemporaryFolder folder;
  const auto read = [&](const std::string& text, Index header_line = 1) {
    CaptureSpec spec;
    spec.file = folder.write("a.csv", text);
    spec.rows.header_line = header_line;
    return read_capture(spec);
  };
  const std::string plain = "t,x,y,z\n0,1.5,2,3\n0.5,1,2,3\n";
  const Capture wanted = read(plain);
  const auto same = [&](const Capture& capture) {
    return capture.time == wanted.time && capture.positions == wanted.positions;
  };
  CHECK(same(read("\n \r\n" + plain)));
  CHECK(same(read("\n# by hand\n\n" + plain)));
  CHECK(same(read("# by hand\n\n" + plain)));
  CHECK(same(read("\n" + plain, 2)));  // as before, when blank lines had to be counted
  CHECK(same(read("title\n" + plain, 2)));
  CHECK(same(read("t;x;y;z\n0;1,5;2;3\n0,5;1;2;3\n")));
  CHECK(same(read("t\tx\ty\tz\n0,0\t1,500\t2,0\t3,0\n0,5\t1,0\t2,0\t3,0\n")));
  CHECK(same(read("t,x,y,z\n0,\"1,5\",2,3\n\"0,5\",1,2,3\n")));

  for (const bool little : {true, false}) {
    std::string wide = little ? "\xFF\xFE" : "\xFE\xFF";
    for (const char c : plain) wide += little ? std::string{c, '\0'} : std::string{'\0', c};
    CHECK(same(read(wide)));
  }
}

TEST_CASE("utf16: every length of character, and halves of them", "[datasets][text]") {
  using namespace std::string_literals;
  CHECK(utf16_to_utf8("\xFF\xFE\x41\0\xE9\0\xAC\x20\x3D\xD8\x00\xDE"s, "a") == "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  CHECK(utf16_to_utf8("\xFE\xFF\0\x41\xD8\x3D\xDE\x00"s, "a") == "A\xF0\x9F\x98\x80");
  CHECK(utf16_to_utf8("\xFE\xFF\0\x41\xD8\x3D\xDE"s, "a") == "A");  // cut
  CHECK(is_utf16("\xFF\xFE"));
  CHECK(!is_utf16("\xEF\xBB\xBF"));
  const auto complaint = complaint_of([] { utf16_to_utf8("\xFE\xFF\xD8\x3D\0\x41"s, "a.csv"); });
  CHECK(complaint.find("a.csv encoding: must be sound UTF-16, got half a character at byte 3") == 0);
}
