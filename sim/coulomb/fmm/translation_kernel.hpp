#pragma once
#include <cstddef>

#include "sim/coulomb/fmm/translation.hpp"

namespace pithball::sim::fmm {

/// Expansions that one translation moves in one go, one to a vector lane.
struct Batch {
  static constexpr int size = 16;
  int count = 0;
  const double* from[size] = {};
  double* to[size] = {};

  void add(const double* source, double* target) {
    from[count] = source;
    to[count++] = target;
  }
  bool full() const { return count == size; }
};

/// Scratch memory of `translate`, in doubles, for expansions of this order.
constexpr std::size_t translation_scratch(int order) {
  return 2 * static_cast<std::size_t>(coefficients(order) * Batch::size);
}

/// to[l] += T from[l] for each pair of the batch, and empties the batch. A result does not depend on the lane it was
/// made in. `scratch`: aligned for vectors (hwy::AllocateAligned).
void translate(const Translation& t, Batch& batch, double* scratch);

}  // namespace pithball::sim::fmm
