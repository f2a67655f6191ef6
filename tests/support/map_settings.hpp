#pragma once
// Settings of a force held in a map, for tests that go through the registry without an experiment file.
#include <map>
#include <memory>
#include <variant>

#include "sim/core/error.hpp"
#include "sim/core/settings.hpp"
#include "sim/core/surface.hpp"
#include "tests/support/scale.hpp"

namespace pithball::tests {

/// A motion through these points [m] at these times [s]: a table of t, x, y, z.
struct Knots {
  std::vector<double> times;
  std::vector<sim::Vec3> points;
};

/// Numbers of a file. Their units are settings of their own.
struct FileOfNumbers {
  Eigen::MatrixXd rows;
};

/// Answers with the numbers of the map, at a scale: each number grows by its unit, as the class that asks names it, and
/// each vector in meters is a place. Fallbacks are numbers of that class, and are left as they are.
class MapSettings final : public sim::Settings {
 public:
  struct Mapping;
  using Value =
      std::variant<double, bool, std::string, std::vector<std::string>, sim::Vec3, sim::Vector, Knots, FileOfNumbers,
                   std::vector<sim::Index>, std::vector<sim::Spring>, sim::Surface, std::shared_ptr<const Mapping>>;
  struct Mapping {
    std::map<std::string, Value> values;
  };
  static Value mapping(std::map<std::string, Value> values) {
    return std::make_shared<const Mapping>(Mapping{std::move(values)});
  }
  MapSettings(sim::Index particles, std::map<std::string, Value> values, const Scale& scale = {})
      : particles_(particles), values_(std::move(values)), scale_(scale) {}

  double number(std::string_view key, std::string_view unit, std::string_view, std::optional<double> fallback,
                sim::ValueSign) override {
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
    reject(key, "must be one of the choices", chosen, "");
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
  /// The unit of a potential depends on what it is the energy of, which the key `weight` says.
  std::string text(std::string_view key, std::string_view unit, std::string_view) override {
    const std::string weight = get<std::string>("weight", "none");
    const std::string_view of_potential = weight == "none" ? "J" : weight == "mass" ? "J/kg" : "V";
    return scaled_expression(get<std::string>(key, {}), scale_, unit.empty() ? of_potential : unit);
  }
  std::vector<std::string> texts(std::string_view key, std::string_view unit, std::string_view) override {
    std::vector<std::string> texts = get<std::vector<std::string>>(key, {});
    for (std::string& text : texts) text = scaled_expression(text, scale_, unit);
    return texts;
  }
  sim::NumberTable table(std::string_view key, std::string_view, const std::vector<std::string>& columns,
                         std::string_view) override {
    const auto place = [](auto...) { return std::string("a file"); };
    if (columns.empty()) return {"a file", get<FileOfNumbers>(key, {}).rows, place, place};
    const Knots knots = get<Knots>(key, {});
    sim::NumberTable table{"a file", Eigen::MatrixXd(static_cast<sim::Index>(knots.times.size()), 4), place, place};
    for (std::size_t k = 0; k < knots.times.size(); ++k)
      table.numbers.row(k) << scale_.of("s") * knots.times[k], scale_.place(knots.points[k]).transpose();
    return table;
  }
  std::vector<sim::Index> particles(std::string_view key, std::string_view) override {
    return get<std::vector<sim::Index>>(key, {});
  }
  std::vector<sim::Spring> edges(std::string_view key, std::string_view) override {
    return get<std::vector<sim::Spring>>(key, {});
  }
  sim::Polygons body() const override { return placed("body"); }
  sim::Polygons polygons(std::string_view key, std::string_view) override { return placed(std::string(key)); }
  /// The body, and surfaces, at this scale.
  sim::Polygons placed(const std::string& key) const {
    const sim::Surface surface = get<sim::Surface>(key, {});
    sim::Polygons polygons{scale_.places(surface.vertices), {}};
    for (const auto& corners : surface.triangles) polygons.faces.push_back({corners.begin(), corners.end()});
    return polygons;
  }
  sim::Vector per_item(std::string_view key, std::string_view unit, std::string_view, std::optional<double> fallback,
                       std::string_view, sim::Index count) override {
    return has(key) ? sim::Vector(scale_.of(unit) * get<sim::Vector>(key, {}))
                    : sim::Vector::Constant(count, fallback.value());
  }
  Written written(std::string_view key) const override {
    const auto found = values_.find(std::string(key));
    if (found == values_.end()) return key.empty() && !values_.empty() ? Written::Mapping : Written::Nothing;
    const Value& value = found->second;
    if (std::holds_alternative<Knots>(value) || std::holds_alternative<std::shared_ptr<const Mapping>>(value))
      return Written::Mapping;
    const bool list = std::holds_alternative<sim::Vec3>(value) || std::holds_alternative<sim::Vector>(value);
    return list ? Written::List : Written::Value;
  }
  /// A motion is one in a file.
  std::unique_ptr<Settings> below(std::string_view key) override {
    const auto found = values_.find(std::string(key));
    const auto made = [&](std::map<std::string, Value> values) {
      return std::make_unique<MapSettings>(particles_, std::move(values), scale_);
    };
    if (found == values_.end()) return made(key.empty() ? values_ : std::map<std::string, Value>{});
    if (const auto* below = std::get_if<std::shared_ptr<const Mapping>>(&found->second)) return made((*below)->values);
    return made({{std::holds_alternative<Knots>(found->second) ? "file" : "", found->second}});
  }
  [[noreturn]] void reject(std::string_view key, std::string required, std::string got,
                           std::string remedy) const override {
    throw InvalidArgument({"", std::string(key), std::move(required), std::move(got), std::move(remedy)});
  }

 private:
  template <class T>
  T get(std::string_view key, std::optional<T> fallback) const {
    const auto found = values_.find(std::string(key));
    if (found != values_.end()) return std::get<T>(found->second);
    if (!fallback) reject(key, "is required", "nothing", "");
    return *fallback;
  }
  sim::Index particles_;
  std::map<std::string, Value> values_;
  Scale scale_;
};

}  // namespace pithball::tests
