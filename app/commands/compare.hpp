#pragma once
#include <string>

#include "app/result/fit_ranking.hpp"

namespace pithball::app {

/// A table of fits to the same recordings, best first.
std::string fit_ranking_text(const FitRanking& ranking);

}  // namespace pithball::app
