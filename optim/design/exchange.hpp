#pragma once
#include <vector>

#include "optim/design/criterion.hpp"

namespace pithball::optim {

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

}  // namespace pithball::optim
