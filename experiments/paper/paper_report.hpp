#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/report/section.hpp"
#include "experiments/paper/paper_run.hpp"

namespace pithball::experiments::paper {

/// One page of all items: what it is, the table of claims, then for each item its claims with their reasons and its
/// figures. The run folders are where `run_paper` left them.
app::Sections paper_sections(const std::vector<ItemResult>& results, const Programs& programs,
                             const std::filesystem::path& target, bool quick);

/// The same claims as text: a table for each item, how many verdicts there are of each kind, and
/// which other programs ran.
std::string paper_text(const std::vector<ItemResult>& results, const Programs& programs);

}  // namespace pithball::experiments::paper
