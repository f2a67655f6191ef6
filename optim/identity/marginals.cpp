#include "optim/identity/marginals.hpp"

#include <algorithm>
#include <cmath>

#include "optim/screening/marker_order.hpp"

namespace pithball::optim {
namespace {

/// A group of particles (rows) and detections (columns) that share pairs.
struct Group {
  std::vector<Index> rows, columns;
};

/// Returns the groups with at least one pair.
std::vector<Group> find_groups(const Eigen::MatrixXd& pair) {
  std::vector<bool> has_row(static_cast<std::size_t>(pair.rows()), false);
  std::vector<bool> has_column(static_cast<std::size_t>(pair.cols()), false);
  std::vector<Group> groups;
  for (Index first = 0; first < pair.rows(); ++first) {
    if (has_row[first] || !(pair.row(first).array() > 0).any()) continue;
    Group group;
    std::vector<Index> waiting{first};
    has_row[first] = true;
    while (!waiting.empty()) {
      const Index i = waiting.back();
      waiting.pop_back();
      group.rows.push_back(i);
      for (Index j = 0; j < pair.cols(); ++j) {
        if (!(pair(i, j) > 0) || has_column[j]) continue;
        has_column[j] = true;
        group.columns.push_back(j);
        for (Index k = 0; k < pair.rows(); ++k)
          if (pair(k, j) > 0 && !has_row[k]) {
            has_row[k] = true;
            waiting.push_back(k);
          }
      }
    }
    std::ranges::sort(group.rows);
    std::ranges::sort(group.columns);
    groups.push_back(std::move(group));
  }
  return groups;
}

/// Probabilities of the pairs of one group.
struct GroupMarginals {
  Eigen::MatrixXd pair;
  double log_sum = 0;
};

/// Sums over all matchings of the rows of W to its columns, at most `most_exact` of these:
///    ahead[k][S] = Σ over matchings of rows < k that use exactly the columns S,   behind likewise of rows ≥ k that
///    use none of S,
/// each k with a factor of its own, so that products over many rows stay within the range of numbers: pairs of a row
/// are divided by the sum of its own possibilities.
GroupMarginals sum_exactly(Eigen::MatrixXd W) {
  const Index n = W.rows(), m = W.cols();
  const std::size_t sets = std::size_t{1} << m;
  Vector alone(n);  // weight of a row without a column, so that the largest of each row is 1
  double log_scale = 0;
  for (Index k = 0; k < n; ++k) {
    const double scale = std::max(1.0, W.row(k).maxCoeff());
    W.row(k) /= scale;
    alone[k] = 1 / scale;
    log_scale += std::log(scale);
  }
  std::vector<Vector> ahead(static_cast<std::size_t>(n + 1), Vector::Zero(static_cast<Index>(sets))), behind = ahead;
  ahead.front()[0] = 1;
  behind.back().setOnes();
  for (Index k = 0; k < n; ++k) {
    for (std::size_t S = 0; S < sets; ++S) {
      ahead[k + 1][S] += alone[k] * ahead[k][S];
      for (Index j = 0; j < m; ++j)
        if (!(S >> j & 1)) ahead[k + 1][S | std::size_t{1} << j] += W(k, j) * ahead[k][S];
    }
    ahead[k + 1] /= ahead[k + 1].maxCoeff();
  }
  for (Index k = n - 1; k >= 0; --k) {
    for (std::size_t S = 0; S < sets; ++S) {
      behind[k][S] = alone[k] * behind[k + 1][S];
      for (Index j = 0; j < m; ++j)
        if (!(S >> j & 1)) behind[k][S] += W(k, j) * behind[k + 1][S | std::size_t{1} << j];
    }
    const double scale = behind[k][0];  // of any columns, the largest
    behind[k] /= scale;
    log_scale += std::log(scale);
  }
  GroupMarginals found{Eigen::MatrixXd::Zero(n, m), log_scale};
  for (Index k = 0; k < n; ++k) {
    double sum = alone[k] * ahead[k].dot(behind[k + 1]);
    for (Index j = 0; j < m; ++j) {
      for (std::size_t S = 0; S < sets; ++S)
        if (!(S >> j & 1)) found.pair(k, j) += ahead[k][S] * W(k, j) * behind[k + 1][S | std::size_t{1} << j];
      sum += found.pair(k, j);
    }
    found.pair.row(k) /= sum;
  }
  return found;
}

/// Returns the sum of a row or column without one of its entries; a difference from the whole sum would be rounding.
template <class Line>
double sum_without(const Line& line, Index left_out) {
  return line.head(left_out).sum() + line.tail(line.size() - left_out - 1).sum();
}

/// Belief propagation between rows and columns (Williams & Lau 2014, eqs. 30 to 32).
Eigen::MatrixXd propagate_beliefs(const Eigen::MatrixXd& W) {
  constexpr int most_passes = 500;
  constexpr double settled = 1e-9;
  Eigen::MatrixXd to_row = Eigen::MatrixXd::Ones(W.rows(), W.cols()), to_column = to_row;
  for (int pass = 0; pass < most_passes; ++pass) {
    const Eigen::MatrixXd before = to_row, offered = W.cwiseProduct(to_row);
    for (Index i = 0; i < W.rows(); ++i)
      for (Index j = 0; j < W.cols(); ++j) to_column(i, j) = W(i, j) / (1 + sum_without(offered.row(i), j));
    for (Index j = 0; j < W.cols(); ++j)
      for (Index i = 0; i < W.rows(); ++i) to_row(i, j) = 1 / (1 + sum_without(to_column.col(j), i));
    if ((to_row - before).cwiseAbs().maxCoeff() < settled) break;
  }
  Eigen::MatrixXd pair = W.cwiseProduct(to_row);
  for (Index i = 0; i < W.rows(); ++i) pair.row(i) /= 1 + pair.row(i).sum();
  return pair;
}

Vector rest_of(const Vector& sums) { return (1 - sums.array()).max(0).min(1); }

}  // namespace

FrameMarginals compute_marginals(const FrameOdds& odds) {
  FrameMarginals all;
  all.pair = Eigen::MatrixXd::Zero(odds.particles(), odds.detections());
  for (const Group& group : find_groups(odds.pair)) {
    const Eigen::MatrixXd W = odds.pair(group.rows, group.columns);
    if (std::min(W.rows(), W.cols()) <= most_exact) {
      const bool turned = W.cols() > most_exact;
      const GroupMarginals found = sum_exactly(turned ? Eigen::MatrixXd(W.transpose()) : W);
      all.pair(group.rows, group.columns) = turned ? Eigen::MatrixXd(found.pair.transpose()) : found.pair;
      all.log_sum += found.log_sum;
    } else {
      all.pair(group.rows, group.columns) = propagate_beliefs(W);
      all.approximated += W.rows();
    }
  }
  all.missed = rest_of(all.pair.rowwise().sum());
  all.spurious = rest_of(all.pair.colwise().sum().transpose());
  if (all.approximated > 0) {
    all.log_sum = 0;  // of one kind of sum for the whole frame
    const std::vector<Index> best = find_best_event(all);
    for (Index i = 0; i < odds.particles(); ++i)
      if (best[i] >= 0) all.log_sum += std::log(odds.pair(i, best[i]));
  }
  return all;
}

std::vector<Index> find_best_event(const FrameMarginals& marginals) {
  const Eigen::MatrixXd& pair = marginals.pair;
  const Index particles = pair.rows(), detections = pair.cols();
  std::vector<Index> best(static_cast<std::size_t>(particles), -1);
  std::vector<bool> is_taken(static_cast<std::size_t>(detections), false);
  bool conflicts = false;
  for (Index i = 0; i < particles && detections > 0; ++i) {
    Index j = 0;
    if (!(pair.row(i).maxCoeff(&j) > marginals.missed[i])) continue;
    conflicts |= is_taken[j] || !(pair(i, j) > marginals.spurious[j]);
    is_taken[j] = true;
    best[i] = j;
  }
  if (!conflicts) return best;
  constexpr double least = 1e-12;  // probabilities below it are rounding
  const auto cost = [&](double probability) { return -std::log(std::max(probability, least)); };
  const Index n = particles + detections;
  Eigen::MatrixXd costs = Eigen::MatrixXd::Zero(n, n);
  for (Index i = 0; i < particles; ++i) {
    for (Index j = 0; j < detections; ++j) costs(i, j) = cost(pair(i, j));
    costs.row(i).tail(particles).setConstant(cost(marginals.missed[i]));
  }
  for (Index j = 0; j < detections; ++j) costs.col(j).tail(detections).setConstant(cost(marginals.spurious[j]));
  const std::vector<Index> column = assign(costs).column;
  for (Index i = 0; i < particles; ++i) best[i] = column[i] < detections && pair(i, column[i]) > 0 ? column[i] : -1;
  return best;
}

}  // namespace pithball::optim
