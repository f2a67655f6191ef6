#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <sstream>

#include "datasets/h5md.hpp"
#include "datasets/hdf5_handle.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

namespace {

/// Whether every part of a path exists (H5Lexists asks for the last part only).
bool exists(hid_t file, const std::string& path) {
  for (std::size_t at = 1; at != std::string::npos;) {
    at = path.find('/', at);
    if (H5Lexists(file, path.substr(0, at).c_str(), H5P_DEFAULT) <= 0) return false;
    if (at != std::string::npos) ++at;
  }
  return true;
}

struct Array {
  Hdf5Handle data;
  std::vector<hsize_t> size;
};

Array open_array(hid_t file, const std::string& path) {
  Array array;
  array.data = Hdf5Handle(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose, "open " + path);
  const Hdf5Handle space(H5Dget_space(array.data), H5Sclose, "look at " + path);
  array.size.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  hdf5_check(H5Sget_simple_extent_dims(space, array.size.data(), nullptr), "look at " + path);
  return array;
}

/// The first `rows` rows, as doubles or 64-bit integers.
template <class Number>
std::vector<Number> read_rows(const Array& array, hsize_t rows, const std::string& path) {
  std::vector<hsize_t> count = array.size, start(array.size.size(), 0);
  count[0] = std::min(count[0], rows);
  // A file of few bytes may promise any number of entries that were never written; nobody packs a hundredfold.
  const hsize_t stored = H5Dget_storage_size(array.data), most = (100 * stored + (hsize_t{16} << 20)) / sizeof(Number);
  hsize_t total = 1;
  for (const hsize_t k : count) {
    if (k > 0 && total > most / k)
      throw std::runtime_error("HDF5: " + path + " promises more than its " + std::to_string(stored) + " bytes hold");
    total *= k;
  }
  std::vector<Number> values(total);
  if (total == 0) return values;
  const Hdf5Handle space(H5Dget_space(array.data), H5Sclose, "look at " + path);
  hdf5_check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), "select rows");
  const Hdf5Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose,
                          "describe memory");
  const hid_t type = std::is_same_v<Number, double> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
  hdf5_check(H5Dread(array.data, type, memory, space, H5P_DEFAULT, values.data()), "read " + path);
  return values;
}

/// The first frame's.
sim::Vector read_changing_list(hid_t file, const std::string& path, const std::string& name, H5mdTrajectory& found) {
  const Array array = open_array(file, path + "/value");
  if (array.size.size() != 2) throw std::runtime_error("HDF5: " + path + " is no array [frames][values]");
  const auto numbers = read_rows<double>(array, array.size[0], path);
  const auto width = static_cast<Index>(array.size[1]);
  found.body.changing.push_back(name);
  std::vector<sim::Vector>& lists = found.over_time[name];
  for (hsize_t k = 0; k < array.size[0]; ++k)
    lists.emplace_back(Eigen::Map<const sim::Vector>(numbers.data() + k * array.size[1], width));
  return lists.empty() ? sim::Vector(sim::Vector::Constant(width, std::numeric_limits<double>::quiet_NaN()))
                       : lists.front();
}

/// An element of the convention: one list, or where it changes with time, the list of each frame in `over_time`.
sim::Vector read_list(hid_t file, const std::string& group, const std::string& name, H5mdTrajectory& found) {
  const std::string path = group + "/" + name;
  if (!exists(file, path)) return {};
  if (exists(file, path + "/value")) return read_changing_list(file, path, name, found);
  const Array array = open_array(file, path);
  if (array.size.size() != 1) return {};
  const auto values = read_rows<double>(array, array.size[0], path);
  return Eigen::Map<const sim::Vector>(values.data(), static_cast<Index>(values.size()));
}

std::string read_text(hid_t file, const std::string& object, const char* name) {
  if (!exists(file, object) || H5Aexists_by_name(file, object.c_str(), name, H5P_DEFAULT) <= 0) return {};
  const Hdf5Handle attribute(H5Aopen_by_name(file, object.c_str(), name, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                             "open an attribute");
  const Hdf5Handle type(H5Aget_type(attribute), H5Tclose, "look at an attribute");
  if (H5Tget_class(type) != H5T_STRING) return {};
  if (H5Tis_variable_str(type) > 0) {  // as h5py writes them
    char* variable = nullptr;
    hdf5_check(H5Aread(attribute, type, &variable), "read an attribute");
    std::string text = variable ? variable : "";
    H5free_memory(variable);
    return text;
  }
  std::string text(H5Tget_size(type), '\0');
  hdf5_check(H5Aread(attribute, type, text.data()), "read an attribute");
  return text.substr(0, text.find('\0'));
}

/// The states with the particles that were there, and who they were.
void read_rosters(hid_t file, H5mdTrajectory& found) {
  const std::string all = "/particles/all/";
  std::vector<std::string> names;
  std::istringstream lines(read_text(file, "/particles/all", "attributes"));
  for (std::string name; std::getline(lines, name);) names.push_back(name);
  std::vector<std::string> elements{"id", "like", "birth_time", "death_time", "mass", "charge"};
  elements.insert(elements.end(), names.begin(), names.end());
  std::vector<Array> arrays;
  auto frames = static_cast<hsize_t>(found.trajectory.states.size());
  hsize_t width = frames > 0 ? static_cast<hsize_t>(found.trajectory.states.front().x.cols()) : 0;
  for (const std::string& name : elements) {
    arrays.push_back(open_array(file, all + name + "/value"));
    if (arrays.back().size.size() != 2) throw std::runtime_error("HDF5: " + name + " is no array [frames][particles]");
    // A killed run may have made room in some of them only.
    frames = std::min(frames, arrays.back().size[0]);
    width = std::min(width, arrays.back().size[1]);
  }
  found.trajectory.states.resize(frames);
  found.trajectory.step.resize(frames);
  const auto read = [&](std::size_t element) {
    const std::vector<double> rows = read_rows<double>(arrays[element], frames, elements[element]);
    const hsize_t stride = arrays[element].size[1];
    std::vector<double> values;
    for (hsize_t k = 0; k < frames; ++k)
      values.insert(values.end(), rows.begin() + static_cast<std::ptrdiff_t>(k * stride),
                    rows.begin() + static_cast<std::ptrdiff_t>(k * stride + width));
    return values;
  };
  const auto id = read(0), like = read(1), birth = read(2), death = read(3), mass = read(4), charge = read(5);
  std::vector<std::vector<double>> attributes;
  for (std::size_t a = 0; a < names.size(); ++a) attributes.push_back(read(6 + a));
  for (hsize_t k = 0; k < frames; ++k) {
    const auto first = static_cast<std::ptrdiff_t>(k * width), end = first + static_cast<std::ptrdiff_t>(width);
    const auto n =
        std::find_if(id.begin() + first, id.begin() + end, [](double i) { return i < 0; }) - id.begin() - first;
    if (n == 0) {  // room that a killed run made and did not fill
      found.trajectory.states.resize(k);
      found.trajectory.step.resize(k);
      break;
    }
    const auto part = [&](const std::vector<double>& values) {
      return sim::Vector(Eigen::Map<const sim::Vector>(values.data() + first, n));
    };
    sim::Roster roster;
    roster.id.assign(id.begin() + first, id.begin() + first + n);
    roster.like.assign(like.begin() + first, like.begin() + first + n);
    roster.birth_time.assign(birth.begin() + first, birth.begin() + first + n);
    roster.death_time.assign(death.begin() + first, death.begin() + first + n);
    roster.attributes.resize(static_cast<Index>(names.size()), n);
    for (std::size_t a = 0; a < names.size(); ++a)
      roster.attributes.row(static_cast<Index>(a)) = part(attributes[a]).transpose();
    const auto& rosters = found.trajectory.rosters;
    const auto first_particles = rosters.empty() ? static_cast<Index>(n) : static_cast<Index>(rosters.front().size());
    if (std::ranges::any_of(roster.like, [&](Index i) { return i < 0 || i >= first_particles; }))
      throw std::runtime_error("HDF5: like names no particle of the first state");
    found.trajectory.rosters.push_back(std::move(roster));
    sim::State& state = found.trajectory.states[k];
    state.x = sim::Points(state.x.leftCols(n));
    state.v = sim::Points(state.v.leftCols(n));
    if (k > 0) continue;  // the first state is of the first model's particles
    found.body.mass = part(mass);
    found.body.charge = part(charge);
  }
  found.body.attributes = std::move(names);
}

H5mdTrajectory read_open_file(hid_t file, const std::string& path) {
  const std::string all = "/particles/all/";
  if (!exists(file, all + "position/value"))
    throw InvalidArgument({path, "trajectory", "must hold /particles/all/position in the H5MD layout", "another layout",
                           "give a trajectory.h5 of this program"});
  const Array position = open_array(file, all + "position/value");
  if (position.size.size() != 3 || position.size[2] != 3)
    throw InvalidArgument({path, "position", "must be an array [frames][particles][3]", "another shape",
                           "give a three-dimensional trajectory"});
  const Array step = open_array(file, all + "position/step"), time = open_array(file, all + "position/time");
  if (step.size.size() != 1 || time.size.size() != 1)
    throw InvalidArgument({path, "step and time", "must be lists, one entry for each frame", "another shape",
                           "write explicit steps and times"});
  const bool has_velocity = exists(file, all + "velocity/value");
  hsize_t frames = std::min(position.size[0], std::min(step.size[0], time.size[0]));
  const hsize_t n = position.size[1];
  Array velocity;
  if (has_velocity) {
    velocity = open_array(file, all + "velocity/value");
    if (velocity.size.size() != 3 || velocity.size[1] != n || velocity.size[2] != 3)
      throw InvalidArgument(
          {path, "velocity", "must have the shape of position", "another shape", "write the file again"});
    frames = std::min(frames, velocity.size[0]);
  }

  H5mdTrajectory found;
  if (!exists(file, all + "like/value")) {
    found.body.mass = read_list(file, "/particles/all", "mass", found);
    found.body.charge = read_list(file, "/particles/all", "charge", found);
  }
  found.length_unit = read_text(file, all + "position/value", "unit");
  found.time_unit = read_text(file, all + "position/time", "unit");
  found.body.author = read_text(file, "/h5md/author", "name");
  found.body.program = read_text(file, "/h5md/creator", "name");
  found.body.program_version = read_text(file, "/h5md/creator", "version");
  if (exists(file, "/connectivity/springs")) {
    const Array springs = open_array(file, "/connectivity/springs");
    const auto pairs = read_rows<std::int64_t>(springs, springs.size[0], "springs");
    for (std::size_t s = 0; s + 1 < pairs.size(); s += 2) found.body.springs.push_back({pairs[s], pairs[s + 1]});
    found.body.stiffness = read_list(file, "/connectivity", "stiffness", found);
    found.body.rest_length = read_list(file, "/connectivity", "rest_length", found);
  }

  // A killed run may have made room in some datasets only.
  for (const auto& [name, lists] : found.over_time) frames = std::min(frames, static_cast<hsize_t>(lists.size()));
  for (auto& [name, lists] : found.over_time) lists.resize(frames);
  const auto steps = read_rows<std::int64_t>(step, frames, "step");
  const auto times = read_rows<double>(time, frames, "time");
  const auto x = read_rows<double>(position, frames, "position");
  const auto v = has_velocity ? read_rows<double>(velocity, frames, "velocity") : std::vector<double>(x.size(), 0.0);
  for (std::size_t k = 0; k < frames; ++k) {
    const auto particles = static_cast<Index>(n);
    const auto block = [&](const std::vector<double>& values) {
      return sim::Points(Eigen::Map<const sim::Points>(values.data() + 3 * n * k, 3, particles));
    };
    found.trajectory.step.push_back(steps[k]);
    found.trajectory.states.push_back({times[k], block(x), block(v)});
  }
  if (exists(file, all + "like/value")) read_rosters(file, found);
  int complete = 1;
  if (exists(file, "/parameters") && H5Aexists_by_name(file, "/parameters", "complete", H5P_DEFAULT) > 0) {
    const Hdf5Handle attribute(H5Aopen_by_name(file, "/parameters", "complete", H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                               "open complete");
    hdf5_check(H5Aread(attribute, H5T_NATIVE_INT, &complete), "read complete");
  }
  found.trajectory.complete = complete != 0;
  return found;
}

}  // namespace

H5mdTrajectory read_h5md(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored))
    throw InvalidArgument({file, "trajectory", "must exist and be a file", "no such file", "check the path"});
  const Hdf5Quiet quiet;
  const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (opened < 0)
    throw InvalidArgument({file, "trajectory", "must be an HDF5 file",
                           "something else, a damaged file, or one that another program is writing",
                           "give a trajectory.h5 of this program"});
  const Hdf5Handle handle(opened, H5Fclose, "open " + file);
  try {
    return read_open_file(handle, file);
  } catch (const std::runtime_error& error) {
    throw InvalidArgument(
        {file, "trajectory", "must be readable", error.what(), "the file is damaged; run the simulation again"});
  }
}

}  // namespace pithball::datasets
