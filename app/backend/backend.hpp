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

/// What another program is asked for: steps of velocity Verlet from a state on.
struct BackendJob {
  const sim::Model* model = nullptr;
  sim::State start;
  double time_step = 0;       ///< [s]
  std::vector<Index> wanted;  ///< steps from the start whose states are wanted, ascending from 1; the last is the end
};

/// How the other program's run ended.
struct BackendOutcome {
  sim::StepStatus status = sim::StepStatus::Ok;
  bool interrupted = false;  ///< by a signal; the states that it had left are there
  Index step = 0;            ///< last wanted step whose state came back; of a failure: the step at which it failed, or
                             ///< the first wanted one after it where the program does not tell
  double seconds = 0;        ///< of the steps alone, as the program tells; 0 where it did not come to that
  std::optional<double> compile_seconds;  ///< of compiling the steps, where the program does so
};

/// Called for the wanted steps in order, with the state there. A failed run's last state may not be finite.
using BackendVisitor = std::function<void(Index step, const sim::State& state)>;

/// Another program that steps an experiment by velocity Verlet, found and running.
class Backend {
 public:
  virtual ~Backend() = default;
  /// The program's own name for itself and its version.
  const std::string& version() const { return version_; }

  /// Makes the steps. The run has diverged where a position or velocity is not finite, where `sim::has_diverged`
  /// says so of what lies between two wanted states, or where the program does. Throws std::runtime_error if the
  /// program fails for another reason. A signal that an Interruption has caught ends the program and the run.
  BackendOutcome run(const BackendJob& job, const BackendVisitor& visit);

 protected:
  /// Hands over the state at the next wanted step.
  using Receiver = std::function<void(const Points& x, const Points& v)>;
  std::string version_;

 private:
  /// Runs the program; fills in all but `step`. `Diverged`: the first state that it did not hand over was no
  /// good, and `step` may be that of the failure.
  virtual BackendOutcome do_run(const BackendJob& job, const Receiver& receive) = 0;
};

/// A kind of backend.
struct BackendInfo {
  std::string name;        ///< as an experiment names it: "lammps"
  std::string title;       ///< "LAMMPS"
  std::string summary;     ///< one line for listings
  bool softening = false;  ///< knows softened Coulomb forces
  /// Finds and starts the program. Throws InvalidArgument where it is absent.
  std::unique_ptr<Backend> (*start)();
};

/// How long a backend's program is waited for [s]: a run may take as long as it likes, and a signal ends it.
constexpr double backend_patience = 1e8;

/// The name of what is no other program: Pithball itself.
inline const std::string own_backend = "pithball";

/// All others, in the order of documentation.
const std::vector<BackendInfo>& backends();

/// The backend of that name; null for `pithball`. Throws InvalidArgument listing the known names.
const BackendInfo* find_backend(const std::string& name);

/// Throws InvalidArgument unless the steps are Pithball's own (null), which `command` needs.
void require_own_backend(const BackendInfo* chosen, const std::string& command);

/// Throws InvalidArgument at `where` ("torus.yaml:9:3 simulation.backend") unless the program can run the model from
/// the time [s] on exactly, and names everything that it cannot. (LAMMPS has linear drag, but to first order in the
/// step.)
void require_counterparts(const BackendInfo& backend, const sim::Model& model, double time, const std::string& where);

}  // namespace pithball::app
