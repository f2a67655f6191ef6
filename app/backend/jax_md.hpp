#pragma once
#include "app/backend/backend.hpp"
#include "app/base/child_process.hpp"

namespace pithball::app {

/// JAX MD in a Python of its own (`make baselines`), which app/backend/jax_md/serve.py serves: one process for
/// any number of jobs, on the processor, in double precision. Besides steps it offers what JAX is used for: the
/// derivative of a loss with respect to the charge that all charged particles share.
class JaxMd final : public Backend {
 public:
  /// Finds the Python and waits until it has loaded JAX MD, which takes seconds. Throws InvalidArgument where either is
  /// absent.
  JaxMd();

  /// A loss and its derivative at one charge.
  struct ChargeLoss {
    double loss = 0;      ///< L(q) = 1/n Σ_i |x_i(q) − target_i|² over the final positions [m²]
    double gradient = 0;  ///< dL/dq, by JAX [m²/C]; neither is finite where the run diverged
    double seconds = 0, compile_seconds = 0;
  };
  /// The loss at the end of the job, when every charged particle has the charge [C]. `target`: 3×N [m].
  ChargeLoss charge_loss(const BackendJob& job, const Points& target, double charge);

  /// Where a search for the charge ended.
  struct ChargeEstimate {
    double charge = 0;  ///< [C]
    double loss = 0;    ///< there [m²]
    bool converged = false;
    Index evaluations = 0;  ///< of the loss and its derivative
    double seconds = 0, compile_seconds = 0;
  };
  /// Minimizes that loss by SciPy's L-BFGS-B from a charge that is not zero, within the bounds [C].
  ChargeEstimate estimate_charge(const BackendJob& job, const Points& target, double initial, double lower,
                                 double upper, Index iterations = 100);

 private:
  BackendOutcome do_run(const BackendJob& job, const Receiver& receive) override;
  /// The next line that the process prints; throws std::runtime_error where there is none.
  std::string read_line();

  ChildProcess python_;
  std::string received_;
};

BackendInfo jax_md_backend();

}  // namespace pithball::app
