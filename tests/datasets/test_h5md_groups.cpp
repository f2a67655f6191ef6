// H5MD of other programs: groups of particles by any name, and HDF5 files of another layout.
#include <hdf5.h>

#include <fstream>

#include "datasets/capture/capture_format.hpp"
#include "datasets/capture/capture_reader.hpp"
#include "datasets/trajectory/h5md.hpp"
#include "datasets/trajectory/h5md_reader.hpp"
#include "datasets/trajectory/hdf5_objects.hpp"
#include "tests/datasets/formats/says.hpp"
#include "tests/datasets/hdf5_edit.hpp"
#include "tests/datasets/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;
namespace sim = pithball::sim;

namespace {

/// Two particles in three states, in the group `all`.
std::string write_motion(const TemporaryFolder& folder, const std::string& name = "a.h5") {
  H5mdBody body;
  body.mass = body.charge = sim::Vector::Ones(2);
  H5mdWriter writer(folder.path(name), body);
  for (int k = 0; k < 3; ++k) writer.append(k, {0.5 * k, sim::Points::Constant(3, 2, k), sim::Points::Zero(3, 2)});
  writer.finish(true);
  return folder.path(name);
}

void rename_group(const std::string& file, const char* from, const char* to) {
  edit_hdf5(file, [&](hid_t opened) { H5Lmove(opened, from, opened, to, H5P_DEFAULT, H5P_DEFAULT); });
}

/// A second group with the same particles, one unit further along x.
void add_group(const std::string& file, const char* name) {
  edit_hdf5(file, [&](hid_t opened) {
    H5Gclose(H5Gcreate2(opened, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const std::string position = std::string(name) + "/position";
    H5Gclose(H5Gcreate2(opened, position.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const std::vector<double> x(18, 7), time{0, 1, 2};
    const std::vector<std::int64_t> step{0, 1, 2};
    put_dataset(opened, position + "/value", H5T_NATIVE_DOUBLE, {3, 2, 3}, x.data());
    put_dataset(opened, position + "/time", H5T_NATIVE_DOUBLE, {3}, time.data());
    put_dataset(opened, position + "/step", H5T_NATIVE_INT64, {3}, step.data());
  });
}

std::string empty_hdf5(const TemporaryFolder& folder, const std::string& name) {
  H5Fclose(H5Fcreate(folder.path(name).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  return folder.path(name);
}

}  // namespace

TEST_CASE("h5md: the only group of particles is read whatever it is called", "[datasets][h5md]") {
  const TemporaryFolder folder;
  CaptureSpec spec;
  spec.file = write_motion(folder);
  const Capture usual = read_capture(spec);
  rename_group(spec.file, "/particles/all", "/particles/atoms of water");
  const Capture other = read_capture(spec);
  CHECK(other.markers == usual.markers);
  CHECK(other.time == usual.time);
  CHECK(other.positions[2] == usual.positions[2]);
  CHECK(read_h5md(spec.file).trajectory.states.size() == 3);
  CHECK(read_h5md(spec.file).body.mass == sim::Vector::Ones(2));
  spec.particle_group = "atoms of water";
  CHECK(read_capture(spec).frames() == 3);
  spec.particle_group = "atoms";
  says(complaint_of([&] { read_capture(spec); }), "particle_group: must be a group of particles with positions");
}

TEST_CASE("h5md: of several groups one is chosen by a key", "[datasets][h5md]") {
  const TemporaryFolder folder;
  CaptureSpec spec;
  spec.file = write_motion(folder);
  rename_group(spec.file, "/particles/all", "/particles/solvent");
  add_group(spec.file, "/particles/solute");
  edit_hdf5(spec.file, [](hid_t opened) {  // has no positions, so that it is no choice
    H5Gclose(H5Gcreate2(opened, "/particles/box", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  });
  says(complaint_of([&] { read_capture(spec); }),
       "particle_group: must be given where a file has several groups of particles, got solute, solvent; write "
       "`particle_group: solute`");
  says(complaint_of([&] { read_h5md(spec.file); }), "solute, solvent");
  spec.particle_group = "solute";
  CHECK(read_capture(spec).positions[0](0, 0) == 7);
  spec.particle_group = "solvent";
  CHECK(read_capture(spec).positions[2](0, 0) == 2);
  // Even if one of them is called as this program would: the file is not asked twice.
  rename_group(spec.file, "/particles/solvent", "/particles/all");
  spec.particle_group.clear();
  says(complaint_of([&] { read_capture(spec); }), "got all, solute");
  CHECK(H5mdReader(spec.file).frame(2).state.x(0, 0) == 2);
}

TEST_CASE("h5md: HDF5 files of another layout are named with their data sets", "[datasets][h5md][foreign]") {
  const TemporaryFolder folder;
  CaptureSpec spec;
  spec.file = empty_hdf5(folder, "tracks.h5");
  says(complaint_of([&] { read_capture(spec); }), "got HDF5 with no data sets");
  edit_hdf5(spec.file, [](hid_t opened) {
    const std::vector<double> tracks(12, 1.0);
    put_dataset(opened, "/tracks", H5T_NATIVE_DOUBLE, {1, 2, 2, 3}, tracks.data());
    put_dataset(opened, "/track_names", H5T_NATIVE_DOUBLE, {1});
    put_dataset(opened, "/number", H5T_NATIVE_DOUBLE, {});
  });
  const std::string sleap = complaint_of([&] { read_capture(spec); });
  says(sleap, "got HDF5 of SLEAP with /number, /track_names [1], /tracks [1][2][2][3]");
  says(sleap, "sleap-convert --format analysis.csv");
  for (const char* name : {"pose.hdf5", "pose.slp", "pose"}) {  // by their first bytes, whatever they are called
    spec.file = empty_hdf5(folder, name);
    edit_hdf5(spec.file, [](hid_t opened) {
      H5Gclose(H5Gcreate2(opened, "/df_with_missing", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
      put_dataset(opened, "/df_with_missing/table", H5T_NATIVE_DOUBLE, {5});
    });
    const std::string deeplabcut = complaint_of([&] { read_capture(spec); });
    says(deeplabcut, "got HDF5 of DeepLabCut with /df_with_missing/table [5]");
    says(deeplabcut, "save_as_csv=True");
  }
  spec.file = empty_hdf5(folder, "many.h5");
  edit_hdf5(spec.file, [](hid_t opened) {
    for (char c = 'a'; c <= 'z'; ++c) put_dataset(opened, std::string("/") + c, H5T_NATIVE_DOUBLE, {2});
  });
  const std::string many = complaint_of([&] { read_capture(spec); });
  says(many, "/a [2], /b [2]");
  CHECK(many.find("/z") == std::string::npos);
}

TEST_CASE("HDF5 in a child: it lists the members that this process would") {
  const TemporaryFolder folder;
  const std::string file = write_motion(folder);
  const auto there = open_hdf5_in_child(file), here = open_hdf5(file);
  for (const std::string group : {"/", "/particles", "/particles/all/position", "/nothing", "/particles/all/mass"}) {
    const auto expected = here->members(group, 100), found = there->members(group, 100);
    CAPTURE(group);
    REQUIRE(found.size() == expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      CHECK(found[k].name == expected[k].name);
      CHECK(found[k].is_group == expected[k].is_group);
      CHECK(found[k].is_array == expected[k].is_array);
      CHECK(found[k].size == expected[k].size);
    }
  }
  const auto position = here->members("/particles/all/position", 100);
  REQUIRE(position.size() == 3);
  CHECK(position[2].name == "value");
  CHECK(position[2].size == std::vector<std::uint64_t>{3, 2, 3});
  CHECK(here->members("/", 1).size() == 1);
  CHECK(here->members("/particles/all/mass", 100).empty());
}
