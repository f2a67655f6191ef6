#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/run_folder/not_known.hpp"
#include "optim/fit/fit.hpp"

namespace pithball::app {

/// Misfit of one recording, per coordinate.
struct MisfitRecord {
  std::string recording;
  double misfit = not_known, noise = not_known, motion = not_known;  ///< as in optim::RecordingMisfit
  bool fits = true;
  std::string tracks;                 ///< the recording's own scatter, as a text
  std::string measurement = "point";  ///< its measurement kind, which determines the unit
};

/// fit.json's `quality`: χ² of the fitted residuals, and the misfit of each recording.
struct QualityRecord {
  double chi_square = not_known;
  long degrees_of_freedom = 0;
  double reduced_chi_square = not_known, tolerance = not_known;
  bool sigma_is_scatter = true;  ///< false: sigma is only a weight between recordings
  bool fits = true;
  std::vector<MisfitRecord> recordings;
  std::vector<optim::MisfitCause> causes;  ///< cheapest test first
};

/// `quality` of fit.json.
nlohmann::ordered_json to_json(const QualityRecord& quality);
/// Reads it back. Throws nlohmann's exceptions on another document.
QualityRecord read_quality(const nlohmann::ordered_json& json);

}  // namespace pithball::app
