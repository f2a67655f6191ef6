#include "app/report/sections.hpp"

#include <iterator>

#include "app/run_folder/json_reading.hpp"

namespace pithball::app {
namespace {

/// The sections for the results of each command.
struct SectionsOfResults {
  const Run& run;
  const ReportOptions& options;

  Sections operator()(const NoResults&) const { return {}; }
  Sections operator()(const SimulationResults& simulation) const {
    return joined({motion_sections(run, simulation, options), note_sections(simulation), energy_sections(simulation),
                   key_frame_sections(run, simulation)});
  }
  Sections operator()(const FitResults& fit) const {
    return joined({fit_sections(run, fit, options), note_sections(fit), evidence_sections(run, fit)});
  }
  Sections operator()(const CompareResults& results) const { return compare_sections(results.compare); }
  Sections operator()(const ScanResults& results) const { return scan_sections(results.scan); }
  Sections operator()(const IdentifyResults& results) const { return identify_sections(results.identify); }
  Sections operator()(const PlanResults& results) const { return plan_sections(run, results, options); }
  Sections operator()(const GradientResults& results) const { return gradient_sections(results.gradient); }

  static Sections joined(std::vector<Sections> subjects) {
    Sections all;
    for (Sections& subject : subjects) std::move(subject.begin(), subject.end(), std::back_inserter(all));
    return all;
  }
};

}  // namespace

Sections make_sections(const Run& run, const ReportOptions& options) {
  return reading_json(run.folder, [&] {
    return SectionsOfResults::joined({summary_sections(run), options.further,
                                      std::visit(SectionsOfResults{run, options}, run.results),
                                      experiment_sections(run)});
  });
}

}  // namespace pithball::app
