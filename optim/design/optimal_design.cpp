#include "optim/design/optimal_design.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

constexpr double least_pivot = 1e-7;
constexpr double singular = std::numeric_limits<double>::infinity();

}  // namespace

double log_mean_error(const Criterion& criterion, const Eigen::MatrixXd& information) {
  const auto q = static_cast<Index>(criterion.of.size());
  const Vector scale = information.diagonal().cwiseSqrt();
  if (!(scale.minCoeff() > 0) || !scale.allFinite()) return singular;
  const Vector inverse = scale.cwiseInverse();
  const Eigen::LLT<Eigen::MatrixXd> root(inverse.asDiagonal() * information * inverse.asDiagonal());
  if (root.info() != Eigen::Success || !(root.matrixLLT().diagonal().minCoeff() > least_pivot)) return singular;
  // C = WᵀW with L W = D⁻¹E, where E has the unit vectors of the chosen entries.
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(information.rows(), q);
  for (Index k = 0; k < q; ++k) W(criterion.of[k], k) = inverse[criterion.of[k]];
  root.matrixL().solveInPlace(W);
  const auto count = static_cast<double>(q);
  if (criterion.optimality == Optimality::A) return std::log(W.squaredNorm() / count) / 2;
  const Eigen::LLT<Eigen::MatrixXd> block(W.transpose() * W);
  return block.info() == Eigen::Success ? block.matrixLLT().diagonal().array().log().sum() / count : singular;
}

namespace {

constexpr double least_gain = 1e-9;  // of the log of an error; smaller gains are rounding
constexpr int most_passes = 50;

/// A partial choice of blocks, and its information.
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

  /// Exchanges each chosen block for the best alternative; returns whether any exchange lowered the criterion.
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

namespace {

constexpr double difference = 1e-4;
constexpr double least_decrease = 1e-4;
constexpr double armijo = 1e-4;  // share of the predicted decrease that a step must reach
constexpr int most_halvings = 12;

Vector into_box(const Vector& x) { return x.cwiseMax(0).cwiseMin(1); }

/// Returns derivatives by finite differences; 0 where the neighboring point cannot be evaluated.
Vector gradient_of(const std::function<double(const Vector&)>& function, const BoxDescent& at) {
  Vector gradient = Vector::Zero(at.x.size());
  for (Eigen::Index k = 0; k < at.x.size(); ++k) {
    Vector beside = at.x;
    const double step = at.x[k] > 0.5 ? -difference : difference;
    beside[k] += step;
    const double slope = (function(beside) - at.value) / step;
    if (std::isfinite(slope)) gradient[k] = slope;
  }
  return gradient;
}

/// Returns the length of the first step, which moves the fastest coordinate by a quarter of the box.
double first_length(const Vector& gradient) { return 0.25 / std::max(gradient.lpNorm<Eigen::Infinity>(), 1e-300); }

}  // namespace

BoxDescent descend_in_box(const std::function<double(const Vector&)>& function, const Vector& start,
                          int most_iterations) {
  BoxDescent at{into_box(start), function(into_box(start))};
  if (!std::isfinite(at.value)) return at;
  Vector gradient = gradient_of(function, at);
  double length = first_length(gradient);
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    const Vector step = into_box(at.x - length * gradient) - at.x;
    const double slope = gradient.dot(step);
    if (!(slope < 0)) break;
    BoxDescent tried;
    double share = 1;
    for (int halving = 0; halving < most_halvings; ++halving, share /= 2) {
      tried.x = into_box(at.x + share * step);
      tried.value = function(tried.x);
      if (tried.value <= at.value + armijo * share * slope) break;
    }
    if (!(tried.value < at.value)) break;
    const double decrease = at.value - tried.value;
    const Vector moved = tried.x - at.x;
    at = std::move(tried);
    if (decrease < least_decrease) break;
    const Vector next = gradient_of(function, at);
    const double curvature = moved.dot(next - gradient);
    gradient = next;
    length = curvature > 0 ? moved.squaredNorm() / curvature : first_length(gradient);
  }
  return at;
}

}  // namespace pithball::optim
