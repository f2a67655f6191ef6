#include "datasets/trajectory/hdf5_objects.hpp"

#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>

#include "datasets/trajectory/hdf5_handle.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

namespace {

constexpr const char* run_again = "the file is damaged; copy it again, or run the simulation again";
constexpr std::size_t longest_text = 65536;  // bytes; HDF5's own limit for attributes in compact storage
constexpr std::size_t widest_number = 16;    // bytes

/// Opens a file; negative on failure.
hid_t open_to_read(const std::string& name) {
  const Hdf5Handle access = killed_writer_access();
  leave_out_locks(access, name);
  return H5Fopen(name.c_str(), H5F_ACC_RDONLY, access);
}

std::vector<std::uint64_t> extent_of(hid_t space) {
  std::vector<hsize_t> size(std::max(H5Sget_simple_extent_ndims(space), 0));
  if (!size.empty()) H5Sget_simple_extent_dims(space, size.data(), nullptr);
  return {size.begin(), size.end()};
}

bool is_number(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  const std::size_t bytes = H5Tget_size(type);
  return (kind == H5T_INTEGER || kind == H5T_FLOAT) && bytes > 0 && bytes <= widest_number;
}

/// Returns a description of a dataset's storage if its numbers are not in place in the file; empty if they are.
std::string elsewhere(hid_t plan) {
  if (H5Pget_external_count(plan) != 0) return "numbers that lie in another file (external storage)";
  const H5D_layout_t layout = H5Pget_layout(plan);
  if (layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED || layout == H5D_COMPACT) return {};
  return layout == H5D_VIRTUAL ? "numbers that lie in other datasets (a virtual one)" : "another kind of storage";
}

/// The file, opened in this process.
class Hdf5ObjectsHere : public Hdf5Objects {
 public:
  explicit Hdf5ObjectsHere(std::string file);
  bool has(const std::string& object) override;
  std::vector<Hdf5Member> members(const std::string& group, std::size_t most) override;
  Hdf5Shape shape(const std::string& array) override;
  std::vector<double> doubles(const std::string& array, const Hdf5Shape& shape, const Hdf5Rows& rows) override {
    return read<double>(array, shape, rows, H5T_NATIVE_DOUBLE);
  }
  std::vector<std::int64_t> integers(const std::string& array, const Hdf5Shape& shape, const Hdf5Rows& rows) override {
    return read<std::int64_t>(array, shape, rows, H5T_NATIVE_INT64);
  }
  std::optional<std::string> text(const std::string& object, const std::string& attribute) override;
  std::optional<std::int64_t> integer(const std::string& object, const std::string& attribute) override;

 private:
  template <class Number>
  std::vector<Number> read(const std::string& array, const Hdf5Shape& shape, const Hdf5Rows& rows, hid_t type);
  std::optional<Hdf5Handle> single(const std::string& object, const std::string& attribute, H5T_class_t type_class,
                                   const std::string& required);
  [[noreturn]] void reject(const std::string& what, const std::string& required, const std::string& got,
                           const std::string& remedy) const;

  std::string name_;
  std::uint64_t bytes_ = 0;
  Hdf5Handle file_;
  std::optional<Hdf5OpenMark> mark_;
  std::map<std::string, Hdf5Handle> arrays_;  // open arrays, by name
};

Hdf5ObjectsHere::Hdf5ObjectsHere(std::string file) : name_(std::move(file)) {
  std::error_code failure;
  const std::filesystem::file_status status = std::filesystem::status(name_, failure);
  if (status.type() == std::filesystem::file_type::none)  // its folder may be unreadable
    reject("trajectory", "must be readable", failure.message(), "check its permissions");
  if (!std::filesystem::is_regular_file(status))
    reject("trajectory", "must exist and be a file", "no such file", "check the path");
  if (::access(name_.c_str(), R_OK) != 0)
    reject("trajectory", "must be readable", std::strerror(errno), "check its permissions");
  bytes_ = std::filesystem::file_size(name_, failure);
  const Hdf5Quiet quiet;
  hid_t opened = open_to_read(name_);
  if (opened < 0) opened = open_to_read(name_);  // retries, as locks may be omitted after one has failed
  if (opened < 0)
    reject("trajectory", "must be an HDF5 file",
           "something else, a damaged file, or one that another program is writing",
           "copy the file again, or close it in the other program");
  file_ = Hdf5Handle(opened, H5Fclose, "open " + name_);
  mark_.emplace(name_);
}

void Hdf5ObjectsHere::reject(const std::string& what, const std::string& required, const std::string& got,
                             const std::string& remedy) const {
  throw InvalidArgument({name_, what, required, got, remedy});
}

bool Hdf5ObjectsHere::has(const std::string& object) {
  const Hdf5Quiet quiet;
  for (std::size_t at = 0; at != std::string::npos;) {
    at = object.find('/', at + 1);
    const std::string part = object.substr(0, at);
    if (H5Lexists(file_, part.c_str(), H5P_DEFAULT) <= 0) return false;
    H5L_info_t link;
    if (H5Lget_info(file_, part.c_str(), &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
      reject(part, "must be in this file under its own name", "a link that leads elsewhere",
             "copy what it leads to into one file, for example with h5copy -f soft,ext");
  }
  return true;
}

std::vector<Hdf5Member> Hdf5ObjectsHere::members(const std::string& group, std::size_t most) {
  const Hdf5Quiet quiet;
  if (group != "/" && !has(group)) return {};
  std::vector<Hdf5Member> found;
  try {
    const Hdf5Handle opened(H5Oopen(file_, group.c_str(), H5P_DEFAULT), H5Oclose, "open " + group);
    if (H5Iget_type(opened) != H5I_GROUP) return {};
    H5G_info_t info;
    hdf5_check(H5Gget_info(opened, &info), "look at " + group);
    const hsize_t looked_at = std::min<hsize_t>(info.nlinks, 16 * most);  // a damaged file may state any number
    for (hsize_t k = 0; k < looked_at && found.size() < most; ++k) {
      std::array<char, 256> name{};
      const ssize_t length =
          H5Lget_name_by_idx(opened, ".", H5_INDEX_NAME, H5_ITER_INC, k, name.data(), name.size(), H5P_DEFAULT);
      H5L_info_t link;
      if (length <= 0 || length >= static_cast<ssize_t>(name.size()) ||
          H5Lget_info(opened, name.data(), &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
        continue;
      const Hdf5Handle object(H5Oopen(opened, name.data(), H5P_DEFAULT), H5Oclose, "open " + group);
      Hdf5Member& member = found.emplace_back();
      member.name = name.data();
      member.is_group = H5Iget_type(object) == H5I_GROUP;
      member.is_array = H5Iget_type(object) == H5I_DATASET;
      if (!member.is_array) continue;
      const Hdf5Handle space(H5Dget_space(object), H5Sclose, "look at " + member.name);
      member.size = extent_of(space);
    }
  } catch (const std::runtime_error&) {
    reject(group, "must be readable", "damaged bytes", run_again);
  }
  return found;
}

Hdf5Shape Hdf5ObjectsHere::shape(const std::string& array) {
  if (!has(array)) reject(array, "must exist", "nothing", run_again);
  const Hdf5Quiet quiet;
  const hid_t opened = H5Oopen(file_, array.c_str(), H5P_DEFAULT);
  if (opened < 0) reject(array, "must be readable", "damaged bytes", run_again);
  const Hdf5Handle& kept = arrays_[array] = Hdf5Handle(opened, H5Oclose, "open " + array);
  if (H5Iget_type(kept) != H5I_DATASET) reject(array, "must be an array", "something else", run_again);
  Hdf5Shape shape;
  try {
    const Hdf5Handle type(H5Dget_type(opened), H5Tclose, "look at " + array);
    const Hdf5Handle space(H5Dget_space(opened), H5Sclose, "look at " + array);
    const Hdf5Handle plan(H5Dget_create_plist(opened), H5Pclose, "look at " + array);
    if (!is_number(type)) reject(array, "must contain numbers", "something else", run_again);
    shape.width = H5Tget_size(type);
    if (H5Sget_simple_extent_type(space) == H5S_NULL) reject(array, "must contain numbers", "none", run_again);
    if (const std::string other = elsewhere(plan); !other.empty())
      reject(array, "must be in this file", other, "copy it into one file, for example with h5repack -l CONTI");
    shape.size = extent_of(space);
    if (H5Pget_layout(plan) == H5D_CHUNKED) {
      std::vector<hsize_t> chunk(shape.size.size());
      hdf5_check(H5Pget_chunk(plan, chunk.size(), chunk.data()), "look at " + array);
      shape.chunk.assign(chunk.begin(), chunk.end());
      if (std::ranges::find(chunk, hsize_t{0}) != chunk.end())
        reject(array, "must be stored in pieces of some size", "pieces of none", run_again);
    }
    // A damaged file may state any number of bytes.
    shape.stored = std::min<std::uint64_t>(H5Dget_storage_size(opened), bytes_);
  } catch (const std::runtime_error&) {
    reject(array, "must be readable", "damaged bytes", run_again);
  }
  return shape;
}

template <class Number>
std::vector<Number> Hdf5ObjectsHere::read(const std::string& array, const Hdf5Shape& shape, const Hdf5Rows& rows,
                                          hid_t type) {
  std::vector<hsize_t> start(shape.size.size(), 0), stride(shape.size.size(), 1);
  std::vector<hsize_t> count(shape.size.begin(), shape.size.end());
  start.front() = rows.first;
  stride.front() = rows.stride;
  count.front() = rows.count;
  std::vector<Number> values(shape.numbers(rows));
  if (values.empty()) return values;
  const Hdf5Quiet quiet;
  try {
    const Hdf5Handle& data = arrays_.at(array);
    const Hdf5Handle space(H5Dget_space(data), H5Sclose, "look at " + array);
    hdf5_check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), stride.data(), count.data(), nullptr),
               "select rows of " + array);
    const Hdf5Handle memory(H5Screate_simple(count.size(), count.data(), nullptr), H5Sclose, "describe memory");
    hdf5_check(H5Dread(data, type, memory, space, H5P_DEFAULT, values.data()), "read " + array);
  } catch (const std::runtime_error&) {
    reject(array, "must be readable", "damaged bytes", run_again);
  }
  return values;
}

/// Returns the attribute if it exists; it must be a single entry of the given class.
std::optional<Hdf5Handle> Hdf5ObjectsHere::single(const std::string& object, const std::string& attribute,
                                                  H5T_class_t type_class, const std::string& required) {
  if (!has(object) || H5Aexists_by_name(file_, object.c_str(), attribute.c_str(), H5P_DEFAULT) <= 0) return {};
  const std::string what = object + " attribute '" + attribute + "'";
  try {
    Hdf5Handle opened(H5Aopen_by_name(file_, object.c_str(), attribute.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                      "open " + what);
    const Hdf5Handle type(H5Aget_type(opened), H5Tclose, "look at " + what);
    const Hdf5Handle space(H5Aget_space(opened), H5Sclose, "look at " + what);
    if (H5Tget_class(type) != type_class) reject(what, required, "something else", run_again);
    if (const hssize_t entries = H5Sget_simple_extent_npoints(space); entries != 1)
      reject(what, required, std::to_string(entries) + " of them", run_again);
    return opened;
  } catch (const std::runtime_error&) {
    reject(what, "must be readable", "damaged bytes", run_again);
  }
}

std::optional<std::string> Hdf5ObjectsHere::text(const std::string& object, const std::string& attribute) {
  const Hdf5Quiet quiet;
  const std::string what = object + " attribute '" + attribute + "'", required = "must be one text";
  const std::optional<Hdf5Handle> found = single(object, attribute, H5T_STRING, required);
  if (!found) return {};
  const auto too_long = [&] {
    reject(what, "must be a text of at most " + std::to_string(longest_text) + " bytes", "a longer one", run_again);
  };
  try {
    const Hdf5Handle type(H5Aget_type(*found), H5Tclose, "look at " + what);
    if (H5Tis_variable_str(type) > 0) {  // as written by h5py
      char* read = nullptr;
      hdf5_check(H5Aread(*found, type, &read), "read " + what);
      const std::unique_ptr<char, herr_t (*)(void*)> variable(read, H5free_memory);
      const std::size_t length = variable ? strnlen(variable.get(), longest_text + 1) : 0;
      if (length > longest_text) too_long();
      return variable ? std::string(variable.get(), length) : std::string();
    }
    const std::size_t length = H5Tget_size(type);
    if (length > longest_text) too_long();
    std::string fixed(length, '\0');
    hdf5_check(H5Aread(*found, type, fixed.data()), "read " + what);
    return fixed.substr(0, fixed.find('\0'));
  } catch (const std::runtime_error&) {
    reject(what, "must be readable", "damaged bytes", run_again);
  }
}

std::optional<std::int64_t> Hdf5ObjectsHere::integer(const std::string& object, const std::string& attribute) {
  const Hdf5Quiet quiet;
  const std::string what = object + " attribute '" + attribute + "'";
  const std::optional<Hdf5Handle> found = single(object, attribute, H5T_INTEGER, "must be one whole number");
  if (!found) return {};
  const Hdf5Handle type(H5Aget_type(*found), H5Tclose, "look at " + what);
  if (!is_number(type)) reject(what, "must be one whole number", "a wider one", run_again);
  std::int64_t value = 0;
  if (H5Aread(*found, H5T_NATIVE_INT64, &value) < 0) reject(what, "must be readable", "damaged bytes", run_again);
  return value;
}

}  // namespace

std::unique_ptr<Hdf5Objects> open_hdf5(const std::string& file) { return std::make_unique<Hdf5ObjectsHere>(file); }

}  // namespace pithball::datasets
