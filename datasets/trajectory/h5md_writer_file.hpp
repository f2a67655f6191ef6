#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datasets/trajectory/h5md.hpp"
#include "datasets/trajectory/hdf5_writing.hpp"

namespace pithball::datasets {

/// A value of a body that may change with time: where it stands in the file, and in the body.
struct ChangingValue {
  std::string name, unit, group;
  sim::Vector H5mdBody::*values;
};
/// Throws InvalidArgument if there is none of that name.
const ChangingValue& find_changing_value(const std::string& name);

/// What a message about a write that failed asks.
inline constexpr const char* disk_full = ": is the disk full?";

/// The open file, its growing datasets and the states that wait for the next flush.
struct H5mdWriter::File {
  /// Numbers of every particle that change from state to state.
  struct Element {
    std::string name;
    hsize_t components;  // of each particle
    hid_t type;
    std::string unit;
    Hdf5Handle data = {};
    std::vector<double> values = {};  // of the states that wait, one after the other
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
  hsize_t written = 0, width = 0;  // states, places for particles
  Index last_step = -1;
  std::vector<std::int64_t> steps;
  std::vector<double> times;
  std::vector<hsize_t> counts;  // particles of the states that wait
  bool broken = false;          // a flush failed

  /// What a file of this body keeps in time of each particle and spring.
  void list_elements();
  hsize_t bytes_of_a_state() const;
  /// As many states as are written at a time: those asked for, or what is in about 16 MB.
  void settle_segment(Index wanted);
  void make_growing_elements();
  Hdf5Size extent(const Element& element, hsize_t length) const;
  void open_growing();
  /// Opens what an earlier writer left, killed or not.
  void reopen();
  /// A killed run may have listed pieces of the segment that it was writing behind the end of the file, where HDF5
  /// would reject to write them again. Moves the end behind all of them; the gap takes no room on the disk.
  void cover_lost_pieces();
  /// From here on HDF5 orders its writes so that the file is whole at any instant ("single writer, multiple readers"):
  /// a killed run leaves what its last flush had written, and others may read while it goes on. Datasets may only grow.
  void start_appending();
  void close();
  /// Room that the datasets have, which is more than what is written in them where a run is begun again.
  hsize_t length() const;
  void set_length(hsize_t length);
  /// What waits of an element, every state as wide as the file.
  std::vector<double> padded(const Element& element) const;
  void write_rows(hid_t data, hid_t type, const void* values, hsize_t rows, const Hdf5Size& row) const;
  void send_off();
  /// States before their steps: where the disk rejects a part of them, there are no steps that promise them. HDF5 does
  /// not know what it lost then, so nothing more is written.
  void flush();
};

}  // namespace pithball::datasets
