#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/report/section.hpp"
#include "experiments/claim/claim.hpp"

namespace pithball::experiments {

/// Lines of cells as text, each column as wide as its widest cell; characters count, not bytes. Each ends with a line
/// feed. All must have as many cells as the first.
std::vector<std::string> aligned_lines(const std::vector<std::vector<std::string>>& lines);

/// What was measured, for people: "5.29 ± 0.17 pC", "diverged"; "none" where there is nothing. Lengths, times, charges
/// and the like are written with an SI prefix.
std::string measured_text(const Claim& claim);

/// What is expected, likewise: "at most 0.15", "80 ± 4 µC", "less than 3 mm (best baseline)", "not stated".
std::string expected_text(const Claim& claim);

/// The verdict with its remark: "better: 15 times less".
std::string verdict_text(const Claim& claim);

/// Why it differs where that is known, otherwise where the expectation comes from.
const std::string& reason_text(const Claim& claim);

/// How many claims have each verdict, by its name.
std::map<std::string, int> count_verdicts(const std::vector<ClaimGroup>& groups);

/// The table: a line for each claim with what was measured, what is expected, the verdict and the reason, under the
/// title of its group; then how many verdicts there are of each kind. Empty for no claims.
std::string table_of_claims(const std::vector<ClaimGroup>& groups);

/// Claims as rows {quantity, value, error, unit, comparison, expected, tolerance, rival, verdict, holds, remark, why}.
/// A value that is not there is null; `holds` is null where nothing was judged.
nlohmann::ordered_json rows_of_claims(const std::vector<Claim>& claims);

/// The claims as a table of a report: expected and measured values, the verdict and its reason.
app::Section claim_section(const std::string& title, const std::string& note, const std::vector<Claim>& claims);

}  // namespace pithball::experiments
