#pragma once
#include <optional>
#include <string>

#include "sim/integrator/stage_problem.hpp"
#include "sim/linear/krylov_solvers.hpp"

namespace pithball::sim {

/// Method of a stage's linear solves.
enum class StageIterations {
  ConjugateGradients,  ///< an iteration costs a product with the stage Hessian
  Gmres,               ///< it costs a product with the derivatives of all forces, sums over charges included
};

/// The names that `StageOptions::linear_solver` accepts.
const std::vector<std::string>& linear_solvers();

/// Chooses and creates preconditioners for stage Hessians.
/// - `block_jacobi_cg`: inverses of the diagonal blocks,
/// - `ssor_cg`: sweeps over the particles (`SymmetricSweeps`); best while g²k/m is moderate,
/// - `prefactored_cg`: the scalar factor of M + g²L + gL_c, computed once for a run; independent of stiffness under
/// tension,
/// - `cholesky`: the factor of H itself at the stage's first iterate, so that later iterates need few iterations,
/// - `auto`: the cheapest according to a cost model (below), chosen once, before step 0.
class StageLinearSolver {
 public:
  /// One of `linear_solvers()`, and what it is to precondition.
  explicit StageLinearSolver(std::string kind, StageIterations iterations = StageIterations::ConjugateGradients)
      : requested_(std::move(kind)), iterations_(iterations) {}

  /// Prepares for this model and effective step; cheap if neither changed.
  void prepare(const Model& model, double g);
  const std::string& kind() const { return kind_; }  ///< the solver in use; empty before `prepare`

  /// A preconditioner for H, which may hold H; for `cholesky`, empty if H is not positive definite.
  std::shared_ptr<const Preconditioner> make(const std::shared_ptr<const BlockMatrix>& H);
  /// Whether a preconditioner can be used only for the matrix given to `make`.
  bool follows_matrix() const { return kind_ == "block_jacobi_cg" || kind_ == "ssor_cg"; }
  /// The Cholesky factor of H, empty if H is not positive definite.
  std::optional<CholeskyFactor> factorize(const BlockMatrix& H);
  /// Whether a factorization of H costs no more than some hundred iterations with sweeps.
  bool factorizes_cheaply(const BlockMatrix& H);
  /// Maximum conjugate-gradient iterations; beyond it a solve has failed.
  static constexpr int max_cg_iterations = 2000;

 private:
  std::string choose(const Model& model, double g);
  void prefactor(const Model& model, double g);

  bool prefers_sweeps(const Model& model) const;

  std::string requested_, kind_;
  StageIterations iterations_;
  double g_ = 0;
  Vector values_;  // values used for the prefactorization
  std::optional<CholeskyAnalysis> scalar_analysis_, block_analysis_;
  std::shared_ptr<const Preconditioner> prefactorization_;
  std::shared_ptr<BlockJacobi> jacobi_;  // the last one, computed anew in its place if no tape holds it
};

/// Sweeps over H, or the inverses of its diagonal blocks if they are not all positive definite: what needs neither
/// time nor memory before it is used.
std::shared_ptr<const Preconditioner> simple_preconditioner(const std::shared_ptr<const BlockMatrix>& H);

}  // namespace pithball::sim
