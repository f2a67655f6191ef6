#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/report/sections.hpp"
#include "app/result/diagnosis_record.hpp"
#include "optim/observation/marker_tracks.hpp"

// The sections of a fit's report; fit_sections (sections.hpp) orders them.

namespace pithball::app {

/// Requested estimates with their errors; plotted if there are too many to list.
Sections parameter_sections(const FitRecord& fit);
/// The same of nuisance parameters.
Sections nuisance_sections(const FitRecord& fit);
/// Confidence regions of pairs of parameters, with the path of the search.
Sections confidence_sections(const FitRecord& fit);
/// The fitted motion of each recording, with its markers; colored by a diagnosis unless null.
Sections fit_motion_sections(const Run& run, const FitResults& fit, const DiagnosisRecord* diagnosis,
                             const ReportOptions& options);
/// Distances between predicted and recorded markers: over time, by marker, and overall.
Sections marker_sections(const FitResults& fit);
/// Recorded and simulated coordinates of the selected marker, and their differences compared with the noise.
Sections track_sections(const FitResults& fit);
/// Distribution of all differences, in units of their noise, compared with a normal distribution.
Sections residual_sections(const FitResults& fit);
/// Profiles of χ² along single parameters.
Sections profile_sections(const FitRecord& fit);
/// Where the searches of the last stage ended, best first; empty if there was only one.
Sections start_sections(const FitRecord& fit);
/// Whether residuals are independent from frame to frame, by recording and marker.
Sections whiteness_sections(const FitResults& results);
/// How detections were assigned to particles, where the fit found their identities: rates, exchanges and losses.
Sections identity_sections(const FitRecord& fit);
/// Singular directions of the parameters: what the data determine and what they do not.
Sections correlation_sections(const FitRecord& fit);

/// What the model lacks; empty if nothing was tested.
Sections diagnosis_sections(const DiagnosisRecord& record);
/// Colors a motion document by the tests of single particles and springs.
void color_by_diagnosis(const DiagnosisRecord& record, const sim::Model& model, nlohmann::ordered_json& motion);

/// "Motion", or "Motion: tip" where there are several recordings.
std::string title_of(const std::string& subject, const std::string& recording, const FitResults& fit);
/// Keeps the first rows of a long table and adds a note.
void shorten(nlohmann::ordered_json& rows, std::string& note);
/// A vertical line where the validation frames begin, if there are any.
nlohmann::ordered_json validation_marks(const optim::MarkerTracks& tracks);
/// Standard deviation for the differences of a marker's component [m]: the sigma of the fit; if that is only a weight,
/// scaled by the residuals.
double noise_of(const FitResults& fit, std::size_t recording, std::size_t marker, std::size_t component);
/// The simulated time of the first validation frame [s].
std::optional<double> validation_from(const optim::MarkerTracks& tracks);

/// `markers` of a motion document: recorded and simulated places of all markers of a recording of points.
nlohmann::ordered_json drawn_markers(const optim::MarkerTracks& tracks);

}  // namespace pithball::app
