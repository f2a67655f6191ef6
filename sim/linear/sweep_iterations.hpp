#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "sim/linear/krylov_solvers.hpp"

namespace pithball::sim {

/// A number for each of several systems.
template <Index systems>
using SystemNumbers = Eigen::Array<double, systems, 1>;

/// Products that an iteration with sweeps makes, with q = p + s in place of A p.
template <Index systems>
struct alignas(64) SweepSums {                                 // a cache line for each chunk
  SystemNumbers<systems> pq = SystemNumbers<systems>::Zero(),  ///< p̂ᵀ D q
      rq = pq,                                                 ///< r̃ᵀ D q
      qq = pq,                                                 ///< qᵀ D q
      rr = pq;                                                 ///< r̃ᵀ D r̃
  SweepSums& operator+=(const SweepSums& other) {              ///< adds those of another chunk
    pq += other.pq;
    rq += other.rq;
    qq += other.qq;
    rr += other.rr;
    return *this;
  }
};

/// The sums of every chunk of a SweepOrder, added in their order.
template <Index systems>
class ChunkSums {
 public:
  explicit ChunkSums(Index chunks) : sums_(static_cast<std::size_t>(chunks)) {}  ///< all 0
  void clear() { std::fill(sums_.begin(), sums_.end(), SweepSums<systems>()); }  ///< to 0
  SweepSums<systems>& operator[](Index chunk) { return sums_[chunk]; }           ///< of a chunk
  SweepSums<systems> total() const {                                             ///< the sum over all chunks
    SweepSums<systems> total;
    for (const SweepSums<systems>& chunk : sums_) total += chunk;
    return total;
  }

 private:
  std::vector<SweepSums<systems>> sums_;
};

/// Conjugate gradients with symmetric sweeps, of one system or of several side by side. `Unknowns` hold
/// - `alpha`: of the update of x and r̃ that is still to be made,
/// - `rr`: r̃ᵀ D r̃ = rᵀ P⁻¹ r,
/// and make the sweeps: `multiply(beta)` makes the last update, from it p̂ and p, and returns the sums for the next
/// update; `finish()` makes the last update alone; both set `rr`. `residual()` returns |r|. A system that has met its
/// tolerance earlier than others continues with them.
template <class Unknowns>
class SweepIterations {
 public:
  static constexpr Index systems = Unknowns::systems;  ///< their number
  using Numbers = SystemNumbers<systems>;              ///< one of each
  using Reports = std::array<CgReport, systems>;       ///< one of each

  /// `b_norm`: |b|; `tolerance`: on |r|/|b|.
  SweepIterations(Unknowns& unknowns, const Numbers& b_norm, const Numbers& tolerance, int max_iterations)
      : u_(unknowns), b_norm_(b_norm), tolerance_(tolerance), most_(max_iterations) {}

  /// Calls at_negative_curvature(unknowns) while they have the direction.
  template <class Visit>
  Reports run(const Visit& at_negative_curvature) {
    for (Index k = 0; k < systems; ++k) {
      reports_[k].converged = b_norm_[k] == 0;
      reports_[k].relative_residual = reports_[k].converged ? 0 : 1;
      open_[k] = !reports_[k].converged;
    }
    // rᵀ P⁻¹ r comes with each iteration, |r| costs a sweep: it is computed when the former suggests that it is small
    // enough.
    due_ = tolerance_.square() * u_.rr;
    Numbers beta = Numbers::Zero();
    int iterations = 0;
    while (open_.any() && iterations < most_) {
      const auto sums = u_.multiply(beta);
      if (close_negative(sums)) {
        at_negative_curvature(u_);
        if (!open_.any()) break;
      }
      const Numbers before = u_.rr, next = extrapolate(sums);
      const bool last = ++iterations == most_;
      beta = ratio(next.max(0), before);
      const Mask go_on = open_ && next > due_;
      const bool resolved = !(go_on && next <= cancellation * before).any();
      if (resolved && !last && go_on.any()) continue;
      u_.finish();
      beta = ratio(u_.rr, before);
      if (!last && (open_ && u_.rr > due_).any()) continue;
      close_converged();
    }
    return reports_;
  }

 private:
  using Mask = Eigen::Array<bool, systems, 1>;
  /// A difference that is a smaller part of its terms has lost half of its digits: the root of the rounding error.
  static constexpr double cancellation = 1e-8;

  Numbers ratio(const Numbers& a, const Numbers& b) const { return (open_ && b != 0).select(a / b, 0.0); }

  /// Ends the systems with pᵀ A p <= 0, or NaN. Returns whether there are any.
  bool close_negative(const SweepSums<systems>& sums) {
    const Mask negative = open_ && !(sums.pq > 0) && !(u_.rr <= due_);
    if (!negative.any()) return false;
    const Numbers residual = u_.residual();
    for (Index k = 0; k < systems; ++k) {
      if (!negative[k]) continue;
      reports_[k].negative_curvature = true;
      reports_[k].relative_residual = residual[k] / b_norm_[k];
      open_[k] = false;
    }
    return true;
  }

  /// Sets α. Returns the next r̃ᵀ D r̃, before the update is made (Meurant 1984); the update then computes it without
  /// cancellation. Where that leaves less than half of the digits, the update is made at once.
  Numbers extrapolate(const SweepSums<systems>& sums) {
    const Mask moves = open_ && sums.pq > 0;
    u_.alpha = moves.select(u_.rr / sums.pq, 0.0);
    for (Index k = 0; k < systems; ++k) reports_[k].iterations += moves[k];
    return u_.rr - 2 * u_.alpha * sums.rq + u_.alpha.square() * sums.qq;
  }

  void close_converged() {
    const Numbers residual = u_.residual();
    for (Index k = 0; k < systems; ++k) {
      if (!open_[k]) continue;
      CgReport& report = reports_[k];
      report.relative_residual = residual[k] / b_norm_[k];
      report.converged = report.relative_residual <= tolerance_[k];
      const double part = tolerance_[k] / report.relative_residual;
      due_[k] = std::min(0.5, part * part) * u_.rr[k];
      open_[k] = !report.converged;
    }
  }

  Unknowns& u_;
  const Numbers b_norm_, tolerance_;
  const int most_;
  Numbers due_;  // r̃ᵀ D r̃ at which the residual is checked
  Mask open_;    // systems that have not ended
  Reports reports_;
};

/// Solves A x = b for each system; `left` is b and becomes what is left of it. The residual of fine solves is that of x
/// itself, not that of the recurrences. `Unknowns` are made of A and a right-hand side; their class has the arithmetic
/// of its vectors: the `norm` of each system, `clear(v, system)`, and `subtract_product(A, x, b)`.
template <class Unknowns, class Matrix, class Visit>
std::array<CgReport, Unknowns::systems> solve_systems(const Matrix& A, typename Unknowns::Vectors& left,
                                                      const SolveLimits& limits, typename Unknowns::Vectors& x,
                                                      const Visit& at_negative_curvature) {
  // The residual of a solve as fine as this is computed anew at its end, and what is left is solved for: D D⁻¹ differs
  // from the identity by the rounding of an inverse, which the recurrences of ill-conditioned diagonal blocks amplify.
  constexpr double verified = 1e-8;
  // A repetition that leaves more of the residual than this has reached rounding.
  constexpr double no_progress = 0.5;
  constexpr Index systems = Unknowns::systems;
  using Numbers = SystemNumbers<systems>;

  const Numbers b_norm = Unknowns::norm(left), goal = limits.tolerance * b_norm;
  Eigen::Array<bool, systems, 1> open = Eigen::Array<bool, systems, 1>::Constant(true);
  std::array<CgReport, systems> reports;
  int iterations = 0;
  bool first = true;
  for (Numbers norm = b_norm;; first = false) {
    const Numbers tolerance = (norm > 0).select(goal / norm, limits.tolerance);
    Unknowns unknowns(A, left);
    const auto made = SweepIterations<Unknowns>(unknowns, norm, tolerance, limits.max_iterations - iterations)
                          .run(at_negative_curvature);
    if (first)
      x.swap(unknowns.x());
    else
      x += unknowns.x();
    for (Index k = 0; k < systems; ++k) {
      if (!open[k]) continue;
      CgReport& report = reports[k];
      report.iterations += made[k].iterations;
      report.negative_curvature = made[k].negative_curvature;
      report.converged = made[k].converged;
      report.relative_residual = b_norm[k] > 0 ? made[k].relative_residual * norm[k] / b_norm[k] : 0;
      open[k] = made[k].converged && norm[k] > 0 && limits.tolerance <= verified;
      iterations = std::max(iterations, report.iterations);
    }
    if (!open.any()) return reports;
    Unknowns::subtract_product(A, first ? x : unknowns.x(), left);
    const Numbers before = norm;
    norm = Unknowns::norm(left);
    for (Index k = 0; k < systems; ++k) {
      const bool met = norm[k] <= goal[k], rounding = norm[k] > no_progress * before[k];
      if (open[k]) {
        reports[k].relative_residual = norm[k] / b_norm[k];
        if (!met && rounding) reports[k].converged = before[k] < b_norm[k];  // false if the first solve has failed
      }
      open[k] = open[k] && !met && !rounding;
      if (open[k]) continue;
      Unknowns::clear(left, k);
      norm[k] = 0;
    }
    if (!open.any()) return reports;
  }
}

}  // namespace pithball::sim
