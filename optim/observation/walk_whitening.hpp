#pragma once
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::optim {

using sim::Index;
using sim::Vector;

/// Whitening of readings whose errors are white noise and a random walk: the errors e_i of one coordinate at the times
/// t_i have the covariance
///    V_ij = σ_i² δ_ij + 2D min(t_i, t_j).
/// The whitened errors are the innovations of a Kalman filter of the walk, each divided by its standard deviation,
///    y_i = (e_i − m_i)/√S_i,   S_i = P_i + σ_i²,   K_i = P_i/S_i,
///    m_{i+1} = m_i + K_i (e_i − m_i),   P_{i+1} = (1 − K_i) P_i + 2D (t_{i+1} − t_i),   m_1 = 0,  P_1 = 2D t_1,
/// so that y = L⁻¹ e with V = L Lᵀ, in O(n) and without a matrix. Without a walk y_i = e_i/σ_i.
class WalkWhitening {
 public:
  /// A reading of a coordinate.
  struct Reading {
    Index row = 0;    ///< in the residuals
    double time = 0,  ///< since the walk began [s], not below 0
        sigma = 1;    ///< standard deviation of its white noise, > 0
  };
  /// Adds a coordinate: its readings in the order of time, and 2D in the square of the unit of σ per second.
  void add(const std::vector<Reading>& readings, double rate);

  /// Whether there is nothing to whiten.
  bool empty() const { return chains_.empty(); }
  /// Replaces errors in units of σ, e_i/σ_i, one column each, by the whitened ones; rows of other coordinates stay.
  void apply(Eigen::Ref<Eigen::MatrixXd> scaled) const;
  /// The transpose, for w = ∂L/∂y: replaces it by ∂L/∂(e/σ).
  void apply_transposed(Eigen::Ref<Vector> w) const;

 private:
  struct Link {
    Index row;
    double sigma, gain, root;  // σ_i, K_i and √S_i
  };
  std::vector<std::vector<Link>> chains_;  // by coordinate
};

}  // namespace pithball::optim
