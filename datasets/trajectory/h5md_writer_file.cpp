#include "datasets/trajectory/h5md_writer_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "sim/core/error.hpp"

namespace pithball::datasets {

const ChangingValue& find_changing_value(const std::string& name) {
  static const std::array<ChangingValue, 3> all{{{"charge", "C", "/particles/all", &H5mdBody::charge},
                                                 {"stiffness", "N m-1", "/connectivity", &H5mdBody::stiffness},
                                                 {"rest_length", "m", "/connectivity", &H5mdBody::rest_length}}};
  const auto found = std::ranges::find(all, name, &ChangingValue::name);
  if (found == all.end())
    throw InvalidArgument({"", "changing", "must be one of charge, stiffness, rest_length", name, ""});
  return *found;
}

void H5mdWriter::File::list_elements() {
  const hid_t real = H5T_NATIVE_DOUBLE;
  elements.push_back({"position", 3, real, body.units.length});
  elements.push_back({"velocity", 3, real, body.units.velocity});
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

hsize_t H5mdWriter::File::bytes_of_a_state() const {
  hsize_t bytes = 0;
  for (const Element& element : elements) {
    hsize_t numbers = 1;
    for (const hsize_t length : extent(element, 1)) numbers *= length;
    bytes += numbers * sizeof(double);
  }
  return std::max<hsize_t>(1, bytes);
}

void H5mdWriter::File::settle_segment(Index wanted) {
  constexpr hsize_t most_bytes = hsize_t{16} << 20;
  const hsize_t fitting = std::max<hsize_t>(1, most_bytes / bytes_of_a_state());
  segment = static_cast<hsize_t>(wanted) <= fitting ? wanted : std::bit_floor(fitting);
}

void H5mdWriter::File::make_growing_elements() {
  for (Element& element : elements) {
    const Hdf5Handle group = make_group(file, element.path().c_str());
    if (&element == &elements.front()) {
      make_growing(group, "step", H5T_NATIVE_INT64, {0}, segment);
      write_variable_text(make_growing(group, "time", H5T_NATIVE_DOUBLE, {0}, segment), "unit", body.units.time);
    } else {  // The convention lets elements sampled together share their clock through hard links.
      for (const char* name : {"step", "time"})
        hdf5_check(
            H5Lcreate_hard(file, (elements.front().path() + "/" + name).c_str(), group, name, H5P_DEFAULT, H5P_DEFAULT),
            std::string("link ") + name);
    }
    const Hdf5Handle data =
        make_growing(group, "value", element.type, extent(element, 0), segment, body.attributes.has_value());
    if (!element.unit.empty()) write_variable_text(data, "unit", element.unit);
  }
}

std::vector<hsize_t> H5mdWriter::File::extent(const Element& element, hsize_t length) const {
  std::vector<hsize_t> size{length, element.of_springs() ? static_cast<hsize_t>(body.springs.size()) : width};
  if (element.components > 1) size.push_back(element.components);
  return size;
}

void H5mdWriter::File::open_growing() {
  const std::string all = "/particles/all/";
  clock.step = open_dataset(file, all + "position/step");
  clock.time = open_dataset(file, all + "position/time");
  for (Element& element : elements) element.data = open_dataset(file, element.path() + "/value");
}

void H5mdWriter::File::reopen() {
  const Hdf5Handle access = killed_writer_access();
  leave_out_locks(access);
  file = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDWR, access), H5Fclose, "open " + path + " for writing");
  mark.emplace(path);
  open_growing();
}

void H5mdWriter::File::cover_lost_pieces() {
  constexpr hsize_t lists = hsize_t{1} << 20;
  const hsize_t pieces = 4 * static_cast<hsize_t>(segment) * bytes_of_a_state();  // with a margin for rounding up
  hdf5_check(H5Fincrement_filesize(file, pieces + lists), "extend " + path);
}

void H5mdWriter::File::start_appending() { hdf5_check(H5Fstart_swmr_write(file), "write " + path + " step by step"); }

void H5mdWriter::File::close() {
  const std::string action = "write to " + path + disk_full;
  for (Element& element : elements) element.data.close_checked(action);
  clock.step.close_checked(action);
  clock.time.close_checked(action);
  file.close_checked(action);
}

hsize_t H5mdWriter::File::length() const {
  hsize_t size = 0;
  const Hdf5Handle space(H5Dget_space(clock.step), H5Sclose, "look at a dataset");
  hdf5_check(H5Sget_simple_extent_dims(space, &size, nullptr), "look at " + path);
  return size;
}

void H5mdWriter::File::set_length(hsize_t length) {
  for (const Hdf5Handle* data : {&clock.step, &clock.time}) hdf5_check(H5Dset_extent(*data, &length), "extend " + path);
  for (const Element& element : elements)
    hdf5_check(H5Dset_extent(element.data, extent(element, length).data()), "extend " + path);
}

std::vector<double> H5mdWriter::File::padded(const Element& element) const {
  if (element.of_springs()) return element.values;
  std::vector<double> block;
  block.reserve(buffered.counts.size() * width * element.components);
  auto from = element.values.begin();
  for (const hsize_t count : buffered.counts) {
    const auto to = from + (count * element.components);
    block.insert(block.end(), from, to);
    block.insert(block.end(), (width - count) * element.components, unwritten(element.type));
    from = to;
  }
  return block;
}

void H5mdWriter::File::write_rows(hid_t data, hid_t type, const void* values, hsize_t rows,
                                  const std::vector<hsize_t>& row) const {
  std::vector<hsize_t> start{written}, count{rows};
  for (const hsize_t k : row) {
    start.push_back(0);
    count.push_back(k);
  }
  const Hdf5Handle space(H5Dget_space(data), H5Sclose, "look at a dataset");
  hdf5_check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), "select rows");
  hdf5_check(H5Dwrite(data, type, simple_space(count), space, H5P_DEFAULT, values), "write to " + path + disk_full);
}

void H5mdWriter::File::send_off() { hdf5_check(H5Fflush(file, H5F_SCOPE_GLOBAL), "write to " + path + disk_full); }

void H5mdWriter::File::flush() {
  if (std::exchange(broken, true)) throw std::runtime_error("HDF5: cannot write to " + path + disk_full);
  if (const auto rows = static_cast<hsize_t>(buffered.steps.size()); rows > 0) {
    width = std::max(width, *std::max_element(buffered.counts.begin(), buffered.counts.end()));
    set_length(std::max(written + rows, length()));
    for (const Element& element : elements) {
      const std::vector<hsize_t> size = extent(element, 0);
      write_rows(element.data, H5T_NATIVE_DOUBLE, padded(element).data(), rows, {size.begin() + 1, size.end()});
    }
    write_rows(clock.time, H5T_NATIVE_DOUBLE, buffered.times.data(), rows, {});
    send_off();
    write_rows(clock.step, H5T_NATIVE_INT64, buffered.steps.data(), rows, {});
    written += rows;
    for (Element& element : elements) element.values.clear();
    buffered.steps.clear();
    buffered.times.clear();
    buffered.counts.clear();
  }
  send_off();
  broken = false;
}

}  // namespace pithball::datasets
