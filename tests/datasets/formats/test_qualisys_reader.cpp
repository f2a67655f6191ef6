#include "datasets/capture/qualisys_reader.hpp"

#include "tests/datasets/formats/reading.hpp"
#include "tests/datasets/formats/says.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;
using pithball::sim::Vec3;

namespace {

const std::string qtm_keys =
    "NO_OF_FRAMES\t3\r\nNO_OF_CAMERAS\t10\r\nNO_OF_MARKERS\t2\r\nFREQUENCY\t100\r\nDESCRIPTION\t--\r\n"
    "TIME_STAMP\t2026-01-01, 10:00:00.000\t1.5\r\nDATA_INCLUDED\t3D\r\nEVENT\tstart\t1\t0.0\r\nEVENT\tend\t3\t0.02\r\n"
    "MARKER_NAMES\tA\tB\r\nTRAJECTORY_TYPES\tMeasured\tMeasured\r\n";
const std::string qtm_columns = "Frame\tTime\tA X\tA Y\tA Z\tB X\tB Y\tB Z\t\r\n";
const std::string qtm_rows =
    "1\t0.00000\t1\t2\t3\t4\t5\t6\r\n2\t0.01000\t1.5\t2\t3\t\t\t\r\n3\t0.02000\t7\t8\t9\t10\t11\t12\r\n";

}  // namespace

TEST_CASE("qualisys: markers in mm, by their names, at their times", "[datasets][qualisys]") {
  Reading reading{"run.tsv"};
  const Capture capture = reading.read(qtm_keys + qtm_columns + qtm_rows + "\t\t\n\n");
  CHECK(find_capture_format(reading.spec.file).name == "qualisys");
  CHECK(capture.markers == std::vector<std::string>{"A", "B"});
  REQUIRE(capture.frames() == 3);
  CHECK(capture.time == Eigen::Vector3d(0, 0.01, 0.02));
  CHECK(capture.positions[2].col(1).isApprox(1e-3 * Vec3(10, 11, 12)));
  CHECK(capture.present[1] == std::vector<bool>{true, false});
  CHECK(capture.notes.empty());
  for (const char* ending : {"run.txt", "run.csv"}) {
    std::string text = qtm_keys + qtm_columns + qtm_rows;
    if (ending[4] == 'c')  // as a spreadsheet saves it
      for (char& c : text) c = c == '\t' ? ';' : c;
    Reading other{ending};
    CHECK(other.read(text).positions[2].col(0).isApprox(1e-3 * Vec3(7, 8, 9)));
    CHECK(find_capture_format(other.spec.file).name == "qualisys");
  }
}

TEST_CASE("qualisys: without column names, without frames and times, without marker names", "[datasets][qualisys]") {
  Reading reading{"run.tsv"};
  CHECK(reading.read(qtm_keys + qtm_rows).time == Eigen::Vector3d(0, 0.01, 0.02));
  const std::string bare = "1\t2\t3\t4\t5\t6\n1\t2\t3\t\t\t\n7\t8\t9\t10\t11\t12\n";
  const Capture capture = reading.read(qtm_keys + bare);
  CHECK(capture.time.isApprox(Eigen::Vector3d(0, 0.01, 0.02)));
  CHECK(capture.positions[2].col(0).isApprox(1e-3 * Vec3(7, 8, 9)));
  const std::string nameless = replaced(qtm_keys, "MARKER_NAMES\tA\tB\r\n", "");
  CHECK(reading.read(nameless + qtm_columns + qtm_rows).markers == std::vector<std::string>{"A", "B"});
  CHECK(reading.read(nameless + bare).markers == std::vector<std::string>{"#1", "#2"});
  // Other columns between them are passed over; so is a header of another version.
  const std::string smpte = "FILE_VERSION\t2.0.0\n" + qtm_keys + "Frame\tTime\tSMPTE\tA X\tA Y\tA Z\tB X\tB Y\tB Z\n";
  CHECK(
      reading.read(smpte + "1\t0\t10:00:00:00\t1\t2\t3\t4\t5\t6\n").positions[0].col(1).isApprox(1e-3 * Vec3(4, 5, 6)));
}

TEST_CASE("qualisys: rows that are not as announced are noted", "[datasets][qualisys]") {
  Reading reading{"run.tsv"};
  const Capture capture = reading.read(replaced(qtm_keys, "FRAMES\t3", "FRAMES\t400") + qtm_columns +
                                       replaced(qtm_rows, "1.5\t2\t3\t\t\t", "1.5\t2\t3"));
  REQUIRE(capture.notes.size() == 2);
  CHECK(capture.notes[0] == "1 row ends before the last marker: 1 sample is missing");
  CHECK(capture.notes[1] == "NO_OF_FRAMES is 400, but the file has 3 rows, which are read");
  CHECK(capture.present[1] == std::vector<bool>{true, false});
}

TEST_CASE("qualisys: what contradicts the header is rejected with its line", "[datasets][qualisys][error]") {
  Reading reading{"run.tsv"};
  const auto complaint = [&](const std::string& text) { return reading.complaint(text); };
  says(complaint(replaced(qtm_keys, "MARKERS\t2", "MARKERS\t3") + qtm_columns + qtm_rows),
       "run.tsv:3 NO_OF_MARKERS: must be the 2 of MARKER_NAMES, got 3");
  says(complaint(replaced(qtm_keys, "MARKERS\t2", "MARKERS\t2000000000") + qtm_columns + qtm_rows), "must be the 2 of");
  says(complaint(replaced(qtm_keys, "MARKERS\t2", "MARKERS\tmany") + qtm_columns + qtm_rows),
       "must be a whole number > 0");
  says(complaint(qtm_keys + replaced(qtm_columns, "A X", "B X") + qtm_rows),
       "must be in the order of MARKER_NAMES, with 'A' here");
  says(complaint(qtm_keys + "Frame\tTime\tA X\tA Y\tA Z\n1\t0\t1\t2\t3\n"), "run.tsv:12 columns: must be frame, time");
  says(complaint(qtm_keys), "no rows");
  says(complaint(qtm_keys + qtm_columns), "no rows");
  says(complaint(replaced(qtm_keys, "\t3D", "\t6D") + qtm_columns + qtm_rows),
       "run.tsv:7 Qualisys file: must hold the 3D data");
  says(complaint("TOT_NO_OF_CHAN\t2\nDATA_INCLUDED\tANALOG\n1\t2\n"), "got ANALOG data");
  says(complaint(replaced(qtm_keys, "FREQUENCY\t100", "FREQUENCY\t50") + qtm_columns + qtm_rows +
                 "4\t0.03\t1\t2\t3\t4\t5\t6\n"),
       "must agree with the frames per second in the header, 50 (FREQUENCY), got 100 by the column of times");
  says(complaint(qtm_keys + qtm_columns + "1\t0\t1\t2\t3\t4\t5\n"), "run.tsv:13 row: must have 8 cells");
  says(complaint(qtm_keys + qtm_columns + "1\t0\t1\t2\tdrei\t4\t5\t6\n"), "run.tsv:13 cell 5");
}
