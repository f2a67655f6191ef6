#include "sim/field/field_memory.hpp"

#include <atomic>
#include <limits>

#include "sim/core/parallel_for.hpp"
#include "sim/field/analytic_field.hpp"
#include "sim/force/drag.hpp"
#include "sim/force/electric_field.hpp"
#include "sim/force/field_potential.hpp"
#include "sim/force/magnetic_field.hpp"
#include "sim/model/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_limit.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

/// u = −∇φ of φ = −x₀ x₁ x₂ (1 + t), with the number of derivatives that were asked for.
class CountedField final : public PotentialField {
 public:
  double potential(const Vec3& x, double t) const override { return -x.prod() * (1 + t); }
  Vec3 value(const Vec3& x, double t) const override { return (1 + t) * Vec3(x[1] * x[2], x[0] * x[2], x[0] * x[1]); }
  Mat3 jacobian(const Vec3& x, double t) const override {
    ++derivatives;
    Mat3 J;
    J << 0, x[2], x[1], x[2], 0, x[0], x[1], x[0], 0;
    return (1 + t) * J;
  }
  mutable std::atomic<int> derivatives = 0;
};

Points some_points(double shift) {
  Points x(3, 4);
  for (Index k = 0; k < x.size(); ++k) x.data()[k] = std::sin(3.0 * k + 1) + shift;
  return x;
}

}  // namespace

TEST_CASE("field memory: evaluates a field once for the same points and time, and again for others", "[sim][field]") {
  const auto field = std::make_shared<CountedField>();
  const FieldMemory memory(field);
  const Points x = some_points(0);
  for (int k = 0; k < 3; ++k) {
    const auto known = memory.at(x, 2);
    CHECK(known->u == field->values(x, 2));
    for (Index i = 0; i < 4; ++i) CHECK(known->J[i] * Vec3(1, 2, 3) == field->jacobian(x.col(i), 2) * Vec3(1, 2, 3));
    CHECK(field->derivatives == 4 * (k + 2));  // 4 of this check each time, 4 of the memory once
  }
  const int before = field->derivatives;
  memory.at(x, 2.5);
  memory.at(some_points(1e-15), 2);
  memory.at(x.leftCols(3), 2);
  CHECK(field->derivatives == before + 4 + 4 + 3);
  memory.at(x, 2);
  CHECK(field->derivatives == before + 11);
}

TEST_CASE("field memory: zeros of different sign are different points", "[sim][field]") {
  const FieldMemory memory(std::make_shared<AnalyticField>(std::array<std::string, 3>{"atan(1/x)", "0", "0"}));
  Points x = Points::Zero(3, 1);
  const double right = memory.at(x, 0)->u(0, 0);
  x(0, 0) = -0.0;
  CHECK(memory.at(x, 0)->u(0, 0) == -right);
}

TEST_CASE("field memory: threads that share it get their own points", "[sim][field]") {
  const auto field = std::make_shared<CountedField>();
  const FieldMemory memory(field);
  std::vector<int> wrong(200, 0);
  for (const int threads : {1, 2, 3}) {
    const tests::ThreadLimit limit(threads);
    parallel_for(std::ssize(wrong), std::numeric_limits<double>::infinity(), [&](Index k) {
      const Points x = some_points(static_cast<double>(k % 50));
      wrong[k] += memory.at(x, 1)->u == field->values(x, 1) ? 0 : 1;
    });
  }
  CHECK(std::ranges::count(wrong, 0) == 200);
}

TEST_CASE("forces in a field: all directions of a tangent share one evaluation of the field", "[sim][force]") {
  const auto field = std::make_shared<CountedField>();
  const Index n = 4;
  const Vector ones = Vector::Ones(n);
  const std::vector<std::shared_ptr<ForceTerm>> terms{
      std::make_shared<ElectricField>(field), std::make_shared<MagneticField>(field),
      std::make_shared<FieldPotential>(field), std::make_shared<LinearDrag>(ones, field),
      std::make_shared<QuadraticDrag>(ones, field)};
  const State s{0.5, some_points(0), some_points(2)};
  for (const auto& term : terms) {
    INFO(term->traits().name);
    const Model model({.particles = n, .springs = {}, .held = {}}, ones, ones, {term});
    const int before = field->derivatives;
    Points sum = Points::Zero(3, n);
    for (int p = 0; p < 5; ++p) {
      Variation d = Variation::zero(n, model.values().size());
      d.x = some_points(p);
      Points df = Points::Zero(3, n);
      term->add_jvp(model, s, d, df);
      CHECK(df.norm() > 0.1);
      sum += df;
    }
    CHECK(field->derivatives == before + n);
    // Linear: the five together are five times their mean.
    Variation mean = Variation::zero(n, model.values().size());
    mean.x = some_points(2);
    Points df = Points::Zero(3, n);
    term->add_jvp(model, s, mean, df);
    CHECK((sum - 5 * df).norm() < 1e-13 * sum.norm());  // rounding
  }
}
