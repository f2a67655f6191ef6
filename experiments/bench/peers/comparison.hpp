#pragma once
#include <sched.h>

#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/backend/python_server.hpp"
#include "experiments/bench/lennard_jones_bench.hpp"
#include "experiments/claim/claim.hpp"

namespace pithball::experiments {

/// Processor times of two programs for the same task, in turns: medians of all turns.
struct PairedTimes {
  double own = std::numeric_limits<double>::quiet_NaN();     ///< ours [s]
  double theirs = std::numeric_limits<double>::quiet_NaN();  ///< the peer's [s]
  double ratio = std::numeric_limits<double>::quiet_NaN();   ///< the peer's over ours, turn by turn
};

/// The medians of these times [s], as many of one program as of the other; NaN of none.
PairedTimes paired_times(const std::vector<double>& own, const std::vector<double>& theirs);

/// Lets both programs work in turns, `repeats` times, ours first. Each returns its processor time [s].
PairedTimes take_turns(int repeats, const std::function<double()>& own, const std::function<double()>& theirs);

/// Processor time of all threads for a piece of our work [s].
double processor_seconds(const std::function<void()>& work);

/// How good the answers of both programs are, by one measure; NaN: it has none.
struct ReachedErrors {
  std::string of = {};                                       ///< the measure, in a phrase
  double own = std::numeric_limits<double>::quiet_NaN();     ///< ours
  double theirs = std::numeric_limits<double>::quiet_NaN();  ///< the peer's
};

/// A task done by Pithball and a peer, or the reason why the peer did not do it.
struct PeerRow {
  std::string work;              ///< what was done, in a phrase
  std::string peer;              ///< the program: "fmm3dpy"
  std::string version = {};      ///< as the peer reports it; empty if it is missing
  std::string skipped = {};      ///< why the peer did not run; empty: it ran
  PairedTimes times = {};        ///< of the work
  ReachedErrors errors = {};     ///< of the answers
  double goal = 1;               ///< target for the ratio of times
  std::vector<Claim> same = {};  ///< that both did the same work; skipped where the peer is missing
};

/// Sizes of the tasks.
struct PeerSizes {
  double motion = 1;                                ///< duration of the captured motion [s]
  sim::Index charges = 1000;                        ///< number of charges whose motion is differentiated
  sim::Index steps = 20;                            ///< time steps of that motion
  sim::Index points = 100000;                       ///< charges whose potential and field are summed
  std::vector<double> errors = {1e-3, 1e-6, 1e-9};  ///< relative, that both sums have to reach
  Melt melt = {};                                   ///< as of `bench lennard_jones`
  int repeats = 5;                                  ///< turns of each pair
};

/// Small tasks that take seconds, for a first look.
PeerSizes quick_sizes();

/// A kind of task, done by Pithball and by each of its peers.
struct PeerWork {
  std::string name;     ///< as an option names it: "stiffness"
  std::string summary;  ///< one phrase
  std::vector<PeerRow> (*compare)(const PeerSizes&);
};

/// stiffness, gradient, charges, melt.
const std::vector<PeerWork>& peer_works();

/// One stiffness fitted to a captured motion, by Pithball and by `mujoco.sysid`.
std::vector<PeerRow> compare_stiffness(const PeerSizes& sizes);
/// The gradient of a loss of charges' motion with respect to all charges, by Pithball, by jitted JAX and by JAX MD.
std::vector<PeerRow> compare_gradient(const PeerSizes& sizes);
/// Potential and field of many charges at equal reached error, by Pithball and by fmm3dpy.
std::vector<PeerRow> compare_charges(const PeerSizes& sizes);
/// A Lennard-Jones melt, by Pithball and by LAMMPS.
std::vector<PeerRow> compare_melt(const PeerSizes& sizes);

/// Another program, running a script of this folder in the Python of `make peers`; turns.py describes how they
/// communicate.
class Peer {
 public:
  /// Starts the script and gives it its input. What is not installed is `missing`.
  Peer(const std::string& script, const nlohmann::json& input);

  const std::string& missing() const { return missing_; }  ///< why the program is missing; empty: it is available
  const std::string& version() const { return version_; }  ///< as its package reports it
  /// Makes the program do the work once with these settings, and returns its result; "seconds" is the processor time
  /// [s].
  nlohmann::json turn(const nlohmann::json& settings);

 private:
  std::unique_ptr<app::PythonServer> python_;  ///< null where there is no Python
  std::string missing_, version_;
};

/// From its construction on, this thread and the programs that it starts run on one processor, and our own loops on one
/// thread, until it is destroyed.
class OneProcessor {
 public:
  /// Chooses the processor on which the thread runs now.
  OneProcessor();
  ~OneProcessor();
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

 private:
  cpu_set_t earlier_;
  int threads_;
};

}  // namespace pithball::experiments
