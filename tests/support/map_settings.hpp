#pragma once
// Settings of a force held in a map, for tests that go through the registry without an experiment file.
#include <map>
#include <variant>

#include "sim/core/error.hpp"
#include "sim/core/settings.hpp"
#include "sim/field/analytic_potential.hpp"

namespace pithball::tests {

class MapSettings final : public sim::Settings {
 public:
  using Field = std::shared_ptr<const sim::VectorField>;
  using Value = std::variant<double, bool, std::string, sim::Vec3, sim::Vector, Field, sim::Path,
                             std::vector<sim::Index>, std::vector<sim::Spring>, sim::Surface>;
  MapSettings(sim::Index particles, std::map<std::string, Value> values)
      : particles_(particles), values_(std::move(values)) {}

  double number(std::string_view key, std::string_view, std::string_view, std::optional<double> fallback) override {
    return get<double>(key, fallback);
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
  sim::Vec3 vector(std::string_view key, std::string_view, std::string_view,
                   std::optional<sim::Vec3> fallback) override {
    return get<sim::Vec3>(key, fallback);
  }
  sim::Vector per_particle(std::string_view key, std::string_view, std::string_view,
                           std::optional<double> fallback) override {
    return has(key) ? get<sim::Vector>(key, {}) : sim::Vector::Constant(particles_, fallback.value());
  }
  Field field(std::string_view key, std::string_view, std::string_view, std::optional<sim::Vec3> fallback) override {
    return has(key) ? get<Field>(key, {}) : std::make_shared<sim::UniformField>(fallback.value());
  }
  std::shared_ptr<const sim::PotentialField> potential(std::string_view key, std::string_view) override {
    return std::make_shared<sim::AnalyticPotential>(get<std::string>(key, {}));
  }
  sim::Path path(std::string_view key, std::string_view) override { return get<sim::Path>(key, {}); }
  std::vector<sim::Index> particles(std::string_view key, std::string_view) override {
    return get<std::vector<sim::Index>>(key, {});
  }
  std::vector<sim::Spring> edges(std::string_view key, std::string_view) override {
    return get<std::vector<sim::Spring>>(key, {});
  }
  sim::Surface surface(std::string_view key, std::string_view) override { return get<sim::Surface>(key, {}); }
  sim::Vector per_item(std::string_view key, std::string_view, std::string_view, std::optional<double> fallback,
                       std::string_view, sim::Index count) override {
    return has(key) ? get<sim::Vector>(key, {}) : sim::Vector::Constant(count, fallback.value());
  }
  std::shared_ptr<const sim::RadialExpression> radial(std::string_view key, std::string_view,
                                                      std::string_view) override {
    return std::make_shared<sim::RadialExpression>(get<std::string>(key, {}));
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
};

}  // namespace pithball::tests
