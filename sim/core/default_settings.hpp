#pragma once
#include "sim/core/error.hpp"
#include "sim/core/settings.hpp"

namespace pithball::sim {

/// Settings of which nothing was written: every question is answered by its fallback.
class DefaultSettings : public Settings {
 public:
  double number(std::string_view key, std::string_view, std::string_view, std::optional<double> fallback) override {
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
  Vector per_particle(std::string_view key, std::string_view, std::string_view, std::optional<double>) override {
    refuse(key, "is required", "", "");  // how many particles there are is not known here
  }
  std::shared_ptr<const VectorField> field(std::string_view key, std::string_view, std::string_view,
                                           std::optional<Vec3> fallback) override {
    return std::make_shared<UniformField>(answer(key, fallback));
  }
  std::shared_ptr<const PotentialField> potential(std::string_view key, std::string_view) override {
    refuse(key, "is required", "", "");
  }
  Path path(std::string_view key, std::string_view) override { refuse(key, "is required", "", ""); }
  std::vector<Index> particles(std::string_view key, std::string_view) override { refuse(key, "is required", "", ""); }
  std::vector<Spring> edges(std::string_view key, std::string_view) override { refuse(key, "is required", "", ""); }
  Surface surface(std::string_view key, std::string_view) override { refuse(key, "is required", "", ""); }
  Vector per_item(std::string_view key, std::string_view, std::string_view, std::optional<double> fallback,
                  std::string_view, Index count) override {
    return Vector::Constant(count, answer(key, fallback));
  }
  std::shared_ptr<const RadialExpression> radial(std::string_view key, std::string_view, std::string_view) override {
    refuse(key, "is required", "", "");
  }
  bool has(std::string_view) const override { return false; }
  [[noreturn]] void refuse(std::string_view key, std::string required, std::string got,
                           std::string remedy) const final {
    throw InvalidArgument({"", std::string(key), std::move(required), std::move(got), std::move(remedy)});
  }

 private:
  template <class T>
  T answer(std::string_view key, const std::optional<T>& fallback) const {
    if (!fallback) refuse(key, "is required", "", "");
    return *fallback;
  }
};

}  // namespace pithball::sim
