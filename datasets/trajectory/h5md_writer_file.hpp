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
  std::string name,               ///< name of the dataset and of the value
      unit,                       ///< in H5MD's notation: "N m-1"
      group;                      ///< path of the group that holds the dataset
  sim::Vector H5mdBody::*values;  ///< member of the body, one number for each particle or spring
};
/// Throws InvalidArgument if there is none with this name.
const ChangingValue& find_changing_value(const std::string& name);

/// Final part of a message about a failed write.
inline constexpr const char* disk_full = ": is the disk full?";

/// The open file, its growing datasets and the states buffered for the next flush.
struct H5mdWriter::File {
  /// Per-particle numbers that change from state to state.
  struct Element {
    std::string name;                      ///< name of its group, below `group`
    hsize_t components;                    ///< numbers for each particle or spring
    hid_t type;                            ///< of the numbers in the file
    std::string unit;                      ///< in H5MD's notation; empty: none is written
    Hdf5Handle data = {};                  ///< the open dataset
    std::vector<double> values = {};       ///< of the buffered states, one after the other
    std::string group = "/particles/all";  ///< path in the file
    /// One entry for each spring; otherwise for each particle.
    bool of_springs() const { return group == "/connectivity"; }
    /// Path of the element in the file, whose dataset is "value" below it.
    std::string path() const { return group + "/" + name; }
  };

  /// The datasets with one number for each state.
  struct Clock {
    Hdf5Handle step,  ///< of step numbers
        time;         ///< of times
  };
  /// The states for the next flush.
  struct Buffered {
    std::vector<std::int64_t> steps;  ///< step number of each state
    std::vector<double> times;        ///< time of each, in the unit of the file
    std::vector<hsize_t> counts;      ///< number of particles in each
  };

  std::string path;                  ///< as given
  H5mdBody body;                     ///< of the first state
  Index segment = 1;                 ///< largest number of buffered states, ≥ 1
  std::optional<Hdf5OpenMark> mark;  ///< while the file is open
  Hdf5Handle file;                   ///< the open file
  Clock clock;                       ///< its datasets of step numbers and times
  std::vector<Element> elements;     ///< all that change, position and velocity first
  hsize_t written = 0,               ///< number of states in the file
      width = 0;                     ///< number of places for particles in each
  Index last_step = -1;              ///< of the last appended state; −1: none
  Buffered buffered;                 ///< states of which `elements` have the values
  bool broken = false;               ///< a flush failed, after which nothing can be written

  /// The time-dependent datasets of this body, per particle and spring.
  void list_elements();
  /// Memory for one state in all growing datasets [B], at least 1.
  hsize_t bytes_of_a_state() const;
  /// Number of states per write: as requested, or as many as fit into about 16 MB.
  void settle_segment(Index wanted);
  /// Creates the growing datasets in a new file, without states.
  void make_growing_elements();
  /// Size of an element's dataset for `length` states.
  Hdf5Size extent(const Element& element, hsize_t length) const;
  /// Opens the growing datasets of an existing file.
  void open_growing();
  /// Opens a file left by an earlier writer, whether or not it was killed.
  void reopen();
  /// After a killed run the file may list chunks of an unfinished segment beyond its end, which HDF5 would not write
  /// again. Moves the end past all of them; the gap takes no disk space.
  void cover_lost_pieces();
  /// From here on HDF5 orders its writes so that the file is always consistent ("single writer, multiple readers"): a
  /// killed run leaves everything up to its last flush, and others can read the file during the run. Datasets can only
  /// grow.
  void start_appending();
  /// Closes the datasets and the file, without a flush of the buffer.
  void close();
  /// Capacity of the datasets, which exceeds what is written after a run was restarted.
  hsize_t length() const;
  /// Sets the capacity of all growing datasets [states].
  void set_length(hsize_t length);
  /// The buffered data of a dataset, with every state as wide as in the file.
  std::vector<double> padded(const Element& element) const;
  /// Writes `rows` states after those in the file; `row` is the size of one of them. Throws std::runtime_error on
  /// failure.
  void write_rows(hid_t data, hid_t type, const void* values, hsize_t rows, const Hdf5Size& row) const;
  /// Flushes HDF5's own buffers to the disk; throws likewise.
  void send_off();
  /// Writes states before their step numbers: after a write error no step number then refers to missing data. HDF5 does
  /// not know what was lost, so nothing more is written.
  void flush();
};

}  // namespace pithball::datasets
