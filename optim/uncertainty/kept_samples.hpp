#pragma once
#include <vector>

#include "optim/observation/observation.hpp"
#include "optim/residual/robust_loss.hpp"

namespace pithball::optim {

/// The fitted samples that a robust loss counts at least half, ρ′ ≥ ½, as recordings in which the others were not seen.
/// Whether a model fits is judged by these: outliers are what the loss is there for.
struct KeptSamples {
  std::vector<Observation> observations;  ///< samples that were set aside are NaN
  Vector r;                               ///< residuals of the kept samples, in units of sigma
};

/// Splits the residuals r, R in units of sigma before the loss, of these scenarios and observations. Where the loss
/// would set aside half of a recording's samples or more, all of that recording are kept: then they are not outliers,
/// and the model is wrong. Without a loss all samples are kept.
KeptSamples keep_samples(const std::vector<diff::Scenario>& scenarios, const std::vector<Observation>& observations,
                         const Vector& r, const RobustLoss& loss);

}  // namespace pithball::optim
