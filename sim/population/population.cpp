#include "sim/population/population.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/constraint/broken_link.hpp"
#include "sim/core/error.hpp"

namespace pithball::sim {
namespace {

Roster first_roster(const PopulationRules& rules, const Model& first, double t) {
  Roster roster;
  const Index n = first.particles();
  for (Index i = 0; i < n; ++i) {
    roster.id.push_back(i);
    roster.like.push_back(i);
    roster.birth_time.push_back(t);
    roster.death_time.push_back(std::numeric_limits<double>::infinity());
  }
  roster.attributes =
      Eigen::Map<const Vector>(rules.initial_attributes.data(), rules.initial_attributes.size()).replicate(1, n);
  return roster;
}

}  // namespace

Population::Population(PopulationRules rules, const Model& first, double t)
    : Population(rules, first, first_roster(rules, first, t)) {}

Population::Population(PopulationRules rules, const Model& first, Roster roster)
    : rules_(std::move(rules)),
      first_(first),
      bound_(first.bound()),
      emission_(rules_.seed, 501),
      absorption_(rules_.seed, 502),
      roster_(std::move(roster)) {
  const auto reject = [](const std::string& what, const std::string& required, const std::string& got) {
    throw InvalidArgument({"", "population." + what, required, got, ""});
  };
  if (!first.has_constant_values())
    reject("", "must be of a model whose values are constant",
           first.charge_leak() ? "one whose charges leak" : "one with key frames");
  if (rules_.initial_attributes.size() != rules_.attributes.size())
    reject("attributes", "must have a value for each", std::to_string(rules_.initial_attributes.size()));
  for (const Emitter& emitter : rules_.emitters) {
    if (!emitter.region.point) reject("emitters", "must have a region with an end", "one without");
    if (emitter.attributes.size() != rules_.attributes.size())
      reject("emitters.attributes", "must have a value for each", std::to_string(emitter.attributes.size()));
    for (const Index i : emitter.like)
      if (i < 0 || i >= first.particles())
        reject("emitters.like", "must name particles between 0 and " + std::to_string(first.particles() - 1),
               std::to_string(i));
    if (emitter.like.empty()) reject("emitters.like", "must name a particle", "none");
  }
  for (const Sink& sink : rules_.sinks)
    if (!sink.region.contains) reject("sinks", "must have a region with a volume", "one without");
  if (roster_.size() == 0) reject("", "must have a particle", "none");
}

Model Population::model_of(Index count) const {
  std::vector<ParticleOrigin> origins = origins_of(roster_, first_.particles());
  origins.resize(count);
  return first_.with_particles(origins);
}

std::int64_t Population::first_id_after(double t) const {
  std::int64_t id = first_.particles();
  for (const Emitter& emitter : rules_.emitters) id += emitter.emitted(t);
  return id;
}

Index Population::emitted_after(double t) const {
  return roster_.id.end() - std::ranges::lower_bound(roster_.id, first_id_after(t));
}

Turnover Population::turnover(double before, const State& state, Index n) const {
  Turnover turnover;
  for (const Emitter& emitter : rules_.emitters) turnover.emitted += emitter.emitted(state.t) - emitter.emitted(before);
  const double h = state.t - before;
  for (std::size_t p = 0; p < roster_.size(); ++p) {
    const auto id = static_cast<std::uint64_t>(roster_.id[p]);
    bool leaves = roster_.death_time[p] <= state.t;
    for (std::size_t s = 0; s < rules_.sinks.size() && !leaves; ++s) {
      const Sink& sink = rules_.sinks[s];
      leaves = sink.reaches(state.x.col(p)) && absorption_.uniform(n, id, s) < -std::expm1(-sink.rate * h);
    }
    if (leaves && !(roster_.id[p] < first_.particles() && bound_[id])) turnover.leaving.push_back(p);
  }
  if (turnover.leaving.size() == roster_.size() && turnover.emitted == 0)
    turnover.leaving.erase(turnover.leaving.begin());
  return turnover;
}

State Population::remove(const std::vector<Index>& leaving, const State& state) {
  std::vector<Index> stay;
  for (Index p = 0; p < state.x.cols(); ++p)
    if (!std::ranges::binary_search(leaving, p)) stay.push_back(p);
  const auto keep = [&](auto& list) {
    for (std::size_t k = 0; k < stay.size(); ++k) list[k] = list[stay[k]];
    list.resize(stay.size());
  };
  keep(roster_.id);
  keep(roster_.like);
  keep(roster_.birth_time);
  keep(roster_.death_time);
  roster_.attributes = Eigen::MatrixXd(roster_.attributes(Eigen::all, stay));
  taken_ += static_cast<long>(leaving.size());
  return {state.t, state.x(Eigen::all, stay), state.v(Eigen::all, stay)};
}

State Population::emit(double before, const State& state) {
  const Index present = state.x.cols();
  const std::int64_t first_id = first_id_after(before);
  const Index emitted = first_id_after(state.t) - first_id, n = present + emitted;
  State next{state.t, Points(3, n), Points(3, n)};
  next.x.leftCols(present) = state.x;
  next.v.leftCols(present) = state.v;
  for (Index k = 0; k < emitted; ++k) roster_.id.push_back(first_id + k);
  roster_.like.resize(n);
  roster_.birth_time.resize(n);
  roster_.death_time.resize(n);
  roster_.attributes.conservativeResize(Eigen::NoChange, n);
  Index column = present;
  for (std::size_t e = 0; e < rules_.emitters.size(); ++e)
    for (long k = rules_.emitters[e].emitted(before); k < rules_.emitters[e].emitted(state.t); ++k)
      emit_particle(rules_.emitters[e], e, k, next, column++);
  emitted_ += emitted;
  return next;
}

void Population::emit_particle(const Emitter& emitter, std::size_t number, long k, State& state, Index column) {
  const auto random = [&](auto distribution, std::uint64_t component) {
    return (emission_.*distribution)(number, k, component);
  };
  // Components 0 to 3 are even; normal ones use numbers 2c and 2c + 1.
  const auto even = [&](std::uint64_t c) { return random(&CounterNoise::uniform, c); };
  const auto normal = [&](std::uint64_t c) { return random(&CounterNoise::normal, c); };
  const double birth = emitter.time_of(k);
  const Vec3 v = emitter.velocity + emitter.velocity_spread * Vec3(normal(2), normal(3), normal(4));
  state.v.col(column) = v;
  state.x.col(column) = emitter.region.point({even(0), even(1), even(2)}) + (state.t - birth) * v;
  const std::size_t p = column;
  roster_.like[p] = emitter.like[k % emitter.like.size()];
  roster_.birth_time[p] = birth;
  roster_.death_time[p] = birth + emitter.lifetime + emitter.lifetime_spread * (2 * even(3) - 1);
  for (std::size_t a = 0; a < emitter.attributes.size(); ++a) roster_.attributes(a, column) = emitter.attributes[a];
}

void Population::links_broke(const std::vector<BrokenLink>& broken) {
  if (broken.empty()) return;
  first_ = first_.without(broken);
  bound_ = first_.bound();
}

}  // namespace pithball::sim
