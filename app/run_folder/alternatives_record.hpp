#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "app/run_folder/not_known.hpp"
#include "optim/fit/fit.hpp"

namespace pithball::app {

/// Estimates of a fit that are as good as its own (optim::AlternativeEstimate), as fit.json has them.
struct AlternativeRecord {
  double delta_chi_square = not_known;
  long searches = 0;  ///< of the last stage that ended there
  std::vector<optim::FittedParameter> parameters;
};

// "alternatives" of fit.json and its inverse, which throws nlohmann's exceptions where the document is no such list.
nlohmann::ordered_json alternatives_json(const std::vector<AlternativeRecord>& alternatives);
std::vector<AlternativeRecord> read_alternatives(const nlohmann::ordered_json& json);

}  // namespace pithball::app
