#pragma once
#include <cmath>
#include <functional>
#include <limits>

#include "app/yaml/file_name.hpp"
#include "app/yaml/particle_list.hpp"
#include "sim/core/item_count.hpp"
#include "sim/core/settings.hpp"

namespace pithball::app {

/// An interface of settings (sim::Settings, or one derived from it) read from one node of an experiment file.
template <class Interface>
class YamlSettingsOf : public Interface {
 public:
  using Written = sim::Settings::Written;  ///< sim::Settings::Written
  /// Reads the surface mesh at a key; empty: there is none to be given.
  using PolygonReader = std::function<sim::Polygons(Node&, std::string_view key, std::string_view meaning)>;
  /// `space`: the particles of `per_particle`; `edges`: edges that `edges` can name; `read_polygons`: reader of a
  /// surface mesh; `body`: the body as drawn, which must outlive this object.
  YamlSettingsOf(Node node, ItemSpace space, EdgeSpace edges = {}, PolygonReader read_polygons = {},
                 const sim::Polygons* body = nullptr)
      : node_(std::move(node)),
        space_(std::move(space)),
        edges_(edges),
        read_polygons_(std::move(read_polygons)),
        body_(body) {}

  /// sim::Settings::number.
  double number(std::string_view key, std::string_view unit, std::string_view meaning, std::optional<double> fallback,
                sim::ValueSign sign) override {
    if (fallback && std::isnan(*fallback)) return node_.optional_number(key, unit, meaning, sign).value_or(*fallback);
    return node_.number(key, unit, meaning, fallback, sign);
  }
  /// sim::Settings::integer.
  Index integer(std::string_view key, std::string_view meaning, std::optional<Index> fallback) override {
    return node_.integer(key, meaning, fallback, std::numeric_limits<Index>::min());
  }
  /// sim::Settings::flag.
  bool flag(std::string_view key, std::string_view meaning, std::optional<bool> fallback) override {
    return node_.flag(key, meaning, fallback);
  }
  /// sim::Settings::choice.
  std::string choice(std::string_view key, const std::vector<std::string>& choices, std::string_view meaning,
                     std::optional<std::string> fallback) override {
    return node_.choice(key, choices, meaning, fallback);
  }
  /// sim::Settings::vector.
  Vec3 vector(std::string_view key, std::string_view unit, std::string_view meaning,
              std::optional<Vec3> fallback) override {
    return node_.vector(key, unit, meaning, fallback);
  }
  /// sim::Settings::text.
  std::string text(std::string_view key, std::string_view, std::string_view meaning) override {
    return node_.text(key, meaning);
  }
  /// sim::Settings::texts.
  std::vector<std::string> texts(std::string_view key, std::string_view, std::string_view meaning) override {
    return node_.texts(key, meaning);
  }
  /// sim::Settings::table.
  sim::NumberTable table(std::string_view key, std::string_view meaning, const std::vector<std::string>& columns,
                         std::string_view reader) override {
    return read_number_table(node_, key, meaning, columns, reader);
  }
  /// sim::Settings::per_particle.
  Vector per_particle(std::string_view key, std::string_view unit, std::string_view meaning,
                      std::optional<double> fallback) override {
    return read_per_item(node_, key, {unit, meaning, fallback}, space_);
  }
  /// sim::Settings::per_item, also of a list of any length (`sim::as_written`).
  Vector per_item(std::string_view key, std::string_view unit, std::string_view meaning, std::optional<double> fallback,
                  std::string_view noun, Index count) override {
    static const Groups none;
    if (count == sim::as_written) {
      const std::vector<double> list = node_.numbers(key, unit, meaning);
      return Eigen::Map<const Vector>(list.data(), static_cast<Index>(list.size()));
    }
    return read_per_item(node_, key, {unit, meaning, fallback}, {std::string(noun), count, &none});
  }
  /// sim::Settings::particles.
  std::vector<Index> particles(std::string_view key, std::string_view meaning) override {
    return read_particles(node_, key, meaning, space_.count, *space_.groups);
  }
  /// sim::Settings::edges.
  std::vector<sim::Spring> edges(std::string_view key, std::string_view meaning) override {
    return read_edges(node_, key, meaning, edges_);
  }
  /// sim::Settings::body.
  sim::Polygons body() const override {
    if (describing()) return {};
    if (!body_) node_.reject("", "cannot be given here", "a setting of a body", "omit it");
    return *body_;
  }
  /// sim::Settings::polygons.
  sim::Polygons polygons(std::string_view key, std::string_view meaning) override {
    if (!read_polygons_) node_.reject(key, "cannot be given here", "a surface", "omit it");
    return read_polygons_(node_, key, meaning);
  }
  /// sim::Settings::written.
  Written written(std::string_view key) const override {
    const Tree* value = node_.form_tree(key);
    if (!value) return !key.empty() && node_.is_written(key) ? Written::NoValue : Written::Nothing;
    return value->kind == Tree::Kind::Map    ? Written::Mapping
           : value->kind == Tree::Kind::List ? Written::List
                                             : Written::Value;
  }
  /// sim::Settings::below.
  std::unique_ptr<sim::Settings> below(std::string_view key) override {
    return std::make_unique<YamlSettingsOf<sim::Settings>>(node_.form(key), space_, edges_, read_polygons_, body_);
  }
  /// sim::Settings::describing.
  bool describing() const override { return node_.describing(); }
  /// sim::Settings::document.
  void document(std::string_view key, std::string_view type, std::string_view fallback,
                std::string_view meaning) override {
    node_.document(key, type, fallback, meaning);
  }
  /// sim::Settings::reject.
  [[noreturn]] void reject(std::string_view key, std::string required, std::string got,
                           std::string remedy) const override {
    node_.reject(key, std::move(required), std::move(got), std::move(remedy));
  }

 protected:
  Node& node() { return node_; }                     ///< that they are read from
  const Node& node() const { return node_; }         ///< likewise
  const ItemSpace& space() const { return space_; }  ///< the particles

 private:
  void rethrow_located(std::string_view key) const override { app::rethrow_located(node_, key); }

  Node node_;
  ItemSpace space_;
  EdgeSpace edges_;
  PolygonReader read_polygons_;
  const sim::Polygons* body_;
};

/// The settings of a force, a constraint or an integrator.
using YamlSettings = YamlSettingsOf<sim::Settings>;

}  // namespace pithball::app
