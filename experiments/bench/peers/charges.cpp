#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/backend/plain_forces.hpp"
#include "datasets/mesh/point_set.hpp"
#include "experiments/bench/peers/comparison.hpp"
#include "sim/coulomb/coulomb_registry.hpp"
#include "sim/coulomb/reference_sum.hpp"

namespace pithball::experiments {
namespace {

using nlohmann::json;
using sim::Index;

/// Charges of both signs on a jittered lattice, with reference sums in long double at some of them.
struct ChargeCloud {
  sim::Points x;
  sim::Vector charge;
  sim::ReferenceSum exact;

  explicit ChargeCloud(Index n)
      : x(datasets::make_point_set("lattice", n)),
        charge(datasets::make_charges("mixed", x.cols())),
        exact(sim::make_reference_sum(x, charge, sim::spread_targets(x.cols(), 2000))) {}
};

/// The relative error of an evaluation at a tolerance: the larger of potential and field.
using ErrorAt = std::function<double(double tolerance)>;

/// The coarsest tolerance, in steps of half a digit, that gives at most the wanted error; and its error. NaN if none
/// does.
struct Reached {
  double tolerance = NAN, error = NAN;
};

Reached reach(double wanted, const ErrorAt& error_at) {
  const double half_digit = std::sqrt(10), coarsest = 0.09, finest = 1e-10;  // the range that `fmm` accepts
  Reached reached{wanted, error_at(wanted)};
  while (!(reached.error <= wanted)) {
    reached.tolerance /= half_digit;
    if (reached.tolerance < finest) return {};
    reached.error = error_at(reached.tolerance);
  }
  for (double coarser = wanted * half_digit; reached.tolerance >= wanted && coarser < coarsest; coarser *= half_digit) {
    const double error = error_at(coarser);
    if (!(error <= wanted)) break;
    reached = {coarser, error};
  }
  return reached;
}

/// Our sum, from points to potential and field.
class OwnSum {
 public:
  explicit OwnSum(const ChargeCloud& cloud) : cloud_(cloud) {}

  double seconds(double tolerance) {
    sim::CoulombOptions options;
    options.tolerance = tolerance;
    const auto sum = sim::make_coulomb_sum(options);
    return processor_seconds([&] {
      field_.setZero(3, cloud_.x.cols());
      potential_.setZero(cloud_.x.cols());
      sum->make_plan(cloud_.x)->evaluate({.charge = &cloud_.charge}, {.potential = &potential_, .field = &field_});
    });
  }
  double error(double tolerance) {
    seconds(tolerance);
    return std::max(cloud_.exact.potential_error(potential_), cloud_.exact.field_error(field_));
  }

 private:
  const ChargeCloud& cloud_;
  sim::Points field_;
  sim::Vector potential_;
};

double peer_error(const ChargeCloud& cloud, const json& answer) {
  sim::Points field = sim::Points::Zero(3, cloud.x.cols());
  sim::Vector potential = sim::Vector::Zero(cloud.x.cols());
  const std::vector<Index>& targets = cloud.exact.targets;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    potential[targets[k]] = answer.at("potential")[k];
    for (int a = 0; a < 3; ++a) field(a, targets[k]) = answer.at("field")[k][a];
  }
  return std::max(cloud.exact.potential_error(potential), cloud.exact.field_error(field));
}

PeerRow compare_at(double wanted, const ChargeCloud& cloud, Peer& peer, int repeats) {
  PeerRow row{.work = fmt::format("potential and field of {} charges to {:.0e}", cloud.x.cols(), wanted),
              .peer = "fmm3dpy",
              .version = peer.version(),
              .skipped = peer.missing(),
              .errors = {.of = "potential and field"},
              .goal = 7};
  row.same = {claim_at_most(fmt::format("error of Pithball, wanted {:.0e}", wanted), NAN, wanted, "",
                            "relative, of potential and field, against sums in long double"),
              claim_at_most(fmt::format("error of fmm3dpy, wanted {:.0e}", wanted), NAN, wanted, "", "likewise")};
  if (!row.skipped.empty()) {
    for (Claim& claim : row.same) claim.skipped = row.skipped;
    return row;
  }
  OwnSum own(cloud);
  const Reached ours = reach(wanted, [&](double tolerance) { return own.error(tolerance); });
  const Reached theirs = reach(wanted, [&](double tolerance) {
    return peer_error(cloud, peer.turn({{"eps", tolerance}}));
  });
  row.errors.own = ours.error;
  row.errors.theirs = theirs.error;
  row.same[0].measured = ours.error;
  row.same[1].measured = theirs.error;
  if (std::isnan(ours.error) || std::isnan(theirs.error)) return row;
  row.times = take_turns(
      repeats, [&] { return own.seconds(ours.tolerance); },
      [&]() -> double {
        return peer.turn({{"eps", theirs.tolerance}}).at("seconds");
      });
  return row;
}

}  // namespace

std::vector<PeerRow> compare_charges(const PeerSizes& sizes) {
  const ChargeCloud cloud(sizes.points);
  const Index n = cloud.x.cols();
  const sim::Model model({.particles = n, .springs = {}, .held = {}}, sim::Vector::Ones(n), cloud.charge, {});
  Peer peer("fmm3d_charges.py",
            {{"body", app::body_json(model, {0, cloud.x, sim::Points::Zero(3, n)})}, {"targets", cloud.exact.targets}});
  std::vector<PeerRow> rows;
  for (const double wanted : sizes.errors) rows.push_back(compare_at(wanted, cloud, peer, sizes.repeats));
  return rows;
}

}  // namespace pithball::experiments
