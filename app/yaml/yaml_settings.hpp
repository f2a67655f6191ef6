#pragma once
#include <cmath>
#include <functional>
#include <limits>

#include "app/yaml/motion.hpp"
#include "app/yaml/pairs.hpp"
#include "app/yaml/per_item.hpp"
#include "sim/core/settings.hpp"

namespace pithball::app {

/// The settings of a force, a constraint or an integrator, read from one node of an experiment file.
class YamlSettings final : public sim::Settings {
 public:
  using SurfaceReader = std::function<sim::Surface(Node&, std::string_view key, std::string_view meaning)>;
  /// `space`: the particles that `per_particle` ranges over; `edges`: those that `edges` can name;
  /// `read_surface`: how the mesh of a surface is read.
  YamlSettings(Node node, ItemSpace space, EdgeSpace edges = {}, SurfaceReader read_surface = {})
      : node_(std::move(node)), space_(std::move(space)), edges_(edges), read_surface_(std::move(read_surface)) {}

  double number(std::string_view key, std::string_view unit, std::string_view meaning,
                std::optional<double> fallback) override {
    if (fallback && std::isnan(*fallback)) return node_.optional_number(key, unit, meaning).value_or(*fallback);
    return node_.number(key, unit, meaning, fallback);
  }
  Index integer(std::string_view key, std::string_view meaning, std::optional<Index> fallback) override {
    return node_.integer(key, meaning, fallback, std::numeric_limits<Index>::min());
  }
  bool flag(std::string_view key, std::string_view meaning, std::optional<bool> fallback) override {
    return node_.flag(key, meaning, fallback);
  }
  std::string choice(std::string_view key, const std::vector<std::string>& choices, std::string_view meaning,
                     std::optional<std::string> fallback) override {
    return node_.choice(key, choices, meaning, fallback);
  }
  Vec3 vector(std::string_view key, std::string_view unit, std::string_view meaning,
              std::optional<Vec3> fallback) override {
    return node_.vector(key, unit, meaning, fallback);
  }
  Vector per_particle(std::string_view key, std::string_view unit, std::string_view meaning,
                      std::optional<double> fallback) override {
    return read_per_item(node_, key, {unit, meaning, fallback}, space_);
  }
  std::shared_ptr<const sim::VectorField> field(std::string_view key, std::string_view unit, std::string_view meaning,
                                                std::optional<Vec3> fallback) override;
  std::shared_ptr<const sim::PotentialField> potential(std::string_view key, std::string_view meaning) override;
  sim::Path path(std::string_view key, std::string_view meaning) override {
    return read_motion(node_, key, meaning).path();
  }
  std::vector<Index> particles(std::string_view key, std::string_view meaning) override {
    return read_particles(node_, key, meaning, space_.count, *space_.groups);
  }
  std::vector<sim::Spring> edges(std::string_view key, std::string_view meaning) override {
    return read_edges(node_, key, meaning, edges_);
  }
  sim::Surface surface(std::string_view key, std::string_view meaning) override {
    if (!read_surface_) node_.refuse(key, "cannot be read here", "a surface", "leave it out");
    return read_surface_(node_, key, meaning);
  }
  Vector per_item(std::string_view key, std::string_view unit, std::string_view meaning, std::optional<double> fallback,
                  std::string_view noun, Index count) override {
    static const Groups none;
    return read_per_item(node_, key, {unit, meaning, fallback}, {std::string(noun), count, &none});
  }
  std::shared_ptr<const sim::RadialExpression> radial(std::string_view key, std::string_view unit,
                                                      std::string_view meaning) override;
  bool has(std::string_view key) const override { return node_.has(key); }
  bool describing() const override { return node_.describing(); }
  [[noreturn]] void refuse(std::string_view key, std::string required, std::string got,
                           std::string remedy) const override {
    node_.refuse(key, std::move(required), std::move(got), std::move(remedy));
  }

 private:
  Node node_;
  ItemSpace space_;
  EdgeSpace edges_;
  SurfaceReader read_surface_;
};

/// A vector, {uniform: [x, y, z]}, or {expression: ["…", "…", "…"]} in x, y, z, t.
std::shared_ptr<const sim::VectorField> read_field(Node& node, std::string_view key, std::string_view unit,
                                                   std::string_view meaning, std::optional<Vec3> fallback);

}  // namespace pithball::app
