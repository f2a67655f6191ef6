#pragma once
#include "app/report/sections.hpp"

namespace pithball::app {

/// The design that `plan --optimize` found: its errors beside those of the file, its recordings, and the motion of each
/// with the markers on the body. Empty without `--optimize`.
Sections design_sections(const Run& run, const PlanResults& results, const ReportOptions& options);

}  // namespace pithball::app
