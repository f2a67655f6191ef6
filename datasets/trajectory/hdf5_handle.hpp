#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace pithball::datasets {

/// Owns an HDF5 identifier (`hid_t`) of any kind and closes it, without a word of HDF5's. HDF5's own header stays in
/// the .cpp files, where a check holds the types below to HDF5's.
class Hdf5Handle {
 public:
  using Id = std::int64_t;
  using Closer = int (*)(Id);
  Hdf5Handle() = default;
  /// Takes over `id`; throws std::runtime_error saying that `action` failed if it is not valid.
  Hdf5Handle(Id id, Closer closer, const std::string& action) : id_(id), close_(closer) {
    if (id < 0) throw std::runtime_error("HDF5: cannot " + action);
  }
  ~Hdf5Handle() { close(); }
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  operator Id() const { return id_; }

 private:
  void close() noexcept;
  Id id_ = -1;
  Closer close_ = nullptr;
};

/// Says while it lives that this process has a file open. (HDF5's own list is no use: after a disk was full it holds
/// files that were closed, and asking for their names crashes.)
class Hdf5OpenMark {
 public:
  explicit Hdf5OpenMark(const std::string& file);
  ~Hdf5OpenMark();
  Hdf5OpenMark(const Hdf5OpenMark&) = delete;
  Hdf5OpenMark& operator=(const Hdf5OpenMark&) = delete;

 private:
  std::string name_;
};
bool has_open_hdf5(const std::string& file);

/// How to open a file whose writer may have been killed: HDF5 marks a file while it is written and rejects it as long
/// as it is marked (as its tool h5clear unmarks).
Hdf5Handle killed_writer_access();

/// Throws std::runtime_error if an HDF5 call failed.
inline void hdf5_check(int status, const std::string& action) {
  if (status < 0) throw std::runtime_error("HDF5: cannot " + action);
}

/// Keeps HDF5 from printing its error stack while it lives; libraries of this project never print.
class Hdf5Quiet {
 public:
  Hdf5Quiet();
  ~Hdf5Quiet();
  Hdf5Quiet(const Hdf5Quiet&) = delete;
  Hdf5Quiet& operator=(const Hdf5Quiet&) = delete;

 private:
  int (*function_)(Hdf5Handle::Id, void*) = nullptr;
  void* data_ = nullptr;
};

}  // namespace pithball::datasets
