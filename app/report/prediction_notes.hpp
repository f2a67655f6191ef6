#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/report/section.hpp"
#include "app/run_folder/prediction_record.hpp"

namespace pithball::app {

/// Longer lists of predictions are cut; identify.json and plan.json hold all.
inline constexpr std::size_t most_listed_predictions = 500;

/// Standard error over the size of the value; infinite or not known where one of them is.
double relative_error(const optim::PredictedParameter& parameter);

/// "Assumes for tracks: sigma 1.2 mm, the scatter of its tracks.": the noise that a prediction rests on, of the first
/// recordings.
std::string supposed_noise(const PredictionRecord& prediction);

/// A table of what there is to know besides, a row each; nothing without rows.
Sections prediction_notes(const nlohmann::ordered_json& rows);

}  // namespace pithball::app
