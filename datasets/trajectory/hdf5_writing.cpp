#include "datasets/trajectory/hdf5_writing.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace pithball::datasets {
namespace {

Hdf5Handle string_type(std::size_t length) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "describe a string");
  hdf5_check(H5Tset_size(type, length), "describe a string");
  hdf5_check(H5Tset_strpad(type, H5T_STR_NULLTERM), "describe a string");
  return type;
}

/// Returns the number of rows of an array that fit in about a megabyte; at least one.
hsize_t rows_in_a_megabyte(const Hdf5Size& size) {
  constexpr hsize_t numbers = 131072;
  hsize_t row = 1;
  for (std::size_t k = 1; k < size.size(); ++k) row *= size[k];
  return std::max<hsize_t>(numbers / std::max<hsize_t>(row, 1), 1);
}

/// Returns the plan to store an array in chunks of this size, each with a checksum.
Hdf5Handle checked_pieces(const Hdf5Size& size) {
  Hdf5Handle plan = timeless(H5P_DATASET_CREATE);
  hdf5_check(H5Pset_chunk(plan, size.size(), size.data()), "plan a dataset");
  hdf5_check(H5Pset_fletcher32(plan), "plan a dataset");
  return plan;
}

}  // namespace

Hdf5Handle timeless(hid_t creation) {
  Hdf5Handle plan(H5Pcreate(creation), H5Pclose, "plan an object");
  hdf5_check(H5Pset_obj_track_times(plan, false), "plan an object");
  return plan;
}

Hdf5Handle make_group(hid_t parent, const std::string& path) {
  return {H5Gcreate2(parent, path.c_str(), H5P_DEFAULT, timeless(H5P_GROUP_CREATE), H5P_DEFAULT), H5Gclose,
          "make group " + path};
}

Hdf5Handle open_dataset(hid_t parent, const std::string& path) {
  return {H5Dopen2(parent, path.c_str(), H5P_DEFAULT), H5Dclose, "open " + path};
}

Hdf5Handle simple_space(const Hdf5Size& size, const Hdf5Size& largest) {
  return {H5Screate_simple(size.size(), size.data(), largest.empty() ? nullptr : largest.data()), H5Sclose,
          "describe a dataset"};
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

void write_variable_text(hid_t object, const char* name, const std::string& text) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "describe a text");
  hdf5_check(H5Tset_size(type, H5T_VARIABLE), "describe a text");
  hdf5_check(H5Tset_cset(type, H5T_CSET_UTF8), "describe a text");
  const Hdf5Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, "describe an attribute");
  const char* const characters = text.c_str();
  write_attribute(object, name, type, scalar, &characters);
}

void write_nones(hid_t object, const char* name, Hdf5Size::size_type count) {
  const std::vector<std::array<char, 5>> nones(count, {"none"});
  write_attribute(object, name, string_type(5), simple_space({count}), nones.data());
}

void write_integers(hid_t object, const char* name, const std::vector<int>& values) {
  write_attribute(object, name, H5T_NATIVE_INT, simple_space({values.size()}), values.data());
}

void write_integer(hid_t object, const char* name, int value) {
  const Hdf5Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, "describe an attribute");
  write_attribute(object, name, H5T_NATIVE_INT, scalar, &value);
}

Hdf5Handle write_array(hid_t parent, const char* name, hid_t type, const Hdf5Size& size, const void* values) {
  Hdf5Size piece = size;
  piece[0] = std::min(size[0], rows_in_a_megabyte(size));
  Hdf5Handle data(H5Dcreate2(parent, name, type, simple_space(size), H5P_DEFAULT, checked_pieces(piece), H5P_DEFAULT),
                  H5Dclose, std::string("make ") + name);
  hdf5_check(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), std::string("write ") + name);
  hdf5_check(H5Dflush(data), std::string("write ") + name);  // an error at closing would be lost
  return data;
}

double unwritten(hid_t type) {
  return H5Tget_class(type) == H5T_INTEGER ? -1 : std::numeric_limits<double>::quiet_NaN();
}

Hdf5Handle make_growing(hid_t parent, const char* name, hid_t type, const Hdf5Size& size, sim::Index segment,
                        bool widens) {
  Hdf5Size largest = size, piece = size;
  largest[0] = H5S_UNLIMITED;
  if (widens) {
    constexpr hsize_t least_particles = 64;
    piece[1] = std::max(piece[1], least_particles);
    largest[1] = H5S_UNLIMITED;
  }
  // A whole number of chunks per segment: each is written once, and a killed run leaves all earlier ones intact.
  piece[0] = std::min(rows_in_a_megabyte(piece), static_cast<hsize_t>(segment));
  while (static_cast<hsize_t>(segment) % piece[0] != 0) --piece[0];
  const Hdf5Handle plan = checked_pieces(piece);
  const double fill = unwritten(type);
  hdf5_check(H5Pset_fill_value(plan, H5T_NATIVE_DOUBLE, &fill), "plan a dataset");
  return {H5Dcreate2(parent, name, type, simple_space(size, largest), H5P_DEFAULT, plan, H5P_DEFAULT), H5Dclose,
          std::string("make ") + name};
}

}  // namespace pithball::datasets
