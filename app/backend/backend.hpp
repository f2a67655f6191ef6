#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/integrator/step_record.hpp"
#include "sim/model/model.hpp"

namespace pithball::app {

using sim::Index;
using sim::Points;

/// A job for another program: velocity Verlet steps from a given state.
struct BackendJob {
  const sim::Model* model = nullptr;  ///< must outlive the run
  sim::State start;                   ///< time [s], positions [m] and velocities [m/s]
  double time_step = 0;               ///< [s]
  std::vector<Index> wanted;  ///< requested steps, counted from the start, ascending from 1; the last is the end
};

/// How the other program's run ended.
struct BackendOutcome {
  sim::StepStatus status = sim::StepStatus::Ok;  ///< Ok also for an interrupted run
  bool interrupted = false;                      ///< by a signal; the states that it had left are there
  Index step = 0;  ///< last requested step whose state came back. After a failure: the step that failed, or the first
                   ///< requested step after it if the program does not report which
  double seconds = 0;  ///< of the steps alone, as reported by the program; 0 if it did not get that far
  std::optional<double> compile_seconds;  ///< of compiling the steps, where the program does so
};

/// Called for each requested step in order, with the state there. The last state of a failed run may not be finite.
using BackendVisitor = std::function<void(Index step, const sim::State& state)>;

/// Another program that steps an experiment by velocity Verlet, found and running.
class Backend {
 public:
  virtual ~Backend() = default;
  /// Name and version as the program reports them.
  const std::string& version() const { return version_; }

  /// Runs the steps. The run has diverged if a position or velocity is not finite, if `sim::has_diverged` holds between
  /// two requested states, or if the program reports it. Throws std::runtime_error if the program fails for another
  /// reason. A signal caught by an Interruption ends the program and the run.
  BackendOutcome run(const BackendJob& job, const BackendVisitor& visit);

 protected:
  /// Passes on the state at the next requested step.
  using Receiver = std::function<void(const Points& x, const Points& v)>;
  std::string version_;  ///< set by the backend's constructor

 private:
  /// Runs the program and fills in everything except `step`. `Diverged`: the first state that was not passed on is
  /// invalid, and `step` may be the failing step.
  virtual BackendOutcome do_run(const BackendJob& job, const Receiver& receive) = 0;
};

/// A kind of backend.
struct BackendInfo {
  std::string name;        ///< as an experiment names it: "lammps"
  std::string title;       ///< "LAMMPS"
  std::string summary;     ///< one line for listings
  bool softening = false;  ///< supports softened Coulomb forces
  /// Finds and starts the program. Throws InvalidArgument if it is not installed.
  std::unique_ptr<Backend> (*start)();
};

/// Time limit of a backend's program [s]: practically none, since a run may take any time, and a signal ends it.
constexpr double backend_patience = 1e8;

}  // namespace pithball::app
