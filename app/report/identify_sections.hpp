#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/report/section.hpp"
#include "app/result/prediction_record.hpp"

namespace pithball::app {

/// Longer lists of predictions are truncated; identify.json and plan.json contain all.
inline constexpr std::size_t most_listed_predictions = 500;

/// Standard error divided by the absolute value; infinite or unknown if either is.
double relative_error(const optim::PredictedParameter& parameter);

/// "Assumes for tracks: sigma 1.2 mm, the scatter of its tracks.": the noise assumed by a prediction, for the first
/// recordings.
std::string supposed_noise(const optim::IdentifyReport& prediction);

/// A table of further information, one row each; nothing without rows.
Sections prediction_notes(const nlohmann::ordered_json& rows);

}  // namespace pithball::app
