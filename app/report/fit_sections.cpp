#include "app/report/fit_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "app/run_folder/find_diagnosis.hpp"

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

}  // namespace pithball::app
