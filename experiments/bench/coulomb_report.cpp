#include "experiments/bench/coulomb_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "experiments/claim/statistics.hpp"

namespace pithball::experiments {
namespace {

using nlohmann::ordered_json;

/// Returns the n at which a ratio falls to 1, interpolated between `above` > 1 at n0 and `below` ≤ 1 at n1.
double crossing(double n0, double above, double n1, double below) {
  const double share = std::log(above) / (std::log(above) - std::log(below));
  return n0 * std::pow(n1 / n0, share);
}

double growth_exponent(const std::vector<const CoulombRow*>& rows) {
  double count = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const CoulombRow* row : rows) {
    if (row->n < 45000 || row->n > 1100000) continue;
    const double x = std::log(row->n), y = std::log(row->seconds);
    count += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const double spread = count * sxx - sx * sx;
  return count >= 2 && spread > 0 ? (count * sxy - sx * sy) / spread : CoulombRow::unknown;
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.2f} us", 1e6 * seconds);
  if (seconds < 1) return fmt::format("{:.2f} ms", 1e3 * seconds);
  return fmt::format("{:.3f} s", seconds);
}

std::string number_text(double value, const char* format) {
  return std::isnan(value) ? "-" : fmt::format(fmt::runtime(format), value);
}

const std::string& quantity_name(const CoulombRow& row) {
  return coulomb_quantity_names()[static_cast<std::size_t>(row.quantity)];
}

std::string trend_text(const CoulombTrend& trend) {
  std::string text = fmt::format("{:<14} {:<10} tolerance {:>6}: ", trend.method, trend.distribution,
                                 number_text(trend.tolerance, "{:.0e}"));
  if (trend.always_faster)
    text += "faster than direct at every n measured";
  else if (std::isnan(trend.crossover))
    text += "slower than direct at every n measured";
  else
    text += fmt::format("faster than direct from n = {:.0f} on", trend.crossover);
  if (!std::isnan(trend.growth)) text += fmt::format(", time grows as n^{:.2f} from 5e4 points on", trend.growth);
  return text + "\n";
}

}  // namespace

std::vector<CoulombTrend> find_trends(const std::vector<CoulombRow>& rows) {
  std::map<std::tuple<std::string, std::string, double>, std::vector<const CoulombRow*>> series;
  for (const CoulombRow& row : rows)
    if (row.quantity == CoulombQuantity::Field && !is_direct(row.method))
      series[{row.method, row.distribution, std::isnan(row.tolerance) ? 0 : -row.tolerance}].push_back(&row);
  std::vector<CoulombTrend> trends;
  for (auto& [key, members] : series) {
    std::stable_sort(members.begin(), members.end(), [](auto* a, auto* b) { return a->n < b->n; });
    if (members.front()->n == members.back()->n) continue;
    CoulombTrend trend{std::get<0>(key), std::get<1>(key), members.front()->tolerance};
    trend.growth = growth_exponent(members);
    trend.always_faster =
        std::all_of(members.begin(), members.end(), [](auto* r) { return r->ratio_to_direct() <= 1; });
    for (std::size_t k = 1; k < members.size(); ++k) {
      const CoulombRow &a = *members[k - 1], &b = *members[k];
      if (a.n < b.n && a.ratio_to_direct() > 1 && b.ratio_to_direct() <= 1)
        trend.crossover = crossing(a.n, a.ratio_to_direct(), b.n, b.ratio_to_direct());
    }
    trends.push_back(trend);
  }
  return trends;
}

ordered_json to_json(const std::vector<CoulombRow>& rows, const std::vector<std::string>& kinds) {
  ordered_json json{{"rows", ordered_json::array()}, {"trends", ordered_json::array()}};
  for (const CoulombRow& row : rows) {
    ordered_json errors = ordered_json::object();
    for (std::size_t k = 0; k < row.errors.size(); ++k) errors[kinds[k]] = row.errors[k];
    json["rows"].push_back({{"method", row.method},
                            {"n", row.n},
                            {"distribution", row.distribution},
                            {"charges", fmt::format("{}", fmt::join(kinds, "+"))},
                            {"quantity", quantity_name(row)},
                            {"tolerance", row.tolerance},
                            {"seconds", row.seconds},
                            {"pairs_per_second", row.pairs_per_second()},
                            {"error", row.error()},
                            {"errors", errors},
                            {"targets", row.targets},
                            {"direct_seconds", row.direct_seconds},
                            {"ratio_to_direct", row.ratio_to_direct()},
                            {"extrapolated", row.extrapolated || row.direct_extrapolated},
                            {"peak_memory_mib", row.peak_memory_mib}});
  }
  for (const CoulombTrend& trend : find_trends(rows))
    json["trends"].push_back({{"method", trend.method},
                              {"distribution", trend.distribution},
                              {"tolerance", trend.tolerance},
                              {"crossover", trend.crossover},
                              {"always_faster", trend.always_faster},
                              {"growth_exponent", trend.growth}});
  return json;
}

std::string to_text(const std::vector<CoulombRow>& rows, const std::vector<std::string>& kinds) {
  std::string text;
  const CoulombRow* last = nullptr;
  for (const CoulombRow& row : rows) {
    if (!last || last->n != row.n || last->distribution != row.distribution ||
        last->direct_seconds != row.direct_seconds) {
      text += fmt::format("\n{}, {} points; direct {}{}\n  {:<14} {:>9} {:<9} {:>10} {:>9} {:>8}", row.distribution,
                          row.n, time_text(row.direct_seconds), row.direct_extrapolated ? " (extrapolated)" : "",
                          "method", "tolerance", "quantity", "time", "Gpairs/s", "/ direct");
      for (const std::string& kind : kinds) text += fmt::format(" {:>9}", kind);
      text += fmt::format(" {:>8}\n", "MiB");
    }
    last = &row;
    text +=
        fmt::format("  {:<14} {:>9} {:<9} {:>10} {:>9.3f} {:>8.3f}", row.method, number_text(row.tolerance, "{:.0e}"),
                    quantity_name(row), time_text(row.seconds), 1e-9 * row.pairs_per_second(), row.ratio_to_direct());
    for (std::size_t k = 0; k < kinds.size(); ++k)
      text += fmt::format(" {:>9}", k < row.errors.size() ? number_text(row.errors[k], "{:.1e}") : "-");
    text += fmt::format(" {:>8}\n", number_text(row.peak_memory_mib, "{:.0f}"));
  }
  const std::vector<CoulombTrend> trends = find_trends(rows);
  if (!trends.empty()) text += "\n";
  for (const CoulombTrend& trend : trends) text += trend_text(trend);
  return text;
}

namespace {

bool is_product(const CoulombRow& row) {
  return row.quantity == CoulombQuantity::Jvp || row.quantity == CoulombQuantity::Vjp;
}

/// Returns the largest error of adding n terms one after the other: n roundings.
double rounding(const CoulombRow& row) {
  const double unit =
      row.method == "direct_single" ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  return row.n * unit;
}

/// The error bound that a method guarantees, and the reason for it.
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
  // By method, decreasing tolerance (0 instead of NaN for methods without one), and products or not.
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
