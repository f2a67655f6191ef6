#include "experiments/bench/coulomb_claims.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "experiments/claim/worst.hpp"

namespace pithball::experiments {
namespace {

bool is_product(const CoulombRow& row) {
  return row.quantity == CoulombQuantity::Jvp || row.quantity == CoulombQuantity::Vjp;
}

/// Adding n terms one after the other loses at most n roundings.
double rounding(const CoulombRow& row) {
  const double unit =
      row.method == "direct_single" ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  return row.n * unit;
}

/// The largest error that the method allows itself, and why.
struct Promise {
  double error;
  const char* why;
};

Promise promise_of(const CoulombRow& row) {
  if (is_direct(row.method)) return {rounding(row), "n terms lose at most n roundings"};
  if (is_product(row))
    return {4 * row.tolerance + rounding(row),
            "four times the tolerance, as for gradients of fields that nearly cancel (docs/coulomb.md)"};
  return {row.tolerance + rounding(row), "the tolerance bounds the relative L2 error"};
}

}  // namespace

std::vector<Claim> coulomb_claims(const std::vector<CoulombRow>& rows) {
  // By method, tolerance from the largest on (NaN, of none, as 0), and products apart.
  std::map<std::tuple<std::string, double, bool>, Worst> worst;
  std::map<std::tuple<std::string, double, bool>, const char*> why;
  for (const CoulombRow& row : rows) {
    if (row.errors.empty() || !(is_direct(row.method) || has_tolerance(row.method))) continue;
    const Promise promise = promise_of(row);
    const std::tuple key(row.method, std::isnan(row.tolerance) ? 0 : -row.tolerance, is_product(row));
    worst[key].add(row.error() / promise.error);
    why[key] = promise.why;
  }
  std::vector<Claim> claims;
  for (const auto& [key, errors] : worst) {
    const auto& [method, tolerance, product] = key;
    std::string what = method;
    if (tolerance < 0) what += fmt::format(", tolerance {:.0e}", -tolerance);
    claims.push_back(claim_at_most(what + (product ? ", products: " : ": ") + "largest error over what is promised",
                                   errors.largest(), 1, "", why.at(key)));
  }
  return claims;
}

}  // namespace pithball::experiments
