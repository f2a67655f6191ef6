#pragma once
#include <cstdint>

namespace pithball::sim::direct {

/// Which sums over sources j ≠ i a kernel makes for target i; r = x_i − x_j, ρ² = |r|² + ε², d = u_i − u_j. After the
/// position x, a source's record holds what is in brackets; targets need the channels that are named for them.
enum class Kernel {
  ChargeField,          ///< [a]     0…2: a r/ρ³
  ChargePotential,      ///< [a]     0: a/ρ
  ChargeBoth,           ///< [a]     0…2: a r/ρ³, 3: a/ρ
  DipoleField,          ///< [p]     0…2: 3 (p·r) r/ρ⁵ − p/ρ³
  DipolePotential,      ///< [p]     0: (p·r)/ρ³
  DipoleBoth,           ///< [p]     0…2: as field, 3: as potential
  ChargeFieldGradient,  ///< [a] 0…2: a r/ρ³, 3…8: a [1/ρ³ − 3 r rᵀ/ρ⁵] as xx, xy, xz, yy, yz, zz
  DipoleFieldGradient,  ///< [p] 0…2: as field, 3…8: 3 [p rᵀ + r pᵀ + (p·r)]/ρ⁵ − 15 (p·r) r rᵀ/ρ⁷ likewise
  Jvp,  ///< [u a b] 0…2: a_i a_j [d/ρ³ − 3 (r·d) r/ρ⁵] + (b_i a_j + a_i b_j) r/ρ³; targets: x, u, a, b
  Vjp,  ///< [u a]   0…2: a_j [d/ρ³ − 3 (r·d) r/ρ⁵], 3: a_j (r·d)/ρ³; targets: x, u
};

/// Targets are handed to a kernel in groups of this size; arrays over targets are padded to a multiple of it.
inline constexpr std::int64_t group = 8;

/// One pass over all pairs, in the layout that suits vector units: vector lanes run over targets, whose values lie in
/// one array for each channel; each source is one record, whose values are broadcast to all lanes. A sum is the same to
/// the last bit whichever thread makes it: sources are added in their order.
struct Job {
  static constexpr int max_channels = 8,    ///< channels of a target: the most of any kernel, Jvp's x, u, a, b
      max_sums = 9;                         ///< of one target: the most of any kernel, field and gradient
  const double* target[max_channels] = {};  ///< x, y, z, …; padded, the padding may hold anything
  double* sum[max_sums] = {};               ///< results are added here; padded
  const double* source = nullptr;           ///< records without gaps
  const double* source_index = nullptr;     ///< which target each source is (ascending), so that it leaves itself out;
                                            ///< null: none is a target
  std::int64_t sources = 0;                 ///< number of records
  double softening2 = 0;                    ///< ε² [m²]
};

/// Length of a source record, and number of sums.
struct Shape {
  int record = 0,  ///< numbers in a source record, position included
      sums = 0;    ///< numbers that are added for each target
};
/// The shape of a kernel's records and sums.
constexpr Shape shape_of(Kernel kernel) {
  switch (kernel) {
    case Kernel::ChargeField:
      return {4, 3};
    case Kernel::ChargePotential:
      return {4, 1};
    case Kernel::ChargeBoth:
      return {4, 4};
    case Kernel::DipoleField:
      return {6, 3};
    case Kernel::DipolePotential:
      return {6, 1};
    case Kernel::DipoleBoth:
      return {6, 4};
    case Kernel::ChargeFieldGradient:
      return {4, 9};
    case Kernel::DipoleFieldGradient:
      return {6, 9};
    case Kernel::Jvp:
      return {8, 3};
    case Kernel::Vjp:
      return {7, 4};
  }
  return {};
}

/// Adds the sums of targets begin ≤ i < end with the best instruction set of this machine. `begin` is a multiple of
/// `group`; the vector that holds the last target may change the padding after it.
void run(Kernel, const Job&, std::int64_t begin, std::int64_t end);

/// The same with pairs in float32 and totals in double, for ChargeField, ChargePotential and ChargeBoth; the other
/// kernels run in double. `end` must be that of the true targets, without padding.
/// Positions are taken relative to the middle of the box of up to 128 successive targets, so successive targets
/// should be neighbors: a pair at distance ρ is good to about 1e-7 (1 + R/ρ), R being the radius of that box. Targets
/// that have a source closer than R/32 are done in double, eight together. Distances must lie within 1e-18…1e18 m and
/// charges within 1e-30…1e30 C.
void run_single(Kernel, const Job&, std::int64_t begin, std::int64_t end);

/// Name of the instruction set that `run` uses: "AVX3", "AVX2", "SSE4", …
const char* instruction_set();

}  // namespace pithball::sim::direct
