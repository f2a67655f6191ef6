#include <cmath>

#include "datasets/capture/capture_spec.hpp"
#include "tests/datasets/formats/reading.hpp"
#include "tests/datasets/formats/says.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;
using pithball::sim::Vec3;

namespace {

/// As TrackPy's tables are saved: an unnamed index, y before x; particle 2 comes late, and 10 is not seen in frame 6.
const char* const trackpy =
    ",y,x,mass,size,frame,particle\n"
    "0,20.5,10.25,900,2.1,5,0\n"
    "1,40.5,30.25,910,2.2,5,10\n"
    "2,20.75,10.5,905,2.1,6,0\n"
    "4,21.0,10.75,905,2.1,8,0\n"
    "5,41.0,30.75,905,2.1,8,10\n"
    "6,1,2,905,2.1,8,2\n";

/// As TrackMate exports spots; the third belongs to no track.
const std::string trackmate_head = "LABEL,ID,TRACK_ID,QUALITY,POSITION_X,POSITION_Y,POSITION_Z,POSITION_T,FRAME\n";
const std::string trackmate_titles =
    "Label,Spot ID,Track ID,Quality,X,Y,Z,T,Frame\n"
    "Label,Spot ID,Track ID,Quality,X,Y,Z,T,Frame\n"
    ",,,(quality),(micron),(micron),(micron),(sec),\n";
const std::string trackmate_rows =
    "ID7,7,1,9.5,100,200,0,0,0\n"
    "ID8,8,0,9.5,300,400,0,0,0\n"
    "ID9,9,,9.5,1,1,0,0.5,1\n"
    "ID10,10,1,9.5,101,201,0,0.5,1\n";

}  // namespace

TEST_CASE("long_table: of TrackPy, frames at the given rate, gaps where a particle has no row",
          "[datasets][long_table]") {
  Reading reading{"tracks.csv"};
  reading.spec.rate = 100;
  reading.spec.frame_of_reference.scale = 1e-3;
  const Capture capture = reading.read(trackpy);
  CHECK(find_capture_format(reading.spec.file).name == "long_table");
  CHECK(capture.markers == std::vector<std::string>{"0", "2", "10"});  // by number
  CHECK(capture.time.isApprox(Eigen::Vector3d(0, 0.01, 0.03)));        // frame 7 has no row
  CHECK(capture.present[0] == std::vector<bool>{true, false, true});
  CHECK(capture.present[1] == std::vector<bool>{true, false, false});
  CHECK(capture.present[2] == std::vector<bool>{true, true, true});
  CHECK(capture.positions[0].col(2).head(2).isApprox(Eigen::Vector2d(0.03025, 0.0405)));
  CHECK(std::isnan(capture.positions[0](2, 2)));  // not recorded
  CHECK(std::isnan(capture.positions[0](0, 1)));  // a gap

  reading.spec.select = {"10", "0"};
  reading.spec.frame_of_reference.axes = axes_with_up("-y");
  const Capture some = reading.read(trackpy);
  CHECK(some.markers == std::vector<std::string>{"10", "0"});
  CHECK(some.positions[2](0, 0) == Approx(0.03075));
  CHECK(some.positions[2](2, 0) == Approx(-0.041));
  CHECK(some.frames() == 3);
}

TEST_CASE("long_table: of TrackMate, with and without lines of titles and units", "[datasets][long_table]") {
  Reading reading{"tracks.csv"};
  const Capture capture = reading.read(trackmate_head + trackmate_titles + trackmate_rows);
  CHECK(capture.markers == std::vector<std::string>{"0", "1"});
  CHECK(capture.time == Eigen::Vector2d(0, 0.5));
  CHECK(capture.positions[1](0, 1) == Approx(101e-6));
  CHECK(capture.present[1] == std::vector<bool>{false, true});
  CHECK(std::isnan(capture.positions[1](2, 1)));  // a film of one plane
  REQUIRE(capture.notes.size() == 2);
  says(capture.notes[0], "1 rows belong to no marker");
  says(capture.notes[1], "z is 0 in every row");

  reading.spec.rate = 10;
  CHECK(reading.read(trackmate_head + trackmate_titles + trackmate_rows).time == Eigen::Vector2d(0, 0.1));
  CHECK(reading.read(trackmate_head + trackmate_rows).positions[1](0, 1) == 101);
  reading.spec.rate = 0;
  says(reading.complaint(trackmate_head + trackmate_rows), "got frame numbers without a rate; give rate");
  reading.spec.columns.time = "POSITION_T";
  reading.spec.columns.time_scale = 60;
  CHECK(reading.read(trackmate_head + trackmate_rows).time == Eigen::Vector2d(0, 30));
  std::string frames = trackmate_titles;
  frames.replace(frames.find("(sec)"), 5, "(frame)");
  reading.spec.columns.time = "";
  says(reading.complaint(trackmate_head + frames + trackmate_rows), "give rate: frames per second");
  std::string deep = trackmate_rows;
  deep.replace(deep.find("201,0,"), 6, "201,3,");
  CHECK(reading.read(trackmate_head + trackmate_titles + deep).positions[1](2, 1) == Approx(3e-6));
}

TEST_CASE("long_table: columns of any names, in any order of rows", "[datasets][long_table]") {
  Reading reading{"tracks.csv"};
  reading.spec.columns.marker = "ball";
  reading.spec.columns.time = "ms";
  reading.spec.columns.time_scale = 1e-3;
  reading.spec.columns.points = {{"east", "none", "height"}};
  const std::string table = "ms;ball;height;east\n20;red;0,5;1\n0;red;0,25;2\n0;blue;0,75;3\n";
  const Capture capture = reading.read(table);
  CHECK(capture.markers == std::vector<std::string>{"red", "blue"});  // by first row
  CHECK(capture.time.isApprox(Eigen::Vector2d(0, 0.02)));
  CHECK(capture.positions[0](2, 1) == 0.75);
  CHECK(std::isnan(capture.positions[0](1, 1)));
  reading.spec.columns.points = {{"east", "1.5", "height"}};
  const Capture constant = reading.read(table);
  CHECK(constant.positions[1](1, 0) == 1.5);
  CHECK(constant.constant == std::vector<std::array<bool, 3>>(2, {false, true, false}));
  reading.spec.rows.segment = {{"ball", "blue"}};
  CHECK(reading.read(table).markers == std::vector<std::string>{"blue"});
}

TEST_CASE("long_table: what is wrong is rejected with its line and a remedy", "[datasets][long_table][error]") {
  Reading reading{"tracks.csv"};
  says(reading.complaint("particle,frame,x,y\n0,1,2,3\n"), "time: must be known");
  reading.spec.rate = 10;
  says(reading.complaint("particle,frame,x,y\n0,1,2,3\n1,1,2,3\n0.0,1,4,5\n"),
       "tracks.csv:4 row: must be the only one of its marker and frame, got a second one of marker '0' after that of");
  says(reading.complaint("particle,frame,x,y\n0,1.5,2,3\n"), "tracks.csv:2:3 frame: must be a whole number");
  says(reading.complaint("particle,frame,x,y\n0,,2,3\n"), "tracks.csv:2:3 frame: must not be missing");
  says(reading.complaint("particle,frame,x,y\n0,1,two,3\n"), "tracks.csv:2:5 column 'x'");
  reading.spec.columns.time = "none";
  says(reading.complaint("particle,t,x,y\n0,1,2,3\n"), "frame: must be known for a rate");
  reading.spec.columns.time = "";
  says(reading.complaint("particle,frame,x,y\n,1,2,3\n"), "must contain markers and frames");
  reading.spec.select = {"7"};
  says(reading.complaint("particle,frame,x,y\n0,1,2,3\n"), "select: must be markers of the file, got '7'");
  reading.spec.select = {};
  reading.spec.columns.time = "t";
  says(reading.complaint("particle,frame,t,x,y\n0,1,2,3,4\n"), "time: must not be given together with rate");
  reading.spec.columns.time = "";
  reading.spec.columns.names = {"a"};
  reading.spec.format = "long_table";
  says(reading.complaint("particle,frame,x,y\n0,1,2,3\n"), "its markers have names");
  reading.spec.columns.names = {};
  says(reading.complaint("kugel,frame,x,y\n0,1,2,3\n"), "marker: must be known in a long table");
  reading.spec.columns.marker = "bal";
  says(reading.complaint("ball,frame,x,y\n0,1,2,3\n"), "did you mean 'ball'?");
  reading.spec.columns.marker = "ball";
  says(reading.complaint("ball,frame,east,north\n0,1,2,3\n"), "points: must be given where the header has no x1, y1");
  reading.spec.columns.points = {{"x"}, {"y"}};
  says(reading.complaint("ball,frame,x,y\n0,1,2,3\n"), "must have one entry of up to three columns");
  reading.spec.columns.points = {{"1", "2"}};
  says(reading.complaint("ball,frame,x,y\n0,1,2,3\n"), "points[0]: must name at least one column");
  reading.spec.columns.points = {};
  reading.spec.format = "table";
  says(reading.complaint("ball,frame,x,y\n0,1,2,3\n"), "marker: must not be given for a table with one row per frame");

  std::string many = "particle,frame,x,y\n";
  for (int k = 0; k < 5000; ++k) many += std::to_string(k) + "," + std::to_string(k) + ",1,2\n";
  Reading large{"tracks.csv"};
  large.spec.rate = 10;
  says(large.complaint(many), "5000 frames of 5000 markers");
  large.spec.select = {"3"};
  CHECK(large.read(many).frames() == 5000);
}

TEST_CASE("long_table: naming points but no markers selects one row per frame", "[datasets][long_table]") {
  Reading reading{"tracks.csv"};
  reading.spec.columns.frame = "frame";
  reading.spec.rate = 10;
  reading.spec.columns.points = {{"x", "y", "none"}};
  reading.spec.rows.segment = {{"particle", "0"}};
  CHECK(reading.read(trackpy).markers == std::vector<std::string>{"x"});
  reading.spec.columns.points = {};
  CHECK(reading.read(trackpy).markers == std::vector<std::string>{"0"});
}
