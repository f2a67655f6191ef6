#pragma once
#include <string>
#include <vector>

#include "app/result/field_list.hpp"
#include "app/result/not_known.hpp"
#include "optim/fit/report.hpp"

namespace pithball::app {

/// Misfit of one recording, per coordinate.
struct MisfitRecord {
  std::string recording;              ///< as in the experiment file
  double misfit = not_known,          ///< as in optim::RecordingMisfit
      noise = not_known,              ///< likewise; not known: too few uninterrupted frames
      motion = not_known;             ///< likewise
  bool fits = true;                   ///< as in optim::RecordingMisfit
  std::string tracks;                 ///< the recording's own scatter, as a text
  std::string measurement = "point";  ///< its measurement kind, which determines the unit
};

/// fit.json's `quality`: χ² of the fitted residuals, and the misfit of each recording.
struct QualityRecord {
  double chi_square = not_known;           ///< Σ r² of the fitted residuals in units of sigma
  long degrees_of_freedom = 0;             ///< ν; 0: as many values as residuals
  double reduced_chi_square = not_known,   ///< χ²/ν
      tolerance = not_known;               ///< what is above chance in it, as in optim::FitQuality
  bool sigma_is_scatter = true;            ///< false: sigma is only a weight between recordings
  bool fits = true;                        ///< all recordings fit
  std::vector<MisfitRecord> recordings;    ///< those with fitted frames
  std::vector<optim::MisfitCause> causes;  ///< cheapest test first
};

/// An entry of `quality.recordings` in fit.json.
void fields(FieldVisitor& v, MisfitRecord& one);
/// An entry of `quality.causes` in fit.json.
void fields(FieldVisitor& v, optim::MisfitCause& cause);
/// `quality` of fit.json.
void fields(FieldVisitor& v, QualityRecord& quality);

}  // namespace pithball::app
