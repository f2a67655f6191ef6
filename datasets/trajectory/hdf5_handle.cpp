#include "datasets/trajectory/hdf5_handle.hpp"

#include <fcntl.h>
#include <hdf5.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>
#include <type_traits>
#include <utility>

#include "datasets/trajectory/h5md.hpp"

namespace pithball::datasets {

static_assert(std::is_same_v<hid_t, Hdf5Handle::Id> && std::is_same_v<herr_t, int>, "HDF5 1.10 or newer");

namespace {

/// Absolute paths of the marked files, one entry per mark.
struct OpenMarks {
  std::mutex mutex;
  std::multiset<std::string> names;
};

OpenMarks& open_marks() {
  static OpenMarks marks;
  return marks;
}

std::string whole_name(const std::string& file) {
  std::error_code unknown;
  const std::filesystem::path found = std::filesystem::canonical(file, unknown);
  return unknown ? file : found.string();
}

}  // namespace

Hdf5OpenMark::Hdf5OpenMark(const std::string& file) : name_(whole_name(file)) {
  const std::scoped_lock lock(open_marks().mutex);
  open_marks().names.insert(name_);
}

Hdf5OpenMark::~Hdf5OpenMark() {
  const std::scoped_lock lock(open_marks().mutex);
  open_marks().names.extract(name_);  // one entry
}

bool has_open_hdf5(const std::string& file) {
  const std::scoped_lock lock(open_marks().mutex);
  return open_marks().names.contains(whole_name(file));
}

void leave_hdf5_at_exit() { H5dont_atexit(); }

bool Hdf5Handle::close() noexcept {
  if (id_ < 0) return true;
  const Hdf5Quiet quiet;
  return close_(std::exchange(id_, -1)) >= 0;
}

void Hdf5Handle::close_checked(const std::string& action) {
  if (!close()) throw std::runtime_error("HDF5: cannot " + action);
}

Hdf5Quiet::Hdf5Quiet() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Quiet::~Hdf5Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

namespace {

/// Whether the file system supports locks, or this is unknown.
bool has_locks(const std::string& file) {
  const int opened = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (opened < 0) return true;
  const bool locks = flock(opened, LOCK_SH | LOCK_NB) == 0 || errno == EWOULDBLOCK;
  ::close(opened);
  return locks;
}

}  // namespace

void leave_out_locks(Hdf5Handle::Id access, const std::string& file) {
  if (file.empty() || !has_locks(file)) hdf5_check(H5Pset_file_locking(access, false, true), "plan how to open a file");
}

Hdf5Handle killed_writer_access() {
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "plan how to open a file");
  const bool clear = true;
  hdf5_check(H5Pset(access, "clear_status_flags", &clear), "plan how to open a file");
  return access;
}

}  // namespace pithball::datasets
