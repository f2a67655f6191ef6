#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "experiments/claim/claim.hpp"

namespace pithball::experiments::trunk_decay {

/// Fits one truss to the small swings of the hanging trunk at both loads and judges it on releases that it has not
/// seen: screening, fit, frequencies, errors per body, baselines, spread over choices of fitted releases, the fit at
/// half the step, what small swings at 300 g would look like, and the same fit from the first opposite peak. `folder`
/// holds the recordings; `progress` is called with what is being done. With `quick` only the main choice of releases is
/// fitted.
nlohmann::json run_study(const std::string& folder, bool quick, void (*progress)(const std::string&));

/// The study's results as text: tables with units and one line of judgment for each claim.
std::string to_text(const nlohmann::json& study);

/// The study's claims, row by row.
std::vector<Claim> to_claims(const nlohmann::json& study);

}  // namespace pithball::experiments::trunk_decay
