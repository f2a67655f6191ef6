#include "sim/constraint/rod_reaction.hpp"

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <cmath>
#include <vector>

#include "sim/constraint/constraint.hpp"

namespace pithball::sim {
namespace {

/// Returns M^{-1/2} Gᵀ, 3N × R, with one column for each rigid row.
Eigen::SparseMatrix<double> weighted_gradients(const Model& model, const Points& x) {
  std::vector<Eigen::Triplet<double>> entries;
  Index count = 0;
  std::vector<ConstraintRow> rows;
  RowPoints at, gradient;
  for (const auto& constraint : model.constraints()) {
    if (constraint->traits().inequality) continue;
    rows.clear();
    constraint->add_rows(model, x, Vector::Zero(model.particles()), rows);
    for (const ConstraintRow& row : rows) {
      if (row_compliance(*constraint, model, row) > 0) continue;
      for (Index k = 0; k < row.count; ++k) at.col(k) = x.col(row.particles[k]);
      constraint->evaluate(model, row, at, gradient);
      for (Index k = 0; k < row.count; ++k) {
        const Index i = row.particles[k];
        if (model.is_held(i)) continue;
        for (int a = 0; a < 3; ++a) entries.emplace_back(3 * i + a, count, gradient(a, k) / std::sqrt(model.mass()[i]));
      }
      ++count;
    }
  }
  Eigen::SparseMatrix<double> weighted(3 * model.particles(), count);
  weighted.setFromTriplets(entries.begin(), entries.end());
  return weighted;
}

}  // namespace

void remove_motion_along_rods(const Model& model, const Points& x, Points& change) {
  const Eigen::SparseMatrix<double> gradients = weighted_gradients(model, x);
  if (gradients.nonZeros() == 0) return;
  const auto root_mass = model.mass().cwiseSqrt();
  const Points scaled = change * root_mass.asDiagonal();
  const Vector flat = scaled.reshaped();
  // Least squares, since rows may be linearly dependent: then λ is not unique, but the remainder of `flat` is.
  Eigen::LeastSquaresConjugateGradient<Eigen::SparseMatrix<double>> solver(gradients);
  const Vector rest = flat - gradients * solver.solve(flat);
  change = rest.reshaped(3, x.cols()) * root_mass.cwiseInverse().asDiagonal();
}

}  // namespace pithball::sim
