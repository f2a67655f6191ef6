#include <hdf5.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "datasets/h5md.hpp"
#include "datasets/h5md_reader.hpp"
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

/// How many rows of an array make about a megabyte; at least one.
hsize_t rows_in_a_megabyte(const std::vector<hsize_t>& size) {
  constexpr hsize_t numbers = 131072;
  hsize_t row = 1;
  for (std::size_t k = 1; k < size.size(); ++k) row *= size[k];
  return std::max<hsize_t>(numbers / std::max<hsize_t>(row, 1), 1);
}

/// Stores an array in pieces of this size, each with a checksum.
Hdf5Handle checked_pieces(const std::vector<hsize_t>& size) {
  Hdf5Handle plan(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "plan a dataset");
  hdf5_check(H5Pset_chunk(plan, static_cast<int>(size.size()), size.data()), "plan a dataset");
  hdf5_check(H5Pset_fletcher32(plan), "plan a dataset");
  return plan;
}

/// A fixed dataset written in one go.
Hdf5Handle write_array(hid_t parent, const char* name, hid_t type, const std::vector<hsize_t>& size,
                       const void* values) {
  std::vector<hsize_t> piece = size;
  piece[0] = std::min(size[0], rows_in_a_megabyte(size));
  Hdf5Handle data(H5Dcreate2(parent, name, type, simple_space(size), H5P_DEFAULT, checked_pieces(piece), H5P_DEFAULT),
                  H5Dclose, std::string("make ") + name);
  hdf5_check(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), std::string("write ") + name);
  return data;
}

/// What a dataset holds where nothing was written: no step, no particle, no number.
double unwritten(hid_t type) {
  return H5Tget_class(type) == H5T_INTEGER ? -1 : std::numeric_limits<double>::quiet_NaN();
}

/// An empty dataset that grows along its first axis, by segments of states, and if `widens` along the second too.
Hdf5Handle make_growing(hid_t parent, const char* name, hid_t type, const std::vector<hsize_t>& size, Index segment,
                        bool widens = false) {
  std::vector<hsize_t> largest = size, piece = size;
  largest[0] = H5S_UNLIMITED;
  if (widens) {
    constexpr hsize_t least_particles = 64;
    piece[1] = std::max(piece[1], least_particles);
    largest[1] = H5S_UNLIMITED;
  }
  // A whole number of pieces in a segment: each is written once, and a killed run tears none of those before.
  piece[0] = std::min(rows_in_a_megabyte(piece), static_cast<hsize_t>(segment));
  while (static_cast<hsize_t>(segment) % piece[0] != 0) --piece[0];
  const Hdf5Handle plan = checked_pieces(piece);
  const double fill = unwritten(type);
  hdf5_check(H5Pset_fill_value(plan, H5T_NATIVE_DOUBLE, &fill), "plan a dataset");
  return {H5Dcreate2(parent, name, type, simple_space(size, largest.data()), H5P_DEFAULT, plan, H5P_DEFAULT), H5Dclose,
          std::string("make ") + name};
}

/// A value of a body that may change with time: where it stands in the file, and in the body.
struct ChangingValue {
  std::string name, unit, group;
  sim::Vector H5mdBody::*values;
};

const ChangingValue& find_changing_value(const std::string& name) {
  static const std::array<ChangingValue, 3> all{
      {{"charge", "C", "/particles/all", &H5mdBody::charge},
       {"stiffness", "N m-1", "/connectivity", &H5mdBody::stiffness},
       {"rest_length", "m", "/connectivity", &H5mdBody::rest_length}}};
  const auto found = std::ranges::find(all, name, &ChangingValue::name);
  if (found == all.end())
    throw InvalidArgument({"", "changing", "must be one of charge, stiffness, rest_length", name, ""});
  return *found;
}

constexpr const char* disk_full = ": is the disk full?";

}  // namespace

/// The open file, its growing datasets and the states that wait for the next flush.
struct H5mdWriter::File {
  /// Numbers of every particle that change from state to state.
  struct Element {
    std::string name;
    hsize_t components;  // of each particle
    hid_t type;
    std::string unit;
    Hdf5Handle data = {};
    std::vector<double> values = {};  // of the states that wait, one after the other
    std::string group = "/particles/all";
    bool of_springs() const { return group == "/connectivity"; }
    std::string path() const { return group + "/" + name; }
  };

  std::string path;
  H5mdBody body;
  Index segment = 1;
  std::optional<Hdf5OpenMark> mark;
  Hdf5Handle file, step, time;
  std::vector<Element> elements;
  hsize_t written = 0, width = 0;  // states, places for particles
  Index last_step = -1;
  std::vector<std::int64_t> steps;
  std::vector<double> times;
  std::vector<hsize_t> counts;  // particles of the states that wait
  bool broken = false;          // a flush failed

  /// What a file of this body keeps in time of each particle and spring.
  void list_elements() {
    const hid_t real = H5T_NATIVE_DOUBLE;
    elements.push_back({"position", 3, real, "m"});
    elements.push_back({"velocity", 3, real, "m s-1"});
    for (const std::string& name : body.changing) {
      const ChangingValue& value = find_changing_value(name);
      elements.push_back({.name = name, .components = 1, .type = real, .unit = value.unit, .group = value.group});
    }
    if (!body.attributes) return;
    for (const char* name : {"id", "like"}) elements.push_back({name, 1, H5T_NATIVE_INT64, ""});
    elements.push_back({"mass", 1, real, "kg"});
    elements.push_back({"charge", 1, real, "C"});
    for (const char* name : {"birth_time", "death_time", "age"}) elements.push_back({name, 1, real, "s"});
    for (const std::string& name : *body.attributes) elements.push_back({name, 1, real, ""});
  }

  hsize_t bytes_of_a_state() const {
    hsize_t bytes = 0;
    for (const Element& element : elements) {
      hsize_t numbers = 1;
      for (const hsize_t length : extent(element, 1)) numbers *= length;
      bytes += numbers * sizeof(double);
    }
    return std::max<hsize_t>(1, bytes);
  }

  /// As many states as are written at a time: those asked for, or what is in about 16 MB.
  void settle_segment(Index wanted) {
    constexpr hsize_t most_bytes = hsize_t{16} << 20;
    const hsize_t fitting = std::max<hsize_t>(1, most_bytes / bytes_of_a_state());
    segment = static_cast<hsize_t>(wanted) <= fitting ? wanted : static_cast<Index>(std::bit_floor(fitting));
  }

  bool changes(const std::string& name) const { return std::ranges::find(body.changing, name) != body.changing.end(); }

  void make_growing_elements() {
    for (Element& element : elements) {
      const Hdf5Handle group = make_group(file, element.path().c_str());
      if (&element == &elements.front()) {
        make_growing(group, "step", H5T_NATIVE_INT64, {0}, segment);
        write_text(make_growing(group, "time", H5T_NATIVE_DOUBLE, {0}, segment), "unit", "s");
      } else {  // The convention lets elements sampled together share their clock through hard links.
        for (const char* name : {"step", "time"})
          hdf5_check(
              H5Lcreate_hard(file, (elements.front().path() + "/" + name).c_str(), group, name, H5P_DEFAULT, H5P_DEFAULT),
              std::string("link ") + name);
      }
      const Hdf5Handle data =
          make_growing(group, "value", element.type, extent(element, 0), segment, body.attributes.has_value());
      if (!element.unit.empty()) write_text(data, "unit", element.unit);
    }
  }

  std::vector<hsize_t> extent(const Element& element, hsize_t length) const {
    std::vector<hsize_t> size{length, element.of_springs() ? static_cast<hsize_t>(body.springs.size()) : width};
    if (element.components > 1) size.push_back(element.components);
    return size;
  }

  void open_growing() {
    const std::string all = "/particles/all/";
    step = open_dataset(file, all + "position/step");
    time = open_dataset(file, all + "position/time");
    for (Element& element : elements) element.data = open_dataset(file, element.path() + "/value");
  }

  /// Opens what an earlier writer left, killed or not.
  void reopen() {
    const Hdf5Handle access = killed_writer_access();
    file = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDWR, access), H5Fclose, "open " + path + " for writing");
    mark.emplace(path);
    open_growing();
  }

  /// A killed run may have listed pieces of the segment that it was writing behind the end of the file, where HDF5 would
  /// refuse to write them again. Moves the end behind all of them; the gap takes no room on the disk.
  void cover_lost_pieces() {
    constexpr hsize_t lists = hsize_t{1} << 20;
    const hsize_t pieces = 4 * static_cast<hsize_t>(segment) * bytes_of_a_state();  // with room that rounds them up
    hdf5_check(H5Fincrement_filesize(file, pieces + lists), "extend " + path);
  }

  /// From here on HDF5 orders its writes so that the file is whole at any instant ("single writer, multiple readers"): a
  /// killed run leaves what its last flush had written, and others may read while it goes on. Datasets may only grow.
  void start_appending() { hdf5_check(H5Fstart_swmr_write(file), "write " + path + " step by step"); }

  void close() {
    for (Element& element : elements) element.data = {};
    step = {};
    time = {};
    file = {};
  }

  /// Room that the datasets have, which is more than what is written in them where a run is begun again.
  hsize_t length() const {
    hsize_t size = 0;
    const Hdf5Handle space(H5Dget_space(step), H5Sclose, "look at a dataset");
    hdf5_check(H5Sget_simple_extent_dims(space, &size, nullptr), "look at " + path);
    return size;
  }

  void set_length(hsize_t length) {
    for (const Hdf5Handle* data : {&step, &time}) hdf5_check(H5Dset_extent(*data, &length), "extend " + path);
    for (const Element& element : elements)
      hdf5_check(H5Dset_extent(element.data, extent(element, length).data()), "extend " + path);
  }

  /// What waits of an element, every state as wide as the file.
  std::vector<double> padded(const Element& element) const {
    if (element.of_springs()) return element.values;
    std::vector<double> block;
    block.reserve(counts.size() * width * element.components);
    auto from = element.values.begin();
    for (const hsize_t count : counts) {
      const auto to = from + static_cast<std::ptrdiff_t>(count * element.components);
      block.insert(block.end(), from, to);
      block.insert(block.end(), (width - count) * element.components, unwritten(element.type));
      from = to;
    }
    return block;
  }

  void write_rows(hid_t data, hid_t type, const void* values, hsize_t rows, const std::vector<hsize_t>& row) const {
    std::vector<hsize_t> start{written}, count{rows};
    for (const hsize_t k : row) {
      start.push_back(0);
      count.push_back(k);
    }
    const Hdf5Handle space(H5Dget_space(data), H5Sclose, "look at a dataset");
    hdf5_check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), "select rows");
    hdf5_check(H5Dwrite(data, type, simple_space(count), space, H5P_DEFAULT, values),
               "write to " + path + disk_full);
  }

  void send_off() { hdf5_check(H5Fflush(file, H5F_SCOPE_GLOBAL), "write to " + path + disk_full); }

  /// States before their steps: where the disk refuses a part of them, there are no steps that promise them. HDF5 does not
  /// know what it lost then, so nothing more is written.
  void flush() {
    if (std::exchange(broken, true)) throw std::runtime_error("HDF5: cannot write to " + path + disk_full);
    if (const auto rows = static_cast<hsize_t>(steps.size()); rows > 0) {
      width = std::max(width, *std::max_element(counts.begin(), counts.end()));
      set_length(std::max(written + rows, length()));
      for (const Element& element : elements) {
        const std::vector<hsize_t> size = extent(element, 0);
        write_rows(element.data, H5T_NATIVE_DOUBLE, padded(element).data(), rows, {size.begin() + 1, size.end()});
      }
      write_rows(time, H5T_NATIVE_DOUBLE, times.data(), rows, {});
      send_off();
      write_rows(step, H5T_NATIVE_INT64, steps.data(), rows, {});
      written += rows;
      for (Element& element : elements) element.values.clear();
      steps.clear();
      times.clear();
      counts.clear();
    }
    send_off();
    broken = false;
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
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "plan a file");
  hdf5_check(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110), "plan a file");  // for `start_appending`
  const hid_t made = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  if (made < 0)
    throw InvalidArgument(
        {file, "trajectory", "must be writable", "HDF5 cannot make it", "check the folder and its permissions"});
  File& f = *file_;
  f.file = Hdf5Handle(made, H5Fclose, "make " + file);
  f.mark.emplace(file);
  f.path = file;
  f.body = body;
  f.width = static_cast<hsize_t>(n);
  f.list_elements();
  f.settle_segment(segment);

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
  const Hdf5Handle connectivity = body.springs.empty() ? Hdf5Handle() : make_group(f.file, "connectivity");
  f.make_growing_elements();
  if (body.attributes) {
    std::string names;
    for (const std::string& name : *body.attributes) names += name + "\n";
    write_text(all, "attributes", names);
  } else {
    write_text(write_array(all, "mass", H5T_NATIVE_DOUBLE, {count}, body.mass.data()), "unit", "kg");
    if (!f.changes("charge"))
      write_text(write_array(all, "charge", H5T_NATIVE_DOUBLE, {count}, body.charge.data()), "unit", "C");
  }

  if (!body.springs.empty()) {
    std::vector<std::int64_t> pairs;
    for (const auto& spring : body.springs) {
      pairs.push_back(spring.i);
      pairs.push_back(spring.j);
    }
    const Hdf5Handle springs =
        write_array(connectivity, "springs", H5T_NATIVE_INT64, {body.springs.size(), 2}, pairs.data());
    hobj_ref_t group;
    hdf5_check(H5Rcreate(&group, f.file, "/particles/all", H5R_OBJECT, -1), "refer to the particles");
    const Hdf5Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, "describe an attribute");
    write_attribute(springs, "particles_group", H5T_STD_REF_OBJ, scalar, &group);
    const auto write_values = [&](const char* name, const char* unit, const sim::Vector& values) {
      if (values.size() == 0 || f.changes(name)) return;
      write_text(write_array(connectivity, name, H5T_NATIVE_DOUBLE, {body.springs.size()}, values.data()), "unit",
                 unit);
    };
    write_values("stiffness", "N m-1", body.stiffness);
    write_values("rest_length", "m", body.rest_length);
  }
  write_integer(make_group(f.file, "parameters"), "complete", 0);
  f.open_growing();
  f.flush();
  f.start_appending();
}

H5mdWriter H5mdWriter::resume(const std::string& file, Index keep, Index segment) {
  const Hdf5Quiet quiet;
  auto f = std::make_unique<File>();
  f->path = file;
  {  // HDF5 opens no file for writing that is open for reading
    const H5mdReader left(file);
    const std::size_t kept = keep < 0 ? left.size() : std::min(left.size(), static_cast<std::size_t>(keep));
    f->body = left.body();
    f->width = static_cast<hsize_t>(std::max<Index>(left.body().mass.size(), left.most_particles()));
    f->written = static_cast<hsize_t>(kept);
    f->last_step = kept == 0 ? -1 : left.steps()[kept - 1];
  }
  f->list_elements();
  f->settle_segment(std::max<Index>(segment, 1));
  try {
    f->reopen();
    f->cover_lost_pieces();
    f->start_appending();
  } catch (const std::runtime_error& error) {
    throw InvalidArgument({file, "trajectory", "must be one that this program began, and may write", error.what(),
                           "begin the run again"});
  }
  return H5mdWriter(std::move(f));
}

void H5mdWriter::append(Index step, const sim::State& state, const sim::Roster* roster, const H5mdBody* now) {
  if (!file_) throw std::logic_error("H5mdWriter: append after finish");
  File& f = *file_;
  if (f.body.attributes.has_value() != (roster != nullptr))
    throw InvalidArgument({f.path, "state", "must come with a roster where particles come and go, and only there",
                           roster ? "a roster" : "none", ""});
  const Index n = roster ? static_cast<Index>(roster->size()) : f.body.mass.size();
  if (state.x.cols() != n || state.v.cols() != n)
    throw InvalidArgument(
        {f.path, "state", "must have " + std::to_string(n) + " particles",
         std::to_string(state.x.cols()) + " positions and " + std::to_string(state.v.cols()) + " velocities",
         "append states of the run that the file was made for"});
  if (step <= f.last_step)
    throw InvalidArgument({f.path, "step", "must be larger than " + std::to_string(f.last_step), std::to_string(step),
                           "append states in order"});
  if (!f.body.changing.empty() && !now)
    throw InvalidArgument({f.path, "state", "must come with the values of its time where they change", "none", ""});
  f.last_step = step;
  f.steps.push_back(step);
  f.times.push_back(state.t);
  f.counts.push_back(static_cast<hsize_t>(n));
  auto element = f.elements.begin();
  const auto add = [&](const double* values, Index count) {
    element->values.insert(element->values.end(), values, values + count);
    ++element;
  };
  // Column-major 3×N is the convention's row-major [N][3].
  add(state.x.data(), state.x.size());
  add(state.v.data(), state.v.size());
  for (const std::string& name : f.body.changing) {
    const sim::Vector& values = now->*find_changing_value(name).values;
    add(values.data(), values.size());
  }
  if (roster) {  // in the order of `list_elements`
    const auto add_each = [&](const auto& value_of) {
      const sim::Vector values = sim::Vector::NullaryExpr(n, value_of);
      add(values.data(), n);
    };
    const auto at = [](const auto& list, Index p) { return static_cast<double>(list[static_cast<std::size_t>(p)]); };
    add_each([&](Index p) { return at(roster->id, p); });
    add_each([&](Index p) { return at(roster->like, p); });
    for (const sim::Vector* values : {&f.body.mass, &f.body.charge})
      add_each([&](Index p) { return (*values)[roster->like[static_cast<std::size_t>(p)]]; });
    add_each([&](Index p) { return at(roster->birth_time, p); });
    add_each([&](Index p) { return at(roster->death_time, p); });
    add_each([&](Index p) { return state.t - at(roster->birth_time, p); });
    for (Index a = 0; a < roster->attributes.rows(); ++a) add_each([&](Index p) { return roster->attributes(a, p); });
  }
  const auto states = static_cast<Index>(f.written) + static_cast<Index>(f.steps.size());
  if (states % f.segment == 0) flush();
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
  file_->close();
  file_->reopen();
  if (file_->length() != file_->written) file_->set_length(file_->written);
  const int value = complete ? 1 : 0;
  {
    const Hdf5Handle group(H5Gopen2(file_->file, "/parameters", H5P_DEFAULT), H5Gclose, "open /parameters");
    const Hdf5Handle attribute(H5Aopen(group, "complete", H5P_DEFAULT), H5Aclose, "open complete");
    hdf5_check(H5Awrite(attribute, H5T_NATIVE_INT, &value), "write complete");
  }
  hdf5_check(H5Fflush(file_->file, H5F_SCOPE_GLOBAL), "write to " + file_->path + disk_full);
  file_.reset();
}

void write_h5md(const std::string& file, const H5mdBody& body, const sim::Trajectory& trajectory) {
  H5mdWriter writer(file, body);
  for (std::size_t k = 0; k < trajectory.states.size(); ++k)
    writer.append(trajectory.step[k], trajectory.states[k], body.attributes ? &trajectory.rosters.at(k) : nullptr);
  writer.finish(trajectory.complete);
}

}  // namespace pithball::datasets
