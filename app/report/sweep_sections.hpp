#pragma once
#include "app/report/section.hpp"
#include "app/sweep/sweep_table.hpp"

namespace pithball::app {

/// The page of a sweep: how its tasks ended, each quantity against each label and parameter, histograms, failures by
/// cause, and all rows.
Sections sweep_sections(const SweepRecord& record, const SweepTable& table);

}  // namespace pithball::app
