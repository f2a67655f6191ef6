#include "datasets/film/detections.hpp"

#include <cmath>

#include "tests/datasets/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::datasets;
using pithball::testing::complaint_of;
using pithball::testing::TemporaryFolder;

TEST_CASE("detections: a table that was written is read as the same", "[datasets][film]") {
  Detections detections;
  Detection spot;
  spot.time = 0.0333667;
  spot.x = 12.3456;
  spot.y = 7.25;
  spot.covariance << 0.0123, -0.0031, -0.0031, 0.0456;
  spot.size = 2.5;
  spot.brightness = -1234.5;
  spot.snr = 17.25;
  Detection unsure;
  unsure.time = 0.0333667;
  unsure.x = 1;
  unsure.y = 9;
  detections.frames = {{0, {}}, {1, {spot, unsure}}};
  const std::string text = detections_csv(detections);
  CHECK(
      text.starts_with("frame,time [s],x [px],y [px],variance_x [px^2],covariance_xy [px^2],variance_y [px^2],"
                       "size [px],brightness,snr\n1,0.0333667,12.3456,7.25,0.0123,-0.0031,0.0456,2.5,-1234.5,17.25\n"));
  const TemporaryFolder folder;
  const Detections read = read_detections(folder.write("detections.csv", text));
  CHECK(read.unit == "px");
  REQUIRE(read.frames.size() == 1);  // a frame without detections leaves no row
  CHECK(read.frames[0].number == 1);
  CHECK(read.count() == 2);
  CHECK(detections_csv(read) == text);
  CHECK(std::isnan(read.frames[0].spots[1].covariance(0, 0)));
}

TEST_CASE("detections: spots of TrackMate without tracks are read, with their unit", "[datasets][film]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("spots.csv",
                                        "LABEL,ID,TRACK_ID,QUALITY,POSITION_X,POSITION_Y,POSITION_Z,POSITION_T,FRAME,"
                                        "RADIUS,TOTAL_INTENSITY_CH1,SNR_CH1\n"
                                        "Label,Spot ID,Track ID,Quality,X,Y,Z,T,Frame,Radius,Sum intensity,SNR\n"
                                        "Label,Spot ID,Track ID,Quality,X,Y,Z,T,Frame,R,Sum ch1,SNR\n"
                                        ",,,(quality),(micron),(micron),(micron),(sec),,(micron),(counts),\n"
                                        "ID7,7,,12.5,10.5,20.25,0,0.1,1,2.5,900,3.5\n"
                                        "ID5,5,,11.5,11.5,10.25,0,0.1,1,2.5,800,3.1\n"
                                        "ID3,3,,11.5,10.0,20.0,0,0,0,2.5,850,3.2\n");
  const Detections read = read_detections(file);
  CHECK(read.unit == "micron");
  REQUIRE(read.frames.size() == 2);
  CHECK(read.frames[0].spots[0].x == 10);
  REQUIRE(read.frames[1].spots.size() == 2);
  CHECK(read.frames[1].spots[0].y == 10.25);  // by y
  CHECK(read.frames[1].spots[0].time == 0.1);
  CHECK(read.frames[1].spots[1].brightness == 900);
  CHECK(read.frames[1].spots[1].size == 2.5);
  CHECK(std::isnan(read.frames[1].spots[1].covariance(0, 0)));
}

TEST_CASE("detections: the unit of times may be in TrackMate's lines of names, and is one of time",
          "[datasets][film]") {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& unit, std::optional<double> rate = {}) {
    return read_detections(folder.write("spots.csv",
                                        "LABEL,POSITION_X,POSITION_Y,POSITION_T,FRAME,COLOR\n"
                                        "Label,X,Y,T,Frame,Color\n"
                                        "Label,X,Y,T,Frame,Color\n"
                                        ",(micron),(micron),(" +
                                            unit +
                                            "),,\n"
                                            "ID7,10.5,20.25,100,1,red\n"),
                           rate);
  };
  const Detections detections = read("ms");
  CHECK(detections.unit == "micron");
  REQUIRE(detections.count() == 1);
  CHECK(detections.frames[0].spots[0].time == Approx(0.1));
  CHECK_THAT(complaint_of([&] { read("micron"); }), Catch::Contains("time: must be in a unit of time, got 'micron'"));
  // A film without a clock has frames for times.
  CHECK_THAT(complaint_of([&] { read("frame"); }), Catch::Contains("rate: must be known where the table has no times"));
  CHECK(read("frame", 20).frames[0].spots[0].time == Approx(0.05));
}

TEST_CASE("detections: rows are taken for names only if they have no digits, and at most three",
          "[datasets][film][error]") {
  const TemporaryFolder folder;
  // Decimal commas are numbers.
  const Detections read = read_detections(folder.write("a.csv", "frame;x;y\n0;1,5;2,25\n1;1,75;2,5\n"), 10);
  REQUIRE(read.count() == 2);
  CHECK(read.frames[0].spots[0].x == 1.5);
  CHECK(read.frames[1].spots[0].y == 2.5);
  const auto complaint = [&](const std::string& rows) {
    return complaint_of([&] { read_detections(folder.write("b.csv", "frame,x,y\n" + rows), 10); });
  };
  CHECK_THAT(complaint("0,1e5m,2\n1,3,4\n"), Catch::Contains("b.csv:2"));
  CHECK_THAT(complaint("0,,2\n1,3,4\n"), Catch::Contains("row: must have x, y and a time"));
  CHECK_THAT(complaint("a,b,c\na,b,c\na,b,c\na,b,c\n0,1,2\n"), Catch::Contains("b.csv:5"));
  CHECK_THAT(complaint("a,b,c\n"), Catch::Contains("table: must have rows of data, got names only"));
  CHECK_THAT(complaint("1e19,1,2\n1,3,4\n"), Catch::Contains("frame: must be at most 2^53"));
}

TEST_CASE("detections: TrackPy's features are read with a rate, and its errors become covariances",
          "[datasets][film]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("features.csv",
                                        ",y,x,mass,size,ecc,signal,raw_mass,ep,frame\n"
                                        "0,5.5,295.3,190.1,2.56,0.12,12.2,10714,0.07,0\n"
                                        "1,5.9,338.3,150.2,2.92,0.30,8.2,10686,0.1,4\n");
  const Detections read = read_detections(file, 100);
  REQUIRE(read.frames.size() == 2);
  CHECK(read.frames[1].number == 4);
  CHECK(read.frames[1].spots[0].time == Approx(0.04));
  CHECK(read.frames[1].spots[0].x == 338.3);
  CHECK(read.frames[1].spots[0].covariance(0, 0) == Approx(0.01));
  CHECK(read.frames[1].spots[0].brightness == 150.2);
  CHECK_THAT(complaint_of([&] { read_detections(file); }), Catch::Contains("rate"));
}

TEST_CASE("detections: a table without centers or frames is rejected with its columns", "[datasets][film]") {
  const TemporaryFolder folder;
  CHECK_THAT(complaint_of([&] { read_detections(folder.write("a.csv", "frame,x,z\n0,1,2\n1,1,2\n")); }),
             Catch::Contains("a.csv:1 y: must be a column of the detections, got frame, x, z"));
  CHECK_THAT(complaint_of([&] { read_detections(folder.write("b.csv", "number,x,y\n0,1,2\n1,1,2\n")); }),
             Catch::Contains("b.csv:1 frame"));
  CHECK_THAT(complaint_of([&] { read_detections(folder.write("c.csv", "frame,x,y\n0.5,1,2\n1,1,2\n"), 10); }),
             Catch::Contains("c.csv:2 frame: must be a whole number >= 0, got 0.5"));
}
