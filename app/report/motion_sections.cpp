#include "app/report/motion_document.hpp"

namespace pithball::app {

Sections motion_sections(const Run& run, const SimulationResults& simulation, const ReportOptions& options) {
  const ShownMotion motion{"Motion", "", run.experiment.scenario.model, simulation.motion};
  return {Section{"motion", motion_document(run, motion, options)}};
}

}  // namespace pithball::app
