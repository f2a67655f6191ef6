#pragma once
#include "sim/core/error.hpp"
#include "sim/core/settings.hpp"

namespace pithball::sim {

/// Settings with nothing written: every query returns its default.
class DefaultSettings : public Settings {
 public:
  double number(std::string_view key, std::string_view, std::string_view, std::optional<double> fallback,
                ValueSign) override {
    return answer(key, fallback);
  }
  Index integer(std::string_view key, std::string_view, std::optional<Index> fallback) override {
    return answer(key, fallback);
  }
  bool flag(std::string_view key, std::string_view, std::optional<bool> fallback) override {
    return answer(key, fallback);
  }
  std::string choice(std::string_view key, const std::vector<std::string>&, std::string_view,
                     std::optional<std::string> fallback) override {
    return answer(key, fallback);
  }
  Vec3 vector(std::string_view key, std::string_view, std::string_view, std::optional<Vec3> fallback) override {
    return answer(key, fallback);
  }
  std::string text(std::string_view key, std::string_view, std::string_view) override { reject_missing(key); }
  std::vector<std::string> texts(std::string_view key, std::string_view, std::string_view) override {
    reject_missing(key);
  }
  NumberTable table(std::string_view key, std::string_view, const std::vector<std::string>&,
                    std::string_view) override {
    reject_missing(key);
  }
  Vector per_particle(std::string_view key, std::string_view, std::string_view, std::optional<double>) override {
    reject_missing(key);  // the number of particles is not known here
  }
  Vector per_item(std::string_view key, std::string_view, std::string_view, std::optional<double> fallback,
                  std::string_view, Index count) override {
    return Vector::Constant(count, answer(key, fallback));
  }
  std::vector<Index> particles(std::string_view key, std::string_view) override { reject_missing(key); }
  std::vector<Spring> edges(std::string_view key, std::string_view) override { reject_missing(key); }
  Polygons body() const override { reject("", "needs a body", "none", ""); }
  Polygons polygons(std::string_view key, std::string_view) override { reject_missing(key); }
  Written written(std::string_view) const override { return Written::Nothing; }
  std::unique_ptr<Settings> below(std::string_view) override { return std::make_unique<DefaultSettings>(); }
  [[noreturn]] void reject(std::string_view key, std::string required, std::string got,
                           std::string remedy) const final {
    throw InvalidArgument({"", std::string(key), std::move(required), std::move(got), std::move(remedy)});
  }

 private:
  [[noreturn]] void reject_missing(std::string_view key) const { reject(key, "is required", "", ""); }
  template <class T>
  T answer(std::string_view key, const std::optional<T>& fallback) const {
    if (!fallback) reject_missing(key);
    return *fallback;
  }
};

}  // namespace pithball::sim
