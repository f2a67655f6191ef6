#include "experiments/paper/listed_claim.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/paper/result_path.hpp"

namespace pithball::experiments::paper {
namespace {

using nlohmann::ordered_json;

constexpr double as_good = 0.05;  // numbers of two methods that differ by less are taken as equal

ClaimValue value_of(const ordered_json& found) {
  if (found.is_null()) return {};
  if (found.is_number()) return found.get<double>();
  return found.is_string() ? found.get<std::string>() : found.dump();
}

/// What the results hold at a path; notes what they do not hold.
ClaimValue look_up(const ordered_json& results, const std::string& path, Claim& claim) {
  const ordered_json* found = find_result(results, path);
  if (found && !found->is_structured()) return value_of(*found);
  claim.failure = fmt::format("the results hold no value at {}", path);
  return {};
}

/// Nothing where a part is no number, or the divisor is 0.
ClaimValue quotient(const ClaimValue& value, const ClaimValue& divisor) {
  const double *a = std::get_if<double>(&value), *b = std::get_if<double>(&divisor);
  if (!a || !b || *b == 0) return {};
  return *a / *b;
}

}  // namespace

Claim measured_claim(const ListedClaim& listed, const ordered_json& results) {
  Claim claim = listed.claim;
  claim.measured = look_up(results, listed.find, claim);
  if (!listed.over.empty()) claim.measured = quotient(claim.measured, look_up(results, listed.over, claim));
  if (claim.kind != ClaimKind::BetterThan) return claim;
  claim.expected = look_up(results, listed.rival, claim);
  if (const double* rival = std::get_if<double>(&claim.expected))
    claim.tolerance = as_good * std::abs(*rival);
  else if (claim.failure.empty())  // the run is there and holds a null: the paper's method failed in it
    claim.expected = "its method has none";
  return claim;
}

Claim skipped_claim(const ListedClaim& listed, const std::string& why) {
  Claim claim = listed.claim;
  claim.skipped = why;
  return claim;
}

}  // namespace pithball::experiments::paper
