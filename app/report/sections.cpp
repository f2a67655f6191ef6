#include "app/report/sections.hpp"

#include <iterator>

namespace pithball::app {

Sections make_sections(const Run& run, const ReportOptions& options) {
  return reading_json(run.folder, [&] {
    Sections all;
    if (!run.has_results) {
      for (Sections subject : {summary_sections(run), experiment_sections(run)})
        std::move(subject.begin(), subject.end(), std::back_inserter(all));
      return all;
    }
    for (Sections subject : {summary_sections(run), motion_sections(run, options), fit_sections(run, options),
                             note_sections(run), energy_sections(run), key_frame_sections(run), compare_sections(run),
                             scan_sections(run), gradient_sections(run), experiment_sections(run)})
      std::move(subject.begin(), subject.end(), std::back_inserter(all));
    return all;
  });
}

}  // namespace pithball::app
