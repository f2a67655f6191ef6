#pragma once
#include <memory>
#include <span>
#include <vector>

#include "sim/linear/chunk_sweep.hpp"
#include "sim/linear/conjugate_gradients.hpp"

namespace pithball::sim {

struct SweepRows;

/// Symmetric successive overrelaxation (SSOR): a sweep over the particles forward and one backward. With A = L + C + U,
/// C its diagonal blocks and D = C/ω,
///   P = (D + L) D⁻¹ (D + U).
/// It needs a third of the iterations that diagonal blocks need. `solve` uses it in the form of Eisenstat (1981,
/// doi:10.1137/0902001), in which an iteration with it costs as much as one without: each sweep reads
/// one triangle of A, and no product with A is left.
class SymmetricSweeps final : public Preconditioner {
 public:
  /// Over A, which must stay as it is while they are used; empty if a diagonal block is not positive definite.
  static std::shared_ptr<const SymmetricSweeps> make(std::shared_ptr<const BlockMatrix> A);

  void apply(const Points& r, Points& z) const override;
  /// With those of A.
  std::size_t bytes() const override;

  /// Solves A x = b by conjugate gradients from x = 0, like `solve_conjugate_gradients`, with A the matrix of `make`.
  /// The residual of fine solves is that of x itself, not that of the recurrences.
  CgReport solve(const Points& b, const SolveLimits& limits, Points& x, Points* direction = nullptr) const;
  /// Solves for several b at once, in panels: eight cost about as much as two to four, one after the other. Each has
  /// its own iteration and its own report.
  std::vector<CgReport> solve(const std::vector<Points>& b, const SolveLimits& limits, std::vector<Points>& x) const;

 private:
  explicit SymmetricSweeps(std::shared_ptr<const BlockMatrix> A) : A_(std::move(A)) {}
  const SweepOrder& order() const { return A_->pattern()->order; }
  bool invert_diagonal();
  template <Index count>
  class Unknowns;
  template <class Body>
  void for_places(double place_work, const Body& body) const;
  SweepRows rows() const;
  double work(Index systems) const;
  template <class Visit>
  void sweep(Sweep direction, Index systems, const Visit& visit) const;
  template <Index count, class Visit>
  void solve_together(std::span<const Points> b, const SolveLimits& limits, std::span<Points> x,
                      std::span<CgReport> reports, const Visit& at_negative_curvature) const;

  std::shared_ptr<const BlockMatrix> A_;
  SymmetricBlocks diagonal_, inverse_;  // of each place: D and D⁻¹
};

}  // namespace pithball::sim
