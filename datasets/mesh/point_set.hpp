#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::datasets {

using sim::Index;

/// A family of point sets of any size, for tests and benchmarks of pair sums.
struct PointSetInfo {
  std::string name;     ///< "torus"
  std::string summary;  ///< one phrase
};

/// torus, sphere, cloth, cube, lattice, clustered. The first three and `lattice` have nearly equal distances between
/// neighbors. In the others a few very close pairs dominate the norm of a field, so that relative errors are 20 to 200
/// times smaller there: compare methods on the even ones too.
const std::vector<PointSetInfo>& point_sets();

/// About n points [m], 3×N, all different, of the size 1 to 10 m:
///   torus      mesh of radii 4 and 1.5, its segments in the ratio 7:3, so that edges are about equal
///              (n = 10,000 gives 9,945; 1,000,000 gives 999,530; a product of such segments gives itself)
///   sphere     Fibonacci's spiral on the unit sphere
///   cloth      square grid of side 1, slightly curved; ⌊√n⌋² points
///   cube       drawn evenly from [−1, 1]³
///   lattice    cubic lattice filling [−1, 1]³, each point moved by up to a fifth of the spacing
///   clustered  20 Gaussian blobs of sizes 1e-4 to 1 in a cube, and a tenth of the points in a cusp of density r^−5/2
/// Equal seeds give equal points. Throws InvalidArgument for an unknown name and n < 0.
sim::Points make_point_set(const std::string& name, Index n, std::uint64_t seed = 1);

/// Names of charge distributions: one, mixed, neutral.
const std::vector<std::string>& charge_kinds();

/// n charges of 0.5 to 1.5 µC [C]: `one` sign; `mixed`, random signs; `neutral`, mixed and shifted to a total of 0 (up
/// to rounding). Throws InvalidArgument for an unknown name.
sim::Vector make_charges(const std::string& kind, Index n, std::uint64_t seed = 1);

}  // namespace pithball::datasets
