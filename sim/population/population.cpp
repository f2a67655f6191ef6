#include "sim/population/population.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "sim/constraint/constraint_record.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::sim {
namespace {

constexpr double full_turn = 2 * std::numbers::pi;

double read_radius(Settings& settings) {
  const double radius = settings.number("radius", "m", "radius of the region");
  if (!(radius > 0)) settings.reject("radius", "must be > 0 m", to_text(radius), "");
  return radius;
}

Vec3 read_normal(Settings& settings, const char* meaning) {
  const Vec3 normal = settings.vector("normal", "", meaning);
  if (normal.isZero()) settings.reject("normal", "must not be 0", "[0, 0, 0]", "[0, 0, 1] points upwards");
  return normal.normalized();
}

Region make_point(Settings& settings) {
  const Vec3 at = settings.vector("at", "m", "position of the point");
  return {.point = [at](const Vec3&) { return at; }};
}

Region make_disc(Settings& settings) {
  const Vec3 center = settings.vector("center", "m", "center of the disc");
  const Vec3 normal = read_normal(settings, "normal of the disc; any length");
  const double radius = read_radius(settings);
  const Vec3 along = normal.unitOrthogonal(), across = normal.cross(along);
  return {.point = [=](const Vec3& u) -> Vec3 {
    const double r = radius * std::sqrt(u[0]), angle = full_turn * u[1];
    return center + r * (std::cos(angle) * along + std::sin(angle) * across);
  }};
}

Region make_sphere(Settings& settings) {
  const Vec3 center = settings.vector("center", "m", "center of the sphere");
  const double radius = read_radius(settings);
  return {.contains = [=](const Vec3& x) { return (x - center).norm() < radius; },
          .point = [=](const Vec3& u) -> Vec3 {
            const double r = radius * std::cbrt(u[0]), cosine = 2 * u[1] - 1, sine = std::sqrt(1 - cosine * cosine),
                         angle = full_turn * u[2];
            return center + r * Vec3(sine * std::cos(angle), sine * std::sin(angle), cosine);
          }};
}

Region make_box(Settings& settings) {
  const Vec3 low = settings.vector("min", "m", "corner of the box with the smallest coordinates");
  const Vec3 high = settings.vector("max", "m", "corner of the box with the largest coordinates");
  if (!settings.describing() && !(low.array() < high.array()).all())
    settings.reject("max", "must be larger than `min` in x, y and z",
                    to_text(high[0]) + ", " + to_text(high[1]) + ", " + to_text(high[2]), "exchange the corners");
  return {.contains = [=](const Vec3& x) { return (low.array() <= x.array() && x.array() < high.array()).all(); },
          .point = [=](const Vec3& u) -> Vec3 { return low + (high - low).cwiseProduct(u); }};
}

Region make_plane(Settings& settings) {
  const Vec3 point = settings.vector("point", "m", "a point on the plane", Vec3(0, 0, 0));
  const Vec3 normal = read_normal(settings, "normal of the plane, pointing away from the region; any length");
  return {.contains = [=](const Vec3& x) { return normal.dot(x - point) < 0; }};
}

}  // namespace

const std::vector<RegionInfo>& regions() {
  static const std::vector<RegionInfo> registry{
      {.name = "point", .summary = "a single point", .make = make_point, .emits = true},
      {.name = "disc", .summary = "a flat disc", .make = make_disc, .emits = true},
      {.name = "sphere", .summary = "the inside of a sphere", .make = make_sphere, .emits = true, .takes = true},
      {.name = "box", .summary = "the inside of an axis-aligned box", .make = make_box, .emits = true, .takes = true},
      {.name = "plane", .summary = "the half-space behind a plane, n·(x − p) < 0", .make = make_plane, .takes = true},
  };
  return registry;
}

namespace {

/// Reads a number that defaults to infinity.
double endless(Settings& settings, const char* key, const char* unit, const char* meaning) {
  constexpr double unwritten = std::numeric_limits<double>::quiet_NaN();  // the fallback marks a missing number
  const double value = settings.number(key, unit, meaning, unwritten);
  return std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
}

}  // namespace

long Emitter::emitted(double t) const {
  const double time = std::min(t, end) - start;
  return time > 0 ? static_cast<long>(std::floor(rate * time + 0.5)) : 0;
}

Emitter Emitter::read(const RegionInfo& info, Settings& settings) {
  Emitter emitter{.region = info.make(settings)};
  emitter.rate = settings.number("rate", "1/s", "particles per second, equally spaced in time");
  if (!(emitter.rate >= 0)) settings.reject("rate", "must be >= 0 1/s", to_text(emitter.rate), "");
  emitter.start = settings.number("start", "s", "time at which emission starts", 0);
  emitter.end = endless(settings, "end", "s", "time at which emission ends (default: never)");
  emitter.velocity = settings.vector("velocity", "m/s", "mean velocity of emitted particles", Vec3(0, 0, 0));
  emitter.velocity_spread =
      settings.number("velocity_spread", "m/s", "standard deviation of each component of the velocity", 0);
  if (!(emitter.velocity_spread >= 0))
    settings.reject("velocity_spread", "must be >= 0 m/s", to_text(emitter.velocity_spread), "0 for none");
  emitter.lifetime = endless(settings, "lifetime", "s", "time after which a particle is removed (default: never)");
  if (!(emitter.lifetime > 0)) settings.reject("lifetime", "must be > 0 s", to_text(emitter.lifetime), "omit it");
  emitter.lifetime_spread =
      settings.number("lifetime_spread", "s", "lifetimes are uniformly distributed in lifetime ± this", 0);
  if (!(emitter.lifetime_spread >= 0 && emitter.lifetime_spread < emitter.lifetime))
    settings.reject("lifetime_spread", "must be >= 0 s and less than the lifetime", to_text(emitter.lifetime_spread),
                    "");
  emitter.like = {0};
  if (settings.describing() || settings.has("template"))
    emitter.like = settings.particles("template",
                                      "template particles, used cyclically, from which emitted particles copy mass, "
                                      "charge, radius and other values (default: particle 0)");
  if (emitter.like.empty() && !settings.describing())
    settings.reject("template", "must name a particle", "none", "omit it for particle 0");
  return emitter;
}

Sink Sink::read(const RegionInfo& info, Settings& settings) {
  Sink sink{.region = info.make(settings)};
  sink.outside = settings.flag("outside", "remove particles outside the region instead", false);
  sink.rate = endless(settings, "rate", "1/s", "removal probability per unit time (default: immediate removal)");
  if (!(sink.rate > 0)) settings.reject("rate", "must be > 0 1/s", to_text(sink.rate), "omit it");
  return sink;
}

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
  // Components 0 to 3 are uniform; the normal component c uses the uniform numbers 2c and 2c + 1.
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
