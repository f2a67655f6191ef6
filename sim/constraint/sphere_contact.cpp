#include "sim/constraint/sphere_contact.hpp"

#include <algorithm>

#include "sim/constraint/item_values.hpp"
#include "sim/constraint/row_loops.hpp"
#include "sim/model/model.hpp"
#include "sim/neighbors/auto_search.hpp"

namespace pithball::sim {

SphereContact::SphereContact(Vector radius, const ContactLaw& law)
    : radius_(std::move(radius)), contact_("spheres", law) {}

std::shared_ptr<Constraint> SphereContact::make(Settings& settings, const Points&) {
  const Vector radius =
      settings.per_particle("radius", "m", "radius of the spheres; particles of radius 0 do not collide");
  return std::make_shared<SphereContact>(radius, ContactValues::read(settings, false));
}

const ConstraintTraits& SphereContact::traits() const {
  static const ConstraintTraits traits{.name = "spheres", .inequality = true, .internal = true};
  return traits;
}

void SphereContact::declare(const Topology& topology, Values& values) {
  require_item_values("constraints.spheres.radius", "particle", topology.particles, radius_);
  radius_block_ = values.add(
      {"spheres_radius", "m", ValueOwner::Particle, ValueSign::NonNegative, ValueScaling::Invariant}, radius_);
  contact_.declare(values);
}

void SphereContact::add_rows(const Model& model, const Points& x, const Vector& reach,
                             std::vector<ConstraintRow>& rows) const {
  const auto radius = model.values()[radius_block_];
  std::vector<Index> usual, far;  // by how far they extend; only particles with a radius
  std::vector<double> extents;
  for (Index i = 0; i < x.cols(); ++i)
    if (radius[i] > 0) extents.push_back(radius[i] + reach[i]);
  if (extents.size() < 2) return;
  const auto most = extents.begin() + static_cast<std::ptrdiff_t>(extents.size() * 9 / 10);
  std::nth_element(extents.begin(), most, extents.end());
  const double limit = 1.5 * *most;
  for (Index i = 0; i < x.cols(); ++i)
    if (radius[i] > 0) (radius[i] + reach[i] <= limit ? usual : far).push_back(i);

  const auto add_pair = [&](Index i, Index j) {
    const double touch = radius[i] + radius[j] + reach[i] + reach[j];
    if ((x.col(i) - x.col(j)).squaredNorm() <= touch * touch)
      rows.push_back({std::min(i, j) * x.cols() + std::max(i, j), 2, {std::min(i, j), std::max(i, j)}});
  };
  // A search has one cut-off: those few that extend much farther than most would make it see all pairs.
  double widest = 0;
  Points at(3, static_cast<Index>(usual.size()));
  for (std::size_t k = 0; k < usual.size(); ++k) {
    at.col(k) = x.col(usual[k]);
    widest = std::max(widest, radius[usual[k]] + reach[usual[k]]);
  }
  const auto near = AutoSearch().candidates(
      at, std::min(2 * widest * (1 + 1e-12), NeighborSearch::farthest));  // a pair at the edge is in
  for (Index k = 0; k < near->points(); ++k)
    for (const auto partner : near->row(k)) add_pair(usual[k], usual[partner]);
  for (std::size_t k = 0; k < far.size(); ++k) {
    for (const Index j : usual) add_pair(far[k], j);
    for (std::size_t l = 0; l < k; ++l) add_pair(far[k], far[l]);
  }
}

RowLoops SphereContact::loops() const { return LoopsOf<SphereContact, 2>::loops(); }

}  // namespace pithball::sim
