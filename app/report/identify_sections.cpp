#include "app/report/identify_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/base/estimate_text.hpp"
#include "app/base/json_text.hpp"
#include "app/report/sections.hpp"

namespace pithball::app {

using nlohmann::ordered_json;

double relative_error(const optim::PredictedParameter& p) { return p.standard_error / std::abs(p.at); }

std::string supposed_noise(const optim::IdentifyReport& prediction) {
  constexpr std::size_t most_said = 12;
  std::string text;
  for (std::size_t k = 0; k < std::min(prediction.sigmas.size(), most_said); ++k)
    text += (k == 0 ? "Assumes for " : "; of ") + prediction.sigmas[k].said;
  if (prediction.sigmas.size() > most_said) text += fmt::format("; and {} more", prediction.sigmas.size() - most_said);
  return text.empty() ? text : text + ".";
}

Sections prediction_notes(const ordered_json& rows) {
  if (rows.empty()) return {};
  return {Section{"table", {{"title", "Notes"}, {"columns", {{{"label", "note"}}}}, {"rows", rows}}}};
}

namespace {

/// At most this many panels are drawn.
constexpr std::size_t most_recordings = 12;

Section predicted_table(const optim::IdentifyReport& prediction) {
  ordered_json rows = ordered_json::array();
  for (const optim::PredictedParameter& p : prediction.parameters) {
    const bool is_known = p.determination != optim::Determination::None;
    std::string verdict = p.determination == optim::Determination::Determined ? "determined"
                          : is_known ? "poorly identifiable: most of its error comes from " + p.weak_direction
                                     : "not identifiable: " + p.weak_direction;
    rows.push_back({p.name, is_known ? estimate_text(p.at, p.standard_error, p.unit) : quantity_text(p.at, p.unit),
                    is_known ? number_or_null(100 * relative_error(p)) : ordered_json(nullptr),
                    is_known ? ordered_json(quantity_text(p.interval_lower, p.unit, 4) + " to " +
                                            quantity_text(p.interval_upper, p.unit, 4))
                             : ordered_json(nullptr),
                    verdict});
    if (rows.size() == most_listed_predictions) break;
  }
  std::string note = "Predicted result of a fit if these were the true values. " + supposed_noise(prediction);
  if (rows.size() < prediction.parameters.size())
    note += fmt::format(" The first {} of {}; identify.json lists all.", rows.size(), prediction.parameters.size());
  return {"table",
          {{"title", "Predicted errors"},
           {"note", note},
           {"columns",
            {{{"label", "parameter"}},
             {{"label", "value with its predicted error"}},
             {{"label", "relative standard error"}, {"unit", "%"}},
             {{"label", fmt::format("{:g} % interval", 100 * prediction.confidence)}},
             {{"label", "verdict"}}}},
           {"rows", rows}}};
}

Section singular_plot(const optim::IdentifyReport& prediction) {
  std::vector<double> number, value;
  for (const optim::SingularDirection& direction : prediction.spectrum.directions) {
    number.push_back(number.size() + 1);
    value.push_back(direction.value);
  }
  return {"plot",
          {{"title", "Singular values"},
           {"note",
            "Singular values of the Jacobian with columns of length 1, largest first: response of the recordings to a "
            "change along each direction. A gap shows how many combinations of the parameters are identifiable."},
           {"x", {{"label", "direction"}, {"unit", ""}, {"values", number}}},
           {"y", {{"label", "singular value"}, {"unit", ""}, {"log", true}}},
           {"series", {{{"label", "singular value"}, {"values", numbers_or_null(value)}, {"style", "points"}}}}}};
}

/// Maps the weakest directions: the component along each parameter.
Sections weak_map(const optim::IdentifyReport& prediction) {
  ordered_json names = ordered_json::array(), directions = names, values = names;
  for (const optim::PredictedParameter& p : prediction.parameters) names.push_back(p.name);
  for (auto direction = prediction.spectrum.directions.rbegin(); direction != prediction.spectrum.directions.rend();
       ++direction) {
    if (direction->vector.size() == 0) break;
    directions.push_back(fmt::format("{:.2g}", direction->value));
    ordered_json row = ordered_json::array();  // rounded: further digits are of no use to a reader
    for (const double part : direction->vector) row.push_back(number_or_null(std::round(1000 * part) / 1000));
    values.push_back(row);
  }
  if (directions.size() < 2) return {};
  return {Section{"heatmap",
                  {{"title", "Sloppy directions"},
                   {"note",
                    "Combinations of the parameters to which the recordings respond least, sloppiest first, with their "
                    "singular values: components of each parameter, as relative changes for positive parameters."},
                   {"rows", {{"label", "singular value"}, {"names", directions}}},
                   {"columns", {{"label", "parameter"}, {"names", names}}},
                   {"values", values},
                   {"unit", ""},
                   {"range", {-1, 1}},
                   {"diverging", true}}}};
}

Sections growth_panels(const optim::IdentifyReport& prediction) {
  ordered_json panels = ordered_json::array();
  std::string note =
      "RMS displacement of the markers when every parameter changes independently by 1 %. A rising straight line "
      "indicates chaos: late frames are then dominated by model error.";
  for (const optim::SensitivityGrowth& growth : prediction.growth) {
    if (growth.times.size() < 2) continue;
    if (panels.size() == most_recordings) {
      note += fmt::format(" The first {} recordings; identify.json lists all.", most_recordings);
      break;
    }
    std::vector<double> shift;
    for (const double each : growth.shift) shift.push_back(each > 0 ? 0.01 * each : not_known);
    const std::vector<double> extent(growth.times.size(), growth.extent);
    const std::string label = prediction.growth.size() == 1 ? "shift" : "shift of " + growth.recording;
    if (growth.doublings_per_second > 0)
      note += fmt::format(" {}: sensitivity doubling time {}.", growth.recording,
                          quantity_text(1 / growth.doublings_per_second, "s", 2));
    panels.push_back({{"x", {{"label", "time"}, {"unit", "s"}, {"values", growth.times}}},
                      {"y", {{"label", label}, {"unit", "m"}, {"log", true}}},
                      {"series",
                       {{{"label", "by 1 %"}, {"values", numbers_or_null(shift)}, {"style", "line"}},
                        {{"label", "RMS displacement"}, {"values", numbers_or_null(extent)}, {"style", "dashed"}}}}});
  }
  if (panels.empty()) return {};
  return {Section{"panels", {{"title", "Growth of the sensitivities"}, {"note", note}, {"panels", panels}}}};
}

}  // namespace

Sections identify_sections(const IdentifyRecord& identify) {
  const optim::IdentifyReport& prediction = identify.prediction;
  Sections sections;
  const auto add = [&](Sections more) {
    for (Section& section : more) sections.push_back(std::move(section));
  };
  if (prediction.ok()) {
    add({predicted_table(prediction), singular_plot(prediction)});
    add(weak_map(prediction));
    add(growth_panels(prediction));
  }
  ordered_json notes = ordered_json::array();
  for (const auto* said : {&prediction.doubts, &prediction.notes})
    for (const std::string& note : *said) notes.push_back({note});
  add(prediction_notes(notes));
  return sections;
}

}  // namespace pithball::app
