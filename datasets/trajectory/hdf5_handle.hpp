#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace pithball::datasets {

/// Owns an HDF5 identifier (`hid_t`) of any kind and closes it silently. HDF5's own header stays in the .cpp files,
/// where the types below are checked against HDF5's.
class Hdf5Handle {
 public:
  using Id = std::int64_t;     ///< HDF5's `hid_t`
  using Closer = int (*)(Id);  ///< An HDF5 function such as H5Fclose, by which an identifier is closed
  Hdf5Handle() = default;
  /// Takes ownership of `id`; throws std::runtime_error saying that `action` failed if it is invalid.
  Hdf5Handle(Id id, Closer closer, const std::string& action) : id_(id), close_(closer) {
    if (id < 0) throw std::runtime_error("HDF5: cannot " + action);
  }
  ~Hdf5Handle() { close(); }
  /// The other handle is empty afterwards.
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  /// Swaps the two: what this one owned is closed with the other.
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  /// Closes it before its time; throws std::runtime_error saying that `action` failed if HDF5 could not, because
  /// buffered data were not written.
  void close_checked(const std::string& action);
  /// For calls of HDF5; −1: empty.
  operator Id() const { return id_; }

 private:
  /// Closes it; returns whether HDF5 could.
  bool close() noexcept;
  Id id_ = -1;
  Closer close_ = nullptr;
};

/// Registers a file as open in this process while it exists. (HDF5's own list is unreliable: after a full disk it
/// contains closed files, and querying their names crashes.)
class Hdf5OpenMark {
 public:
  /// Symbolic links are followed, so that a file has one name.
  explicit Hdf5OpenMark(const std::string& file);
  ~Hdf5OpenMark();
  Hdf5OpenMark(const Hdf5OpenMark&) = delete;
  Hdf5OpenMark& operator=(const Hdf5OpenMark&) = delete;

 private:
  std::string name_;
};
/// Whether this process has the file open.
bool has_open_hdf5(const std::string& file);

/// Makes HDF5 open a file with these flags without locking it: otherwise it opens none where the file system has no
/// locks. For a file that is written, the program locks the folder; for one that is read, HDF5 locks the file where it
/// can. `file`: empty in the first case.
void leave_out_locks(Hdf5Handle::Id access, const std::string& file = {});

/// Access flags for a file whose writer may have been killed: HDF5 marks a file while it is being written and refuses
/// to open a marked one (its tool h5clear removes the mark).
Hdf5Handle killed_writer_access();

/// Throws std::runtime_error if an HDF5 call failed.
inline void hdf5_check(int status, const std::string& action) {
  if (status < 0) throw std::runtime_error("HDF5: cannot " + action);
}

/// Keeps HDF5 from printing its error stack while this object exists; libraries of this project never print.
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
