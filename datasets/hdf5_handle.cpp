#include "datasets/hdf5_handle.hpp"

#include <hdf5.h>

#include <type_traits>

#include "datasets/h5md.hpp"

namespace pithball::datasets {

static_assert(std::is_same_v<hid_t, Hdf5Handle::Id> && std::is_same_v<herr_t, int>, "HDF5 1.10 or newer");

void leave_hdf5_at_exit() { H5dont_atexit(); }

void Hdf5Handle::close() noexcept {
  if (id_ < 0) return;
  const Hdf5Quiet quiet;
  close_(id_);  // fails where the disk is full, after a flush that said so
  id_ = -1;
}

Hdf5Quiet::Hdf5Quiet() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Quiet::~Hdf5Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

Hdf5Handle killed_writer_access() {
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "plan how to open a file");
  const bool clear = true;
  hdf5_check(H5Pset(access, "clear_status_flags", &clear), "plan how to open a file");
  return access;
}

}  // namespace pithball::datasets
