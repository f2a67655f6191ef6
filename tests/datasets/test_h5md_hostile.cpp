// Trajectory files that others made: damaged ones, and such as are made to harm.
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>

#include "datasets/trajectory/h5md.hpp"
#include "datasets/trajectory/h5md_reader.hpp"
#include "tests/datasets/hdf5_edit.hpp"
#include "tests/datasets/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;
namespace sim = pithball::sim;

namespace {

constexpr Index particles = 3;
const std::string all = "/particles/all";

sim::State counted_state(Index k) {
  const sim::Points x =
      sim::Points::NullaryExpr(3, particles, [k](Index a, Index p) { return 1000.0 + (100 * k + 10 * p + a); });
  return {0.1 * k, x, -x};
}

/// A run of `states` states, `segment` of which are written at a time.
std::string write_run(const TemporaryFolder& folder, Index states = 5, bool complete = true, Index segment = 100) {
  H5mdBody body;
  body.mass = body.charge = sim::Vector::Ones(particles);
  body.springs = {{0, 1}, {1, 2}};
  body.stiffness = body.rest_length = sim::Vector::Ones(2);
  const std::string file = folder.path("run.h5");
  H5mdWriter writer(file, body, segment);
  for (Index k = 0; k < states; ++k) writer.append(k, counted_state(k));
  writer.finish(complete);
  return file;
}

/// What the reader says to a run's file after a change of it.
std::string complaint_after(const std::function<void(hid_t)>& change) {
  const TemporaryFolder folder;
  const std::string file = write_run(folder);
  edit_hdf5(file, change);
  const std::string complaint = complaint_of([&] { read_h5md(file); });
  CHECK(complaint.find(file) == 0);
  CHECK(complaint.find("; ") != std::string::npos);
  return complaint;
}

void check_says(const std::string& complaint, const std::string& what) {
  INFO(complaint);
  CHECK(complaint.find(what) != std::string::npos);
}

std::string bytes_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Flips a bit of a number where the file holds it.
void flip_bit_of(const std::string& file, double number) {
  std::string bytes = bytes_of(file);
  char pattern[sizeof number];
  std::memcpy(pattern, &number, sizeof number);
  const std::size_t at = bytes.find(std::string(pattern, sizeof number));
  REQUIRE(at != std::string::npos);
  bytes[at + 2] = static_cast<char>(bytes[at + 2] ^ 1);
  std::ofstream(file, std::ios::binary) << bytes;
}

/// A dataset as programs write it that know nothing of pieces and checksums.
void make_plain(hid_t file, const std::string& path, const std::vector<hsize_t>& size,
                const std::vector<double>& numbers) {
  put_dataset(file, path, H5T_NATIVE_DOUBLE, size, numbers.data());
}

}  // namespace

TEST_CASE("h5md: an attribute that is not what it must be overwrites nothing", "[datasets][h5md][hostile]") {
  std::array<int, 4096> many;
  many.fill(0x41000000);
  for (const hsize_t count : {2, 16, 4096})
    check_says(complaint_after([&](hid_t file) {
                 put_attribute(file, "/parameters", "complete", H5T_NATIVE_INT, count, many.data());
               }),
               "must be one whole number, got " + std::to_string(count) + " of them");
  check_says(complaint_after([](hid_t file) {
               const double half = 0.5;
               put_attribute(file, "/parameters", "complete", H5T_NATIVE_DOUBLE, 0, &half);
             }),
             "must be one whole number, got something else");
  const auto with_unit = [](bool variable, hsize_t count) {
    return [=](hid_t file) {
      const hid_t type = H5Tcopy(H5T_C_S1);
      H5Tset_size(type, variable ? H5T_VARIABLE : 16);
      const std::vector<const char*> texts(count, "meter");
      const std::string fixed(16 * count, 'm');
      const void* values = variable ? static_cast<const void*>(texts.data()) : fixed.data();
      put_attribute(file, (all + "/position/value").c_str(), "unit", type, count, values);
      H5Tclose(type);
    };
  };
  for (const bool variable : {false, true}) check_says(complaint_after(with_unit(variable, 200)), "must be one text");
  check_says(complaint_after([](hid_t file) {
               const int seven = 7;
               put_attribute(file, (all + "/position/value").c_str(), "unit", H5T_NATIVE_INT, 0, &seven);
             }),
             "must be one text, got something else");
  // One entry of an array is one text, however it is written.
  const TemporaryFolder folder;
  const std::string file = write_run(folder);
  edit_hdf5(file, with_unit(true, 1));
  CHECK(read_h5md(file).length_unit == "meter");
  edit_hdf5(file, with_unit(false, 1));
  CHECK(read_h5md(file).length_unit == std::string(16, 'm'));
}

TEST_CASE("h5md: a dataset of another rank, extent or type is rejected", "[datasets][h5md][hostile]") {
  const std::int64_t numbers[9] = {0, 1, 1, 2, 0, 2, 0, 1, 2};
  const auto springs = [&](const std::vector<hsize_t>& size) {
    return complaint_after(
        [&](hid_t file) { put_dataset(file, "/connectivity/springs", H5T_NATIVE_INT64, size, numbers); });
  };
  check_says(springs({}), "must be an array [springs][2], got 0 dimensions");
  check_says(springs({4}), "got 1 dimensions");
  check_says(springs({2, 3}), "must be pairs");
  check_says(complaint_after([](hid_t file) {
               H5Ldelete(file, "/connectivity/springs", H5P_DEFAULT);
               const hid_t nothing = H5Screate(H5S_NULL);
               H5Dclose(H5Dcreate2(file, "/connectivity/springs", H5T_NATIVE_INT64, nothing, H5P_DEFAULT, H5P_DEFAULT,
                                   H5P_DEFAULT));
               H5Sclose(nothing);
             }),
             "must contain numbers, got none");
  check_says(complaint_after([](hid_t file) {
               const hid_t text = H5Tcopy(H5T_C_S1);
               put_dataset(file, all + "/position/time", text, {5}, "01234");
               H5Tclose(text);
             }),
             "must contain numbers, got something else");
  check_says(complaint_after([](hid_t file) {
               H5Ldelete(file, (all + "/mass").c_str(), H5P_DEFAULT);
               H5Gclose(H5Gcreate2(file, (all + "/mass").c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
             }),
             "must be an array");
  check_says(complaint_after([](hid_t file) {
               make_plain(file, all + "/mass", {2}, {1, 1});
             }),
             "must have a number for each of 3, got 2");
  check_says(complaint_after([](hid_t file) {
               make_plain(file, all + "/position/value", {5, 9}, std::vector<double>(45));
             }),
             "must be an array [frames][particles][3]");
}

TEST_CASE("h5md: springs tie particles of the trajectory", "[datasets][h5md][hostile]") {
  for (const std::int64_t wrong : {std::int64_t{3}, std::int64_t{-1}, std::int64_t{1} << 40})
    check_says(complaint_after([&](hid_t file) {
                 const std::int64_t pairs[4] = {0, 1, 1, wrong};
                 put_dataset(file, "/connectivity/springs", H5T_NATIVE_INT64, {2, 2}, pairs);
               }),
               "springs: must connect particles 0..2, got 1-" + std::to_string(wrong));
}

TEST_CASE("h5md: what lies in another file or under another name is not read", "[datasets][h5md][hostile]") {
  const TemporaryFolder folder;
  const std::string secret = folder.write("secret", std::string(4096, 's')), other = folder.path("other.h5");
  std::filesystem::copy_file(write_run(folder), other);
  check_says(complaint_after([&](hid_t file) {
               const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
               H5Pset_external(plan, secret.c_str(), 0, 4096);
               put_dataset(file, all + "/position/value", H5T_NATIVE_DOUBLE, {5, particles, 3}, nullptr, plan);
               H5Pclose(plan);
             }),
             "external storage");
  check_says(complaint_after([&](hid_t file) {
               H5Ldelete(file, (all + "/position").c_str(), H5P_DEFAULT);
               H5Lcreate_external(other.c_str(), "/particles/all/position", file, (all + "/position").c_str(),
                                  H5P_DEFAULT, H5P_DEFAULT);
             }),
             "a link that leads elsewhere");
  check_says(complaint_after([&](hid_t file) {
               H5Ldelete(file, (all + "/mass").c_str(), H5P_DEFAULT);
               H5Lcreate_soft("/particles/all/charge", file, (all + "/mass").c_str(), H5P_DEFAULT, H5P_DEFAULT);
             }),
             "a link that leads elsewhere");
  check_says(complaint_after([&](hid_t file) {
               const hsize_t size[3] = {5, particles, 3};
               const hid_t space = H5Screate_simple(3, size, nullptr), plan = H5Pcreate(H5P_DATASET_CREATE);
               H5Pset_virtual(plan, space, other.c_str(), "/particles/all/position/value", space);
               put_dataset(file, all + "/position/value", H5T_NATIVE_DOUBLE, {5, particles, 3}, nullptr, plan);
               H5Pclose(plan);
               H5Sclose(space);
             }),
             "a virtual one");
}

TEST_CASE("h5md: a flipped bit is found, of a state as of the body", "[datasets][h5md][hostile]") {
  // A number of the first state, one of a velocity, and a time.
  for (const double number : {1012.0, -1321.0, 0.1 * 3}) {
    const TemporaryFolder folder;
    const std::string file = write_run(folder);
    REQUIRE(read_h5md(file).trajectory.states.size() == 5);
    flip_bit_of(file, number);
    check_says(complaint_of([&] { read_h5md(file); }), "must be readable, got damaged bytes");
  }
}

TEST_CASE("h5md: files without checksums stay readable", "[datasets][h5md]") {
  const TemporaryFolder folder;
  const std::string file = write_run(folder);
  const auto before = read_h5md(file);
  edit_hdf5(file, [&](hid_t opened) {
    std::vector<double> x, v;
    for (const sim::State& state : before.trajectory.states) {
      x.insert(x.end(), state.x.data(), state.x.data() + state.x.size());
      v.insert(v.end(), state.v.data(), state.v.data() + state.v.size());
    }
    make_plain(opened, all + "/position/value", {5, particles, 3}, x);
    make_plain(opened, all + "/velocity/value", {5, particles, 3}, v);
    make_plain(opened, all + "/mass", {particles}, std::vector<double>(particles, 1.0));
  });
  const auto after = read_h5md(file);
  REQUIRE(after.trajectory.states.size() == 5);
  for (std::size_t k = 0; k < 5; ++k) {
    CHECK(after.trajectory.states[k].x == before.trajectory.states[k].x);
    CHECK(after.trajectory.states[k].v == before.trajectory.states[k].v);
  }
  CHECK(after.body.mass == before.body.mass);
}

TEST_CASE("h5md: what a killed run tore at the end is cut off, and resuming continues from there", "[datasets][h5md]") {
  const TemporaryFolder folder;
  const std::string file = write_run(folder, 20, false, 5);
  flip_bit_of(file, 1000.0 + 100 * 17);  // in the last five states
  CHECK(H5mdReader(file).size() == 15);
  {
    H5mdWriter writer = H5mdWriter::resume(file, -1, 5);
    CHECK_THROWS_AS(writer.append(14, counted_state(14)), pithball::InvalidArgument);
    for (Index k = 15; k < 22; ++k) writer.append(k, counted_state(k));
    writer.finish(true);
  }
  const auto whole = read_h5md(file).trajectory;
  REQUIRE(whole.states.size() == 22);
  for (Index k = 0; k < 22; ++k) CHECK(whole.states[k].x == counted_state(k).x);
}

TEST_CASE("h5md_reader: states come singly, at intervals and page by page as the whole file gives them",
          "[datasets][h5md]") {
  const TemporaryFolder folder;
  const std::string file = write_run(folder, 40, true, 7);
  const auto whole = read_h5md(file);
  const H5mdReader reader(file);
  REQUIRE(reader.size() == 40);
  CHECK(reader.steps() == whole.trajectory.step);
  CHECK(reader.particles(17) == particles);
  const auto check_frame = [&](const H5mdFrame& frame, std::size_t k) {
    CHECK(frame.step == static_cast<Index>(k));
    CHECK(frame.state.t == whole.trajectory.states[k].t);
    CHECK(frame.state.x == whole.trajectory.states[k].x);
    CHECK(frame.state.v == whole.trajectory.states[k].v);
  };
  check_frame(reader.frame(39), 39);
  const auto some = reader.frames(3, 5, 8);
  REQUIRE(some.size() == 5);
  for (std::size_t k = 0; k < 5; ++k) check_frame(some[k], 3 + 8 * k);
  CHECK_THROWS_AS(reader.frames(3, 6, 8), std::out_of_range);
  const std::vector<std::size_t> numbers{0, 1, 2, 7, 9, 11, 13, 39};
  H5mdPages pages(reader, numbers);
  REQUIRE(pages.size() == numbers.size());
  for (const std::size_t k : {0, 1, 2, 3, 4, 5, 6, 7, 2, 0}) check_frame(pages[k], numbers[k]);
  pages.release();
  check_frame(pages[6], 13);
  CHECK_THROWS_AS(pages[8], std::out_of_range);
}
