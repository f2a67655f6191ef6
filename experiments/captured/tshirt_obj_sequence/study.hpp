#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "experiments/claim/claim.hpp"

namespace pithball::experiments::tshirt_obj_sequence {

/// Fits tshirt_obj_sequence.yaml, the wind and the stiffness that another program put in, on other meshes, windows and
/// steps too. The recording is found by the experiment file itself; `progress` is told what is being done. With `quick`
/// one coarse mesh and a short window.
nlohmann::json run_study(const std::string& folder, bool quick, void (*progress)(const std::string&));

/// The study's results as a table, and sentences on how to read it.
std::string to_text(const nlohmann::json& study);

/// What it claims, row by row.
std::vector<Claim> to_claims(const nlohmann::json& study);

}  // namespace pithball::experiments::tshirt_obj_sequence
