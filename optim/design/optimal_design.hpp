#pragma once
#include <functional>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::optim {

using sim::Index;
using sim::Vector;

/// What a design minimizes (Atkinson, Donev & Tobias, Optimum Experimental Designs, with SAS, 2007, chapter 10).
enum class Optimality {
  D,  ///< the volume of the confidence ellipsoid of the chosen entries of θ: det C
  A,  ///< their mean variance: tr C
};

/// A criterion of optimal design for some entries of θ; all others are nuisance values, which count as unknown (D_S-
/// optimality). θ is in log or scaled units, so that entries can be compared.
struct Criterion {
  Optimality optimality = Optimality::D;  ///< which mean of the standard errors
  std::vector<Index> of;                  ///< at least one entry of θ, all different
};

/// The logarithm of a mean standard error, smaller is better. With C the block of M⁻¹ of the q chosen entries:
///    D: ln det C / (2q), the log of the geometric mean over the axes of the ellipsoid,
///    A: ln(tr C / q) / 2, the log of the RMS standard error.
/// A difference of two values is therefore the log of a ratio of errors for either criterion. `information`: M, P×P,
/// symmetric. ∞ if M is singular: a pivot of its column-scaled Cholesky factor is below 1e-7.
double log_mean_error(const Criterion& criterion, const Eigen::MatrixXd& information);

/// Blocks of measurements that can be chosen, such as the markers of a recording.
struct BlockPool {
  std::vector<Eigen::MatrixXd> blocks;  ///< N: the information of each, P×P
  Eigen::MatrixXd known;                ///< P×P: what is known without them: priors, other recordings
};

/// A choice of blocks.
struct ChosenBlocks {
  std::vector<Index> blocks;  ///< ascending
  double loss = 0;            ///< `log_mean_error` of their information, with `ridge`
  long evaluations = 0;       ///< of the criterion
};

/// 1e-10 of the diagonal of all information of a pool: it makes the criterion finite while too few blocks are chosen,
/// and changes no error that the pool can determine.
Eigen::MatrixXd ridge_of(const BlockPool& pool);

/// Chooses `count` different blocks: first those of `start`, then greedily, each the one that lowers the criterion
/// most; then exchanges a chosen block for another as long as this lowers it (Fedorov, Theory of Optimal Experiments,
/// 1972, section 3.3, in the order of Cook & Nachtsheim, Technometrics 22, 1980: for each chosen block the best
/// exchange). The result is a local optimum under exchanges of one block. Costs about count·N evaluations of the
/// criterion for each pass. Throws InvalidArgument if `count` is not between 1 and N.
ChosenBlocks choose_blocks(const BlockPool& pool, Index count, const Criterion& criterion,
                           const std::vector<Index>& start = {});

/// Result of a search in the unit box.
struct BoxDescent {
  Vector x;          ///< the best point found, n numbers from 0 to 1
  double value = 0;  ///< the function there
};

/// Minimizes a function on the box 0 ≤ x_k ≤ 1, in which it varies smoothly, by spectral projected gradients (Birgin,
/// Martínez & Raydan, SIAM J. Optim. 10, 2000) with differences of 1e-4 as derivatives, taken into the box. It ends
/// after `most_iterations`, or if a step lowers the function by less than 1e-4. Where the function is not finite, steps
/// become shorter. `start`: n, in the box.
BoxDescent descend_in_box(const std::function<double(const Vector&)>& function, const Vector& start,
                          int most_iterations);

}  // namespace pithball::optim
