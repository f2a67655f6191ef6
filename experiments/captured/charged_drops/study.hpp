#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "experiments/claim/claim.hpp"

namespace pithball::experiments::charged_drops {

/// Fits all drops of charged_drops.yaml in one run and puts their charges beside the published ones, with what tells
/// the difference apart: the same fit without drag, the factor two of the published formula, the authors' outlier, and
/// error bars widened for residuals that follow one another. `folder` holds the recordings; `progress` is told what is
/// being done. With `quick` neither half the step nor quadratic drag is tried.
nlohmann::json run_study(const std::string& folder, bool quick, void (*progress)(const std::string&));

/// The study's results as a table with units, and sentences on how to read it.
std::string to_text(const nlohmann::json& study);

/// What it claims, row by row.
std::vector<Claim> to_claims(const nlohmann::json& study);

}  // namespace pithball::experiments::charged_drops
