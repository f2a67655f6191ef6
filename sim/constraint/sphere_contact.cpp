#include "sim/constraint/sphere_contact.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "sim/constraint/constraint_row.hpp"
#include "sim/constraint/row_loops.hpp"
#include "sim/model/model.hpp"
#include "sim/neighbors/neighbor_registry.hpp"

namespace pithball::sim {
namespace {

/// Returns the skin of the Verlet list, 0.3 diameters: a wider one gives fewer searches but more candidates. Uses the
/// median diameter, so that a few large spheres do not make all pairs candidates.
double skin(const Vector& radius) {
  std::vector<double> sizes;
  for (const double r : radius)
    if (r > 0 && std::isfinite(r)) sizes.push_back(r);  // 0: no contact; `Values::validate` rejects the rest
  if (sizes.empty()) return 0;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return 0.3 * 2 * *middle;
}

/// Moves rows of the same particle apart, because a row that shares a particle with the previous one must wait for its
/// result. Rows stay within their group, whose particles are in the cache.
void interleave(std::span<ConstraintRow> rows) {
  constexpr std::size_t strands = 8, together = 128;
  std::vector<ConstraintRow> in_order;
  for (std::size_t first = 0; first < rows.size(); first += together) {
    const auto some = rows.subspan(first, std::min(together, rows.size() - first));
    in_order.assign(some.begin(), some.end());
    const std::size_t length = (some.size() + strands - 1) / strands;
    std::size_t next = 0;
    for (std::size_t k = 0; k < length; ++k)
      for (std::size_t r = k; r < some.size(); r += length) some[next++] = in_order[r];
  }
}

}  // namespace

SphereContact::SphereContact(Vector radius, const ContactLaw& law)
    : radius_(std::move(radius)),
      contact_("spheres", law),
      skin_(skin(radius_)),
      search_(make_neighbor_search("verlet_list", skin_)) {}

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
  const std::size_t first = rows.size();
  const auto radius = model.values()[radius_block_];
  std::vector<Index> usual, far;  // spheres of usual and of far larger extent
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
  // A search has a single cutoff. If it included the few spheres of large extent, all pairs would be candidates.
  double widest = 0, farthest_reach = 0;
  Points at(3, static_cast<Index>(usual.size()));
  for (std::size_t k = 0; k < usual.size(); ++k) {
    at.col(k) = x.col(usual[k]);
    widest = std::max(widest, radius[usual[k]] + reach[usual[k]]);
    farthest_reach = std::max(farthest_reach, reach[usual[k]]);
  }
  const double cutoff = std::min(2 * widest * (1 + 1e-12), NeighborSearch::farthest);  // includes a pair at the edge
  // No Verlet list if particles are so fast that it would soon be outdated, or spheres so small that it would be long.
  const bool lasts = 4 * farthest_reach <= skin_ && 2 * skin_ <= cutoff;
  const auto near = lasts ? search_->candidates(at, cutoff) : AutoSearch().candidates(at, cutoff);
  for (Index k = 0; k < near->points(); ++k)
    for (const auto partner : near->row(k)) add_pair(usual[k], usual[partner]);
  for (std::size_t k = 0; k < far.size(); ++k) {
    for (const Index j : usual) add_pair(far[k], j);
    for (std::size_t l = 0; l < k; ++l) add_pair(far[k], far[l]);
  }
  interleave({rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end()});
}

SphereContact::RowsAt SphereContact::rows_at(const Model& model) const {
  return {model.values()[radius_block_].data(), contact_.law(model.values(), 0)};
}

double SphereContact::evaluate(const Model& model, const ConstraintRow& row, const RowPoints& x,
                               RowPoints& gradient) const {
  return rows_at(model).evaluate(row, x, gradient);
}

ContactLaw SphereContact::contact_law(const Model& model, const ConstraintRow& row) const {
  return rows_at(model).contact_law(row);
}

RowLoops SphereContact::loops() const { return LoopsOf<SphereContact, 2>::loops(); }

std::optional<Passage> SphereContact::find_passage(const Model& model, const Flight& flight) const {
  return sim::find_passage(flight, model.values()[radius_block_]);
}

}  // namespace pithball::sim
