#pragma once
#include "sim/coulomb/direct/direct_kernel.hpp"

namespace pithball::sim::direct {

/// All pairs of points, each evaluated once: what j adds to i is, except for the sign and the charges, what i adds to
/// j. All points are sources; the sums are those of `Kernel`. In float, pairs are computed in float32 and added up in
/// double; a coordinate is the sum of two floats, and units should be such that distances and charges are about 1.
template <class Real>
struct SymmetricJob {
  /// double: x, y, z, and then what the sources' records hold. float: x, y, z, the remainders of x, y, z, and a. Padded
  /// to a multiple of `group`, for float of 2 `group`, with points of charge 0 (b = 0) that lie apart from all others.
  const Real* point[Job::max_channels] = {};
  double* sum[Job::max_sums] = {};  ///< results are added here; padded, the padding may become NaN
  double softening2 = 0;            ///< ε² [m²]
};

/// Whether `run_symmetric` has this kernel, in double or float.
constexpr bool has_symmetric(Kernel kernel, bool single = false) {
  const bool charge =
      kernel == Kernel::ChargeField || kernel == Kernel::ChargePotential || kernel == Kernel::ChargeBoth;
  return charge || (!single && (kernel == Kernel::Jvp || kernel == Kernel::Vjp));
}

/// Largest number of points of a block: its channels and sums fit into the first-level cache.
inline constexpr std::int64_t max_block = 256;
/// Up to `max_block` points begin ≤ i < end; begin is a multiple of `group`, for float of 2 `group`.
struct Block {
  std::int64_t begin,  ///< its first point
      end;             ///< one past its last
};

/// Number of points from which `run_symmetric` is faster on this machine.
std::int64_t symmetric_from();

/// Adds all pairs of 0 ≤ i < n. Points are cut into blocks; pairs of blocks are run in parallel, but each block takes
/// part in them in a fixed order, so that the sums are the same to the last bit for any number of threads.
void run_symmetric(Kernel, const SymmetricJob<double>&, std::int64_t n);
/// The same in float.
void run_symmetric(Kernel, const SymmetricJob<float>&, std::int64_t n);

/// Adds the pairs of a point of block a and one of block b, which are the same block or share no point.
void run_symmetric(Kernel, const SymmetricJob<double>&, Block a, Block b);

}  // namespace pithball::sim::direct
