#pragma once
#include <vector>

#include "optim/parameter/parameter_map.hpp"
#include "optim/residual/residual.hpp"

namespace pithball::optim {

/// A smooth prior whose width is to be found, with the width at which the search for it begins: that of neighbors that
/// differ by a factor e or, where values may be negative, by the root mean square of their starts.
struct OpenWidth {
  Index declaration = 0;  ///< of the parameters
  SmoothPrior prior;      ///< as it is in the residual
  Index first_row = 0,    ///< of its residuals
      rows = 0;           ///< number of its residuals: pairs of neighbors
};

/// The priors of all declared parameters as residuals, in the order of the declarations. Without priors: no rows.
class PriorResidual final : public Residual {
 public:
  /// `declarations`: those of `map`, which must outlive this object. Throws InvalidArgument for a standard deviation
  /// that is not positive, a logarithmic prior on a value that may not be positive, and `smooth` if no two neighbors
  /// have separate parameters.
  PriorResidual(const ParameterMap& map, const std::vector<Parameter>& declarations);

  Index rows() const override { return rows_.size(); }
  Index parameters() const override { return map_.size(); }
  /// The priors without a width, in the order of the declarations.
  const std::vector<OpenWidth>& open_widths() const { return open_; }
  Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const override;
  Evaluation linearize(const Vector& theta, std::unique_ptr<Linearization>& at) const override;
  /// r, and derivatives whose squares are the information of the priors, for standard errors: for a `laplace` prior at
  /// most one over its variance (`LaplacePrior::variance`), where its cost has a kink.
  Evaluation evaluate_widths(const Vector& theta, Vector& r, Eigen::MatrixXd& jacobian) const;
  /// The same derivatives, for products.
  Evaluation linearize_widths(const Vector& theta, std::unique_ptr<Linearization>& at) const;

 private:
  struct Row {
    Prior prior;
    Index a = 0, b = -1;  ///< parameters; b: the second of a pair
  };
  /// Derivative of a row; −1 as b if it has only one parameter.
  struct Slopes {
    Index a = 0, b = -1;
    double along_a = 0, along_b = 0;
  };
  class Sparse;
  void add(Index declaration, const Parameter& parameter, const Prior& prior);
  /// A prior at the start of a search: with a width, even if it is smooth and was given none.
  Prior begun(Index declaration, const Prior& prior) const;
  Evaluation evaluate_rows(const Vector& theta, Vector& r, std::vector<Slopes>* slopes) const;
  Evaluation evaluate_width_rows(const Vector& theta, Vector& r, std::vector<Slopes>& slopes) const;
  void write(const std::vector<Slopes>& slopes, Eigen::MatrixXd& jacobian) const;

  const ParameterMap& map_;
  std::vector<Row> rows_;
  std::vector<OpenWidth> open_;
};

/// A weak pull of θ toward its start, r_k = (θ_k − start_k)/width_k, for the early stages of a search: values that
/// their few frames hardly determine, such as a drag before anything slows down, stay near their start instead of
/// drifting, for example to 1e-300, where no later stage finds a derivative. The width is a change of θ by 1, which is
/// a factor of e on a logarithmic scale; for a θ with a unit, its start. Nuisance parameters, and a θ with a unit and
/// start 0, are not pulled.
class PullResidual final : public Residual {
 public:
  /// Start and widths from the map; it is not kept.
  explicit PullResidual(const ParameterMap& map);
  Index rows() const override { return start_.size(); }
  Index parameters() const override { return start_.size(); }
  Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const override;

 private:
  Vector start_, weight_;  ///< weight: 1/width
};

}  // namespace pithball::optim
