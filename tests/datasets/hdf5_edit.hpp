#pragma once
#include <hdf5.h>

#include <functional>
#include <string>
#include <vector>

namespace pithball::testing {

/// Opens an HDF5 file for writing, lets `change` at it, and closes it.
inline void edit_hdf5(const std::string& file, const std::function<void(hid_t)>& change) {
  const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  change(opened);
  H5Fclose(opened);
}

/// Puts a dataset at a path, in place of what is there. `plan`: how it is stored; `size` empty: a single number.
inline void put_dataset(hid_t file, const std::string& path, hid_t type, const std::vector<hsize_t>& size,
                        const void* values = nullptr, hid_t plan = H5P_DEFAULT) {
  if (H5Lexists(file, path.c_str(), H5P_DEFAULT) > 0) H5Ldelete(file, path.c_str(), H5P_DEFAULT);
  const hid_t space = size.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(size.size(), size.data(), nullptr);
  const hid_t data = H5Dcreate2(file, path.c_str(), type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
  if (values) H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  H5Dclose(data);
  H5Sclose(space);
}

/// Puts an attribute of `count` entries at an object, in place of what is there; `count` 0: a scalar.
inline void put_attribute(hid_t file, const char* object, const char* name, hid_t type, hsize_t count,
                          const void* values) {
  if (H5Aexists_by_name(file, object, name, H5P_DEFAULT) > 0) H5Adelete_by_name(file, object, name, H5P_DEFAULT);
  const hid_t space = count == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr);
  const hid_t attribute = H5Acreate_by_name(file, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, values);
  H5Aclose(attribute);
  H5Sclose(space);
}

}  // namespace pithball::testing
