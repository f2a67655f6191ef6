#pragma once
// The subjects of a fit's report, which fit_sections (sections.hpp) puts in order.

#include <optional>
#include <string>

#include "app/report/sections.hpp"

namespace pithball::app {

/// Estimates with their errors; those that are too many to list, drawn.
Sections parameter_sections(const FitRecord& fit);
/// The fitted motion of each recording, with its markers.
Sections fit_motion_sections(const Run& run, const FitResults& fit, const ReportOptions& options);
/// Distances of predicted and recorded markers: over time, by marker, and in sum.
Sections marker_sections(const FitResults& fit);
/// How χ² rises along single parameters.
Sections profile_sections(const FitRecord& fit);
/// Whether residuals are independent from frame to frame, by recording and marker.
Sections whiteness_sections(const FitResults& results);
/// What the data say of combinations of parameters.
Sections correlation_sections(const FitRecord& fit);

/// "Motion", or "Motion: tip" where there are several recordings.
std::string title_of(const std::string& subject, const std::string& recording, const FitResults& fit);
/// Keeps the first rows of a long table, and says so in its note.
void shorten(nlohmann::ordered_json& rows, std::string& note);
/// The simulated time of the first frame that is not fitted but forecast [s].
std::optional<double> forecast_from(const optim::MarkerTracks& tracks);

}  // namespace pithball::app
