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

/// What a trajectory file holds besides the states.
struct H5mdBody {
  sim::Vector mass;    ///< [kg], N
  sim::Vector charge;  ///< [C], N
  std::vector<sim::Spring> springs;
  sim::Vector stiffness;    ///< of the springs [N/m], S; empty: not told
  sim::Vector rest_length;  ///< of the springs [m], S; empty: not told
  /// Which of "charge", "stiffness" and "rest_length" change with time (key frames). The numbers here are then those of
  /// the first state.
  std::vector<std::string> changing = {};
  bool is_changing(const std::string& name) const {
    return std::find(changing.begin(), changing.end(), name) != changing.end();
  }
  /// Where particles come and go (`sim::Roster`): the names of the numbers that they carry. Mass and charge are then
  /// those of the first model's particles, springs by their ids.
  std::optional<std::vector<std::string>> attributes = {};
  std::string author = "unknown";  ///< for the file's record of origin
  std::string program = "pithball";
  std::string program_version = "0.1.0";
};

/// Writes a trajectory in the H5MD 1.1 convention (de Buyl, Colberg and Höfling 2014, doi:10.1016/j.cpc.2014.01.018),
/// in double precision and SI units with the `units` module:
///
///     /h5md                                   version 1.1, author, creator, modules/units
///     /particles/all/box                      dimension 3, no periodic boundary
///     /particles/all/position/{step, time, value}   [T], [T] s, [T][N][3] m
///     /particles/all/velocity/{step, time, value}   m s-1; shares step and time with position
///     /particles/all/mass, charge             [N] kg, C
///     /connectivity/springs                   [S][2] particle indices
///     /connectivity/stiffness, rest_length    [S] N m-1, m; where they are told
///     (charge, stiffness and rest_length that change with time are {step, time, value} with [T][N] or [T][S])
///     /parameters                             attribute `complete`: 1 after `finish(true)`
///
/// Where particles come and go, N is the largest number so far, and states have theirs in the first places:
///
///     /particles/all/id/{step, time, value}   [T][N]; −1: nobody
///     /particles/all/mass, charge, birth_time, death_time, age, like, ATTRIBUTE   likewise; s, and as `sim::Roster`
///     /particles/all, attribute `attributes`  the names of the ATTRIBUTEs, one on a line
///
/// States are buffered and written in segments; after each segment the file is flushed, so that a run killed later
/// leaves a file that `read_h5md` (and other programs) can open, with all segments written so far. Every list has
/// checksums (Fletcher-32), by which HDF5 finds bits that flipped since.
class H5mdWriter {
 public:
  /// Starts a new file (an existing one is replaced). segment: most states between flushes, ≥ 1; fewer where they take
  /// more than about 16 MB. Throws InvalidArgument if the file cannot be made or mass, charge, springs and their values
  /// do not fit together.
  H5mdWriter(const std::string& file, const H5mdBody& body, Index segment = 100);

  /// Continues a file that `H5mdWriter` left after `keep` of its whole states, all of them if that is less than 0; what
  /// a killed run left half-written is written over. No state is read. Throws InvalidArgument if the file is another
  /// one.
  static H5mdWriter resume(const std::string& file, Index keep = -1, Index segment = 100);

  /// Flushes what is buffered; errors at this point are lost, so call `finish` where they matter.
  ~H5mdWriter();
  H5mdWriter(H5mdWriter&&) noexcept;
  H5mdWriter& operator=(H5mdWriter&&) noexcept;

  /// Adds a state, N particles, as step number `step` (larger than the last one), with their roster where particles
  /// come and go, and with the body as it is at the state's time where values change. Throws InvalidArgument on another
  /// size or order, std::runtime_error if the disk rejects.
  void append(Index step, const sim::State& state, const sim::Roster* roster = nullptr, const H5mdBody* now = nullptr);
  /// Writes and flushes the buffered states.
  void flush();
  /// Flushes, notes whether the run came to its end, and closes the file; no state can be added after.
  void finish(bool complete);

 private:
  struct File;
  explicit H5mdWriter(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

/// What `read_h5md` finds.
struct H5mdTrajectory {
  H5mdBody body;
  sim::Trajectory trajectory;  ///< step, states, rosters and complete; the file holds neither records nor energy
  /// Of each of `body.changing`, one vector for each state.
  std::map<std::string, std::vector<sim::Vector>> over_time = {};
  std::string length_unit, time_unit;  ///< of the positions and their times, as the file says; empty: it does not
};

/// Reads a file with the layout above, to the last bit. Of a killed run, the states that all datasets hold. Velocities
/// are 0, masses, charges and the springs' values empty where another program's file has none. Throws InvalidArgument
/// if the file is missing, not HDF5, without /particles/all/position, damaged, or promises more than its own bytes can
/// hold; if springs tie particles that are not there; and if anything of it lies in another place than the file itself.
/// Long trajectories are better read by `H5mdReader`.
H5mdTrajectory read_h5md(const std::string& file);

/// A whole trajectory at once, of a body whose values do not change.
void write_h5md(const std::string& file, const H5mdBody& body, const sim::Trajectory& trajectory);

/// For a program to call first of all: HDF5 shall not tidy up when the process ends. What a full disk kept it from
/// closing it would try again a hundred times, with a line each, and crash. What this library opens it closes itself.
void leave_hdf5_at_exit();

/// Why a child process could not read an HDF5 file to its end. What the file holds is not known.
class UnreadHdf5 : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

/// From now on HDF5 files are read by child processes with limits, one for each file that is open: on some damaged
/// files HDF5 itself crashes, and then the child ends and not its parent, where reading is rejected with UnreadHdf5. A
/// child has a minute for an answer (and a second more for each MiB of it), 2 GiB of memory and 16 bytes more for each
/// byte of the file, no other file, and may write none. For programs that open files of strangers; it costs a copy of
/// what is read.
void isolate_hdf5();

}  // namespace pithball::datasets
