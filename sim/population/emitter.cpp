#include "sim/population/emitter.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/text.hpp"

namespace pithball::sim {
namespace {

/// Left out, infinite.
double endless(Settings& settings, const char* key, const char* unit, const char* meaning) {
  constexpr double unwritten = std::numeric_limits<double>::quiet_NaN();  // no number to fall back on
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

}  // namespace pithball::sim
