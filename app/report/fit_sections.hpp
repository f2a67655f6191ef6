#pragma once
// The subjects of a fit's report, which fit_sections (sections.hpp) puts in order.

#include <optional>
#include <string>

#include "app/report/sections.hpp"

namespace pithball::app {

/// Estimates with their errors; those that are too many to list, drawn.
Sections parameter_sections(const FitRecord& fit);
/// Confidence regions of pairs of parameters, with the way of the search.
Sections confidence_sections(const FitRecord& fit);
/// The fitted motion of each recording, with its markers.
Sections fit_motion_sections(const Run& run, const FitResults& fit, const ReportOptions& options);
/// Distances of predicted and recorded markers: over time, by marker, and in sum.
Sections marker_sections(const FitResults& fit);
/// Recorded and simulated coordinates of the marker that a reader picks, and their differences beside the noise.
Sections track_sections(const FitResults& fit);
/// How all differences are distributed, in units of their noise, beside a normal distribution.
Sections residual_sections(const FitResults& fit);
/// How χ² rises along single parameters.
Sections profile_sections(const FitRecord& fit);
/// Where the searches of the last stage ended, the best first; nothing of a single one.
Sections start_sections(const FitRecord& fit);
/// Whether residuals are independent from frame to frame, by recording and marker.
Sections whiteness_sections(const FitResults& results);
/// What the data say of combinations of parameters.
Sections correlation_sections(const FitRecord& fit);

/// "Motion", or "Motion: tip" where there are several recordings.
std::string title_of(const std::string& subject, const std::string& recording, const FitResults& fit);
/// Keeps the first rows of a long table, and says so in its note.
void shorten(nlohmann::ordered_json& rows, std::string& note);
/// A vertical line where the forecast begins, if there is one.
nlohmann::ordered_json validation_marks(const optim::MarkerTracks& tracks);
/// Standard deviation of a marker's component by which its differences are measured [m]: that of the fit, or where that
/// is no scatter but a weight, times the residuals' own scale. Unknown of older fits.
double noise_of(const FitResults& fit, std::size_t recording, std::size_t marker, std::size_t component);
/// The simulated time of the first frame that is not fitted but forecast [s].
std::optional<double> validation_from(const optim::MarkerTracks& tracks);

}  // namespace pithball::app
