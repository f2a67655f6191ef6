#include "app/report/prediction_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

}  // namespace pithball::app
