#include "datasets/hdf5_handle.hpp"

#include <hdf5.h>

#include <type_traits>

namespace pithball::datasets {

static_assert(std::is_same_v<hid_t, Hdf5Handle::Id> && std::is_same_v<herr_t, int>, "HDF5 1.10 or newer");

Hdf5Quiet::Hdf5Quiet() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Quiet::~Hdf5Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

}  // namespace pithball::datasets
