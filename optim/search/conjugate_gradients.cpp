#include "optim/search/conjugate_gradients.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "sim/core/dense.hpp"

namespace pithball::optim {
namespace {

/// Added to the diagonal of a block, relative to it: a singular block (two values with the same effect) would have no
/// root.
constexpr double floor_of_block = 1e-4;

/// Curvature along a direction, relative to the largest, that counts as none: products have relative errors of about
/// 1e-12.
constexpr double no_curvature = 1e-13;

/// The pseudoinverse of pᵀH̃p, and its null space.
struct Inverse {
  Eigen::MatrixXd matrix;
  Eigen::MatrixXd flat;  ///< combinations of p's columns without curvature

  Inverse(const Eigen::MatrixXd& G, double& largest) {
    const sim::Spectrum spectrum = sim::symmetric_spectrum((G + G.transpose()) / 2);
    largest = std::max(largest, spectrum.values.maxCoeff());
    Vector inverse = spectrum.values;
    Index left_out = 0;  // eigenvalues ascend
    for (double& value : inverse) {
      const bool is_curved = value > no_curvature * largest;
      left_out += is_curved ? 0 : 1;
      value = is_curved ? 1 / value : 0;
    }
    matrix = spectrum.vectors * inverse.asDiagonal() * spectrum.vectors.transpose();
    flat = spectrum.vectors.leftCols(left_out);
  }
};

/// Returns the directions p·flat, of length 1, except those that masking reduced to almost nothing.
Eigen::MatrixXd flat_directions(const Eigen::MatrixXd& p, const Eigen::MatrixXd& flat) {
  const Eigen::MatrixXd all = p * flat;
  std::vector<Index> kept;
  for (Index c = 0; c < all.cols(); ++c)
    if (all.col(c).norm() > 0.5) kept.push_back(c);
  return all(Eigen::all, kept).colwise().normalized();
}

}  // namespace

BlockScaling::BlockScaling(const std::vector<std::vector<Index>>& blocks, const Eigen::MatrixXd& drawn)
    : takes_part_(static_cast<std::size_t>(drawn.rows()), false) {
  const auto largest = static_cast<std::size_t>(std::max<Index>(1, drawn.cols() / 3));
  for (const std::vector<Index>& block : blocks) {
    std::vector<Index> felt;
    for (const Index k : block)
      if (drawn.row(k).squaredNorm() > 0) felt.push_back(k);
    for (std::size_t first = 0; first < felt.size(); first += largest) {
      const auto begin = felt.begin() + static_cast<std::ptrdiff_t>(first);
      Block made{{begin, begin + static_cast<std::ptrdiff_t>(std::min(largest, felt.size() - first))}, {}};
      const Eigen::MatrixXd rows = drawn(made.values, Eigen::all);
      Eigen::MatrixXd gram = rows * rows.transpose() / static_cast<double>(drawn.cols());
      gram.diagonal() *= 1 + floor_of_block;
      made.root = gram.llt().matrixL();
      for (const Index k : made.values) takes_part_[k] = true;
      blocks_.push_back(std::move(made));
    }
  }
}

template <class Solve>
Eigen::MatrixXd BlockScaling::by_block(const Eigen::MatrixXd& x, Solve solve) const {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(x.rows(), x.cols());
  for (const Block& block : blocks_) {
    Eigen::MatrixXd rows = x(block.values, Eigen::all);
    solve(block.root, rows);
    result(block.values, Eigen::all) = rows;
  }
  return result;
}

Eigen::MatrixXd BlockScaling::scale(const Eigen::MatrixXd& b) const {
  return by_block(b, [](const Eigen::MatrixXd& root, Eigen::MatrixXd& rows) {
    root.triangularView<Eigen::Lower>().solveInPlace(rows);
  });
}

Eigen::MatrixXd BlockScaling::stretch(const Eigen::MatrixXd& x) const {
  return by_block(x, [](const Eigen::MatrixXd& root, Eigen::MatrixXd& rows) {
    root.transpose().triangularView<Eigen::Upper>().solveInPlace(rows);
  });
}

Eigen::MatrixXd BlockScaling::only_taking_part(Eigen::MatrixXd x) const {
  for (Index k = 0; k < x.rows(); ++k)
    if (!takes_part(k)) x.row(k).setZero();
  return x;
}

Evaluation block_conjugate_gradients(const BlockProduct& product, const BlockScaling& scaling, const Eigen::MatrixXd& b,
                                     Eigen::MatrixXd& x, const std::function<bool(const BlockIterate&)>& enough,
                                     Index most) {
  Eigen::MatrixXd Hx;
  const auto scaled_product = [&](const Eigen::MatrixXd& v, Eigen::MatrixXd& Hv) {
    const Evaluation evaluation = product(scaling.stretch(v), Hv);
    if (evaluation.ok()) Hv = scaling.scale(Hv);
    return evaluation;
  };
  Eigen::MatrixXd residual = b, Hp;
  if (!x.isZero(0)) {
    if (Evaluation evaluation = scaled_product(x, Hx); !evaluation.ok()) return evaluation;
    residual -= Hx;
  }
  Eigen::MatrixXd p = residual;
  double largest = 0;
  for (Index n = 1; n <= most; ++n) {
    p = scaling.only_taking_part(sim::orthonormal(p));
    if (Evaluation evaluation = scaled_product(p, Hp); !evaluation.ok()) return evaluation;
    const Inverse inverse(p.transpose() * Hp, largest);
    const Eigen::MatrixXd step = inverse.matrix * (p.transpose() * residual);
    x += p * step;
    residual -= Hp * step;
    if (enough({n, x, residual, flat_directions(p, inverse.flat), largest})) break;
    p = residual - p * (inverse.matrix * (Hp.transpose() * residual));
  }
  return {};
}

}  // namespace pithball::optim
