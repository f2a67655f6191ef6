#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "app/run_folder/not_known.hpp"
#include "optim/fit/report.hpp"

namespace pithball::app {

/// Alternative estimates of a fit (optim::AlternativeEstimate) as in fit.json.
struct AlternativeRecord {
  double delta_chi_square = not_known;             ///< its χ² minus that of the estimates
  long searches = 0;                               ///< searches of the last stage that ended there
  std::vector<optim::FittedParameter> parameters;  ///< with their own errors, in the order of the estimates
};

/// "alternatives" of fit.json, in the order given.
nlohmann::ordered_json alternatives_json(const std::vector<AlternativeRecord>& alternatives);
/// Reads it back. Throws nlohmann's exceptions on another document.
std::vector<AlternativeRecord> read_alternatives(const nlohmann::ordered_json& json);

}  // namespace pithball::app
