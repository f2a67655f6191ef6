#pragma once
#include "app/backend/backend.hpp"
#include "app/backend/python_server.hpp"

namespace pithball::app {

/// JAX MD in its own Python environment (`make baselines`), served by app/backend/jax_md/serve.py: one process for any
/// number of jobs, on the CPU, in double precision. Besides time steps it provides the derivative of a loss with
/// respect to the charge shared by all charged particles.
class JaxMd final : public Backend {
 public:
  /// Finds the Python environment and waits until it has loaded JAX MD, which takes seconds. Throws InvalidArgument if
  /// either is missing.
  JaxMd();

  /// A loss and its derivative at one charge.
  struct ChargeLoss {
    double loss = 0;          ///< L(q) = 1/n Σ_i |x_i(q) − target_i|² over the final positions [m²]
    double gradient = 0;      ///< dL/dq, by JAX [m²/C]; neither is finite where the run diverged
    double seconds = 0,       ///< of this evaluation alone, after compilation [s]
        compile_seconds = 0;  ///< of compiling it [s]
  };
  /// The loss at the end of the job, when every charged particle has the charge [C]. `target`: 3×N [m].
  ChargeLoss charge_loss(const BackendJob& job, const Points& target, double charge);

  /// Where a search for the charge ended.
  struct ChargeEstimate {
    double charge = 0;        ///< [C]
    double loss = 0;          ///< at this charge [m²]
    bool converged = false;   ///< SciPy met a tolerance, rather than its limit of iterations
    Index evaluations = 0;    ///< of the loss and its derivative
    double seconds = 0,       ///< of all evaluations, after compilation [s]
        compile_seconds = 0;  ///< of compiling them [s]
  };
  /// Minimizes that loss by SciPy's L-BFGS-B from a charge that is not zero, within the bounds [C].
  ChargeEstimate estimate_charge(const BackendJob& job, const Points& target, double initial, double lower,
                                 double upper, Index iterations = 100);

 private:
  BackendOutcome do_run(const BackendJob& job, const Receiver& receive) override;

  PythonServer python_;
};

/// JAX MD's row in the list of backends.
BackendInfo jax_md_backend();

}  // namespace pithball::app
