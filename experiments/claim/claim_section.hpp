#pragma once
#include <string>
#include <vector>

#include "app/report/section.hpp"
#include "experiments/claim/claim.hpp"

namespace pithball::experiments {

/// The claims as a table of a report: expected and measured values, the verdict and its reason.
app::Section claim_section(const std::string& title, const std::string& note, const std::vector<Claim>& claims);

}  // namespace pithball::experiments
