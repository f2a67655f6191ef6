#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "experiments/claim/claim.hpp"

namespace pithball::experiments::double_pendulum_ibm {

/// Fits double_pendulum_ibm.yaml: the ratio of the masses and gravity in the tracks' own scale, from windows of a fifth
/// of a second, and how the forecast of the rest of each window goes wrong. `folder` holds the recordings; `progress`
/// is told what is being done. With `quick` no fit at half the step and none of each recording alone.
nlohmann::json run_study(const std::string& folder, bool quick, void (*progress)(const std::string&));

/// The study's results as a table with units, and sentences on how to read it.
std::string to_text(const nlohmann::json& study);

/// What it claims, row by row.
std::vector<Claim> to_claims(const nlohmann::json& study);

}  // namespace pithball::experiments::double_pendulum_ibm
