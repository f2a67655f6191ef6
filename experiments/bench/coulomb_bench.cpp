#include "experiments/bench/coulomb_bench.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "datasets/mesh/point_set.hpp"
#include "experiments/bench/coulomb_plain_loops.hpp"
#include "experiments/bench/stopwatch.hpp"
#include "sim/core/error.hpp"
#include "sim/coulomb/coulomb_registry.hpp"
#include "sim/coulomb/reference_sum.hpp"

namespace pithball::experiments {
namespace {

using sim::CoulombSum;
using sim::Points;
using sim::Vector;

/// The method `direct` with `precision: single`.
constexpr const char* single = "direct_single";

/// Results of an evaluation: the field and the potential, or the point and charge parts of a Jacobian product.
struct Sums {
  Points points;
  Vector numbers;
};

/// Points, charges and directions of one table.
struct Bodies {
  Points x, direction;
  std::vector<Vector> charges;  ///< one vector for each kind of charges
  Vector charge_direction;
};

/// Something that can be timed: a registered method at one tolerance, or a plain loop.
struct Contender {
  std::string method;
  double tolerance = CoulombRow::unknown;
  std::shared_ptr<const CoulombSum> sum;  ///< null for a plain loop
  std::optional<PlainLoop> loop;

  bool can(CoulombQuantity quantity) const {
    const bool product = quantity == CoulombQuantity::Jvp || quantity == CoulombQuantity::Vjp;
    return loop ? quantity == CoulombQuantity::Field : !(product && method == single);  // products are always double
  }

  /// Builds structure and plan, and evaluates the sum.
  void run(CoulombQuantity quantity, const Bodies& b, const Vector& q, Sums& out) const {
    out.points.setZero(3, b.x.cols());
    if (loop) return loop->field(b.x, q, out.points);
    out.numbers.setZero(b.x.cols());
    const auto plan = sum->make_plan(b.x);
    switch (quantity) {
      case CoulombQuantity::Field:
        return plan->evaluate({.charge = &q}, {.field = &out.points});
      case CoulombQuantity::Potential:
        return plan->evaluate({.charge = &q}, {.potential = &out.numbers});
      case CoulombQuantity::Both:
        return plan->evaluate({.charge = &q}, {.potential = &out.numbers, .field = &out.points});
      case CoulombQuantity::Jvp:
        return plan->force_jvp(q, b.direction, b.charge_direction, out.points);
      case CoulombQuantity::Vjp:
        return plan->force_vjp(q, b.direction, out.points, out.numbers);
    }
  }
};

Contender find_contender(const std::string& method, double tolerance) {
  for (const PlainLoop& loop : plain_loops())
    if (loop.name == method) return {.method = method, .sum = nullptr, .loop = loop};
  sim::CoulombOptions options;
  options.method = method == single ? "direct" : method;
  if (method == single) options.precision = sim::Precision::Single;
  const bool takes = has_tolerance(method);
  if (takes) options.tolerance = tolerance;
  return {.method = method,
          .tolerance = takes ? tolerance : CoulombRow::unknown,
          .sum = sim::make_coulomb_sum(options),
          .loop = {}};
}

/// Returns ‖a − b‖/‖b‖; 0 if both are zero.
template <class Array>
double relative(const Array& a, const Array& b) {
  const double norm = b.norm();
  return norm > 0 ? (a - b).norm() / norm : a.norm();
}

/// Reference results for one table, computed on demand.
class Yardsticks {
 public:
  Yardsticks(const Bodies& bodies, const Contender& direct) : bodies_(bodies), direct_(direct) {
    // 2,000 targets, or fewer if there are so many points that the sums would take a minute.
    const auto affordable = static_cast<Index>(3e8 / std::max<Index>(bodies.x.cols(), 1));
    targets_ = sim::spread_targets(bodies.x.cols(), std::clamp<Index>(affordable, 300, 2000));
    sums_.resize(bodies.charges.size());
  }

  Index targets() const { return targets_.size(); }

  /// Returns the relative error of a contender's results for charges of kind k.
  double error(CoulombQuantity quantity, std::size_t k, const Sums& sums) {
    if (quantity == CoulombQuantity::Jvp || quantity == CoulombQuantity::Vjp) {
      const auto [place, is_new] = products_.try_emplace({quantity, k});
      Sums& exact = place->second;
      if (is_new) direct_.run(quantity, bodies_, bodies_.charges[k], exact);
      const double points = relative(sums.points, exact.points);
      return quantity == CoulombQuantity::Jvp ? points : std::max(points, relative(sums.numbers, exact.numbers));
    }
    auto& reference = sums_[k];
    if (!reference) reference = sim::make_reference_sum(bodies_.x, bodies_.charges[k], targets_);
    if (quantity == CoulombQuantity::Field) return reference->field_error(sums.points);
    const double potential = reference->potential_error(sums.numbers);
    return quantity == CoulombQuantity::Potential ? potential
                                                  : std::max(potential, reference->field_error(sums.points));
  }

 private:
  const Bodies& bodies_;
  const Contender& direct_;
  std::vector<Index> targets_;
  std::vector<std::optional<sim::ReferenceSum>> sums_;                ///< by kind of charges
  std::map<std::pair<CoulombQuantity, std::size_t>, Sums> products_;  ///< computed by `direct`
};

Bodies make_bodies(const std::string& distribution, Index n, const std::vector<std::string>& kinds) {
  Bodies bodies{datasets::make_point_set(distribution, n), {}, {}, {}};
  const Index count = bodies.x.cols();
  for (const std::string& kind : kinds) bodies.charges.push_back(datasets::make_charges(kind, count));
  bodies.direction = datasets::make_point_set("cube", count, 2);
  bodies.charge_direction = datasets::make_charges("mixed", count, 2);
  return bodies;
}

}  // namespace

double CoulombRow::error() const {
  double worst = errors.empty() ? unknown : errors.front();
  for (const double e : errors)
    if (!(e <= worst)) worst = e;
  return worst;
}

const std::vector<std::string>& coulomb_quantity_names() {
  static const std::vector<std::string> names{"field", "potential", "both", "jvp", "vjp"};
  return names;
}

std::vector<std::string> coulomb_bench_methods() {
  std::vector<std::string> names;
  for (const PlainLoop& loop : plain_loops()) names.push_back(loop.name);
  for (const sim::CoulombMethod& method : sim::coulomb_methods()) {
    names.push_back(method.name);
    if (method.name == "direct") names.push_back(single);
  }
  return names;
}

bool is_direct(const std::string& method) { return method.starts_with("plain") || method.starts_with("direct"); }

bool has_tolerance(const std::string& method) { return method == "fmm" || method == "auto"; }

std::vector<CoulombRow> CoulombBench::measure(const CoulombTable& table) {
  const Bodies bodies = make_bodies(table.distribution, table.n, charges_);
  const Index n = bodies.x.cols();
  const bool direct_runs = n <= largest_direct;
  const Contender direct = find_contender("direct", 0);
  std::vector<Contender> contenders;
  for (const std::string& method : table.methods) {
    if (is_direct(method) && !direct_runs && method != "direct") continue;
    for (const double tolerance : has_tolerance(method) ? table.tolerances : std::vector<double>{0})
      contenders.push_back(find_contender(method, tolerance));
  }

  Yardsticks yardsticks(bodies, direct);
  std::vector<CoulombRow> rows;
  std::vector<const Contender*> timed;  // the contender of each row; null if its time is extrapolated
  for (const Contender& contender : contenders)
    for (const CoulombQuantity quantity : table.quantities) {
      if (!contender.can(quantity)) continue;
      CoulombRow row{.method = contender.method,
                     .distribution = table.distribution,
                     .n = n,
                     .quantity = quantity,
                     .tolerance = contender.tolerance,
                     .errors = {}};
      const bool product = quantity == CoulombQuantity::Jvp || quantity == CoulombQuantity::Vjp;
      row.extrapolated = contender.method == "direct" && !direct_runs;
      if (row.extrapolated && quantity != CoulombQuantity::Field) continue;
      timed.push_back(row.extrapolated ? nullptr : &contender);
      const bool judged = !row.extrapolated && !(product && (!direct_runs || contender.method == "direct"));
      row.targets = judged ? (product ? n : yardsticks.targets()) : 0;
      for (std::size_t k = 0; k < charges_.size() && !row.extrapolated; ++k) {
        Sums sums;
        if (k == 0) reset_peak_memory();
        contender.run(quantity, bodies, bodies.charges[k], sums);
        if (k == 0) row.peak_memory_mib = peak_memory_mib();
        if (judged) row.errors.push_back(yardsticks.error(quantity, k, sums));
      }
      rows.push_back(std::move(row));
    }

  Sums scratch;
  std::vector<std::function<void()>> pieces;
  if (direct_runs) pieces.push_back([&] { direct.run(CoulombQuantity::Field, bodies, bodies.charges[0], scratch); });
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (timed[k]) pieces.push_back([&, k] { timed[k]->run(rows[k].quantity, bodies, bodies.charges[0], scratch); });
  const std::vector<double> seconds = interleaved_seconds(pieces, rounds_);
  auto next = seconds.begin();
  if (direct_runs && n >= direct_n_) {
    direct_n_ = n;
    direct_seconds_ = seconds.front();
  }
  const double direct_time = direct_runs ? *next++ : direct_seconds(n);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    rows[k].direct_seconds = direct_time;
    rows[k].direct_extrapolated = !direct_runs;
    rows[k].seconds = timed[k] ? *next++ : direct_time;
  }
  return rows;
}

double CoulombBench::direct_seconds(Index n) {
  if (direct_n_ < 40000) measure({"torus", 50000, {}, {}, {}});
  const double ratio = static_cast<double>(n) / static_cast<double>(direct_n_);
  return direct_seconds_ * ratio * ratio;
}

}  // namespace pithball::experiments
