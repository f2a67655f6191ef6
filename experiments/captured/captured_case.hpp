#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace pithball::experiments {

/// One line of the table of all cases.
struct CaseRow {
  std::string quantity;
  double estimate = 0;
  double error = 0;  ///< standard error or spread, as the case's page says; NaN: none
  std::string unit;
  std::string reference;  ///< what it is held against
  std::string verdict;
};

/// A study of a recording of something real, in a folder of its own with its page.
struct CapturedCase {
  const char* name;  ///< of the case and of its data set
  /// Runs it on the recordings in `folder`; `quick`: the main fit and what its claims need.
  nlohmann::json (*run)(const std::string& folder, bool quick, void (*progress)(const std::string&));
  std::string (*to_text)(const nlohmann::json& result);
  std::vector<CaseRow> (*to_rows)(const nlohmann::json& result);
};

/// All of them.
const std::vector<CapturedCase>& captured_cases();

/// Rows as a table: case, quantity, estimate ± error, reference, verdict.
std::string table_of_cases(const std::vector<std::pair<std::string, std::vector<CaseRow>>>& cases);

}  // namespace pithball::experiments
