#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "datasets/h5md.hpp"
#include "datasets/hdf5_handle.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

namespace {

Hdf5Handle make_group(hid_t parent, const char* path) {
  return {H5Gcreate2(parent, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, std::string("make group ") + path};
}

Hdf5Handle open_dataset(hid_t parent, const std::string& path) {
  return {H5Dopen2(parent, path.c_str(), H5P_DEFAULT), H5Dclose, "open " + path};
}

Hdf5Handle simple_space(const std::vector<hsize_t>& size, const hsize_t* largest = nullptr) {
  return {H5Screate_simple(static_cast<int>(size.size()), size.data(), largest), H5Sclose, "describe a dataset"};
}

Hdf5Handle string_type(std::size_t length) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "describe a string");
  hdf5_check(H5Tset_size(type, length), "describe a string");
  hdf5_check(H5Tset_strpad(type, H5T_STR_NULLTERM), "describe a string");
  return type;
}

void write_attribute(hid_t object, const char* name, hid_t type, hid_t space, const void* value) {
  const Hdf5Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                             std::string("make attribute ") + name);
  hdf5_check(H5Awrite(attribute, type, value), std::string("write attribute ") + name);
}

void write_text(hid_t object, const char* name, const std::string& text) {
  const Hdf5Handle type = string_type(text.size() + 1);
  const Hdf5Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, "describe an attribute");
  write_attribute(object, name, type, scalar, text.c_str());
}

void write_integers(hid_t object, const char* name, const std::vector<int>& values) {
  write_attribute(object, name, H5T_NATIVE_INT, simple_space({values.size()}), values.data());
}

void write_integer(hid_t object, const char* name, int value) {
  const Hdf5Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, "describe an attribute");
  write_attribute(object, name, H5T_NATIVE_INT, scalar, &value);
}

/// A fixed dataset written in one go.
Hdf5Handle write_array(hid_t parent, const char* name, hid_t type, const std::vector<hsize_t>& size,
                       const void* values) {
  Hdf5Handle data(H5Dcreate2(parent, name, type, simple_space(size), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose,
                  std::string("make ") + name);
  hdf5_check(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), std::string("write ") + name);
  return data;
}

/// An empty dataset that grows along its first axis, stored in chunks of one segment or about a megabyte.
Hdf5Handle make_growing(hid_t parent, const char* name, hid_t type, std::vector<hsize_t> size, Index segment) {
  std::vector<hsize_t> largest = size, chunk = size;
  hsize_t row = 1;
  for (std::size_t k = 1; k < size.size(); ++k) row *= size[k];
  constexpr hsize_t numbers_in_a_megabyte = 131072;
  chunk[0] = std::clamp<hsize_t>(numbers_in_a_megabyte / std::max<hsize_t>(row, 1), 1, static_cast<hsize_t>(segment));
  largest[0] = H5S_UNLIMITED;
  const Hdf5Handle plan(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "plan a dataset");
  hdf5_check(H5Pset_chunk(plan, static_cast<int>(chunk.size()), chunk.data()), "plan a dataset");
  return {H5Dcreate2(parent, name, type, simple_space(size, largest.data()), H5P_DEFAULT, plan, H5P_DEFAULT), H5Dclose,
          std::string("make ") + name};
}

}  // namespace

/// The open file, its growing datasets and the states that wait for the next flush.
struct H5mdWriter::File {
  std::string path;
  Index particles = 0, segment = 1;
  Hdf5Handle file, step, time, position, velocity;
  hsize_t written = 0;
  Index last_step = -1;
  std::vector<std::int64_t> steps;
  std::vector<double> times, positions, velocities;

  void open_growing() {
    const std::string all = "/particles/all/";
    step = open_dataset(file, all + "position/step");
    time = open_dataset(file, all + "position/time");
    position = open_dataset(file, all + "position/value");
    velocity = open_dataset(file, all + "velocity/value");
  }

  void set_length(hsize_t length) {
    const auto n = static_cast<hsize_t>(particles);
    const std::array<hsize_t, 3> size{length, n, 3};
    for (const Hdf5Handle* data : {&step, &time, &position, &velocity})
      hdf5_check(H5Dset_extent(*data, size.data()), "extend " + path);
  }

  void write_rows(hid_t data, hid_t type, const void* values, hsize_t rows, const std::vector<hsize_t>& row) const {
    std::vector<hsize_t> start{written}, count{rows};
    for (const hsize_t k : row) {
      start.push_back(0);
      count.push_back(k);
    }
    const Hdf5Handle space(H5Dget_space(data), H5Sclose, "look at a dataset");
    hdf5_check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), "select rows");
    hdf5_check(H5Dwrite(data, type, simple_space(count), space, H5P_DEFAULT, values), "write to " + path);
  }

  void flush() {
    const auto rows = static_cast<hsize_t>(steps.size());
    if (rows > 0) {
      const auto n = static_cast<hsize_t>(particles);
      set_length(written + rows);
      write_rows(position, H5T_NATIVE_DOUBLE, positions.data(), rows, {n, 3});
      write_rows(velocity, H5T_NATIVE_DOUBLE, velocities.data(), rows, {n, 3});
      write_rows(time, H5T_NATIVE_DOUBLE, times.data(), rows, {});
      write_rows(step, H5T_NATIVE_INT64, steps.data(), rows, {});
      written += rows;
      steps.clear();
      times.clear();
      positions.clear();
      velocities.clear();
    }
    hdf5_check(H5Fflush(file, H5F_SCOPE_GLOBAL), "flush " + path);
  }
};

H5mdWriter::H5mdWriter(std::unique_ptr<File> file) : file_(std::move(file)) {}
H5mdWriter::H5mdWriter(H5mdWriter&&) noexcept = default;
H5mdWriter& H5mdWriter::operator=(H5mdWriter&&) noexcept = default;

H5mdWriter::~H5mdWriter() {
  if (!file_) return;
  const Hdf5Quiet quiet;
  try {
    file_->flush();
  } catch (const std::exception&) {
    // A destructor cannot report; what earlier flushes wrote stays readable.
  }
}

H5mdWriter::H5mdWriter(const std::string& file, const H5mdBody& body, Index segment) : file_(std::make_unique<File>()) {
  const Index n = body.mass.size();
  if (n < 1 || body.charge.size() != n)
    throw InvalidArgument({file, "trajectory", "must have as many charges as masses, at least one",
                           std::to_string(n) + " masses and " + std::to_string(body.charge.size()) + " charges",
                           "give one of each per particle"});
  for (const auto& spring : body.springs)
    if (spring.i < 0 || spring.i >= n || spring.j < 0 || spring.j >= n)
      throw InvalidArgument({file, "springs", "must tie particles 0.." + std::to_string(n - 1),
                             std::to_string(spring.i) + "-" + std::to_string(spring.j), "correct the indices"});
  const auto springs_count = static_cast<Index>(body.springs.size());
  for (const sim::Vector* values : {&body.stiffness, &body.rest_length})
    if (values->size() != 0 && values->size() != springs_count)
      throw InvalidArgument({file, "springs", "must have one stiffness and one rest length each, or none",
                             std::to_string(values->size()) + " for " + std::to_string(springs_count) + " springs",
                             "give one value per spring"});
  if (segment < 1) throw InvalidArgument({file, "segment", "must be >= 1", std::to_string(segment), "100 is usual"});
  const Hdf5Quiet quiet;
  const hid_t made = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (made < 0)
    throw InvalidArgument(
        {file, "trajectory", "must be writable", "HDF5 cannot make it", "check the folder and its permissions"});
  File& f = *file_;
  f.file = Hdf5Handle(made, H5Fclose, "make " + file);
  f.path = file;
  f.particles = n;
  f.segment = segment;

  const Hdf5Handle h5md = make_group(f.file, "h5md");
  write_integers(h5md, "version", {1, 1});
  write_text(make_group(h5md, "author"), "name", body.author);
  const Hdf5Handle creator = make_group(h5md, "creator");
  write_text(creator, "name", body.program);
  write_text(creator, "version", body.program_version);
  const Hdf5Handle modules = make_group(h5md, "modules");
  const Hdf5Handle units = make_group(modules, "units");
  write_integers(units, "version", {1, 0});
  write_text(units, "system", "SI");

  const Hdf5Handle particles = make_group(f.file, "particles");
  const Hdf5Handle all = make_group(particles, "all");
  const Hdf5Handle box = make_group(all, "box");
  write_integer(box, "dimension", 3);
  const std::array<std::array<char, 5>, 3> none{{{"none"}, {"none"}, {"none"}}};
  write_attribute(box, "boundary", string_type(5), simple_space({3}), none.data());

  const auto count = static_cast<hsize_t>(n);
  const Hdf5Handle position = make_group(all, "position"), velocity = make_group(all, "velocity");
  make_growing(position, "step", H5T_NATIVE_INT64, {0}, segment);
  write_text(make_growing(position, "time", H5T_NATIVE_DOUBLE, {0}, segment), "unit", "s");
  write_text(make_growing(position, "value", H5T_NATIVE_DOUBLE, {0, count, 3}, segment), "unit", "m");
  write_text(make_growing(velocity, "value", H5T_NATIVE_DOUBLE, {0, count, 3}, segment), "unit", "m s-1");
  // The convention lets elements sampled together share their clock through hard links.
  for (const char* name : {"step", "time"})
    hdf5_check(H5Lcreate_hard(position, name, velocity, name, H5P_DEFAULT, H5P_DEFAULT), std::string("link ") + name);
  write_text(write_array(all, "mass", H5T_NATIVE_DOUBLE, {count}, body.mass.data()), "unit", "kg");
  write_text(write_array(all, "charge", H5T_NATIVE_DOUBLE, {count}, body.charge.data()), "unit", "C");

  if (!body.springs.empty()) {
    std::vector<std::int64_t> pairs;
    for (const auto& spring : body.springs) {
      pairs.push_back(spring.i);
      pairs.push_back(spring.j);
    }
    const Hdf5Handle connectivity = make_group(f.file, "connectivity");
    const Hdf5Handle springs =
        write_array(connectivity, "springs", H5T_NATIVE_INT64, {body.springs.size(), 2}, pairs.data());
    hobj_ref_t group;
    hdf5_check(H5Rcreate(&group, f.file, "/particles/all", H5R_OBJECT, -1), "refer to the particles");
    const Hdf5Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, "describe an attribute");
    write_attribute(springs, "particles_group", H5T_STD_REF_OBJ, scalar, &group);
    const auto write_values = [&](const char* name, const char* unit, const sim::Vector& values) {
      if (values.size() == 0) return;
      write_text(write_array(connectivity, name, H5T_NATIVE_DOUBLE, {body.springs.size()}, values.data()), "unit",
                 unit);
    };
    write_values("stiffness", "N m-1", body.stiffness);
    write_values("rest_length", "m", body.rest_length);
  }
  write_integer(make_group(f.file, "parameters"), "complete", 0);
  f.open_growing();
  f.flush();
}

H5mdWriter H5mdWriter::resume(const std::string& file, Index segment) {
  const H5mdTrajectory left = read_h5md(file);
  const Hdf5Quiet quiet;
  auto f = std::make_unique<File>();
  f->path = file;
  f->particles = left.body.mass.size();
  f->segment = std::max<Index>(segment, 1);
  f->file = Hdf5Handle(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "open " + file + " for writing");
  f->open_growing();
  f->written = static_cast<hsize_t>(left.trajectory.step.size());
  f->last_step = left.trajectory.step.empty() ? -1 : left.trajectory.step.back();
  f->set_length(f->written);
  return H5mdWriter(std::move(f));
}

void H5mdWriter::append(Index step, const sim::State& state) {
  if (!file_) throw std::logic_error("H5mdWriter: append after finish");
  File& f = *file_;
  if (state.x.cols() != f.particles || state.v.cols() != f.particles)
    throw InvalidArgument(
        {f.path, "state", "must have " + std::to_string(f.particles) + " particles",
         std::to_string(state.x.cols()) + " positions and " + std::to_string(state.v.cols()) + " velocities",
         "append states of the run that the file was made for"});
  if (step <= f.last_step)
    throw InvalidArgument({f.path, "step", "must be larger than " + std::to_string(f.last_step), std::to_string(step),
                           "append states in order"});
  f.last_step = step;
  f.steps.push_back(step);
  f.times.push_back(state.t);
  // Column-major 3×N is the convention's row-major [N][3].
  f.positions.insert(f.positions.end(), state.x.data(), state.x.data() + state.x.size());
  f.velocities.insert(f.velocities.end(), state.v.data(), state.v.data() + state.v.size());
  if (static_cast<Index>(f.steps.size()) >= f.segment) flush();
}

void H5mdWriter::flush() {
  if (!file_) return;
  const Hdf5Quiet quiet;
  file_->flush();
}

void H5mdWriter::finish(bool complete) {
  if (!file_) return;
  const Hdf5Quiet quiet;
  file_->flush();
  const int value = complete ? 1 : 0;
  {
    const Hdf5Handle group(H5Gopen2(file_->file, "/parameters", H5P_DEFAULT), H5Gclose, "open /parameters");
    const Hdf5Handle attribute(H5Aopen(group, "complete", H5P_DEFAULT), H5Aclose, "open complete");
    hdf5_check(H5Awrite(attribute, H5T_NATIVE_INT, &value), "write complete");
  }
  hdf5_check(H5Fflush(file_->file, H5F_SCOPE_GLOBAL), "flush " + file_->path);
  file_.reset();
}

void write_h5md(const std::string& file, const H5mdBody& body, const sim::Trajectory& trajectory) {
  H5mdWriter writer(file, body);
  for (std::size_t k = 0; k < trajectory.states.size(); ++k) writer.append(trajectory.step[k], trajectory.states[k]);
  writer.finish(trajectory.complete);
}

}  // namespace pithball::datasets
