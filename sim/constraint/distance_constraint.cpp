#include "sim/constraint/distance_constraint.hpp"

#include "sim/constraint/constraint_row.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

namespace {

constexpr double unwritten = std::numeric_limits<double>::quiet_NaN();  // fallback that marks a missing number

}  // namespace

DistanceConstraint::DistanceConstraint(std::vector<Spring> links, Vector length, Vector compliance, Vector damping,
                                       Vector max_tension)
    : links_(std::move(links)),
      length_(std::move(length)),
      compliance_(std::move(compliance)),
      damping_(std::move(damping)),
      max_tension_(std::move(max_tension)),
      gone_(links_.size(), false) {
  const Index count = links_.size();
  require_item_values("constraints.distance.rest_length", "link", count, length_);
  require_item_values("constraints.distance.compliance", "link", count, compliance_);
  require_item_values("constraints.distance.damping", "link", count, damping_);
  if (max_tension_.size() == 0) return;
  require_item_values("constraints.distance.max_tension", "link", count, max_tension_);
  if (!(max_tension_.array() > 0).all())
    throw InvalidArgument({"", "constraints.distance.max_tension", "must be > 0 N", to_text(max_tension_.minCoeff()),
                           "omit it for links that do not break"});
}

std::shared_ptr<Constraint> DistanceConstraint::make(Settings& settings, const Points& drawn) {
  std::vector<Spring> links = settings.edges("edges", "linked pairs: `mesh` (all edges), a group of edges, or pairs");
  const Index count = links.size();
  Vector length(count);
  for (Index e = 0; e < count; ++e) {
    const auto [i, j] = links[e];
    length[e] = (drawn.col(i) - drawn.col(j)).norm();
  }
  if (settings.describing() || settings.has("rest_length"))
    length = settings.per_item("rest_length", "m", "lengths of the links (default: the initial distances)", unwritten,
                               "link", count);
  const Vector compliance =
      settings.per_item("compliance", "m/N", "compliance α of the links, 1/stiffness; 0: rigid", 0, "link", count);
  const Vector damping = settings.per_item(
      "damping", "N s/m", "β: damping in parallel with the stiffness 1/α; no effect on rigid links", 0, "link", count);
  Vector max_tension;
  if (settings.describing() || settings.has("max_tension"))
    max_tension = settings.per_item("max_tension", "N",
                                    "tension at which a link breaks permanently (default: links do not break)",
                                    unwritten, "link", count);
  return std::make_shared<DistanceConstraint>(std::move(links), length, compliance, damping, max_tension);
}

const ConstraintTraits& DistanceConstraint::traits() const {
  static const ConstraintTraits traits{.name = "distance", .internal = true};
  return traits;
}

ConstraintAbilities DistanceConstraint::abilities() const {
  const ConstraintAbilities all = ConstraintWith::abilities();
  return max_tension_.size() > 0 ? all : all.except<BreakableRows>();
}

void DistanceConstraint::declare(const Topology& topology, Values& values) {
  for (std::size_t e = 0; e < links_.size(); ++e)
    require_row_particles("constraints.distance.edges[" + std::to_string(e) + "]", {links_[e].i, links_[e].j},
                          topology.particles);
  length_block_ = values.add(item_value("distance_length", "m", ValueScaling::Invariant), length_);
  compliance_block_ = values.add(item_value("distance_compliance", "m/N", ValueScaling::Compliance), compliance_);
  damping_block_ = values.add(item_value("distance_damping", "N s/m", ValueScaling::Force), damping_);
}

Vector DistanceConstraint::length(const Model& model) const { return model.values()[length_block_]; }

void DistanceConstraint::validate(const Model& model, const State& s) const {
  for (std::size_t e = 0; e < links_.size(); ++e)
    if (!gone_[e] && model.values()[length_block_][e] > 0 && s.x.col(links_[e].i) == s.x.col(links_[e].j))
      throw InvalidArgument(
          {"", "constraints.distance.edges[" + std::to_string(e) + "]",
           "must join points that lie apart, as its length is not 0",
           "particles " + std::to_string(links_[e].i) + " and " + std::to_string(links_[e].j) + " at the same point",
           "move one of them, or write `rest_length: 0`"});
}

void DistanceConstraint::add_rows(const Model&, const Points&, const Vector&, std::vector<ConstraintRow>& rows) const {
  for (std::size_t e = 0; e < links_.size(); ++e)
    if (!gone_[e]) rows.push_back({static_cast<Index>(e), 2, {links_[e].i, links_[e].j}});
}

double DistanceConstraint::evaluate(const Model& model, const ConstraintRow& row, const RowPoints& x,
                                    RowPoints& gradient) const {
  const Vec3 b = x.col(0) - x.col(1);
  const double l = b.norm();
  gradient.col(0) = l > 0 ? Vec3(b / l) : Vec3::Zero();
  gradient.col(1) = -gradient.col(0);
  return l - model.values()[length_block_][row.item];
}

double DistanceConstraint::compliance(const Model& model, const ConstraintRow& row) const {
  return model.values()[compliance_block_][row.item];
}

double DistanceConstraint::damping(const Model& model, const ConstraintRow& row) const {
  return model.values()[damping_block_][row.item];
}

RowValues DistanceConstraint::row_values(const Model& model, const ConstraintRow& row) const {
  const auto entry = [&](Index block) { return model.values().block(block).offset + row.item; };
  return {entry(length_block_), -1, entry(compliance_block_), entry(damping_block_)};
}

RowPoints DistanceConstraint::hessian_product(const Model&, const ConstraintRow&, const RowPoints& x,
                                              const RowPoints& d) const {
  // ∂²|b|/∂b² = (I − b̂ b̂ᵀ)/|b|
  RowPoints product = RowPoints::Zero();
  const Vec3 b = x.col(0) - x.col(1), change = d.col(0) - d.col(1);
  const double l = b.norm();
  if (l == 0) return product;
  product.col(0) = (change - b * (b.dot(change) / (l * l))) / l;
  product.col(1) = -product.col(0);
  return product;
}

std::shared_ptr<Constraint> DistanceConstraint::with_particles(const std::vector<ParticleOrigin>&,
                                                               const std::vector<Index>& place) const {
  auto result = std::make_shared<DistanceConstraint>(*this);
  result->links_ = renumbered(links_, place);
  return result;
}

double DistanceConstraint::strength(const Model&, const ConstraintRow& row) const { return max_tension_[row.item]; }

std::shared_ptr<Constraint> DistanceConstraint::without(const std::vector<Index>& items) const {
  auto rest = std::make_shared<DistanceConstraint>(*this);
  for (const Index item : items) rest->gone_[item] = true;
  return rest;
}

}  // namespace pithball::sim
