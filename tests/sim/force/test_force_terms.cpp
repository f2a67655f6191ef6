#include <Eigen/Eigenvalues>
#include <map>
#include <random>

#include "sim/force/force_registry.hpp"
#include "sim/force/spring_damper.hpp"
#include "sim/force/spring_force.hpp"
#include "sim/linear/block_matrix.hpp"
#include "sim/model/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"
#include "tests/support/swirl_field.hpp"

using namespace pithball;
using namespace pithball::sim;
using tests::MapSettings;
using tests::SwirlField;

namespace {

constexpr Index N = 6;
const std::vector<Spring> edges{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 0}, {1, 4}};

/// A model with one kind of force.
struct Specimen {
  std::string name;
  Model model;
};

Specimen specimen(const std::string& name, std::vector<std::shared_ptr<ForceTerm>> terms) {
  REQUIRE(!terms.empty());
  const Vector mass{{0.5, 0.8, 1.1, 0.9, 0.6, 0.7}}, charge{{2e-6, -3e-6, 5e-6, 1e-6, -4e-6, 3e-6}};
  return {name, Model({.particles = N, .springs = edges, .held = {}}, mass, charge, std::move(terms))};
}

/// Every force of the registry in each of its ways, and the springs and dampers that come with a body.
std::vector<Specimen> specimens() {
  using Value = MapSettings::Value;
  const Vector c1{{0.3, 0.2, 0, 0.5, 0.1, 0.4}}, c2{{0.1, 0, 0.4, 0.2, 0.3, 0.6}};
  const MapSettings::Field swirl = std::make_shared<SwirlField>(1.3),
                           even = std::make_shared<UniformField>(Vec3(0.4, -0.2, 0.7));
  const std::map<std::string, std::vector<std::map<std::string, Value>>> settings{
      {"coulomb", {{}, {{"softening", 0.3}}}},
      {"gravity", {{{"", Vec3(0.5, -1, -9.81)}}}},
      {"electric_field", {{{"", even}}, {{"", swirl}}}},
      {"point_charge", {{{"charge", 2e-6}, {"position", Path({0, 1, 2}, {{2, 2, 2}, {2, 1.5, 2}, {1, 2, 2}})}}}},
      {"drag",
       {{{"linear", c1}, {"wind", swirl}},
        {{"quadratic", c2}, {"wind", swirl}},
        {{"linear", c1}, {"quadratic", c2}, {"wind", even}}}},
  };
  std::vector<Specimen> list;
  for (const ForceInfo& info : forces()) {
    INFO("add settings for " << info.name << " to this test");
    REQUIRE(settings.count(info.name) == 1);
    for (const auto& values : settings.at(info.name)) {
      MapSettings map(N, values);
      list.push_back(specimen(info.name, info.make(map)));
    }
  }
  const Vector k{{20, 35, 10, 0, 15, 30, 25}}, l0{{0.9, 1.4, 0, 0.5, 2.0, 0.8, 0.7}},
      c{{0.5, 0, 1.5, 0.3, 0.8, 2, 0.4}};
  list.push_back(specimen("springs", {std::make_shared<SpringForce>(k, l0)}));
  list.push_back(specimen("dampers", {std::make_shared<SpringDamper>(c)}));
  return list;
}

/// Fixed seeds; particles sit near the corners of a wobbly prism, so that none meet.
struct Dice {
  std::mt19937 generator;
  explicit Dice(unsigned seed) : generator(seed) {}
  double number() { return std::uniform_real_distribution<double>(-1, 1)(generator); }
  Points points(double size) {
    Points p(3, N);
    for (double& entry : p.reshaped()) entry = size * number();
    return p;
  }
  State state() {
    Points x(3, N);
    x << 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 1, 0, 0, 0, 1, 1.2, 1.1;
    return {0.3, x + points(0.25), points(2)};
  }
  /// Values change in proportion to their block's size; blocks with a sign move inside it only by chance, which forces
  /// do not mind.
  Variation direction(const Model& model) {
    Variation d{points(1), points(1), Vector::Zero(model.values().size())};
    for (Index b = 0; b < static_cast<Index>(model.values().blocks().size()); ++b) {
      auto part = model.values().of(d.values, b);
      const double size = part.size() ? model.values()[b].cwiseAbs().maxCoeff() : 0;
      for (Index i = 0; i < part.size(); ++i) part[i] = size * number();
    }
    return d;
  }
};

/// A model with shifted values, unchecked: differences may step over a sign.
struct Shifted {
  Model model;
  State state;
};
Shifted shifted(const Model& model, const State& s, const Variation& d, double step) {
  Vector values = model.values().data() + step * d.values;
  for (const ValueBlock& b : model.values().blocks())  // keep what must not become negative where it starts at 0
    if (b.sign != ValueSign::Any)
      values.segment(b.offset, b.size) =
          values.segment(b.offset, b.size).cwiseMax(b.sign == ValueSign::Positive ? 1e-12 : 0.0);
  return {model.with_values(values), {s.t, s.x + step * d.x, s.v + step * d.v}};
}

/// A direction that leaves values at the edge of their sign alone, because differences need both sides.
Variation two_sided(const Model& model, Variation d) {
  for (const ValueBlock& b : model.values().blocks())
    if (b.sign != ValueSign::Any)
      for (Index i = b.offset; i < b.offset + b.size; ++i)
        if (model.values().data()[i] == 0) d.values[i] = 0;
  return d;
}

Points force_of(const Model& model, const State& s) {
  Points f = Points::Zero(3, N);
  model.add_forces(s, f, [](const ForceTraits&) { return true; });
  return f;
}
Points jvp_of(const Model& model, const State& s, const Variation& d) {
  Points df = Points::Zero(3, N);
  for (const auto& term : model.terms()) term->add_jvp(model, s, d, df);
  return df;
}

/// (8 (f(h) − f(−h)) − (f(2h) − f(−2h)))/(12 h): with h = 1e-3 truncation and rounding are both near 1e-11.
template <class F>
auto fourth_order_difference(F f) {
  const double h = 1e-3;
  return ((8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)).eval();
}
constexpr double difference_tolerance = 2e-8;  // h⁴ times fifth derivatives of up to 1e4 for charges 0.5 m apart

/// ∂F/∂x (or ∂F/∂v) as a dense matrix, column by column.
Eigen::MatrixXd dense_jacobian(const ForceTerm& term, const Model& model, const State& s, bool by_velocity) {
  Eigen::MatrixXd J(3 * N, 3 * N);
  for (Index k = 0; k < 3 * N; ++k) {
    Variation d = Variation::zero(N, model.values().size());
    (by_velocity ? d.v : d.x).data()[k] = 1;
    Points df = Points::Zero(3, N);
    term.add_jvp(model, s, d, df);
    J.col(k) = flat(df);
  }
  return J;
}
Eigen::MatrixXd dense(const BlockMatrix& A) {
  Eigen::MatrixXd D(3 * N, 3 * N);
  for (Index k = 0; k < 3 * N; ++k) {
    Points e = Points::Zero(3, N), Ae(3, N);
    e.data()[k] = 1;
    A.multiply(e, Ae);
    D.col(k) = flat(Ae);
  }
  return D;
}
double smallest_eigenvalue(const Eigen::MatrixXd& A) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>((A + A.transpose()) / 2, Eigen::EigenvaluesOnly)
      .eigenvalues()[0];
}

}  // namespace

TEST_CASE("forces: the force is minus the gradient of the energy wherever there is one", "[sim][force][fd]") {
  int conservative = 0;
  for (const auto& [name, model] : specimens())
    for (unsigned seed = 1; seed <= 3; ++seed) {
      INFO(name << " seed " << seed);
      Dice dice(seed);
      const State s = dice.state();
      for (const auto& term : model.terms())
        CHECK(term->energy(model, s).has_value() == !term->traits().energy.empty());
      if (model.terms()[0]->traits().energy.empty()) continue;
      ++conservative;
      const Points d = dice.points(1);
      const auto energy = [&](double step) {
        return Vector::Constant(1, model.terms()[0]->energy(model, {s.t, s.x + step * d, s.v}).value()).eval();
      };
      const double slope = fourth_order_difference(energy)[0], want = -flat(force_of(model, s)).dot(flat(d));
      REQUIRE(std::abs(want) > 0);
      CHECK(std::abs(slope - want) < difference_tolerance * force_of(model, s).norm() * d.norm());
    }
  CHECK(conservative >= 3 * 5);  // coulomb twice, gravity, uniform field, point charge, springs
}

TEST_CASE("forces: jvp agrees with differences in positions, velocities and values", "[sim][force][fd]") {
  for (const auto& [name, model] : specimens())
    for (unsigned seed = 1; seed <= 3; ++seed) {
      INFO(name << " seed " << seed);
      Dice dice(seed);
      const State s = dice.state();
      const Variation d = two_sided(model, dice.direction(model));
      const Points got = jvp_of(model, s, d);
      REQUIRE(got.norm() > 1e-3 * force_of(model, s).norm());  // a derivative of zero would prove nothing
      const auto force = [&](double step) {
        const Shifted at = shifted(model, s, d, step);
        return force_of(at.model, at.state);
      };
      const Points want = fourth_order_difference(force);
      CHECK((got - want).norm() < difference_tolerance * (want.norm() + force_of(model, s).norm()));
      // The blocks one at a time: a fault in a small one must not hide behind a large one.
      for (const Index part : {0, 1, 2}) {
        Variation only = Variation::zero(N, d.values.size());
        if (part == 0) only.x = d.x;
        if (part == 1) only.v = d.v;
        if (part == 2) only.values = d.values;
        const auto partly = [&](double step) {
          const Shifted at = shifted(model, s, only, step);
          return force_of(at.model, at.state);
        };
        CHECK((jvp_of(model, s, only) - fourth_order_difference(partly)).norm() <
              difference_tolerance * (want.norm() + force_of(model, s).norm()));
      }
    }
}

TEST_CASE("forces: vjp is the transpose of jvp", "[sim][force]") {
  for (const auto& [name, model] : specimens())
    for (unsigned seed = 1; seed <= 3; ++seed) {
      INFO(name << " seed " << seed);
      Dice dice(seed);
      const State s = dice.state();
      const Variation d = dice.direction(model);
      const Points w = dice.points(1);
      Variation g = Variation::zero(N, model.values().size());
      for (const auto& term : model.terms()) term->add_vjp(model, s, w, g);
      const double forward = flat(w).dot(flat(jvp_of(model, s, d)));
      const double backward = flat(g.x).dot(flat(d.x)) + flat(g.v).dot(flat(d.v)) + g.values.dot(d.values);
      REQUIRE(std::abs(forward) > 0);
      CHECK(std::abs(forward - backward) <
            1e-12 * w.norm() * jvp_of(model, s, d).norm());  // rounding of sums of some 1e2 terms
    }
}

TEST_CASE("forces: everything accumulates", "[sim][force]") {
  for (const auto& [name, model] : specimens()) {
    INFO(name);
    Dice dice(5);
    const State s = dice.state();
    const Variation d = dice.direction(model);
    const Points w = dice.points(1);
    for (const auto& term : model.terms()) {
      Points once = Points::Zero(3, N), twice = once;
      term->add_force(model, s, once);
      term->add_force(model, s, twice);
      term->add_force(model, s, twice);
      CHECK((twice - 2 * once).norm() <= 1e-15 * once.norm());
      once.setZero(), twice.setZero();
      term->add_jvp(model, s, d, once);
      term->add_jvp(model, s, d, twice);
      term->add_jvp(model, s, d, twice);
      CHECK((twice - 2 * once).norm() <= 1e-14 * once.norm());
      Variation g1 = Variation::zero(N, model.values().size()), g2 = g1;
      term->add_vjp(model, s, w, g1);
      term->add_vjp(model, s, w, g2);
      term->add_vjp(model, s, w, g2);
      CHECK((g2.x - 2 * g1.x).norm() + (g2.v - 2 * g1.v).norm() <= 1e-14 * (g1.x.norm() + g1.v.norm()));
      CHECK((g2.values - 2 * g1.values).norm() <= 1e-14 * g1.values.norm());
    }
  }
}

TEST_CASE("forces: what the traits say about velocity is true", "[sim][force]") {
  for (const auto& [name, model] : specimens())
    for (const auto& term : model.terms()) {
      INFO(name);
      Dice dice(2);
      const State s = dice.state();
      const double by_velocity = dense_jacobian(*term, model, s, true).norm();
      CHECK((by_velocity > 0) == term->traits().velocity_dependent);
      if (term->traits().implicit && term->traits().velocity_dependent) {  // must be linear in v
        const State other{s.t, s.x, dice.points(3)};
        CHECK((dense_jacobian(*term, model, other, true) - dense_jacobian(*term, model, s, true)).norm() <
              1e-13 * by_velocity);
      }
    }
}

TEST_CASE("forces: internal ones obey the third law", "[sim][force][conservation]") {
  int internal = 0;
  for (const auto& [name, model] : specimens()) {
    if (name != "coulomb" && name != "springs" && name != "dampers") continue;
    INFO(name);
    ++internal;
    const State s = Dice(4).state();
    const Points f = force_of(model, s);
    Vec3 torque = Vec3::Zero();
    for (Index i = 0; i < N; ++i) torque += s.x.col(i).cross(f.col(i));
    REQUIRE(f.norm() > 0);
    CHECK(f.rowwise().sum().norm() < 1e-14 * f.norm());
    CHECK(torque.norm() < 1e-14 * f.norm() * s.x.norm());
  }
  CHECK(internal == 4);
}

TEST_CASE("forces: explicit velocity-dependent ones offer the exact flow and its derivatives", "[sim][force][fd]") {
  int flows = 0;
  for (const auto& [name, model] : specimens())
    for (const auto& term : model.terms()) {
      if (term->traits().implicit || !term->traits().velocity_dependent) continue;
      INFO(name);
      ++flows;
      Dice dice(6);
      const State s = dice.state();
      const double h = 0.4;
      Points v = s.v;
      term->flow_velocity(model, s, h, v);
      REQUIRE((v - s.v).norm() > 0.1);

      // m dv/dt = F(x, v, t) at fixed x, t, by 2000 steps of the classical Runge–Kutta method: error (2e-4)⁴.
      const auto rate = [&](const Points& at) {
        Points f = Points::Zero(3, N);
        term->add_force(model, {s.t, s.x, at}, f);
        return Points(f * model.mass().cwiseInverse().asDiagonal());
      };
      Points fine = s.v;
      for (int k = 0; k < 2000; ++k) {
        const double dt = h / 2000;
        const Points a = rate(fine), b = rate(fine + dt / 2 * a), c = rate(fine + dt / 2 * b), e = rate(fine + dt * c);
        fine += dt / 6 * (a + 2 * b + 2 * c + e);
      }
      CHECK((v - fine).norm() < 1e-12 * v.norm());

      const Variation d = two_sided(model, dice.direction(model));
      Points got = d.v;
      term->flow_velocity_jvp(model, s, h, d, got);
      const auto flowed = [&](double step) {
        const Shifted at = shifted(model, s, d, step);
        Points out = at.state.v;
        term->flow_velocity(at.model, at.state, h, out);
        return out;
      };
      CHECK((got - fourth_order_difference(flowed)).norm() < difference_tolerance * got.norm());

      const Points a = dice.points(1);
      Variation g = Variation::zero(N, model.values().size());
      g.v = dice.points(5);  // replaced, not added to
      term->flow_velocity_vjp(model, s, h, a, g);
      const double backward = flat(g.x).dot(flat(d.x)) + flat(g.v).dot(flat(d.v)) + g.values.dot(d.values);
      CHECK(flat(a).dot(flat(got)) == Approx(backward).epsilon(1e-12));
    }
  CHECK(flows == 2);
}

TEST_CASE("forces: sparse blocks of implicit ones are their linearisation, majorised for every state", "[sim][force]") {
  struct Weights final : ForceTerm::Majoriser {
    Eigen::MatrixXd L = Eigen::MatrixXd::Zero(N, N);
    void edge(Index i, Index j, double w) override {
      vertex(i, w);
      vertex(j, w);
      L(i, j) -= w;
      L(j, i) -= w;
    }
    void vertex(Index i, double w) override { L(i, i) += w; }
    Eigen::MatrixXd on_points() const {  // L ⊗ I₃
      Eigen::MatrixXd D = Eigen::MatrixXd::Zero(3 * N, 3 * N);
      for (Index i = 0; i < N; ++i)
        for (Index j = 0; j < N; ++j)
          for (int a = 0; a < 3; ++a) D(3 * i + a, 3 * j + a) = L(i, j);
      return D;
    }
  };
  int implicit = 0;
  bool negative_met = false;
  for (const auto& [name, model] : specimens())
    for (const auto& term : model.terms()) {
      if (!term->traits().implicit) continue;
      ++implicit;
      for (unsigned seed = 1; seed <= 20; ++seed) {
        INFO(name << " seed " << seed);
        Dice dice(seed);
        State s = dice.state();
        if (seed > 10) s.x *= 0.4;  // everything compressed
        const bool damping = term->traits().velocity_dependent;
        const Eigen::MatrixXd J = dense_jacobian(*term, model, s, damping);
        REQUIRE(J.norm() > 0);
        BlockMatrix blocks(model.topology());
        damping ? term->add_velocity_blocks(model, s, -2.0, blocks)
                : term->add_position_blocks(model, s, -2.0, false, blocks);
        CHECK((dense(blocks) + 2 * J).norm() < 1e-13 * J.norm());
        CHECK((J - J.transpose()).norm() < 1e-13 * J.norm());

        Weights majoriser;
        term->add_majoriser(model, damping ? 0 : 1, damping ? 1 : 0, majoriser);
        CHECK(smallest_eigenvalue(majoriser.on_points() + J) > -1e-12 * J.norm());

        if (damping) continue;
        const double lowest = smallest_eigenvalue(-J);
        negative_met = negative_met || lowest < -1;
        Vector bound = Vector::Zero(N);
        term->add_negative_curvature_bound(model, s, bound);
        Eigen::MatrixXd raised = -J;
        for (Index k = 0; k < 3 * N; ++k) raised(k, k) += bound[k / 3];
        CHECK(smallest_eigenvalue(raised) > -1e-12 * J.norm());
        BlockMatrix cut(model.topology());
        term->add_position_blocks(model, s, -1, true, cut);
        CHECK(smallest_eigenvalue(dense(cut)) > -1e-12 * J.norm());
        CHECK(smallest_eigenvalue(dense(cut) + J) > -1e-12 * J.norm());  // cutting only raises
      }
    }
  CHECK(implicit == 4);  // springs, dampers, linear drag twice
  CHECK(negative_met);
}

TEST_CASE("forces: settings that make no sense are refused", "[sim][force][error]") {
  const auto make = [](const std::string& name, std::map<std::string, MapSettings::Value> values) {
    MapSettings settings(N, std::move(values));
    for (const ForceInfo& info : forces())
      if (info.name == name) return info.make(settings);
    FAIL("unknown force " << name);
    return std::vector<std::shared_ptr<ForceTerm>>{};
  };
  CHECK_THROWS_WITH(make("coulomb", {{"softening", -0.1}}), Catch::Contains("softening: must be >= 0 m"));
  CHECK_THROWS_WITH(make("coulomb", {{"method", std::string("magic")}}), Catch::Contains("magic"));
  CHECK_THROWS_WITH(make("point_charge", {{"charge", 1e-6}}), Catch::Contains("position"));
  CHECK_THROWS_WITH(make("gravity", {}), Catch::Contains("is required"));
  CHECK_THROWS_WITH(specimen("drag", make("drag", {{"linear", Vector(Vector::Constant(N, -1))}})),
                    Catch::Contains("linear_drag[0]: must be >= 0 kg/s, got -1"));
  CHECK_THROWS_WITH(specimen("drag", make("drag", {{"quadratic", Vector(Vector::Ones(2))}})),
                    Catch::Contains("one entry for each of the 6 particles"));
}
