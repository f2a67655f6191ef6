#include "datasets/trajectory/h5md.hpp"

#include <hdf5.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <thread>

#include "sim/core/error.hpp"
#include "tests/datasets/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;
namespace sim = pithball::sim;

namespace {

struct Random {
  std::mt19937_64 engine{7};
  std::normal_distribution<double> normal;
  sim::Vector vector(Index n) {
    return sim::Vector::NullaryExpr(n, [this](Index) { return normal(engine) * std::pow(10, 10 * normal(engine)); });
  }
  sim::State state(double t, Index n) {
    return {t, sim::Points(vector(3 * n).reshaped(3, n)), sim::Points(vector(3 * n).reshaped(3, n))};
  }
};

H5mdBody make_body(Random& random, Index n) {
  H5mdBody body;
  body.mass = random.vector(n).cwiseAbs();
  body.charge = random.vector(n);
  for (Index i = 0; i + 1 < n; ++i) body.springs.push_back({i, i + 1});
  body.stiffness = random.vector(n - 1).cwiseAbs();
  body.rest_length = random.vector(n - 1).cwiseAbs();
  return body;
}

void check_states(const sim::Trajectory& got, const std::vector<sim::State>& wanted, std::size_t count) {
  REQUIRE(got.states.size() == count);
  REQUIRE(got.step.size() == count);
  for (std::size_t k = 0; k < count; ++k) {
    REQUIRE(got.step[k] == static_cast<Index>(3 * k));
    REQUIRE(got.states[k].t == wanted[k].t);
    REQUIRE(got.states[k].x == wanted[k].x);
    REQUIRE(got.states[k].v == wanted[k].v);
  }
}

std::vector<sim::State> make_states(Random& random, std::size_t count, Index n) {
  std::vector<sim::State> states;
  for (std::size_t k = 0; k < count; ++k) states.push_back(random.state(static_cast<double>(k) / 3, n));
  return states;
}

}  // namespace

TEST_CASE("h5md: a trajectory reads back to the last bit", "[datasets][h5md]") {
  const Index n = GENERATE(1, 2, 145);
  const Index segment = GENERATE(1, 7, 1000);
  TemporaryFolder folder;
  Random random;
  const H5mdBody body = make_body(random, n);
  auto states = make_states(random, 23, n);
  states[3].x(0, 0) = std::numeric_limits<double>::denorm_min();
  states[3].v(1, 0) = -0.0;
  states[4].x(2, 0) = std::numeric_limits<double>::max();
  const std::string file = folder.path("trajectory.h5");
  {
    H5mdWriter writer(file, body, segment);
    for (std::size_t k = 0; k < states.size(); ++k) writer.append(3 * k, states[k]);
    writer.finish(true);
  }
  const auto found = read_h5md(file);
  check_states(found.trajectory, states, states.size());
  CHECK(std::signbit(found.trajectory.states[3].v(1, 0)));
  CHECK(found.trajectory.complete);
  CHECK(found.body.mass == body.mass);
  CHECK(found.body.charge == body.charge);
  REQUIRE(found.body.springs.size() == body.springs.size());
  for (std::size_t s = 0; s < body.springs.size(); ++s)
    CHECK((found.body.springs[s].i == body.springs[s].i && found.body.springs[s].j == body.springs[s].j));
  CHECK(found.body.stiffness == body.stiffness);
  CHECK(found.body.rest_length == body.rest_length);
  CHECK(found.body.program == "pithball");
}

TEST_CASE("h5md: particles that come and go read back to the last bit, resumed too", "[datasets][h5md][population]") {
  TemporaryFolder folder;
  Random random;
  H5mdBody body = make_body(random, 3);
  body.attributes = {"temperature", "shade of gray"};
  // 3, 5, 2, 70, 0 more … particles: the file grows wider than a chunk, and narrower states leave places empty.
  std::vector<sim::State> states;
  std::vector<sim::Roster> rosters;
  std::int64_t next = 0;
  for (const Index n : {3, 5, 2, 70, 1, 9}) {
    states.push_back(make_states(random, 1, n).front());
    states.back().t = states.size();
    sim::Roster roster;
    for (Index p = 0; p < n; ++p) {
      roster.id.push_back(next++);
      roster.like.push_back(states.size() == 1 ? p : p % 3);
      roster.birth_time.push_back(0.1 * p);
      roster.death_time.push_back(p % 2 ? std::numeric_limits<double>::infinity() : 7.5 + p);
    }
    roster.attributes = Eigen::MatrixXd::Random(2, n);
    rosters.push_back(roster);
  }
  const std::string file = folder.path("trajectory.h5");
  const Index segment = GENERATE(1, 4);
  {
    H5mdWriter writer(file, body, segment);
    for (std::size_t k = 0; k < 4; ++k) writer.append(3 * k, states[k], &rosters[k]);
    CHECK_THROWS_AS(writer.append(99, states[4]), pithball::InvalidArgument);               // who are they?
    CHECK_THROWS_AS(writer.append(99, states[4], &rosters[3]), pithball::InvalidArgument);  // others
  }
  {
    H5mdWriter writer = H5mdWriter::resume(file, -1, segment);
    for (std::size_t k = 4; k < 6; ++k) writer.append(3 * k, states[k], &rosters[k]);
    writer.finish(true);
  }
  const H5mdTrajectory found = read_h5md(file);
  check_states(found.trajectory, states, states.size());
  CHECK(found.body.mass == body.mass);
  CHECK(found.body.charge == body.charge);
  CHECK(found.body.attributes == body.attributes);
  REQUIRE(found.trajectory.rosters.size() == rosters.size());
  for (std::size_t k = 0; k < rosters.size(); ++k) {
    const sim::Roster &read = found.trajectory.rosters[k], &written = rosters[k];
    CHECK(read.id == written.id);
    CHECK(read.like == written.like);
    CHECK(read.birth_time == written.birth_time);
    CHECK(read.death_time == written.death_time);
    CHECK(read.attributes == written.attributes);
  }
  H5mdWriter steady(folder.path("steady.h5"), make_body(random, 3));
  CHECK_THROWS_AS(steady.append(0, states[0], &rosters[0]), pithball::InvalidArgument);
}

TEST_CASE("h5md: values that change with time have a number for each state", "[datasets][h5md]") {
  TemporaryFolder folder;
  Random random;
  H5mdBody body = make_body(random, 4);
  body.changing = {"charge", "rest_length"};
  const auto states = make_states(random, 7, 4);
  std::vector<H5mdBody> bodies;
  for (std::size_t k = 0; k < states.size(); ++k) {
    bodies.push_back(body);
    bodies.back().charge *= (k + 1);
    bodies.back().rest_length *= (2 * k + 1);
  }
  const std::string file = folder.path("trajectory.h5");
  {
    H5mdWriter writer(file, bodies.front(), 2);
    CHECK_THROWS_AS(writer.append(0, states[0]), pithball::InvalidArgument);
    for (std::size_t k = 0; k < 5; ++k) writer.append(3 * k, states[k], nullptr, &bodies[k]);
    writer.finish(false);
  }
  {
    H5mdWriter writer = H5mdWriter::resume(file, -1, 2);
    for (std::size_t k = 5; k < 7; ++k) writer.append(3 * k, states[k], nullptr, &bodies[k]);
    writer.finish(true);
  }
  const H5mdTrajectory found = read_h5md(file);
  check_states(found.trajectory, states, states.size());
  CHECK(found.body.changing == body.changing);
  CHECK(found.body.charge == bodies.front().charge);
  CHECK(found.body.stiffness == body.stiffness);  // a plain list, as ever
  REQUIRE(found.over_time.at("charge").size() == 7);
  for (std::size_t k = 0; k < 7; ++k) {
    CHECK(found.over_time.at("charge")[k] == bodies[k].charge);
    CHECK(found.over_time.at("rest_length")[k] == bodies[k].rest_length);
  }
  body.changing = {"mass"};
  CHECK_THROWS_AS(H5mdWriter(folder.path("mass.h5"), body), pithball::InvalidArgument);
}

TEST_CASE("h5md: springs need not have values", "[datasets][h5md]") {
  TemporaryFolder folder;
  Random random;
  H5mdBody body = make_body(random, 3);
  body.stiffness.resize(0);
  body.rest_length.resize(0);
  const std::string file = folder.path("trajectory.h5");
  H5mdWriter(file, body).finish(true);
  const H5mdBody found = read_h5md(file).body;
  CHECK(found.springs.size() == 2);
  CHECK(found.stiffness.size() == 0);
  CHECK(found.rest_length.size() == 0);
}

TEST_CASE("h5md: a killed run leaves its flushed segments readable, and resuming continues after them",
          "[datasets][h5md]") {
  TemporaryFolder folder;
  Random random;
  const Index n = 40;
  const H5mdBody body = make_body(random, n);
  const auto states = make_states(random, 60, n);
  const std::string file = folder.path("trajectory.h5");
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    H5mdWriter writer(file, body, 10);
    for (std::size_t k = 0; k < 37; ++k) writer.append(3 * k, states[k]);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  const auto left = read_h5md(file);
  check_states(left.trajectory, states, 30);
  CHECK_FALSE(left.trajectory.complete);
  {
    H5mdWriter writer = H5mdWriter::resume(file, -1, 10);
    CHECK(complaint_of([&] { writer.append(87, states[30]); }).find("must be larger than 87") != std::string::npos);
    for (std::size_t k = 30; k < 60; ++k) writer.append(3 * k, states[k]);
    writer.finish(true);
  }
  const auto whole = read_h5md(file);
  check_states(whole.trajectory, states, 60);
  CHECK(whole.trajectory.complete);
}

TEST_CASE("h5md: the file follows the convention", "[datasets][h5md]") {
  TemporaryFolder folder;
  Random random;
  const std::string file = folder.path("trajectory.h5");
  sim::Trajectory trajectory;
  trajectory.step = {0, 10};
  trajectory.states = make_states(random, 2, 3);
  write_h5md(file, make_body(random, 3), trajectory);

  const hid_t h = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  REQUIRE(h >= 0);
  int version[2] = {0, 0};
  hid_t a = H5Aopen_by_name(h, "/h5md", "version", H5P_DEFAULT, H5P_DEFAULT);
  CHECK(H5Aread(a, H5T_NATIVE_INT, version) >= 0);
  H5Aclose(a);
  CHECK((version[0] == 1 && version[1] == 1));
  const auto text = [h](const char* object, const char* name) {
    const hid_t attribute = H5Aopen_by_name(h, object, name, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    std::string value(H5Tget_size(type), ' ');
    if (H5Tis_variable_str(type) > 0) {  // as MDAnalysis needs them
      char* read = nullptr;
      H5Aread(attribute, type, &read);
      value = read ? read : "";
      H5free_memory(read);
    } else {
      H5Aread(attribute, type, value.data());
    }
    H5Tclose(type);
    H5Aclose(attribute);
    return std::string(value.c_str());
  };
  CHECK(text("/h5md/author", "name") == "unknown");
  CHECK(text("/h5md/creator", "name") == "pithball");
  CHECK(text("/particles/all/position/value", "unit") == "m");
  CHECK(text("/particles/all/position/time", "unit") == "s");
  CHECK(text("/particles/all/velocity/value", "unit") == "m s-1");
  CHECK(text("/particles/all/mass", "unit") == "kg");
  CHECK(text("/particles/all/charge", "unit") == "C");
  CHECK(text("/connectivity/stiffness", "unit") == "N m-1");
  CHECK(text("/connectivity/rest_length", "unit") == "m");
  CHECK(text("/particles/all/box", "boundary") == "none");
  int dimension = 0;
  a = H5Aopen_by_name(h, "/particles/all/box", "dimension", H5P_DEFAULT, H5P_DEFAULT);
  H5Aread(a, H5T_NATIVE_INT, &dimension);
  H5Aclose(a);
  CHECK(dimension == 3);
  CHECK(H5Lexists(h, "/particles/all/velocity/step", H5P_DEFAULT) > 0);
  hobj_ref_t reference;
  a = H5Aopen_by_name(h, "/connectivity/springs", "particles_group", H5P_DEFAULT, H5P_DEFAULT);
  H5Aread(a, H5T_STD_REF_OBJ, &reference);
  H5Aclose(a);
  char name[64] = "";
  CHECK(H5Rget_name(h, H5R_OBJECT, &reference, name, sizeof name) > 0);
  CHECK(std::string(name) == "/particles/all");
  H5Fclose(h);
}

TEST_CASE("h5md: files of the same motion are the same, bytes and all, at any time of day", "[datasets][h5md]") {
  TemporaryFolder folder;
  Random random;
  const H5mdBody body = make_body(random, 3);
  sim::Trajectory trajectory;
  trajectory.step = {0, 10};
  trajectory.states = make_states(random, 2, 3);
  const auto written = [&](const std::string& name) {
    write_h5md(folder.path(name), body, trajectory);
    std::ifstream file(folder.path(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string first = written("first.h5");
  const std::time_t then = std::time(nullptr);
  while (std::time(nullptr) == then) std::this_thread::sleep_for(std::chrono::milliseconds(20));  // HDF5 counts seconds
  const std::string second = written("second.h5");
  CHECK(first.size() > 1000);
  CHECK((first == second));
}

TEST_CASE("h5md: broken files and misfits are rejected", "[datasets][h5md][error]") {
  TemporaryFolder folder;
  Random random;
  H5mdBody body = make_body(random, 3);
  CHECK(complaint_of([&] { read_h5md(folder.path("none.h5")); }).find("must exist") != std::string::npos);
  CHECK(complaint_of([&] { read_h5md(folder.write("text.h5", "not HDF5")); }).find("must be an HDF5 file") !=
        std::string::npos);
  CHECK(complaint_of([&] { H5mdWriter(folder.path("none/a.h5"), body); }).find("must be writable") !=
        std::string::npos);
  CHECK(complaint_of([&] { H5mdWriter(folder.path("a.h5"), body, 0); }).find("segment") != std::string::npos);
  {
    H5mdWriter writer(folder.path("a.h5"), body);
    CHECK(complaint_of([&] { writer.append(0, random.state(0, 4)); }).find("must have 3 particles") !=
          std::string::npos);
  }
  CHECK(read_h5md(folder.path("a.h5")).trajectory.states.empty());
  const hid_t other = H5Fcreate(folder.path("other.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(other);
  CHECK(complaint_of([&] { read_h5md(folder.path("other.h5")); }).find("/particles/NAME/position") !=
        std::string::npos);
  std::filesystem::resize_file(folder.path("a.h5"), 3000);
  CHECK(complaint_of([&] { read_h5md(folder.path("a.h5")); }).find(folder.path("a.h5")) == 0);
  body.stiffness.resize(3);
  CHECK(complaint_of([&] { H5mdWriter(folder.path("b.h5"), body); }).find("3 for 2 springs") != std::string::npos);
  body.springs.push_back({0, 3});
  CHECK(complaint_of([&] { H5mdWriter(folder.path("b.h5"), body); }).find("must connect particles 0..2") !=
        std::string::npos);
  body.charge.resize(2);
  CHECK(complaint_of([&] { H5mdWriter(folder.path("b.h5"), body); }).find("as many charges as masses") !=
        std::string::npos);
}
