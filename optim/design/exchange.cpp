#include "optim/design/exchange.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

constexpr double least_gain = 1e-9;  // of the log of an error; less is rounding
constexpr int most_passes = 50;

/// A choice in progress, and its information.
class Choice {
 public:
  Choice(const BlockPool& pool, const Criterion& criterion)
      : pool_(pool), criterion_(criterion), total_(pool.known + ridge_of(pool)), taken_(pool.blocks.size(), false) {}

  void add(Index block) {
    total_ += pool_.blocks[block];
    chosen_.push_back(block);
    taken_[block] = true;
  }

  /// Adds the block that lowers the criterion most.
  void add_best() {
    const Candidate best = best_addition(total_);
    add(best.block);
    loss_ = best.loss;
  }

  /// Exchanges each chosen block for the best other one; whether any exchange lowered the criterion.
  bool exchange() {
    bool is_better = false;
    for (Index& own : chosen_) {
      const Eigen::MatrixXd without = total_ - pool_.blocks[own];
      const Candidate best = best_addition(without);
      if (best.block < 0 || !(best.loss < loss_ - least_gain)) continue;
      taken_[own] = false;
      taken_[best.block] = true;
      own = best.block;
      total_ = without + pool_.blocks[own];
      loss_ = best.loss;
      is_better = true;
    }
    return is_better;
  }

  void judge() {
    loss_ = log_mean_error(criterion_, total_);
    ++evaluations_;
  }

  Index size() const { return static_cast<Index>(chosen_.size()); }
  ChosenBlocks result() && {
    std::ranges::sort(chosen_);
    return {std::move(chosen_), loss_, evaluations_};
  }

 private:
  struct Candidate {
    Index block = -1;
    double loss = std::numeric_limits<double>::infinity();
  };

  Candidate best_addition(const Eigen::MatrixXd& to) {
    Candidate best;
    for (std::size_t b = 0; b < taken_.size(); ++b) {
      if (taken_[b]) continue;
      const double loss = log_mean_error(criterion_, to + pool_.blocks[b]);
      ++evaluations_;
      if (best.block < 0 || loss < best.loss) best = {static_cast<Index>(b), loss};
    }
    return best;
  }

  const BlockPool& pool_;
  const Criterion& criterion_;
  Eigen::MatrixXd total_;
  std::vector<bool> taken_;
  std::vector<Index> chosen_;
  double loss_ = std::numeric_limits<double>::infinity();
  long evaluations_ = 0;
};

}  // namespace

Eigen::MatrixXd ridge_of(const BlockPool& pool) {
  Vector all = pool.known.diagonal();
  for (const Eigen::MatrixXd& block : pool.blocks) all += block.diagonal();
  return (1e-10 * all).asDiagonal();
}

ChosenBlocks choose_blocks(const BlockPool& pool, Index count, const Criterion& criterion,
                           const std::vector<Index>& start) {
  if (count < 1 || count > static_cast<Index>(pool.blocks.size()))
    throw InvalidArgument({"", "count", "must be between 1 and the number of blocks", std::to_string(count), ""});
  Choice choice(pool, criterion);
  for (const Index block : start) choice.add(block);
  choice.judge();
  while (choice.size() < count) choice.add_best();
  for (int pass = 0; pass < most_passes && choice.exchange(); ++pass) {
  }
  return std::move(choice).result();
}

}  // namespace pithball::optim
