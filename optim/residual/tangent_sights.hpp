#pragma once
#include "optim/observation/observer.hpp"
#include "optim/parameter/parameter_map.hpp"

namespace pithball::optim {

/// ∂r/∂viewpoint of one recording, gathered while the states come; nothing where its viewpoint is known.
class ViewpointDerivative {
 public:
  ViewpointDerivative(const Observer& observer, bool moves) {
    if (moves) matrix_ = observer.initial_viewpoint_derivative();
  }
  bool moves() const { return matrix_.size() > 0; }
  void add_state(const Observer& observer, Index n, const sim::State& state) {
    if (moves()) observer.add_viewpoint_derivative(n, state, matrix_);
  }
  const Eigen::MatrixXd& matrix() const { return matrix_; }  ///< rows × 8

 private:
  Eigen::MatrixXd matrix_;
};

/// Residuals of one recording and their derivatives along its active parameters, gathered while a run with tangents
/// makes its states. Further columns of the tangents, if there are any, are gathered besides.
class TangentSights {
 public:
  /// `observer` sees the recording at θ and must outlive this object.
  TangentSights(const ParameterMap& map, const Vector& theta, Index recording, const Observer& observer,
                Index further_columns = 0)
      : map_(map),
        theta_(theta),
        recording_(recording),
        observer_(observer),
        r_(observer.initial_residual()),
        J_(Eigen::MatrixXd::Zero(observer.rows(), active() + further_columns)),
        seen_(observer, map.moves_viewpoint(recording)) {}

  void add(Index n, const sim::State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
    observer_.add_state(n, state, r_);
    observer_.add_tangent(n, dx, dv, J_);
    seen_.add_state(observer_, n, state);
  }
  /// After the run: writes r, the derivatives in the columns of their parameters (J, of `rows` rows from `first_row`
  /// on) and the further columns side by side from `first_further` on.
  void write(Index first_row, Index first_further, Vector& r, Eigen::MatrixXd& J) {
    if (seen_.moves()) J_.leftCols(active()) += seen_.matrix() * map_.viewpoint_directions(theta_, recording_);
    const Index rows = observer_.rows(), further = J_.cols() - active();
    r.segment(first_row, rows) = r_;
    for (Index c = 0; c < active(); ++c) J.col(map_.active(recording_)[c]).segment(first_row, rows) = J_.col(c);
    J.block(first_row, first_further, rows, further) = J_.rightCols(further);
  }

 private:
  Index active() const { return map_.active(recording_).size(); }

  const ParameterMap& map_;
  const Vector& theta_;
  Index recording_;
  const Observer& observer_;
  Vector r_;
  Eigen::MatrixXd J_;
  ViewpointDerivative seen_;
};

}  // namespace pithball::optim
