#include <cmath>

#include "tests/datasets/formats/reading.hpp"
#include "tests/datasets/formats/says.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;

TEST_CASE("tracker: one mass, whatever parts the cells and the decimals", "[datasets][tracker]") {
  Reading reading{"masses.txt"};
  for (const std::string text :
       {"mass_A\nt,x,y\n0.5,1.25,-2\n0.6,,\n0.7,1.5,-3\n", "mass A\nt\tx\ty\n0.5\t1.25\t-2\n0.6\t\t\n0.7\t1.5\t-3\n",
        "mass_A\r\nt;x;y\r\n0,5;1,25;-2\r\n0,6;;\r\n0,7;1,5;-3\r\n\r\n", "mass_A\nt x y\n0.5 1.25 -2\n0.7 1.5 -3\n",
        "\nmass_A\nt,v,x,y\n0.5,9,1.25,-2\n0.7,9,1.5,-3\n"}) {
    CAPTURE(text);
    const Capture capture = reading.read(text);
    CHECK(find_capture_format(reading.spec.file).name == "tracker");
    REQUIRE(capture.markers.size() == 1);
    CHECK(capture.markers[0].substr(0, 4) == "mass");
    const Index last = capture.frames() - 1;  // a row of empty cells is a frame in which the mass was lost
    CHECK(last == (text.find("6") == std::string::npos ? 1 : 2));
    if (last == 2) CHECK(capture.present[1] == std::vector<bool>{false});
    CHECK(capture.time[last] == 0.7);
    CHECK(capture.positions[last].col(0).head(2) == Eigen::Vector2d(1.5, -3));
    CHECK(std::isnan(capture.positions[last](2, 0)));
  }
}

TEST_CASE("tracker: several masses, below one another or side by side", "[datasets][tracker]") {
  Reading reading{"masses.txt"};
  for (const std::string text : {"mass_A\nt,x,y\n0,1,2\n0.1,1,3\n\nmass_B\nt,x,y\n0.1,5,6\n0.2,5,7\n",
                                 "mass_A\nt,x,y\n0,1,2\n0.1,1,3\nmass_B\nt,x,y\n0.1,5,6\n0.2,5,7\n",
                                 "mass_A,,mass_B,\nt,x,y,x,y\n0,1,2,,\n0.1,1,3,5,6\n0.2,,,5,7\n",
                                 "mass_A,,,mass_B,,\nt,x,y,t,x,y\n0,1,2,0.1,5,6\n0.1,1,3,0.2,5,7\n"}) {
    CAPTURE(text);
    const Capture capture = reading.read(text);
    CHECK(capture.markers == std::vector<std::string>{"mass_A", "mass_B"});
    REQUIRE(capture.time == Eigen::Vector3d(0, 0.1, 0.2));
    CHECK(capture.present[0] == std::vector<bool>{true, false});
    CHECK(capture.present[1] == std::vector<bool>{true, true});
    CHECK(capture.present[2] == std::vector<bool>{false, true});
    CHECK(capture.positions[2](1, 1) == 7);
  }
}

TEST_CASE("tracker: what is wrong is rejected with its line", "[datasets][tracker][error]") {
  Reading reading{"masses.txt"};
  says(reading.complaint("mass_A\nt,x,y\n0,1,2\n0,1,3\n"), "masses.txt:4 t: must be another in each row of 'mass_A'");
  says(reading.complaint("mass_A\nt,x,y\n0,1\n"), "masses.txt:3 row: must have 3 cells, got 2");
  says(reading.complaint("mass_A\nt,x,y\n,1,2\n"), "masses.txt:3 t: must not be missing");
  says(reading.complaint("mass_A\nt,x,y\n0,one,2\n"), "masses.txt:3 cell 2 cell: must be a finite number");
  says(reading.complaint("mass_A,mass_B\nt,x,y\n0,1,2\n"), "2 names for 1");
  says(reading.complaint("mass_A\nt;x;y\n0;1,5;2.5\n"), "got '1,5' and elsewhere '2.5'");
  says(reading.complaint("mass_A\nt,x,y\n0,1,2\n\nmass_B\nt,x\n0,1\n"), "masses.txt:5 Tracker table");
  reading.spec.format = "tracker";
  says(reading.complaint("mass_A\nt,x\n0,1\n"), "masses.txt:1 Tracker table: must begin with the names");
}
