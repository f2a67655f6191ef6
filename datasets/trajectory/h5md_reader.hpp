#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/trajectory/h5md.hpp"

namespace pithball::datasets {

class Hdf5File;

/// The groups of particles in an H5MD file that have positions, in the order of their names; the convention leaves the
/// names free.
std::vector<std::string> list_particle_groups(const Hdf5File& file);

/// The name of the group to read: `wanted`, or if that is empty `all` or the only one. Throws InvalidArgument if it
/// does not exist or there are several, which are listed, and if the file has another layout: its data sets are named,
/// with what to do with those of SLEAP and DeepLabCut.
std::string find_particle_group(const Hdf5File& file, const std::string& wanted);

/// Throws InvalidArgument that lists several groups, of which the key `particle_group` selects one.
[[noreturn]] void reject_several_groups(const std::string& file, const std::vector<std::string>& groups);

/// One snapshot of a trajectory file.
struct H5mdFrame {
  Index step = 0;                                  ///< number of time steps before it
  sim::State state;                                ///< time, positions and velocities, in the units of the file
  std::optional<sim::Roster> roster = {};          ///< its particles, if their number changes
  std::map<std::string, sim::Vector> values = {};  ///< for each of the body's `changing`, at this state

  /// The id of the particle in column i; without a roster, i.
  std::int64_t id(Index i) const {
    const std::size_t p = i;
    return roster ? roster->id[p] : i;
  }
};

/// A trajectory file, opened and checked as by `read_h5md`: data common to all states are in memory; the states stay in
/// the file and are read a few at a time. Copies share the file.
class H5mdReader {
 public:
  /// Reads the particles under /particles/`group`; without a name, those of the group `all` or, if that does not exist,
  /// of the only one. Throws InvalidArgument as `read_h5md` does, and if the group does not exist or none is named and
  /// there are several.
  explicit H5mdReader(const std::string& file, const std::string& group = {});

  /// As given.
  const std::string& file() const;
  /// What all states have in common.
  const H5mdBody& body() const;
  std::size_t size() const { return steps().size(); }  ///< number of states
  const std::vector<Index>& steps() const;             ///< one for each state
  const std::vector<double>& times() const;            ///< [s], or in the file's unit
  Index particles(std::size_t state) const;            ///< in this state
  Index most_particles() const;                        ///< in any state
  bool complete() const;                               ///< whether the run is complete
  const std::string& length_unit() const;              ///< of the positions, as written; empty: none
  /// Unit of the states' times, as written; empty: none.
  const std::string& time_unit() const;

  /// Reads a state. Throws InvalidArgument if the file is damaged.
  H5mdFrame frame(std::size_t state) const { return frames(state, 1).front(); }
  /// Reads `count` states from number `first` on, every `stride`-th.
  std::vector<H5mdFrame> frames(std::size_t first, std::size_t count, std::size_t stride = 1) const;
  /// Number of states to read at a time: about 16 MB of them, and at least one.
  std::size_t page() const;

 private:
  struct File;
  std::shared_ptr<const File> file_;
};

/// A sequence of states of a trajectory, with one page of them in memory at a time.
class H5mdPages {
 public:
  /// The states with these numbers, which ascend.
  H5mdPages(H5mdReader reader, std::vector<std::size_t> numbers)
      : reader_(std::move(reader)), numbers_(std::move(numbers)) {}
  /// Over all states.
  explicit H5mdPages(H5mdReader reader);
  /// States that are already in memory.
  explicit H5mdPages(std::vector<H5mdFrame> frames);

  /// Number of states in the sequence.
  std::size_t size() const { return numbers_.size(); }
  /// The k-th state, valid until the next call. Throws InvalidArgument if the file is damaged.
  const H5mdFrame& operator[](std::size_t k);
  /// Frees the memory of the page; the file stays open.
  void release();

 private:
  std::optional<H5mdReader> reader_;
  std::vector<std::size_t> numbers_;
  std::vector<H5mdFrame> page_;
  std::size_t begin_ = 0;  // index of the page's first state
};

}  // namespace pithball::datasets
