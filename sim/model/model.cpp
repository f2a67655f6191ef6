#include "sim/model/model.hpp"

#include <algorithm>

#include "sim/constraint/constraint.hpp"
#include "sim/constraint/constraint_record.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::sim {
namespace {

void check_index(Index i, Index n, const std::string& what) {
  if (i < 0 || i >= n)
    throw InvalidArgument({"", what, "must name a particle between 0 and " + std::to_string(n - 1), std::to_string(i),
                           "particles are counted from 0"});
}

void check_size(Index size, Index n, const std::string& what) {
  if (size != n)
    throw InvalidArgument({"", what, "must have one entry for each of the " + std::to_string(n) + " particles",
                           std::to_string(size), "give one value for all, or a list of that length"});
}

void check_topology(const Topology& t) {
  if (t.particles < 1) throw InvalidArgument({"", "particles", "must be at least 1", std::to_string(t.particles), ""});
  for (std::size_t s = 0; s < t.springs.size(); ++s) {
    const std::string what = "springs.edges[" + std::to_string(s) + "]";
    check_index(t.springs[s].i, t.particles, what);
    check_index(t.springs[s].j, t.particles, what);
    if (t.springs[s].i == t.springs[s].j)
      throw InvalidArgument({"", what, "must join two different particles",
                             "particle " + std::to_string(t.springs[s].i) + " twice", "remove the spring"});
  }
}

/// Converts the index of an entry of the flat vector `from` to its index in `to`, which has the same blocks, though
/// some may be longer.
Index moved(Index entry, const Values& from, const Values& to) {
  const Index block = from.block_of(entry);
  return entry + to.block(block).offset - from.block(block).offset;
}

}  // namespace

Model::Model(Topology topology, const Vector& mass, const Vector& charge, std::vector<std::shared_ptr<ForceTerm>> terms,
             std::vector<std::shared_ptr<Constraint>> constraints) {
  check_topology(topology);
  const Index n = topology.particles;
  check_size(mass.size(), n, "mass");
  check_size(charge.size(), n, "charge");
  if (topology.flow && !(topology.springs.empty() && terms.empty() && constraints.empty()))
    throw InvalidArgument({"", "tracers", "must have no springs and no forces, nor constraints", "some of them",
                           "remove them: a tracer only follows its velocity field"});
  Values values;
  const ValueSign mass_sign = topology.flow ? ValueSign::NonNegative : ValueSign::Positive;
  values.add({"mass", "kg", ValueOwner::Particle, mass_sign, ValueScaling::Inertia}, mass);
  values.add({"charge", "C", ValueOwner::Particle, ValueSign::Any, ValueScaling::Charge}, charge);
  topology.couplings.clear();
  for (const auto& term : terms) {
    term->declare(topology, values);
    if (const auto* stiff = term->as<StiffPotential>())
      for (const Spring& pair : stiff->couplings()) topology.couplings.push_back(pair);
  }
  for (const auto& constraint : constraints) constraint->declare(topology, values);
  values.validate();
  values_ = std::make_shared<const Values>(std::move(values));

  std::vector<bool> is_held(n, false);
  for (const Held& held : topology.held) {
    check_index(held.particle, n, "pinned");
    if (is_held[held.particle])
      throw InvalidArgument({"", "pinned", "must contain every particle at most once, including driven ones",
                             "particle " + std::to_string(held.particle) + " twice", "remove one of the two"});
    is_held[held.particle] = true;
  }
  structure_ = std::make_shared<const Structure>(
      Structure{std::move(topology), std::move(terms), std::move(constraints), std::move(is_held)});
}

Model Model::with_values(const Vector& data) const {
  Model copy = *this;
  if (data.size() != values().size())
    throw InvalidArgument({"Model::with_values", "values", "must have " + std::to_string(values().size()) + " entries",
                           std::to_string(data.size()), ""});
  Values changed = values();
  changed.data() = data;
  changed.validate();
  copy.values_ = std::make_shared<const Values>(std::move(changed));
  return copy;
}

Model Model::with_terms(
    const std::function<std::shared_ptr<ForceTerm>(const std::shared_ptr<ForceTerm>&)>& replace) const {
  Model copy = *this;
  Structure structure = *constant_structure();
  for (auto& term : structure.terms) term = replace(term);
  copy.structure_ = in_time(std::make_shared<const Structure>(std::move(structure)), key_frames(), charge_leak());
  return copy;
}

Model Model::frozen() const {
  return with_terms([](const std::shared_ptr<ForceTerm>& term) {
    const auto* approximation = term->as<Approximation>();
    return approximation ? approximation->frozen() : term;
  });
}

Model Model::holding_touches(const State& s) const {
  const Model now = at(s.t);
  return with_terms([&](const std::shared_ptr<ForceTerm>& term) {
    const auto* meets = term->as<MeetsObstacle>();
    return meets ? meets->holding(now, s) : term;
  });
}

Model Model::without(const std::vector<BrokenLink>& broken) const {
  Model copy = *this;
  Structure structure = *constant_structure();
  for (std::size_t c = 0; c < structure.constraints.size(); ++c) {
    std::vector<Index> items;
    for (const BrokenLink& link : broken)
      if (link.constraint == static_cast<Index>(c)) items.push_back(link.row.item);
    if (!items.empty()) structure.constraints[c] = structure.constraints[c]->as<BreakableRows>()->without(items);
  }
  copy.structure_ = in_time(std::make_shared<const Structure>(std::move(structure)), key_frames(), charge_leak());
  return copy;
}

std::vector<bool> Model::bound() const {
  std::vector<bool> bound = structure_->is_held;
  const auto bind = [&](Index particle) { bound[particle] = true; };
  for (const auto* pairs : {&springs(), &topology().couplings})
    for (const Spring& pair : *pairs) {
      bind(pair.i);
      bind(pair.j);
    }
  std::vector<ConstraintRow> rows;
  for (const auto& constraint : constraints())
    if (!constraint->as<ContactRows>())
      constraint->add_rows(*this, Points::Zero(3, particles()), Vector::Zero(particles()), rows);
  for (const ConstraintRow& row : rows)
    for (Index k = 0; k < row.count; ++k) bind(row.particles[k]);
  return bound;
}

Model Model::with_particles(const std::vector<ParticleOrigin>& origins) const {
  const auto reject = [](const std::string& required, const std::string& got) {
    throw InvalidArgument({"Model::with_particles", "origins", required, got, ""});
  };
  if (!has_constant_values())
    reject("must be of a model whose values are constant",
           charge_leak() ? "one whose charges leak" : "one with key frames");
  if (origins.empty()) reject("must contain at least one particle", "none");
  std::vector<bool> present(particles(), false);
  std::vector<Index> sources;
  for (const ParticleOrigin& origin : origins) {
    check_index(origin.like, particles(), "origins");
    sources.push_back(origin.like);
    if (!origin.itself) continue;
    if (present[origin.like]) reject("must contain each particle once", std::to_string(origin.like) + " twice");
    present[origin.like] = true;
  }
  const std::vector<bool> needed = bound();
  for (std::size_t i = 0; i < needed.size(); ++i)
    if (needed[i] && !present[i])
      reject("must contain every particle used by springs, links, pins or a path", "none for " + std::to_string(i));

  const std::vector<Index> place = places(origins, particles());
  Structure structure = *structure_;
  structure.topology.particles = origins.size();
  structure.topology.springs = renumbered(springs(), place);
  structure.topology.couplings = renumbered(topology().couplings, place);
  structure.is_held.assign(origins.size(), false);
  for (Held& held : structure.topology.held) {
    held.particle = place[held.particle];
    structure.is_held[held.particle] = true;
  }
  for (auto& term : structure.terms)
    if (auto other = term->with_particles(origins)) term = std::move(other);
  for (auto& constraint : structure.constraints)
    if (const auto* named = constraint->as<NamedParticles>()) constraint = named->with_particles(origins, place);
  Model result = *this;
  result.structure_ = std::make_shared<const Structure>(std::move(structure));
  result.values_ = std::make_shared<const Values>(values().gathered(ValueOwner::Particle, sources));
  return result;
}

Model Model::with_springs(const std::vector<Spring>& more, const Vector& rest_length) const {
  const auto reject = [](const std::string& required, const std::string& got) {
    throw InvalidArgument({"Model::with_springs", "springs", required, got, ""});
  };
  if (springs().empty()) reject("must be added to a model that has springs", "one without");
  if (rest_length.size() != static_cast<Index>(more.size()))
    reject("must be as many as their rest lengths, " + std::to_string(rest_length.size()), std::to_string(more.size()));
  const Values longer = values().followed(ValueOwner::Spring, "rest_length", rest_length);
  longer.validate();
  Structure structure = *constant_structure();
  structure.topology.springs.insert(structure.topology.springs.end(), more.begin(), more.end());
  check_topology(structure.topology);
  std::vector<KeyFrames> frames = key_frames();
  for (KeyFrames& each : frames) {
    for (Index& entry : each.entries) entry = moved(entry, values(), longer);
    each.first_key = moved(each.first_key, values(), longer);
  }
  std::optional<ChargeLeak> leak = charge_leak();
  if (leak) leak = ChargeLeak{moved(leak->rate, values(), longer), moved(leak->charges, values(), longer), leak->count};
  Model model = *this;
  model.structure_ = in_time(std::make_shared<const Structure>(std::move(structure)), std::move(frames), leak);
  model.values_ = std::make_shared<const Values>(longer);
  return model;
}

Model Model::of_particles(const std::vector<Index>& selected) const {
  Structure structure{.topology = {.particles = static_cast<Index>(selected.size()), .springs = {}, .held = {}},
                      .terms = {},
                      .constraints = {},
                      .is_held = std::vector<bool>(selected.size(), false)};
  for (const Held& held : topology().held) {
    const auto found = std::lower_bound(selected.begin(), selected.end(), held.particle);
    if (found == selected.end() || *found != held.particle) continue;
    const Index place = found - selected.begin();
    structure.topology.held.push_back({place, held.path});
    structure.is_held[place] = true;
  }
  Model part = *this;
  part.structure_ = std::make_shared<const Structure>(std::move(structure));
  part.values_ = std::make_shared<const Values>(
      values().gathered(ValueOwner::Spring, {}).gathered(ValueOwner::Particle, selected));
  return part;
}

Index Model::crossings() const {
  Index most = 0;
  for (const auto& term : terms())
    if (const auto* approximation = term->as<Approximation>()) most = std::max(most, approximation->crossings());
  return most;
}

void Model::clear_held(Points& points) const {
  for (const Held& held : topology().held) points.col(held.particle).setZero();
}

void Model::place_held(double t, Points& x, Points* v) const {
  if (v && is_tracers()) *v = topology().flow->values(x, t);
  for (const Held& held : topology().held) {
    if (held.path) x.col(held.particle) = held.path->position(t);
    if (v) v->col(held.particle) = held.path ? held.path->velocity(t) : Vec3::Zero();
  }
}

void Model::validate(const State& initial) const {
  check_size(initial.x.cols(), particles(), "positions");
  check_size(initial.v.cols(), particles(), "velocities");
  const auto check_finite = [](const Points& points, const std::string& what) {
    for (Index i = 0; i < points.cols(); ++i)
      if (!points.col(i).allFinite())
        throw InvalidArgument(
            {"", what + "[" + std::to_string(i) + "]", "must be three finite numbers", "nan or inf", ""});
  };
  check_finite(initial.x, "positions");
  check_finite(initial.v, "velocities");
  for (const auto& term : terms()) term->validate(*this, initial);
  for (const auto& constraint : constraints()) constraint->validate(*this, initial);
}

double Model::length_scale() const {
  const auto block = values().find("rest_length");
  if (!block || values().block(*block).size == 0) return 1;
  const double mean = values()[*block].mean();
  return mean > 0 ? mean : 1;
}

}  // namespace pithball::sim
