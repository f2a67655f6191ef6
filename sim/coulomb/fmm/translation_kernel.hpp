#pragma once
#include <cstddef>

#include "sim/coulomb/fmm/operators.hpp"

namespace pithball::sim::fmm {

/// Expansions that one translation moves in one go, one to a vector lane.
struct Batch {
  static constexpr int size = 16;  ///< most expansions of a batch
  int count = 0;                   ///< filled lanes
  const double* from[size] = {};   ///< coefficients to read, one array for each lane
  double* to[size] = {};           ///< coefficients to add to; may repeat an array

  /// Takes a further lane; the batch must not be full.
  void add(const double* source, double* target) {
    from[count] = source;
    to[count++] = target;
  }
  bool full() const { return count == size; }  ///< whether it must be translated before the next `add`
};

/// Scratch memory of `translate`, in doubles, for expansions of this order.
constexpr std::size_t translation_scratch(int order) {
  return 2 * static_cast<std::size_t>(coefficients(order) * Batch::size);
}

/// to[l] += T from[l] for each pair of the batch, and empties the batch. A result does not depend on the lane it was
/// made in. `scratch`: aligned for vectors (hwy::AllocateAligned).
void translate(const Translation& t, Batch& batch, double* scratch);

}  // namespace pithball::sim::fmm
