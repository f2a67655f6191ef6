#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/model/model.hpp"
#include "sim/run/trajectory.hpp"

namespace pithball::datasets {

using sim::Index;

/// The units of positions, times and velocities, as a file states them; numbers are not converted.
struct H5mdUnits {
  std::string length = "m",  ///< of positions, in H5MD's notation
      time = "s",            ///< of times
      velocity = "m s-1";    ///< of velocities
};

/// Content of a trajectory file besides the states.
struct H5mdBody {
  sim::Vector mass;                  ///< [kg], N
  sim::Vector charge;                ///< [C], N
  std::vector<sim::Spring> springs;  ///< pairs of particle indices, S
  sim::Vector stiffness;             ///< of the springs [N/m], S; empty: not stored
  sim::Vector rest_length;           ///< of the springs [m], S; empty: not stored
  /// Which of "charge", "stiffness" and "rest_length" have key frames. The numbers here are then those of the first
  /// state.
  std::vector<std::string> changing = {};
  /// Whether this value has key frames.
  bool is_changing(const std::string& name) const {
    return std::find(changing.begin(), changing.end(), name) != changing.end();
  }
  /// If the number of particles changes (`sim::Roster`): the names of their attributes. Mass and charge are then those
  /// of the first model's particles, and springs refer to particle ids.
  std::optional<std::vector<std::string>> attributes = {};
  H5mdUnits units = {};                   ///< of the states; everything else is in SI units
  std::string author = "unknown";         ///< recorded in the file
  std::string program = "pithball";       ///< written as the file's creator
  std::string program_version = "0.1.0";  ///< likewise
};

/// Writes a trajectory in the H5MD 1.1 convention (de Buyl, Colberg and Höfling 2014, doi:10.1016/j.cpc.2014.01.018),
/// in double precision and, unless `H5mdBody::units` says otherwise, SI units with the `units` module:
///
///     /h5md                                   version 1.1, author, creator, modules/units
///     /particles/all/box                      dimension 3, no periodic boundary
///     /particles/all/position/{step, time, value}   [T], [T] s, [T][N][3] m
///     /particles/all/velocity/{step, time, value}   m s-1; shares step and time with position
///     /particles/all/mass, charge             [N] kg, C
///     /connectivity/springs                   [S][2] particle indices
///     /connectivity/stiffness, rest_length    [S] N m-1, m; where they are known
///     (charge, stiffness and rest_length that change with time are {step, time, value} with [T][N] or [T][S])
///     /parameters                             attribute `complete`: 1 after `finish(true)`
///
/// If the number of particles changes, N is the largest number so far, and states fill the first places:
///
///     /particles/all/id/{step, time, value}   [T][N]; −1: none
///     /particles/all/mass, charge, birth_time, death_time, age, like, ATTRIBUTE   likewise; s, and as `sim::Roster`
///     /particles/all, attribute `attributes`  the names of the ATTRIBUTEs, one on a line
///
/// States are buffered and written in segments; after each segment the file is flushed, so that a killed run leaves a
/// file that `read_h5md` (and other programs) can open, with all segments written so far. Every dataset has checksums
/// (Fletcher-32), with which HDF5 detects damage.
class H5mdWriter {
 public:
  /// Starts a new file, replacing an existing one. segment: maximum number of states between flushes, ≥ 1; fewer if
  /// they take more than about 16 MB. Throws InvalidArgument if the file cannot be created or the sizes of mass,
  /// charge, springs and their values disagree.
  H5mdWriter(const std::string& file, const H5mdBody& body, Index segment = 100);

  /// Continues a file after `keep` of its complete states, or after all of them if `keep` is negative; incomplete data
  /// of a killed run are overwritten. Reads no state. Throws InvalidArgument if the file belongs to another body.
  static H5mdWriter resume(const std::string& file, Index keep = -1, Index segment = 100);

  /// Flushes the buffer; errors are lost, so call `finish` if they matter.
  ~H5mdWriter();
  /// The moved-from writer can then only be destroyed or assigned to.
  H5mdWriter(H5mdWriter&&) noexcept;
  /// Likewise; states that this writer has buffered are lost: call `finish` on it before.
  H5mdWriter& operator=(H5mdWriter&&) noexcept;

  /// Adds a state of N particles with step number `step` (larger than the last), with its roster if the number of
  /// particles changes, and with the body at the state's time if values change. Throws InvalidArgument on another size
  /// or order, std::runtime_error on a write error.
  void append(Index step, const sim::State& state, const sim::Roster* roster = nullptr, const H5mdBody* now = nullptr);
  /// Writes and flushes the buffered states.
  void flush();
  /// Flushes, records whether the run is complete, and closes the file; no state can be added afterwards.
  void finish(bool complete);

 private:
  struct File;
  explicit H5mdWriter(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

/// Result of `read_h5md`.
struct H5mdTrajectory {
  H5mdBody body;               ///< what all states have in common
  sim::Trajectory trajectory;  ///< step, states, rosters and complete; records and energies are not in the file
  /// For each of `body.changing`: one vector for each state.
  std::map<std::string, std::vector<sim::Vector>> over_time = {};
  std::string length_unit,  ///< of the positions, as written; empty: none
      time_unit;            ///< of the times, likewise
};

/// Reads a file with the layout above, bit for bit. For a killed run: the states that all datasets contain. Velocities
/// are 0, and masses, charges and the springs' values empty, if another program did not write them; the only group of
/// particles may have a name other than `all`. Throws InvalidArgument if the file is missing, not HDF5, without
/// positions in the H5MD layout, damaged, or declares more data than its size allows; if springs refer to missing
/// particles; and if any part is stored outside the file. Use `H5mdReader` for long trajectories.
H5mdTrajectory read_h5md(const std::string& file);

/// Writes a complete trajectory of a body whose values do not change.
void write_h5md(const std::string& file, const H5mdBody& body, const sim::Trajectory& trajectory);

/// Disables HDF5's cleanup at exit; call it first in a program. After a full disk HDF5 would otherwise retry to close
/// its files, print many errors, and crash. This library closes everything that it opens.
void leave_hdf5_at_exit();

/// Thrown if a child process could not finish reading an HDF5 file, whose content is then unknown.
class UnreadHdf5 : public InvalidArgument {
 public:
  /// Constructed like InvalidArgument.
  using InvalidArgument::InvalidArgument;
};

/// From now on HDF5 files are read in child processes with limits, one per open file: HDF5 itself crashes on some
/// damaged files, and then only the child ends, and reading throws UnreadHdf5. A child has a minute per answer (plus a
/// second per MiB), 2 GiB of memory plus 16 bytes per byte of the file, and access to no other file. For programs that
/// open untrusted files; the cost is one copy of the data read.
void isolate_hdf5();

}  // namespace pithball::datasets
