#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/run_folder/not_known.hpp"
#include "optim/fit/fit.hpp"

namespace pithball::app {

/// How far the model is from one recording, of single coordinates.
struct MisfitRecord {
  std::string recording;
  double misfit = not_known, noise = not_known, motion = not_known;  ///< as in optim::RecordingMisfit
  bool fits = true;
  std::string tracks;                 ///< what the recording itself scatters by, in words
  std::string measurement = "point";  ///< the kind in whose unit they are
};

/// fit.json's `quality`: χ² of the fitted residuals, and how far the model is from each recording.
struct QualityRecord {
  double chi_square = not_known;
  long degrees_of_freedom = 0;
  double reduced_chi_square = not_known, tolerance = not_known;
  bool sigma_is_scatter = true;  ///< false: it only weighs recordings
  bool fits = true;
  std::vector<MisfitRecord> recordings;
  std::vector<optim::MisfitCause> causes;  ///< cheapest test first
};

nlohmann::ordered_json to_json(const QualityRecord& quality);
/// The inverse. Throws nlohmann's exceptions where the document is none.
QualityRecord read_quality(const nlohmann::ordered_json& json);

}  // namespace pithball::app
