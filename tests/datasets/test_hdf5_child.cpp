// HDF5 files read by a child process: what it answers, and what it may not do.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <memory>

#include "datasets/trajectory/h5md.hpp"
#include "datasets/trajectory/hdf5_handle.hpp"
#include "datasets/trajectory/hdf5_objects.hpp"
#include "tests/datasets/temporary_folder.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;
namespace sim = pithball::sim;

namespace {

const std::string positions = "/particles/all/position/value";

std::string write_small_run(const TemporaryFolder& folder) {
  H5mdBody body;
  body.mass = body.charge = sim::Vector::Ones(4);
  body.springs = {{0, 1}, {1, 3}};
  body.stiffness = body.rest_length = sim::Vector::Ones(2);
  H5mdWriter writer(folder.path("run.h5"), body, 2);
  for (Index k = 0; k < 5; ++k) writer.append(k, {0.5 * k, sim::Points::Random(3, 4), sim::Points::Random(3, 4)});
  writer.finish(true);
  return folder.path("run.h5");
}

std::string readable_file(const TemporaryFolder& folder) {
  std::ofstream(folder.path("some.h5")) << "bytes";
  return folder.path("some.h5");
}

/// In place of HDF5: what it might do with a file that was made to harm, one misdeed for each name that it is asked
/// for.
class Misbehaving : public Hdf5Objects {
 public:
  bool has(const std::string& misdeed) override {
    if (misdeed == "crash") std::raise(SIGSEGV);
    if (misdeed == "end") _exit(0);
    if (misdeed == "terminate") return std::raise(SIGTERM) == 0;  // meant for the parent
    if (misdeed == "kill") std::raise(SIGKILL);
    if (misdeed == "loop")
      for (;;) sched_yield();
    if (misdeed == "memory") memory_.resize(std::size_t{8} << 30);
    if (misdeed == "read") return std::ranges::all_of("1234", [](char) { return open("/etc/passwd", O_RDONLY) >= 0; });
    if (misdeed == "write") return open("stolen", O_WRONLY | O_CREAT, 0600) >= 0 && write(4, "x", 1) == 1;
    return misdeed == "nothing";
  }
  std::vector<Hdf5Member> members(const std::string&, std::size_t) override { return {}; }
  Hdf5Shape shape(const std::string&) override { return {{2}, {}, 16, 8}; }
  std::vector<double> doubles(const std::string&, const Hdf5Shape&, const Hdf5Rows&) override {
    return std::vector<double>(3);  // one too many
  }
  std::vector<std::int64_t> integers(const std::string&, const Hdf5Shape&, const Hdf5Rows&) override { return {1}; }
  std::optional<std::string> text(const std::string&, const std::string&) override {
    return std::string(std::size_t{2} << 20, 'x');  // longer than any text may be
  }
  std::optional<std::int64_t> integer(const std::string&, const std::string&) override {
    throw std::runtime_error("some failure");
  }

 private:
  std::vector<char> memory_;
};

std::unique_ptr<Hdf5Objects> misbehave(const std::string&) { return std::make_unique<Misbehaving>(); }
std::unique_ptr<Hdf5Objects> crash(const std::string&) {
  std::raise(SIGBUS);
  return nullptr;
}

std::unique_ptr<Hdf5Objects> child_of(const TemporaryFolder& folder) {
  return open_hdf5_in_child(readable_file(folder), misbehave, std::chrono::seconds(1));
}

std::string complaint_of_misdeed(const std::string& misdeed) {
  const TemporaryFolder folder;
  const auto child = child_of(folder);
  REQUIRE(child->has("nothing"));
  const std::string complaint = complaint_of([&] { child->has(misdeed); });
  CHECK(complaint.find(folder.path("some.h5")) == 0);
  // It stays rejected, and does not wait for anybody.
  CHECK(complaint_of([&] { child->has("nothing"); }).find("failed before") != std::string::npos);
  return complaint;
}

}  // namespace

TEST_CASE("HDF5 in a child: it gives every answer that this process would") {
  const TemporaryFolder folder;
  const std::string file = write_small_run(folder);
  const auto there = open_hdf5_in_child(file), here = open_hdf5(file);
  for (const std::string name : {"/particles/all", "/particles/nobody", "/connectivity/springs"})
    CHECK(there->has(name) == here->has(name));
  const Hdf5Shape shape = there->shape(positions), expected = here->shape(positions);
  CHECK(shape.size == expected.size);
  CHECK(shape.chunk == expected.chunk);
  CHECK(shape.stored == expected.stored);
  CHECK(shape.width == expected.width);
  REQUIRE(shape.size == std::vector<std::uint64_t>{5, 4, 3});
  for (const Hdf5Rows rows : {Hdf5Rows{0, 5, 1}, Hdf5Rows{1, 2, 3}, Hdf5Rows{4, 1, 1}})
    CHECK(there->doubles(positions, shape, rows) == here->doubles(positions, expected, rows));
  const std::string springs = "/connectivity/springs";
  CHECK(there->integers(springs, there->shape(springs), {0, 2, 1}) == std::vector<std::int64_t>{0, 1, 1, 3});
  CHECK(there->text("/h5md/creator", "name") == here->text("/h5md/creator", "name"));
  CHECK(there->text("/h5md/creator", "nickname") == std::nullopt);
  CHECK(there->integer("/parameters", "complete") == 1);
  CHECK(there->integer("/parameters", "incomplete") == std::nullopt);
}

TEST_CASE("HDF5 in a child: it rejects with the words that this process would use") {
  const TemporaryFolder folder;
  const std::string file = write_small_run(folder);
  const auto there = open_hdf5_in_child(file), here = open_hdf5(file);
  for (const std::string name : {"/particles/nobody", "/particles/all"}) {
    const std::string complaint = complaint_of([&] { there->shape(name); });
    CHECK_FALSE(complaint.empty());
    CHECK(complaint == complaint_of([&] { here->shape(name); }));
  }
  for (const std::string& other : {readable_file(folder), folder.path("nothing.h5")})
    CHECK(complaint_of([&] { open_hdf5_in_child(other); }) == complaint_of([&] { open_hdf5(other); }));
}

TEST_CASE("HDF5 in a child: a file on which HDF5 crashes is rejected, and this process continues") {
  // HDF5 1.10.8 jumps through a bad pointer on this file; newer versions may read it or reject it.
  const std::string file = pithball::tests::in_sources("tests/datasets/crashes_hdf5.h5");
  CHECK(complaint_of([&] { open_hdf5_in_child(file)->shape(positions); }).find(file) == 0);

  const TemporaryFolder folder;
  const std::string complaint = complaint_of([&] { open_hdf5_in_child(readable_file(folder), crash); });
  CHECK(complaint.find("must be an HDF5 file that the HDF5 library can read, got one on which the library crashes (" +
                       std::string(strsignal(SIGBUS)) + ")") != std::string::npos);
  CHECK(complaint_of_misdeed("crash").find(strsignal(SIGSEGV)) != std::string::npos);
  CHECK(complaint_of_misdeed("end").find("ends the process") != std::string::npos);
}

TEST_CASE("HDF5 in a child: it may not continue for ever nor take all memory") {
  CHECK(complaint_of_misdeed("loop").find("finds no end") != std::string::npos);
#ifndef PITHBALL_SANITIZED
  const TemporaryFolder folder;
  CHECK(complaint_of([&] { child_of(folder)->has("memory"); }).find("more memory") != std::string::npos);
#endif
}

TEST_CASE("HDF5 in a child: it waits for its parent, and what stopped it is not the file's fault") {
  const TemporaryFolder folder;
  const auto child = child_of(folder);  // with a second for an answer, and ten more until its alarm
  REQUIRE(child->has("nothing"));
  poll(nullptr, 0, 12'000);
  CHECK(child->has("nothing"));
  CHECK(child->has("terminate"));
  CHECK_THROWS_AS(child->has("kill"), UnreadHdf5);
  CHECK(complaint_of_misdeed("kill").find("from outside") != std::string::npos);
}

TEST_CASE("HDF5 in a child: it can open one file and write none") {
  const TemporaryFolder folder;
  const auto child = child_of(folder);
  CHECK_FALSE(child->has("read"));  // more than one
  // It made a file that is empty, and its first byte ends the child.
  CHECK(complaint_of_misdeed("write").find(strsignal(SIGXFSZ)) != std::string::npos);
  CHECK(std::filesystem::file_size("stolen") == 0);
  std::filesystem::remove("stolen");
}

TEST_CASE("HDF5 in a child: what this process has open is known") {
  const TemporaryFolder folder;
  const std::string file = write_small_run(folder), other = folder.path("other.h5");
  std::filesystem::copy(file, other);
  CHECK_FALSE(has_open_hdf5(file));
  {
    const auto opened = open_hdf5(file);
    CHECK(has_open_hdf5(file));
    CHECK(has_open_hdf5(folder.path("./run.h5")));
    CHECK_FALSE(has_open_hdf5(other));
    CHECK_FALSE(has_open_hdf5(folder.path("nothing.h5")));
  }
  CHECK_FALSE(has_open_hdf5(file));
}

TEST_CASE("HDF5 in a child: answers of another size than asked for are rejected") {
  const TemporaryFolder folder;
  const auto misfit = [&](const auto& ask) {
    const auto child = child_of(folder);
    CHECK(complaint_of([&] { ask(*child, child->shape("any")); }).find("what it was not asked") != std::string::npos);
  };
  misfit([](Hdf5Objects& child, const Hdf5Shape& shape) { child.doubles("any", shape, {0, 2, 1}); });
  misfit([](Hdf5Objects& child, const Hdf5Shape& shape) { child.integers("any", shape, {0, 2, 1}); });
  misfit([](Hdf5Objects& child, const Hdf5Shape&) { child.text("any", "any"); });
  CHECK_THROWS_WITH(child_of(folder)->integer("any", "any"), folder.path("some.h5") + ": some failure");
}
