#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "sim/core/brief_wait.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/linear/block_matrix.hpp"
#include "sim/linear/krylov_solvers.hpp"

namespace pithball::sim {

/// Direction of a sweep over the places of a SweepOrder.
enum class Sweep { Forward, Backward };

/// A chunk of places.
struct Chunk {
  Index number,  ///< of the chunk
      begin,     ///< its first place
      end;       ///< the place after its last
};

/// Calls visit(phase, chunk) for every chunk of the first color (color[phase] = 0) or of the second (1), phase by
/// phase: a phase begins when all chunks of those before have ended. A thread takes the same chunks in every sweep,
/// because its cache still has them, and then those that no other thread has begun. `work`: in pairs (`parallel_for`).
template <std::size_t phases, class Visit>
void for_each_chunk(const SweepOrder& order, const std::array<int, phases>& color, double work, const Visit& visit) {
  static_assert(phases * SweepOrder::most_chunks <= 32);
  std::atomic<unsigned> begun{0};  // a bit for each chunk of each phase
  std::atomic<Index> done{0};
  const auto take = [&](std::size_t phase, Index k) {
    const std::size_t bit = phase * SweepOrder::most_chunks + static_cast<std::size_t>(k);
    if (begun.fetch_or(1U << bit, std::memory_order_relaxed) >> bit & 1U) return;
    visit(phase, Chunk{k, order.chunk_begin[k], order.chunk_begin[k + 1]});
    done.fetch_add(1, std::memory_order_release);
  };
  const Index threads = std::min<Index>(threads_for(work), order.first_color);
  parallel_for(threads, work, [&](Index thread) {
    Index earlier = 0;  // chunks of phases before
    for (std::size_t phase = 0; phase < phases; ++phase) {
      while (!brief_wait([&] { return done.load(std::memory_order_acquire) >= earlier; })) continue;
      const Index begin = color[phase] == 0 ? 0 : order.first_color,
                  end = color[phase] == 0 ? order.first_color : order.chunks();
      const Index own = begin + (end - begin) * thread / threads;
      for (Index k = own; k < end; ++k) take(phase, k);
      for (Index k = begin; k < own; ++k) take(phase, k);
      earlier += end - begin;
    }
  });
}

/// Calls visit(chunk) for every chunk, those of the later color after all of the earlier one.
template <class Visit>
void sweep_chunks(const SweepOrder& order, Sweep direction, double work, const Visit& visit) {
  const int first = direction == Sweep::Forward ? 0 : 1;
  for_each_chunk(order, std::array{first, 1 - first}, work, [&](std::size_t, const Chunk& chunk) { visit(chunk); });
}

/// A sweep backward, and one forward. A chunk of the first color needs only itself to begin the second: that saves a
/// wait for other threads, and its data are still in the cache.
template <class Backward, class Forward>
void sweep_chunks_there_and_back(const SweepOrder& order, double work, const Backward& backward,
                                 const Forward& forward) {
  for_each_chunk(order, std::array{1, 0, 1}, work, [&](std::size_t phase, const Chunk& chunk) {
    if (phase < 2) backward(chunk);
    if (phase > 0) forward(chunk);
  });
}

struct SweepRows;

/// Symmetric successive overrelaxation (SSOR): a sweep over the particles forward and one backward. With A = L + C + U,
/// C its diagonal blocks and D = C/ω,
///   P = (D + L) D⁻¹ (D + U).
/// It needs a third of the iterations that diagonal blocks need. `solve` uses it in the form of Eisenstat (1981,
/// doi:10.1137/0902001), in which an iteration with it costs as much as one without: each sweep reads
/// one triangle of A, and no product with A is left.
class SymmetricSweeps final : public Preconditioner {
 public:
  /// The sweeps over A, which must not change while they are used; empty if a diagonal block is not positive definite.
  static std::shared_ptr<const SymmetricSweeps> make(std::shared_ptr<const BlockMatrix> A);

  void apply(const Points& r, Points& z) const override;
  /// Including those of A.
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
