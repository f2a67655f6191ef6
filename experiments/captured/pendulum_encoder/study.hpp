#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "experiments/claim/claim.hpp"

namespace pithball::experiments::pendulum_encoder {

/// Effective length and friction of a pendulum from four decays of its angle: the published values run forward, fits
/// with three laws of friction, and a forecast of the last third of each decay beside a damped sinusoid. `folder` holds
/// the recordings; `progress` is told what is being done. With `quick` only the two laws that its claims need, at
/// twice the step, and no half step.
nlohmann::json run_study(const std::string& folder, bool quick, void (*progress)(const std::string&));

/// The study's results as a table with units, and sentences on how to read it.
std::string to_text(const nlohmann::json& study);

/// What it claims, row by row.
std::vector<Claim> to_claims(const nlohmann::json& study);

}  // namespace pithball::experiments::pendulum_encoder
