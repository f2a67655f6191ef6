#pragma once
#include <Eigen/SparseCore>
#include <functional>

#include "optim/diagnosis/candidate.hpp"
#include "optim/residual/residual.hpp"

namespace pithball::optim {

/// The residuals r (R) of a run with fitted values θ (P) and a change β (q) of a candidate. Throws InvalidArgument if
/// these are no values of a model.
using RunWithChange = std::function<Evaluation(const Vector& theta, const Vector& beta, Vector& r)>;

/// What a candidate does to the residuals.
struct CandidateEffect {
  Candidate candidate;            ///< what changes
  Eigen::SparseMatrix<double> G;  ///< ∂r/∂β, R×q
  RunWithChange run = {};         ///< null: it is judged by G alone
};

/// `run` of an effect that has one; fails where it throws: the step of a value that is hardly determined may lead
/// beyond all numbers.
Evaluation run_changed(const CandidateEffect& effect, const Vector& theta, const Vector& beta, Vector& r);

}  // namespace pithball::optim
