#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pithball::experiments::paper {

/// The estimations of Zhang et al. (2024, Figures 6, 7 and 10): one shared charge of a torus from its final positions
/// alone, and one spring constant of a hanging cloth from its whole motion. Targets come from `velocity_verlet` at a
/// fine step, so that no estimate can profit from its own scheme's error. Each charge is started at 60 and 110 µC; the
/// truth is 80 µC. The data set's folder is not used.
nlohmann::json run_estimation(const std::string& folder, bool quick, void (*progress)(const std::string&));

/// The results as a table, with the limits that they are held to.
std::string estimation_to_text(const nlohmann::json& study);

}  // namespace pithball::experiments::paper
