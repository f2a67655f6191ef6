#pragma once
#include <filesystem>
#include <vector>

#include "app/result/fit_ranking.hpp"

namespace pithball::app {

/// Ranks models of the same recordings by `InformationCriteria` for the number of independent coordinates
/// (`count_independent`) of the fit with the smallest χ². Smallest AICc first; those without, last, by BIC. Throws
/// InvalidArgument if a folder is not a finished fit, or the fits are of different data.
FitRanking rank_fits(const std::vector<std::filesystem::path>& folders);

}  // namespace pithball::app
