#pragma once
// RAII over the C interface of HDF5; included by .cpp files only.

#include <hdf5.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace pithball::datasets {

/// Owns an HDF5 identifier of any kind and closes it.
class Hdf5Handle {
 public:
  using Closer = herr_t (*)(hid_t);
  Hdf5Handle() = default;
  /// Takes over `id`; throws std::runtime_error saying that `action` failed if it is not valid.
  Hdf5Handle(hid_t id, Closer close, const std::string& action) : id_(id), close_(close) {
    if (id < 0) throw std::runtime_error("HDF5: cannot " + action);
  }
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_ = -1;
  Closer close_ = nullptr;
};

/// Throws std::runtime_error if an HDF5 call failed.
inline void hdf5_check(herr_t status, const std::string& action) {
  if (status < 0) throw std::runtime_error("HDF5: cannot " + action);
}

/// Keeps HDF5 from printing its error stack while it lives; libraries of this project never print.
class Hdf5Quiet {
 public:
  Hdf5Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Hdf5Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Hdf5Quiet(const Hdf5Quiet&) = delete;
  Hdf5Quiet& operator=(const Hdf5Quiet&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

}  // namespace pithball::datasets
