#include <hdf5.h>

#include <algorithm>
#include <array>

#include "datasets/capture/capture_reader.hpp"
#include "datasets/trajectory/h5md.hpp"
#include "fuzz/target.hpp"

namespace {

/// Choices that the input makes.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : bytes_(bytes) {}
  std::size_t next(std::size_t count) { return at_ < bytes_.size() ? byte() % count : 0; }
  /// 0 three times out of four, and where the input has ended; else one of 1 … count.
  std::size_t oddity(std::size_t count) {
    const std::size_t b = at_ < bytes_.size() ? byte() : 0;
    return b < 192 ? 0 : 1 + b % count;
  }

 private:
  std::size_t byte() { return static_cast<unsigned char>(bytes_[at_++]); }
  std::string_view bytes_;
  std::size_t at_ = 0;
};

/// An identifier of HDF5's, be it valid or not; closed in the end.
class Id {
 public:
  Id(hid_t id) : id_(id) {}
  ~Id() {
    if (id_ >= 0 && H5Iis_valid(id_) > 0) H5Idec_ref(id_);
  }
  Id(const Id&) = delete;
  Id& operator=(const Id&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
};

hid_t choose_type(Choices& choose, hid_t wanted) {
  const std::array<hid_t, 8> types{wanted,        H5T_NATIVE_DOUBLE, H5T_NATIVE_INT8, H5T_NATIVE_LDOUBLE,
                                   H5T_STD_U64BE, H5T_C_S1,          H5T_STD_REF_OBJ, -1};
  const hid_t chosen = types[choose.oddity(types.size() - 1)];
  const hid_t type = H5Tcopy(chosen >= 0 ? chosen : H5T_C_S1);
  if (chosen < 0) H5Tset_size(type, H5T_VARIABLE);
  return type;
}

hid_t choose_space(Choices& choose, std::vector<hsize_t> size) {
  constexpr std::array<hsize_t, 6> lengths{0, 1, 7, 4096, hsize_t{1} << 40, ~hsize_t{0} - 1};
  switch (choose.oddity(6)) {
    case 1:
      return H5Screate(H5S_SCALAR);
    case 2:
      return H5Screate(H5S_NULL);
    case 3:
      size.push_back(lengths[choose.next(lengths.size())]);
      break;
    case 4:
      if (!size.empty()) size.pop_back();
      break;
    case 5:
    case 6:
      if (!size.empty()) size[choose.next(size.size())] = lengths[choose.next(lengths.size())];
      break;
    default:
      break;
  }
  return size.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(size.size(), size.data(), nullptr);
}

hid_t choose_storage(Choices& choose, hid_t space) {
  const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
  const std::size_t oddity = choose.oddity(3);
  const std::vector<hsize_t> piece(std::max(H5Sget_simple_extent_ndims(space), 0), 1);
  if (oddity == 1) H5Pset_external(plan, "/proc/self/status", 0, 64);
  if (oddity > 1 && !piece.empty()) H5Pset_chunk(plan, piece.size(), piece.data());
  if (oddity > 2) H5Pset_fletcher32(plan);
  return plan;
}

hid_t with_parents() {
  const hid_t plan = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(plan, 1);
  return plan;
}

constexpr hssize_t few = 4096;

/// A dataset that counts 0, 1, 2, … where it is not too long, or in its place nothing, a link or a group.
void add_dataset(Choices& choose, hid_t file, const std::string& name, hid_t wanted, const std::vector<hsize_t>& size) {
  const Id parents(with_parents());
  const std::size_t oddity = choose.oddity(4);
  if (oddity == 1) H5Lcreate_soft("/particles/all/position/value", file, name.c_str(), parents, H5P_DEFAULT);
  if (oddity == 2) H5Lcreate_external("layout.h5", "/h5md", file, name.c_str(), parents, H5P_DEFAULT);
  if (oddity == 3) const Id group(H5Gcreate2(file, name.c_str(), parents, H5P_DEFAULT, H5P_DEFAULT));
  if (oddity > 0) return;
  const Id space(choose_space(choose, size)), type(choose_type(choose, wanted)), plan(choose_storage(choose, space));
  const Id data(H5Dcreate2(file, name.c_str(), type, space, parents, plan, H5P_DEFAULT));
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (data < 0 || count > few || H5Pget_external_count(plan) > 0) return;
  std::vector<double> values(std::max<hssize_t>(count, 0));
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = k;
  H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
}

void add_attribute(Choices& choose, hid_t file, const std::string& object, const char* name, hid_t wanted) {
  const Id parents(with_parents());
  if (H5Lexists(file, object.c_str(), H5P_DEFAULT) <= 0)
    const Id group(H5Gcreate2(file, object.c_str(), parents, H5P_DEFAULT, H5P_DEFAULT));
  const Id space(choose_space(choose, {})), type(choose_type(choose, wanted));
  const Id attribute(H5Acreate_by_name(file, object.c_str(), name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (attribute < 0 || count < 1 || count > few) return;
  const std::vector<const char*> texts(2 * count, "m");  // of other types, some bytes
  H5Awrite(attribute, type, texts.data());
}

void write_file(Choices choose, const std::string& name) {
  constexpr hsize_t frames = 2, particles = 3;
  const std::string all = "/particles/all/";
  const Id file(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  const bool come_and_go = choose.next(4) == 3;
  for (const std::string list : {"position", "velocity", "charge", "mass", "id", "like", "birth_time", "death_time"}) {
    const bool is_vector = list == "position" || list == "velocity";
    if (!is_vector && !come_and_go && choose.oddity(1) == 0) continue;
    add_dataset(choose, file, all + list + "/value", H5T_NATIVE_DOUBLE,
                is_vector ? std::vector{frames, particles, hsize_t{3}} : std::vector{frames, particles});
    add_dataset(choose, file, all + list + "/step", H5T_NATIVE_INT64, {frames});
    add_dataset(choose, file, all + list + "/time", H5T_NATIVE_DOUBLE, {frames});
    add_attribute(choose, file, all + list + "/value", "unit", H5T_C_S1);
  }
  for (const std::string list : {"mass", "charge"})
    if (H5Lexists(file, (all + list).c_str(), H5P_DEFAULT) <= 0)
      add_dataset(choose, file, all + list, H5T_NATIVE_DOUBLE, {particles});
  add_dataset(choose, file, "/connectivity/springs", H5T_NATIVE_INT64, {1, 2});
  for (const std::string list : {"/connectivity/stiffness", "/connectivity/rest_length"})
    add_dataset(choose, file, list, H5T_NATIVE_DOUBLE, {1});
  add_attribute(choose, file, "/particles/all", "attributes", H5T_C_S1);
  add_attribute(choose, file, "/h5md/creator", "version", H5T_C_S1);
  add_attribute(choose, file, "/parameters", "complete", H5T_NATIVE_INT);
}

}  // namespace

/// A file in the layout of trajectories (H5MD) that HDF5 itself has written, with parts of other shapes, types and
/// storage than the reader hopes for, as the input chooses.
void pithball::fuzz::hdf5_layout(std::string_view bytes, const std::string&) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const std::string file = scratch_folder() + "/layout.h5";
  write_file(Choices(bytes), file);
  datasets::read_h5md(file);
  datasets::CaptureSpec spec;
  spec.file = file;
  datasets::read_capture(spec);
}
