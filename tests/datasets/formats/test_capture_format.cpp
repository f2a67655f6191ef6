#include "datasets/capture/capture_format.hpp"

#include <hdf5.h>

#include <set>

#include "datasets/capture/capture_reader.hpp"
#include "datasets/capture/capture_spec.hpp"
#include "datasets/capture/marker_file.hpp"
#include "datasets/trajectory/h5md.hpp"
#include "tests/datasets/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;
namespace sim = pithball::sim;
using sim::Vec3;

namespace {

/// Two particles in three states.
std::string write_trajectory(const TemporaryFolder& folder) {
  H5mdBody body;
  body.mass = body.charge = sim::Vector::Ones(2);
  const std::string file = folder.path("a.h5");
  H5mdWriter writer(file, body);
  for (int k = 0; k < 3; ++k) {
    sim::State state{0.5 * k, sim::Points::Constant(3, 2, k), sim::Points::Zero(3, 2)};
    state.x(1, 1) = 7;
    writer.append(k, state);
  }
  writer.finish(true);
  return file;
}

/// Replaces the text of the unit of a dataset.
void set_unit(const std::string& file, const char* dataset, const std::string& unit) {
  const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), data = H5Dopen2(opened, dataset, H5P_DEFAULT);
  H5Adelete(data, "unit");
  const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  H5Tset_size(type, H5T_VARIABLE);  // as h5py writes texts
  const hid_t attribute = H5Acreate2(data, "unit", type, space, H5P_DEFAULT, H5P_DEFAULT);
  const char* text = unit.c_str();
  H5Awrite(attribute, type, &text);
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(data);
  H5Fclose(opened);
}

}  // namespace

TEST_CASE("capture_format: every format has a name of its own, a summary and endings", "[datasets][capture]") {
  std::set<std::string> names;
  for (const CaptureFormat& format : capture_formats()) {
    CAPTURE(format.name);
    CHECK(names.insert(format.name).second);
    CHECK(!format.summary.empty());
    CHECK(!format.endings.empty());
    CHECK(&find_capture_format("a", format.name) == &format);
    // A file that is not there, is empty, or holds something else is one complaint of every reader.
    const TemporaryFolder folder;
    for (const std::string& content : {std::string(), std::string("\0\1\2\3", 4), std::string(3000, '\xFF'),
                                       std::string("Trajectories\n5\n"), std::string("PathFileType\n")}) {
      CaptureSpec spec;
      spec.file = folder.write("a" + format.endings[0], content);
      spec.format = format.name;
      CHECK(complaint_of([&] { read_capture(spec); }) != "");
      spec.file = folder.path("none" + format.endings[0]);
      CHECK(complaint_of([&] { read_capture(spec); }) != "");
    }
  }
}

TEST_CASE("capture_format: determined by the extension in any case, by the beginning, by the kind of file",
          "[datasets][capture]") {
  const TemporaryFolder folder;
  CHECK(find_capture_format("walk.C3D").name == "c3d");
  CHECK(find_capture_format("walk.trc").name == "trc");
  CHECK(find_capture_format("walk.h5").name == "h5md");
  CHECK(find_capture_format("walk.npz").name == "npz");
  CHECK(find_capture_format("walk.dat").name == "table");
  CHECK(find_capture_format(folder.root()).name == "obj_frames");
  CHECK(complaint_of([] { find_capture_format("a", "c3e"); }).find("did you mean 'c3d'?") != std::string::npos);
}

TEST_CASE("marker_file: units by their names", "[datasets][capture]") {
  CHECK(find_length_unit("mm") == 1e-3);
  CHECK(find_length_unit(" Meters ") == 1.0);
  CHECK(find_length_unit("in") == 0.0254);
  CHECK(!find_length_unit("cubit"));
  CHECK(!find_length_unit(""));
}

TEST_CASE("marker_file: rate, scale, axes, subset, selection and repeated samples act on every format of markers",
          "[datasets][capture]") {
  MarkerFile file;
  file.path = "a";
  file.markers = {"p", "", "p"};
  file.frames = {5, 6, 8};
  file.rate = 10;
  file.unit = 1e-3;
  for (int k = 0; k < 3; ++k) {
    sim::Points x(3, 3);
    x << 1, 4 + k, 7, 2, 5, 8, 3, 6, 9;
    file.positions.push_back(x);
  }
  CaptureSpec spec;
  CHECK(to_capture(file, spec).time.isApprox(Eigen::Vector3d(0, 0.1, 0.3)));
  CHECK(to_capture(file, spec).markers == std::vector<std::string>{"p", "#2", "p"});
  spec.rate = 1;
  spec.frame_of_reference.scale = 2;
  spec.frame_of_reference.axes = axes_with_up("y");
  spec.missing.repeated = RepeatedSamples::Mask;
  const Capture capture = to_capture(file, spec);
  CHECK(capture.time.isApprox(Eigen::Vector3d(0, 1, 3)));
  CHECK(capture.positions[2].col(1) == Vec3(12, -12, 10));
  CHECK(capture.present[1] == std::vector<bool>{false, true, false});
  spec.select = {"#2"};
  spec.subset.from = 0.5;
  CHECK(to_capture(file, spec).positions[0] == Vec3(10, -12, 10));
  const auto complaint = [&] { return complaint_of([&] { to_capture(file, spec); }); };
  spec.select = {"p"};
  CHECK(complaint().find("which matches 2") != std::string::npos);
  spec.select = {};
  spec.columns.time = "t";
  CHECK(complaint().find("names its markers") != std::string::npos);
  spec.columns.time.clear();
  file.frames = {5, 5, 8};
  spec.subset = {};
  CHECK(complaint().find("later than the frame before") != std::string::npos);
}

TEST_CASE("h5md_capture: particles are markers, units are those of the file", "[datasets][h5md]") {
  const TemporaryFolder folder;
  const std::string file = write_trajectory(folder);
  CaptureSpec spec;
  spec.file = file;
  Capture capture = read_capture(spec);
  REQUIRE(capture.frames() == 3);
  CHECK(capture.markers == std::vector<std::string>{"0", "1"});
  CHECK(capture.time == Eigen::Vector3d(0, 0.5, 1));
  CHECK(capture.positions[2].col(1) == Vec3(2, 7, 2));
  set_unit(file, "/particles/all/position/value", "nm");
  set_unit(file, "/particles/all/position/time", "ps");
  capture = read_capture(spec);
  CHECK(capture.time.isApprox(1e-12 * Eigen::Vector3d(0, 0.5, 1)));
  CHECK(capture.positions[2].col(1).isApprox(1e-9 * Vec3(2, 7, 2)));
  set_unit(file, "/particles/all/position/time", "fortnight");
  CHECK(complaint_of([&] { read_capture(spec); }).find("'fortnight'") != std::string::npos);
}

TEST_CASE("h5md: a file that promises more than its bytes hold is rejected", "[datasets][h5md][error]") {
  const TemporaryFolder folder;
  const std::string file = write_trajectory(folder);
  const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hsize_t position[3] = {1000000000, 2, 3}, list[1] = {1000000000};
  for (const char* name : {"/particles/all/position/step", "/particles/all/position/time"}) {
    const hid_t data = H5Dopen2(opened, name, H5P_DEFAULT);
    H5Dset_extent(data, list);
    H5Dclose(data);
  }
  for (const char* name : {"/particles/all/position/value", "/particles/all/velocity/value"}) {
    const hid_t data = H5Dopen2(opened, name, H5P_DEFAULT);
    H5Dset_extent(data, position);
    H5Dclose(data);
  }
  H5Fclose(opened);
  CHECK(complaint_of([&] { read_h5md(file); }).find("promises more than its") != std::string::npos);
}
