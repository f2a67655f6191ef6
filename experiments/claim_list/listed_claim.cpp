#include "experiments/claim_list/listed_claim.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/claim_list/result_path.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {
namespace {

using nlohmann::ordered_json;

constexpr double as_good = 0.05;  // numbers of two methods that differ by less are taken as equal

ClaimValue value_of(const ordered_json& found) {
  if (found.is_null()) return {};
  if (found.is_number()) return found.get<double>();
  return found.is_string() ? found.get<std::string>() : found.dump();
}

/// Looks numbers and words up in the results of one item, and notes in the claim what they do not hold.
struct LookUp {
  const ordered_json& results;
  const ItemValues& values;
  Claim& claim;

  ClaimValue operator()(const ListedNumber& number) const {
    if (!number.path.empty()) return at(number.path);
    try {
      const Series series = evaluate(number, values, results);
      if (series.size() == 1) return series.front().value_or(NAN);
      claim.failure = fmt::format("{} gives {} numbers", number.expression, series.size());
    } catch (const InvalidArgument& error) {
      claim.failure = error.what();
    }
    return {};
  }

 private:
  ClaimValue at(const std::string& path) const {
    const ordered_json* found = find_result(results, path);
    if (found && !found->is_structured()) return value_of(*found);
    claim.failure = fmt::format("the results hold no value at {}", path);
    return {};
  }
};

/// Nothing where a part is no number, or the divisor is 0.
ClaimValue quotient(const ClaimValue& value, const ClaimValue& divisor) {
  const double *a = std::get_if<double>(&value), *b = std::get_if<double>(&divisor);
  if (!a || !b || *b == 0) return {};
  return *a / *b;
}

}  // namespace

Claim measured_claim(const ListedClaim& listed, const ordered_json& results, const ItemValues& values) {
  Claim claim = listed.claim;
  const LookUp look_up{results, values, claim};
  claim.measured = look_up(listed.find);
  if (!listed.over.empty()) claim.measured = quotient(claim.measured, look_up(listed.over));
  if (!listed.error.empty()) {
    const ClaimValue error = look_up(listed.error);
    claim.error = std::holds_alternative<double>(error) ? std::get<double>(error) : NAN;
  }
  if (listed.within_errors > 0) claim.tolerance = listed.within_errors * claim.error;
  if (claim.kind != ClaimKind::BetterThan) return claim;
  claim.expected = look_up(listed.rival);
  if (const double* rival = std::get_if<double>(&claim.expected))
    claim.tolerance = as_good * std::abs(*rival);
  else if (claim.failure.empty())  // the run is there and holds a null: the rival failed in it
    claim.expected = "it has none";
  return claim;
}

Claim skipped_claim(const ListedClaim& listed, const std::string& why) {
  Claim claim = listed.claim;
  claim.skipped = why;
  return claim;
}

}  // namespace pithball::experiments
