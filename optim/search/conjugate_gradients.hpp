#pragma once
#include <functional>
#include <vector>

#include "optim/residual/residual.hpp"

namespace pithball::optim {

/// Coordinates in which a curvature H (P×P, positive semidefinite) is closer to the identity: x = L⁻ᵀ x̃, where LLᵀ
/// consists of H's blocks of related values, estimated from vectors with covariance H. Conjugate gradients in x̃ are
/// those in x preconditioned by LLᵀ.
class BlockScaling {
 public:
  /// `blocks`: the values that take part, each once; all others stay 0. `drawn`: P×n, independent vectors with mean 0
  /// and covariance H. They determine blocks of up to about n/3 values: larger ones are split. Values without effect,
  /// with a zero row in `drawn`, do not take part.
  BlockScaling(const std::vector<std::vector<Index>>& blocks, const Eigen::MatrixXd& drawn);

  /// Whether value k is in a block and has an effect; all others stay 0.
  bool takes_part(Index k) const { return takes_part_[k]; }
  Eigen::MatrixXd scale(const Eigen::MatrixXd& b) const;      ///< L⁻¹ b: a right-hand side H x = b, P×s
  Eigen::MatrixXd stretch(const Eigen::MatrixXd& x) const;    ///< L⁻ᵀ x̃: x, P×s
  Eigen::MatrixXd only_taking_part(Eigen::MatrixXd x) const;  ///< 0 in the rows of all others

 private:
  struct Block {
    std::vector<Index> values;
    Eigen::MatrixXd root;  ///< lower triangle
  };
  template <class Solve>
  Eigen::MatrixXd by_block(const Eigen::MatrixXd& x, Solve solve) const;

  std::vector<Block> blocks_;
  std::vector<bool> takes_part_;
};

/// H times the columns of X (P×s), into HX.
using BlockProduct = std::function<Evaluation(const Eigen::MatrixXd& X, Eigen::MatrixXd& HX)>;

/// State of block conjugate gradients, in scaled coordinates.
struct BlockIterate {
  Index iteration = 0;              ///< from 1
  const Eigen::MatrixXd& x;         ///< P×s
  const Eigen::MatrixXd& residual;  ///< b − H̃x, P×s
  const Eigen::MatrixXd& flat;      ///< P×d, columns of length 1: directions without curvature found so far
  double largest = 0;               ///< lower estimate of the largest eigenvalue of H̃ = L⁻¹HL⁻ᵀ
};

/// Solves H̃x = b for all columns of b (P×s, scaled) at once by block conjugate gradients (O'Leary, Linear Algebra
/// Appl. 29, 1980): each column is searched along the directions of all, so that the s weakest directions of H̃ cost no
/// extra iterations. Directions are orthonormalized, and those without curvature dropped, so that dependent columns and
/// a singular H are harmless. x: initial guess and result. Ends when `enough` returns true, or after `most` iterations.
Evaluation block_conjugate_gradients(const BlockProduct& product, const BlockScaling& scaling, const Eigen::MatrixXd& b,
                                     Eigen::MatrixXd& x, const std::function<bool(const BlockIterate&)>& enough,
                                     Index most);

}  // namespace pithball::optim
