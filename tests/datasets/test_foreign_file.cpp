#include "datasets/text/foreign_file.hpp"

#include "datasets/capture/capture_format.hpp"
#include "datasets/capture/capture_reader.hpp"
#include "datasets/mesh/mesh_reader.hpp"
#include "datasets/text/csv_table.hpp"
#include "tests/datasets/formats/says.hpp"
#include "tests/datasets/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;
using namespace std::string_literals;

namespace {

/// A beginning of a file, its name, and what is said of it as a recording.
struct Foreign {
  std::string bytes, name, remedy;
};

const std::string filler = "\0\1\2\3 some more bytes"s;

const std::vector<Foreign>& foreign_files() {
  static const std::vector<Foreign> files{
      {"PK\3\4" + filler + "docProps/app.xml" + filler + "xl/workbook.xml", "an Excel workbook",
       "save the sheet as CSV"},
      {"PK\3\4" + filler + "[Content_Types].xml" + filler + "xl/worksheets/sheet1.xml", "an Excel workbook", "as CSV"},
      {"PK\3\4" + filler + "mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "an OpenDocument spreadsheet",
       "as CSV"},
      {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1" + filler, "an Excel workbook (.xls)", "save the sheet as CSV"},
      {"PK\3\4" + filler + "positions.npy", "a NumPy archive", "format: npz"},
      {"PK\3\4" + filler + "Raw Data.csv", "a zip archive", "unpack it"},
      {"MATLAB 5.0 MAT-file Platform: posix" + filler, "a MATLAB file", "writematrix"},
      {"MATLAB 7.3 MAT-file" + filler, "a MATLAB file (version 7.3", "writematrix"},
      {"\x89HDF\r\n\x1A\n" + filler, "an HDF5 file", "format: h5md"},
      {"\x80\4\x95" + filler, "a Python pickle", "numpy.savez"},
      {"(dp0\nS'x'\np1\n(lp2\n", "a Python pickle", "numpy.savez"},
      {"\x93NUMPY\1" + filler, "a NumPy array", "format: npy"},
      {"\x1F\x8B\x08" + filler, "a file packed by gzip", "gunzip"},
      {"BZh91AY&SY" + filler, "a file packed by bzip2", "bunzip2"},
      {"\xFD"s + "7zXZ" + filler, "a file packed by xz", "unxz"},
      {"SQLite format 3" + filler, "an SQLite database", "CSV"},
      {"PAR1\x15" + filler, "a Parquet table", "CSV"},
      {"ARROW1" + filler, "a Feather table", "CSV"},
      {"%PDF-1.7\n", "a PDF document", "CSV"},
      {"\xDF\x65\xDF\x65\xDF\x65\xDF\x65" + filler, "a GSD trajectory", "H5MD"},
      {"\2P" + filler, "a C3D file", "format: c3d"},
      {"glTF\2" + filler, "a glTF mesh (.glb)", "mesh_sequence"},
      {"\0\0\0\x20"s + "ftypisom" + filler, "a video (MP4)", "track the points"},
      {"\0\0\0\x14"s + "ftypqt  " + filler, "a video (QuickTime)", "track the points"},
      {"\0\0\0\x08"s + "wide\0\0\0\0mdat"s, "a video (QuickTime)", "track the points"},
      {"RIFF" + filler.substr(0, 4) + "AVI LIST" + filler, "a video (AVI)", "track the points"},
      {"\x1A\x45\xDF\xA3" + filler + "matroska", "a video (Matroska)", "track the points"},
      {"\x1A\x45\xDF\xA3" + filler + "webm", "a video (WebM)", "track the points"},
      {"\x89PNG\r\n\x1A\n" + filler, "an image (PNG)", "track the points"},
      {"\xFF\xD8\xFF\xE0" + filler, "an image (JPEG)", "track the points"},
      {"II*\0"s + filler, "an image (TIFF)", "track the points"},
      {"<?xml version=\"1.0\"?>\n<TrackMate version=\"7\">", "a file of TrackMate", "export the spots as CSV"},
      {"<?xml version=\"1.0\"?>\n<Tracks nTracks=\"2\">", "tracks of TrackMate", "export the spots as CSV"},
      {"<?xml version=\"1.0\"?>\n<object class=\"org.opensourcephysics.cabrillo\">", "a project of Tracker",
       "data file"},
      {"<data><row/></data>", "an XML file", "as a table (CSV)"},
      {"\n<!DOCTYPE HTML><html>", "a web page", "download the file itself"},
      {"{\n  \"frames\": [[1, 2]]}", "a JSON file", "a row for each frame"},
      {"[{\"x\": 1}]", "a JSON file", "a row for each frame"},
      {"{\"asset\": {\"version\": \"2.0\"}}", "a glTF mesh (JSON)", "mesh_sequence"},
      {"HIERARCHY\r\nROOT Hips\r\n{\n", "a BVH file", "C3D or TRC"},
      {"Coordinates\nversion=1\nnRows=3\nendheader\ntime\tx\n0\t1\n", "a table of OpenSim", "TRC"},
      {"ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\n", "a dump of LAMMPS", "dump h5md"},
      {"1\nLattice=\"1 0 0 0 1 0 0 0 1\" Properties=species:S:1:pos:R:3\nH 0 0 0\n", "an XYZ trajectory", "H5MD"},
      {"2\n\nH 0 0 0\nO 1 2 3\n", "an XYZ trajectory", "H5MD"},
      {"ply\nformat ascii 1.0\n", "a PLY mesh", "mesh_sequence"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a Git LFS pointer", "git lfs pull"},
  };
  return files;
}

}  // namespace

TEST_CASE("foreign files: named by their first bytes with the way out, never sent to header_line",
          "[datasets][capture][foreign]") {
  const TemporaryFolder folder;
  for (const Foreign& foreign : foreign_files())
    for (const char* ending : {".dat", ".csv", ".txt", ".trc"}) {
      CAPTURE(foreign.name, ending);
      CaptureSpec spec;
      spec.file = folder.write("a"s + ending, foreign.bytes);
      if (find_capture_format(spec.file).name == "h5md") continue;  // HDF5 opens it
      const std::string message = complaint_of([&] { read_capture(spec); });
      says(message, "recording file: must be a table or in a format of `pithball list formats`, got " + foreign.name);
      says(message, foreign.remedy);
      CHECK(message.find("header_line") == std::string::npos);
    }
}

TEST_CASE("foreign files: every reader of recordings names what its extension does not promise",
          "[datasets][capture][foreign]") {
  const TemporaryFolder folder;
  for (const CaptureFormat& format : capture_formats()) {
    if (format.name == "obj_frames") continue;
    CAPTURE(format.name);
    CaptureSpec spec;
    spec.format = format.name;
    spec.file = folder.write("a" + format.endings[0], "\x1F\x8B\x08" + filler);
    says(complaint_of([&] { read_capture(spec); }), "got a file packed by gzip; unpack it with gunzip");
  }
}

TEST_CASE("foreign files: text in two-byte letters, and bytes that no text has", "[datasets][capture][foreign]") {
  const TemporaryFolder folder;
  std::string wide;
  for (const char c : "t,x,y\n0,1,2\n"s) wide += std::string(1, c) + '\0';
  const auto complaint = [&](const std::string& bytes) {
    CaptureSpec spec;
    spec.file = folder.write("a.csv", bytes);
    return complaint_of([&] { read_capture(spec); });
  };
  says(complaint(wide), "got text in UTF-16 without a byte order mark; save the file as UTF-8");
  says(complaint("\xFF\xFE"s + "<\0?\0x\0m\0l\0 \0/\0>\0"s), "got an XML file");
  says(complaint("t,x\n0,1\n0.1,\0\n"s), "got a binary file");
  says(complaint("\1\2\3\4\5\6\7"), "got a binary file");
  says(complaint("t,x,y\n" + std::string(100000, '1') + "\0"s), "got a binary file");
}

TEST_CASE("foreign files: tables that look a little like them are read", "[datasets][capture][foreign]") {
  const TemporaryFolder folder;
  CaptureSpec spec;
  spec.columns.points = {{"#2", "#3"}};
  spec.columns.time = "#1";
  for (const std::string& header : {"PAR1,glTF,BLENDER"s, "<DATE>,<X>,<Y>"s, "{t},{x},{y}"s, "[s],[mm],[mm]"s,
                                    "the free,fall,BM"s, "G,BZh,RIFF"s}) {
    CAPTURE(header);
    spec.file = folder.write("a.csv", header + "\n0,1,2\n0.1,3,4\n");
    CHECK(read_capture(spec).frames() == 2);
  }
  // Someone who says which line has the names reads the table inside; a workbook has no lines.
  spec.rows.header_line = 5;
  spec.columns.points = {{"x", "y"}};
  spec.columns.time = "time";
  spec.file = folder.write("a.mot", "Coordinates\nversion=1\nnRows=2\nendheader\ntime\tx\ty\n0\t1\t2\n1\t3\t4\n");
  CHECK(read_capture(spec).frames() == 2);
  spec.file = folder.write("a.csv", "PK\3\4" + filler + "xl/workbook.xml\n\n\n\n\n\n");
  says(complaint_of([&] { read_capture(spec); }), "an Excel workbook");
}

TEST_CASE("foreign files: as meshes and as calibrations", "[datasets][mesh][foreign]") {
  const TemporaryFolder folder;
  const auto complaint = [&](const char* name, const std::string& bytes) {
    const std::string file = folder.write(name, bytes);
    return complaint_of([&] { read_mesh(file); });
  };
  const std::string required = "mesh file: must be an OBJ, OFF, PLY or STL file, got ";
  for (const char* name : {"a.glb", "a.obj", "a.ply", "a.off", "a.stl"})
    says(complaint(name, "glTF\2" + filler + std::string(100, '\3')),
         required + "a glTF mesh (.glb); convert it to PLY or OBJ, for example with Blender");
  says(complaint("a.vtk", "# vtk DataFile Version 3.0\n"), required + "a VTK file; convert it to PLY or STL");
  says(complaint("a.msh", "$MeshFormat\n4.1 0 8\n"), required + "a Gmsh mesh; convert it to PLY or STL");
  says(complaint("a.obj", "\x1F\x8B" + filler), "unpack it with gunzip");
  says(complaint("a.obj", "version https://git-lfs.github.com/spec/v1\n"), "git lfs pull");
  CHECK(complaint("a.node", "4 3 0 0\n").find("rename") == std::string::npos);
  const std::string lens = folder.write("lens.xml", "<?xml version=\"1.0\"?>\n<opencv_storage>\n");
  says(complaint_of([&] { read_plain_text(lens, FileUse::Calibration); }),
       "got a file of OpenCV (XML); write it with OpenCV's FileStorage under a name that ends in .yml");
  CHECK(read_plain_text(folder.write("lens.json", "{\"camera_matrix\": 1}"), FileUse::Calibration).size() == 20);
}

TEST_CASE("csv_table: lines of remarks with % are skipped above and between rows of numbers", "[datasets][csv]") {
  const TemporaryFolder folder;
  const std::string rows = "1 2 3\n% a remark, with a comma\n4 5 6\n% the end\n";
  for (const std::string head : {"% Model:  a.mph\n% x y V (V)\n", "# one\n%\n\n% x,y,V\n", "\xEF\xBB\xBF% x\n", ""}) {
    CAPTURE(head);
    const CsvTable table(folder.write("a.txt", head + rows), 0, 0);
    REQUIRE(table.rows() == 2);
    CHECK(table.columns() == 3);
    CHECK(table.number(1, 2) == 6);
  }
  CHECK(complaint_of([&] { CsvTable(folder.write("a.txt", "% x y\n% z\n"), 0, 0); }).find("rows of data") !=
        std::string::npos);
}
