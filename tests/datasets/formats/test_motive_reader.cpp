#include "datasets/capture/motive_reader.hpp"

#include "tests/datasets/formats/reading.hpp"
#include "tests/datasets/formats/says.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;
using pithball::sim::Vec3;

namespace {

const std::string take_line =
    "Format Version,1.23,Take Name,\"rope, long\",Capture Frame Rate,120.000000,Export Frame Rate,120.000000,Total "
    "Exported Frames,3,Rotation Type,Quaternion,Length Units,Centimeters,Coordinate Space,Global\n";
const std::string take_columns =
    "\n"
    ",Type,Rigid Body,Rigid Body,Rigid Body,Marker,Marker,Marker,Marker,Marker,Marker\n"
    ",Name,base,base,base,\"rope, a\",\"rope, a\",\"rope, a\",rope:2,rope:2,rope:2\n"
    ",ID,AA,AA,AA,B1,B1,B1,B2,B2,B2\n"
    ",,Rotation,Position,Position,Position,Position,Position,Position,Position,Position\n"
    "Frame,Time (Seconds),W,X,Y,X,Y,Z,X,Y,Z\n";
const std::string take_rows =
    "0,0.000000,1,0,1,10,20,30,40,50,60\n1,0.008333,1,0,1,11,20,30,,,\n3,0.025000,1,0,1,70,80,90,10,11,12\n";

/// As Windows writes it: UTF-16 with its mark.
std::string in_utf16(const std::string& text) {
  std::string wide("\xFF\xFE");
  for (const char c : text) wide += std::string(1, c) + '\0';
  return wide;
}

}  // namespace

TEST_CASE("motive: measured markers by their names, in the unit and at the times of the file", "[datasets][motive]") {
  Reading reading{"take.csv"};
  for (const std::string& text :
       {take_line + take_columns + take_rows, "\xEF\xBB\xBF" + take_line + take_columns + take_rows + ",,,,,,,,,,\n\n",
        in_utf16(take_line + take_columns + take_rows)}) {
    const Capture capture = reading.read(text);
    CHECK(find_capture_format(reading.spec.file).name == "motive");
    CHECK(capture.markers == std::vector<std::string>{"rope, a", "rope:2"});
    REQUIRE(capture.frames() == 3);
    CHECK(capture.time == Eigen::Vector3d(0, 0.008333, 0.025));
    CHECK(capture.positions[0].col(0).isApprox(1e-2 * Vec3(10, 20, 30)));
    CHECK(capture.positions[2].col(1).isApprox(1e-2 * Vec3(10, 11, 12)));
    CHECK(capture.present[1] == std::vector<bool>{true, false});
    REQUIRE(capture.notes.size() == 1);
    CHECK(capture.notes[0] == "positions and rotations of 1 body are not read: base");
  }
}

TEST_CASE("motive: layouts of other versions", "[datasets][motive]") {
  Reading reading{"take.csv"};
  // 1.25: parents, a time code, expected positions beside the measured ones, and their quality.
  const Capture newer = reading.read(
      "Format Version,1.25,Export Frame Rate,100,Capture Frame Rate,200,Length Units,Millimeters\n\n"
      ",Type,,Rigid Body Marker,Rigid Body Marker,Rigid Body Marker,Rigid Body Marker,Marker,Marker,Marker\n"
      ",Name,,b:1,b:1,b:1,b:1,b:1,b:1,b:1\n,ID,,1,1,1,1,2,2,2\n,Parent,,b,b,b,b,,,\n"
      ",,,Position,Position,Position,Marker Quality,Position,Position,Position\n"
      "Frame,Time (Seconds),TimeCode,X,Y,Z,,X,Y,Z\n"
      "0,0,15:26:46:12.02,9,9,9,1,1,2,3\n1,0.01,15:26:46:12.03,9,9,9,1,4,5,6\n");
  CHECK(newer.positions[1].col(0).isApprox(1e-3 * Vec3(4, 5, 6)));
  REQUIRE(newer.notes.size() == 1);
  says(newer.notes[0], "positions that Motive expects of 1 marker are not read");
  // 1.2 without labels of its rows, without times, and only expected positions.
  const Capture older = reading.read(
      "Format Version,1.2,Capture Frame Rate,50,Length Units,Meters\n\n,,Rigid Body Marker,Rigid Body Marker,Rigid "
      "Body "
      "Marker\n,,b:1,b:1,b:1\n,,Position,Position,Position\nFrame,,X,Y,Z\n4,,1,2,3\n6,,4,5,6\n");
  CHECK(older.markers == std::vector<std::string>{"b:1"});
  CHECK(older.time.isApprox(Eigen::Vector2d(0, 0.04)));
  CHECK(older.positions[1].col(0) == Vec3(4, 5, 6));
}

TEST_CASE("motive: the rows of frames of early versions", "[datasets][motive]") {
  Reading reading{"take.csv"};
  const std::string head =
      "comment,\"OptiTrack Export Data\"\ncomment,\"== \"\nrighthanded\ninfo,version,1.1\ninfo,framecount,3\n";
  reading.spec.frame_of_reference.scale = 1;
  const Capture capture = reading.read(head +
                                       "frame,0,0.0,0,2,1,2,3,54706,Marker-54706,4,5,6,54787,M2\n"
                                       "frame,1,0.01,1,7,0,0,0,0,0,0,1,0,0,0,1,7,8,9,54787,M2\n"
                                       "rigidbody,1,0.01,\"base\",7,0\nframe,2,0.02,0,0\n");
  CHECK(find_capture_format(reading.spec.file).name == "motive");
  CHECK(capture.markers == std::vector<std::string>{"Marker-54706", "M2"});
  REQUIRE(capture.frames() == 3);
  CHECK(capture.time == Eigen::Vector3d(0, 0.01, 0.02));
  CHECK(capture.present[1] == std::vector<bool>{false, true});
  CHECK(capture.positions[1].col(1) == Vec3(7, 8, 9));
  says(capture.notes.at(0), "rigid bodies are not read");
  CHECK(reading.read(head + "frame,0,0.0,0,2,1,2,3,11,4,5,6,12\n").markers == std::vector<std::string>{"11", "12"});
  says(reading.complaint(head + "frame,0,0.0,0,3,1,2,3,11,4,5,6,12\n"), "take.csv:6 frame: must have");
  says(reading.complaint(head + "frame,0,0.0,99999999999,0\n"), "take.csv:6 frame: must have");
  says(reading.complaint(head + "frame,0,0.0,0,2,1,2,3,11,4,5,6,11\n"), "must have each marker once, got '11' twice");
  reading.spec.frame_of_reference.scale.reset();
  says(reading.complaint(head + "frame,0,0.0,0,1,1,2,3,11\n"), "unit of length: must be known");
}

TEST_CASE("motive: what is wrong is rejected with its line", "[datasets][motive][error]") {
  Reading reading{"take.csv"};
  const auto complaint = [&](const std::string& text) { return reading.complaint(text); };
  says(complaint(take_line + take_columns), "must contain markers and frames");
  says(complaint(take_line + "\n1,2,3\n"), "no row that begins with Frame");
  says(complaint(take_line + take_columns + "0,0,1,0,1,10,20,30,40,50\n"), "take.csv:8 row: must have 11 cells");
  says(complaint(take_line +
                 replaced(take_columns, "Frame,Time (Seconds),W,X,Y,X,Y,Z", "Frame,Time (Seconds),W,X,Y,X,Z,Y") +
                 take_rows),
       "take.csv:7 axes: must be X, Y, Z of each marker, with 'rope, a' here");
  says(complaint(replaced(take_line, "Centimeters", "Cubits") + take_columns + take_rows),
       "unit of length: must be known, got 'Cubits'");
  const std::string body =
      take_line +
      "\n,Type,Rigid Body,Rigid Body,Rigid Body\n,Name,base,base,base\n,,Position,Position,Position\n"
      "Frame,Time (Seconds),X,Y,Z\n0,0,1,2,3\n";
  says(complaint(body), "take.csv:6 Motive file: must have the positions of markers, got only those of bodies: base");
  says(complaint(body), R"(points: [["#3", "#4", "#5"]])");
  const std::string wrong_rate = replaced(replaced(take_line, "Export Frame Rate,120", "Export Frame Rate,30"),
                                          "Capture Frame Rate,120", "Capture Frame Rate,60");
  says(complaint(wrong_rate + take_columns + take_rows), "must agree with the frames per second in the header");
  reading.spec.frame_of_reference.scale = 1e-3;  // replaces the unit of the file
  CHECK(reading.read(take_line + take_columns + take_rows).positions[0].col(0).isApprox(1e-3 * Vec3(10, 20, 30)));
}
