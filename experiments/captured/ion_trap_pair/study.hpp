#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "experiments/claim/claim.hpp"

namespace pithball::experiments::ion_trap_pair {

/// The charges of two grains from their balance in the trap before it is switched, with error bars; then their motion
/// after it, once with electrodes that jump and once with electrodes that take their time, a forecast, and what the
/// motion says of drag and mass. `folder` holds the recordings; `progress` is told what is being done. With `quick` no
/// forecast and no second mass.
nlohmann::json run_study(const std::string& folder, bool quick, void (*progress)(const std::string&));

/// The study's results as tables with units, and sentences on how to read them.
std::string to_text(const nlohmann::json& study);

/// What it claims, row by row.
std::vector<Claim> to_claims(const nlohmann::json& study);

}  // namespace pithball::experiments::ion_trap_pair
