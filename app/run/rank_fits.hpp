#pragma once
#include <filesystem>
#include <vector>

#include "app/result/fit_ranking.hpp"

namespace pithball::app {

/// Ranks models of the same recordings by information criteria with the effective sample size,
///    AICc = D + 2k + 2k(k + 1)/(n_eff − k − 1),   BIC = D + k ln n_eff   (Burnham & Anderson 2002, chapter 2),
/// with D = n_eff ln(χ²/n) and k the number of fitted values and the unknown scale of sigma; for an absolute sigma
/// D = χ² n_eff/n and k the fitted values. Throws InvalidArgument if a folder is no finished fit, or the fits are of
/// different data.
FitRanking rank_fits(const std::vector<std::filesystem::path>& folders);

}  // namespace pithball::app
