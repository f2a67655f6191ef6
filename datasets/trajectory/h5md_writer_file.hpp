#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datasets/trajectory/h5md.hpp"
#include "datasets/trajectory/hdf5_writing.hpp"

namespace pithball::datasets {

/// A value of a body that may have key frames: its path in the file, and its member in the body.
struct ChangingValue {
  std::string name, unit, group;
  sim::Vector H5mdBody::*values;
};
/// Throws InvalidArgument if there is none with this name.
const ChangingValue& find_changing_value(const std::string& name);

/// Final part of a message about a failed write.
inline constexpr const char* disk_full = ": is the disk full?";

/// The open file, its growing datasets and the states buffered for the next flush.
struct H5mdWriter::File {
  /// Per-particle numbers that change from state to state.
  struct Element {
    std::string name;
    hsize_t components;  // of each particle
    hid_t type;
    std::string unit;
    Hdf5Handle data = {};
    std::vector<double> values = {};  // of the buffered states, one after the other
    std::string group = "/particles/all";
    bool of_springs() const { return group == "/connectivity"; }
    std::string path() const { return group + "/" + name; }
  };

  std::string path;
  H5mdBody body;
  Index segment = 1;
  std::optional<Hdf5OpenMark> mark;
  Hdf5Handle file, step, time;
  std::vector<Element> elements;
  hsize_t written = 0, width = 0;  // states; slots for particles
  Index last_step = -1;
  std::vector<std::int64_t> steps;
  std::vector<double> times;
  std::vector<hsize_t> counts;  // numbers of particles of the buffered states
  bool broken = false;          // a flush failed

  /// The time-dependent datasets of this body, per particle and spring.
  void list_elements();
  hsize_t bytes_of_a_state() const;
  /// Number of states per write: as requested, or as fit into about 16 MB.
  void settle_segment(Index wanted);
  void make_growing_elements();
  Hdf5Size extent(const Element& element, hsize_t length) const;
  void open_growing();
  /// Opens a file left by an earlier writer, whether or not it was killed.
  void reopen();
  /// After a killed run the file may list chunks of an unfinished segment beyond its end, which HDF5 would not write
  /// again. Moves the end behind all of them; the gap takes no disk space.
  void cover_lost_pieces();
  /// From here on HDF5 orders its writes so that the file is always consistent ("single writer, multiple readers"): a
  /// killed run leaves everything up to its last flush, and others can read the file during the run. Datasets can only
  /// grow.
  void start_appending();
  void close();
  /// Capacity of the datasets, which exceeds what is written after a run was restarted.
  hsize_t length() const;
  void set_length(hsize_t length);
  /// The buffered data of a dataset, with every state as wide as in the file.
  std::vector<double> padded(const Element& element) const;
  void write_rows(hid_t data, hid_t type, const void* values, hsize_t rows, const Hdf5Size& row) const;
  void send_off();
  /// Writes states before their step numbers: after a write error no step number then refers to missing data. HDF5 does
  /// not know what was lost, so nothing more is written.
  void flush();
};

}  // namespace pithball::datasets
