#pragma once
// Settings of a force held in a map, for tests that go through the registry without an experiment file.
#include <functional>
#include <map>
#include <variant>

#include "sim/core/error.hpp"
#include "sim/core/settings.hpp"
#include "sim/field/analytic_potential.hpp"
#include "tests/support/scale.hpp"

namespace pithball::tests {

/// A motion through these points [m] at these times [s], as `sim::Path`.
struct Knots {
  std::vector<double> times;
  std::vector<sim::Vec3> points;
};

/// Answers with the numbers of the map, at a scale: each number grows by its unit, as the class that asks names it, and
/// each vector in metres is a place. Fallbacks are numbers of that class, and are left as they are.
class MapSettings final : public sim::Settings {
 public:
  using Field = std::shared_ptr<const sim::VectorField>;
  /// Makes a field at a scale, whose values have this unit.
  using FieldMaker = std::function<Field(const Scale&, std::string_view unit)>;
  using Value = std::variant<double, bool, std::string, sim::Vec3, sim::Vector, FieldMaker, Knots,
                             std::vector<sim::Index>, std::vector<sim::Spring>, sim::Surface>;
  MapSettings(sim::Index particles, std::map<std::string, Value> values, const Scale& scale = {})
      : particles_(particles), values_(std::move(values)), scale_(scale) {}

  double number(std::string_view key, std::string_view unit, std::string_view,
                std::optional<double> fallback) override {
    return has(key) ? scale_.of(unit) * get<double>(key, {}) : get<double>(key, fallback);
  }
  sim::Index integer(std::string_view key, std::string_view, std::optional<sim::Index> fallback) override {
    return has(key) ? static_cast<sim::Index>(get<double>(key, {})) : fallback.value();
  }
  bool flag(std::string_view key, std::string_view, std::optional<bool> fallback) override {
    return get<bool>(key, fallback);
  }
  std::string choice(std::string_view key, const std::vector<std::string>& choices, std::string_view,
                     std::optional<std::string> fallback) override {
    const std::string chosen = get<std::string>(key, fallback);
    for (const auto& c : choices)
      if (c == chosen) return chosen;
    refuse(key, "must be one of the choices", chosen, "");
  }
  sim::Vec3 vector(std::string_view key, std::string_view unit, std::string_view,
                   std::optional<sim::Vec3> fallback) override {
    const sim::Vec3 origin = unit == "m" ? scale_.place(sim::Vec3::Zero()) : sim::Vec3::Zero();
    return origin + (has(key) ? scale_.of(unit) * get<sim::Vec3>(key, {}) : get<sim::Vec3>(key, fallback));
  }
  sim::Vector per_particle(std::string_view key, std::string_view unit, std::string_view meaning,
                           std::optional<double> fallback) override {
    return per_item(key, unit, meaning, fallback, "particle", particles_);
  }
  Field field(std::string_view key, std::string_view unit, std::string_view,
              std::optional<sim::Vec3> fallback) override {
    return has(key) ? get<FieldMaker>(key, {})(scale_, unit) : std::make_shared<sim::UniformField>(fallback.value());
  }
  /// The unit of a potential depends on what it is the energy of, which the key `weight` says.
  std::shared_ptr<const sim::PotentialField> potential(std::string_view key, std::string_view) override {
    const std::string weight = get<std::string>("weight", "none");
    return std::make_shared<sim::AnalyticPotential>(scaled_expression(get<std::string>(key, {}), scale_,
                                                                      weight == "none"   ? "J"
                                                                      : weight == "mass" ? "J/kg"
                                                                                         : "V"));
  }
  sim::Path path(std::string_view key, std::string_view) override {
    Knots knots = get<Knots>(key, {});
    for (double& t : knots.times) t *= scale_.of("s");
    for (sim::Vec3& x : knots.points) x = scale_.place(x);
    return {std::move(knots.times), std::move(knots.points)};
  }
  std::vector<sim::Index> particles(std::string_view key, std::string_view) override {
    return get<std::vector<sim::Index>>(key, {});
  }
  std::vector<sim::Spring> edges(std::string_view key, std::string_view) override {
    return get<std::vector<sim::Spring>>(key, {});
  }
  sim::Surface surface(std::string_view key, std::string_view) override {
    sim::Surface surface = get<sim::Surface>(key, {});
    surface.vertices = scale_.places(surface.vertices);
    return surface;
  }
  sim::Vector per_item(std::string_view key, std::string_view unit, std::string_view, std::optional<double> fallback,
                       std::string_view, sim::Index count) override {
    return has(key) ? sim::Vector(scale_.of(unit) * get<sim::Vector>(key, {}))
                    : sim::Vector::Constant(count, fallback.value());
  }
  std::shared_ptr<const sim::RadialExpression> radial(std::string_view key, std::string_view unit,
                                                      std::string_view) override {
    return std::make_shared<sim::RadialExpression>(scaled_expression(get<std::string>(key, {}), scale_, unit));
  }
  bool has(std::string_view key) const override { return values_.count(std::string(key)) > 0; }
  [[noreturn]] void refuse(std::string_view key, std::string required, std::string got,
                           std::string remedy) const override {
    throw InvalidArgument({"", std::string(key), std::move(required), std::move(got), std::move(remedy)});
  }

 private:
  template <class T>
  T get(std::string_view key, std::optional<T> fallback) const {
    const auto found = values_.find(std::string(key));
    if (found != values_.end()) return std::get<T>(found->second);
    if (!fallback) refuse(key, "is required", "nothing", "");
    return *fallback;
  }
  sim::Index particles_;
  std::map<std::string, Value> values_;
  Scale scale_;
};

}  // namespace pithball::tests
