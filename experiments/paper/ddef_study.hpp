#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/report/section.hpp"
#include "experiments/claim/claim.hpp"

namespace pithball::experiments::paper {

/// Errors and times of DDEF (Zhang et al. 2024, Figure 3 and Table 1) on our own code: equal charges on a torus mesh
/// and a Fibonacci sphere, each variant, over the number of grid points m at 10,000 charges and over the number of
/// charges n at m = 1,000, with the far field interpolated and, at both, ignored. "rows" holds for each case surface,
/// n, m, variant, far_field, mean_relative_error (mean over charges of |f − f_exact|/|f_exact|), seconds (grid,
/// tetrahedra, location and sums; median), seconds_direct (the direct sum of all pairs, measured in turn with it) and
/// ratio of the two. "fmm" holds the same for the fast multipole method on the same points, once for each n, with its
/// tolerance in the place of m, variant and far_field. The data set's folder is not used; `quick`: fewer and smaller
/// cases.
nlohmann::json run_ddef_study(const std::string& folder, bool quick, void (*progress)(const std::string&));

/// Both lists as tables.
std::string ddef_study_to_text(const nlohmann::json& study);

/// The rows as comma-separated values with a header line.
std::string ddef_study_to_csv(const nlohmann::json& study);

/// The result of `run_ddef_study` as the paper's Figure 3 and Table 1, on the torus: four plots, errors and times over
/// m at one n and over n at one m, and a table of the far field interpolated and ignored.
app::Sections ddef_sections(const nlohmann::ordered_json& study);

/// The statements of docs/ddef.md about the errors, for the worst of all cases in the study.
std::vector<Claim> ddef_claims(const nlohmann::json& study);

}  // namespace pithball::experiments::paper
