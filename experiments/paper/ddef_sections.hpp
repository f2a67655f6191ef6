#pragma once
#include <nlohmann/json_fwd.hpp>

#include "app/report/section.hpp"

namespace pithball::experiments::paper {

/// The result of `run_ddef_study` as the paper's Figure 3 and Table 1, on the torus: four plots, errors and times over
/// m at one n and over n at one m, and a table of the far field interpolated and ignored.
app::Sections ddef_sections(const nlohmann::ordered_json& study);

}  // namespace pithball::experiments::paper
