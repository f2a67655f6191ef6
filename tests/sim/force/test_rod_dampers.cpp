#include "sim/force/spring_damper.hpp"
#include "sim/force/spring_force.hpp"
#include "sim/model/model.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

const Vector axial{{3.0, 5.0}};  // η [N s]

/// Three particles and two rods of these lengths at rest; dampers as an experiment file of them makes them.
Model rods(const Vector& rest_length) {
  return {{.particles = 3, .springs = {{0, 1}, {1, 2}}, .held = {}},
          Vector::Ones(3),
          Vector::Zero(3),
          {std::make_shared<SpringForce>(Vector{{40.0, 60.0}}, rest_length, SpringForce::Form::Strain),
           std::make_shared<SpringDamper>(axial.cwiseQuotient(rest_length), rest_length)}};
}

}  // namespace

TEST_CASE("dampers: those of rods follow the rest lengths, with derivatives", "[sim][force]") {
  const State s{0, (Points(3, 3) << 0, 0.6, 1.1, 0, 0.1, 0.4, 0, 0, 0.3).finished(),
                (Points(3, 3) << 0.3, -1, 0.5, 0.2, 0.4, -0.7, 0, 0.6, 0.1).finished()};
  const Vector length{{0.5, 0.8}};
  const auto force = [&](const Model& model) {
    Points f = Points::Zero(3, 3);
    model.terms()[1]->add_force(model, s, f);
    return f;
  };
  const Model model = rods(length);
  const Index l0 = model.values().block(*model.values().find("rest_length")).offset;
  for (Index e = 0; e < 2; ++e) {
    // A model with another value is that of another file.
    Vector data = model.values().data();
    data[l0 + e] *= 1.3;
    Vector longer = length;
    longer[e] *= 1.3;
    CHECK((force(model.with_values(data)) - force(rods(longer))).norm() < 1e-14 * force(model).norm());

    const double step = 1e-6 * length[e];
    Vector above = length, below = length;
    above[e] += step;
    below[e] -= step;
    const Points difference = (force(rods(above)) - force(rods(below))) / (2 * step);
    Variation direction = Variation::zero(3, data.size());
    direction.values[l0 + e] = 1;
    Points tangent = Points::Zero(3, 3);
    model.terms()[1]->add_jvp(model, s, direction, tangent);
    REQUIRE(tangent.norm() > 1);
    CHECK((tangent - difference).norm() < 1e-8 * tangent.norm());  // central differences of 1e-6
    const Points weight = (Points(3, 3) << 1, 2, -1, 0.5, -2, 1, 3, 1, 0.2).finished();
    Variation gradient = Variation::zero(3, data.size());
    model.terms()[1]->add_vjp(model, s, weight, gradient);
    CHECK(gradient.values[l0 + e] == Approx(weight.cwiseProduct(tangent).sum()).epsilon(1e-12));
  }
}
