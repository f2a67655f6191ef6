#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/captured/tshirt_obj_sequence/study.hpp"
#include "experiments/claim/worst.hpp"

namespace pithball::experiments::tshirt_obj_sequence {
namespace {

using nlohmann::json;

/// What the runs found of one value: the middle and half the range of several, or one with its formal error.
Claim found_value(const json& study, const std::string& name) {
  const json& runs = study["runs"];
  Worst range;
  for (const json& run : runs) range.add(run[name]["estimate"]);
  const bool several = runs.size() > 1;
  const double middle = (range.largest() + range.smallest()) / 2,
               half =
                   several ? (range.largest() - range.smallest()) / 2 : runs[0][name]["standard_error"].get<double>();
  Claim claim = claim_within(name, middle, study["put_in"][name], half, "",
                             "put in; the range over meshes, windows and steps is to hold it");
  claim.error = half;
  if (!several) {
    claim.tolerance = 0.006;
    claim.why = "put in; other meshes and windows move the wind by up to 0.005";
  }
  return claim;
}

}  // namespace

std::vector<Claim> to_claims(const json& study) {
  Claim stiffness = found_value(study, "stiffness");
  stiffness.tolerance = 2 * stiffness.error;
  stiffness.differs =
      "softer: a network of springs cannot have the program's material, and a coarse mesh spreads the pull of a clip";
  std::vector<Claim> claims{stiffness};
  for (const char* name : {"wind_x", "wind_y", "wind_z"}) claims.push_back(found_value(study, name));
  for (const json& run : study["runs"])
    claims.push_back(claim_word("fit: " + run["title"].get<std::string>(), run["status"], "converged",
                                "from a stiffness of 400 and no wind"));
  const json& first = study["runs"][0];
  claims.push_back(claim_better(
      "forecast of unseen frames: misses", first["forecast_mm"],
      std::min(first["forecast_static_mm"].get<double>(), first["forecast_constant_velocity_mm"].get<double>()),
      "best baseline", "mm", "what stays or keeps its velocity"));
  return claims;
}

}  // namespace pithball::experiments::tshirt_obj_sequence
