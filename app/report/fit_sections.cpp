#include "app/report/fit_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include "app/base/json_text.hpp"
#include "app/report/motion_document.hpp"
#include "app/report/packed.hpp"
#include "app/result/json_fields.hpp"
#include "app/run_folder/finished_fit.hpp"

namespace pithball::app {

std::string title_of(const std::string& subject, const std::string& recording, const FitResults& fit) {
  return fit.motions.size() == 1 ? subject : fmt::format("{}: {}", subject, recording);
}

void shorten(nlohmann::ordered_json& rows, std::string& note) {
  constexpr std::size_t most = 40;
  if (rows.size() <= most) return;
  note += fmt::format(" The first {} of {}; fit.json lists all.", most, rows.size());
  rows.erase(rows.begin() + most, rows.end());
}

Sections fit_sections(const Run& run, const FitResults& results, const ReportOptions& options) {
  const std::optional<DiagnosisRecord> diagnosis = find_diagnosis(run.folder);
  Sections all = parameter_sections(results.fit);
  std::ranges::move(fit_motion_sections(run, results, diagnosis ? &*diagnosis : nullptr, options),
                    std::back_inserter(all));
  return all;
}

namespace {

using nlohmann::ordered_json;

/// A smaller p-value is shown as 0.
constexpr double least_p = std::numeric_limits<double>::min();

/// At most this many candidates are listed on the page.
constexpr std::size_t most_candidates = 40;

std::string share_text(const optim::TestedCandidate& finding) {
  return std::isnan(finding.explained) ? "" : fmt::format("{:.0f} %", 100 * std::min(1.0, finding.explained));
}

Section candidate_table(const DiagnosisRecord& record) {
  const optim::Diagnosis& diagnosis = record.diagnosis;
  ordered_json rows = ordered_json::array();
  for (const optim::TestedCandidate& finding : diagnosis.findings) {
    if (rows.size() == most_candidates) break;
    rows.push_back({finding.candidate.name, fmt::format("{:.2g}", finding.test.p),
                    fmt::format("{:.2g}", finding.adjusted), fmt::format("{:.4g}", finding.test.gain),
                    predicted_text(finding), share_text(finding), verdict_on(finding, diagnosis),
                    finding.candidate.key});
  }
  std::string note =
      record.verdict() +
      ". Each value that the fit holds, force that it lacks, and part of the measurement was tested without a refit.";
  if (rows.size() < diagnosis.findings.size())
    note += fmt::format(" The first {} of {}; diagnosis.json lists all.", rows.size(), diagnosis.findings.size());
  return {"table",
          {{"title", "Diagnosis"},
           {"note", note},
           {"columns",
            {{{"label", "candidate"}},
             {{"label", "p"}},
             {{"label", "p for the number of tests"}},
             {{"label", "predicted gain in χ²"}},
             {{"label", "predicted value"}},
             {{"label", "part of the excess of χ²"}},
             {{"label", fmt::format("verdict at level {:g}", diagnosis.level)}},
             {{"label", "to write"}}}},
           {"rows", rows}}};
}

}  // namespace

Sections diagnosis_sections(const DiagnosisRecord& record) {
  if (record.diagnosis.findings.empty()) return {};
  return {candidate_table(record)};
}

void color_by_diagnosis(const DiagnosisRecord& record, const sim::Model& model, ordered_json& motion) {
  std::map<std::string, sim::Vector> colors;
  std::map<std::string, sim::ValueOwner> owners;
  for (const optim::TestedCandidate& finding : record.diagnosis.findings) {
    const optim::Candidate& candidate = finding.candidate;
    if (candidate.owner == sim::ValueOwner::Term || candidate.item < 0 || !candidate.recording.empty()) continue;
    const bool of_springs = candidate.owner == sim::ValueOwner::Spring;
    const auto count = of_springs ? static_cast<sim::Index>(model.springs().size()) : model.particles();
    const auto [color, is_new] = colors.try_emplace(candidate.value, sim::Vector::Constant(count, NAN));
    if (is_new) owners[candidate.value] = candidate.owner;
    if (candidate.item < count)
      color->second[candidate.item] =
          std::copysign(-std::log10(std::max(finding.test.p, least_p)), finding.test.shift[0]);
  }
  for (const auto& [value, numbers] : colors) {
    const std::string label = "missing " + value + " (−log₁₀ p, with the sign of the change)";
    add_coloring(motion,
                 {label, label, "", owners[value] == sim::ValueOwner::Spring ? "springs" : "particles", numbers});
  }
}

namespace {

ordered_json pack_points(const std::vector<sim::Points>& frames) {
  std::vector<float> numbers;
  for (const sim::Points& frame : frames)
    for (const double coordinate : sim::flat(frame)) numbers.push_back(static_cast<float>(coordinate));
  return pack_float32({frames.size(), static_cast<std::size_t>(frames.front().cols()), 3}, numbers);
}

/// Returns where to draw recorded markers: missing coordinates are taken from the model; a marker that was not seen is
/// NaN.
std::vector<sim::Points> drawn_sights(const optim::MarkerTracks& tracks) {
  std::vector<sim::Points> sights = tracks.recorded;
  for (std::size_t g = 0; g < sights.size(); ++g)
    for (Index m = 0; m < sights[g].cols(); ++m) {
      auto sight = sights[g].col(m);
      if (!sight.array().isNaN().all()) sight = sight.array().isNaN().select(tracks.model[g].col(m), sight).eval();
    }
  return sights;
}

}  // namespace

ordered_json drawn_markers(const optim::MarkerTracks& tracks) {
  const auto from = validation_from(tracks);
  return {{"names", tracks.markers},
          {"times", tracks.times},
          {"recorded", pack_points(drawn_sights(tracks))},
          {"model", pack_points(tracks.model)},
          {"validation_from", value_or_null(from)}};
}

namespace {

/// Explains why no recorded markers are drawn; empty if they are.
std::string say_not_drawn(const optim::MeasurementKind& kind) {
  if (kind.geometry.is_place) return "";
  return fmt::format(
      "The recording holds no places on the body ({}: {}), so it is not drawn here; Tracks compares it with simulated "
      "readings.",
      kind.name, kind.meaning);
}

}  // namespace

Sections fit_motion_sections(const Run& run, const FitResults& fit, const DiagnosisRecord* diagnosis,
                             const ReportOptions& options) {
  Sections sections;
  const ReportOptions share{.motion_size = options.motion_size / fit.motions.size()};
  for (std::size_t s = 0; s < fit.motions.size(); ++s) {
    if (fit.motions[s].size() == 0) continue;  // its start could not be found; see the errors
    const FittedRecording& told = fit.fit.recordings[s];
    const Run own = own_run(run, s);
    const std::vector<FittedValues> fitted = own_fitted_values(told, own.experiment.scenario.model);
    const sim::Model model = with_fitted_values(own.experiment.scenario.model, fitted);
    const optim::MeasurementKind& kind = *fit.tracks[s].kind;
    const ShownMotion motion{title_of("Motion", told.name, fit), told.name, model, fit.motions[s], say_not_drawn(kind)};
    ordered_json document = motion_document(own, motion, share);
    for (const FittedValues& values : fitted)
      if (values.of != sim::ValueOwner::Term && values.vary())
        add_coloring(document, {values.value + " estimate", values.value + " estimate", values.unit,
                                values.of == sim::ValueOwner::Particle ? "particles" : "springs", values.estimates});
    if (diagnosis) color_by_diagnosis(*diagnosis, model, document);
    if (told.camera) document["cameras"] = ordered_json::array({to_json(*told.camera)});
    if (kind.geometry.is_place && !fit.tracks[s].times.empty()) document["markers"] = drawn_markers(fit.tracks[s]);
    sections.push_back({"motion", document});
  }
  return sections;
}

}  // namespace pithball::app
