#include "app/report/motion_document.hpp"

namespace pithball::app {

Sections motion_sections(const Run& run, const ReportOptions& options) {
  if (run.command() != "simulate") return {};
  const ShownMotion motion{"Motion", "", run.experiment.scenario.model, run.motions.front()};
  return {Section{"motion", motion_document(run, motion, options)}};
}

}  // namespace pithball::app
