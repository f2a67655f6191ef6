// Every value that a fit can name, under every way of sharing it.
#include "optim/residual/trajectory_residual.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/key_framed.hpp"
#include "tests/support/rich_system.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::complaint;
using pithball::test::contains;
using pithball::test::shared;

namespace {

const char* const shared_values[] = {
    "charge",         "stiffness",    "rest_length",           "damping",     "mass",           "position", "velocity",
    "electric_field", "point_charge", "point_charge_position", "linear_drag", "quadratic_drag", "gravity"};

struct Mode {
  const char* name;
  EntrySharing entries;
  RecordingSharing recordings = RecordingSharing::All;
};
const Mode sharing_modes[] = {{"all", EntrySharing::All},
                              {"group", EntrySharing::Group},
                              {"recording", EntrySharing::All, RecordingSharing::Each},
                              {"none", EntrySharing::None},
                              {"smooth", EntrySharing::Smooth}};

bool is_of_force(const std::string& value) {
  return value == "electric_field" || value == "gravity" || value.find("point_charge") == 0;
}

Parameter declared(const std::string& value, const Mode& mode) {
  Parameter p = shared(value);
  p.entries.sharing = mode.entries;
  p.recordings.sharing = mode.recordings;
  p.entries.control_points = 3;
  if (mode.entries == EntrySharing::Group) p.entries.groups = {{"one", {0, 1}}, {"other", {3, 5}}};
  if (mode.entries == EntrySharing::Group && is_of_force(value)) p.entries.groups = {{"one", {0}}};
  return p;
}

/// Positions are displaced together: at one place they would burst.
void displace(Parameter& p, const std::vector<diff::Scenario>& scenarios) {
  for (const diff::Scenario& s : scenarios) p.offset.push_back(sim::flat(s.initial.x));
}

/// Two recordings of the rich system, the second a little later and without held particles.
std::vector<diff::Scenario> two_scenarios() {
  std::vector<diff::Scenario> scenarios{tests::rich_scenario("imex_midpoint", 0.02, 5, false),
                                        tests::rich_scenario("imex_midpoint", 0.02, 4, false)};
  scenarios[0].name = "a";
  scenarios[1].name = "b";
  scenarios[1].initial.v *= 1.5;
  return scenarios;
}

TrajectoryResidual residual_of(const std::vector<diff::Scenario>& scenarios, const std::vector<Parameter>& parameters) {
  std::vector<Observation> observations;
  for (const diff::Scenario& s : scenarios) observations.push_back(test::record(s, 1, 1e-2, 3));
  return TrajectoryResidual(ParameterMap(scenarios, parameters), observations);
}

/// The tangents' Jacobian column by column against differences of the residual, none of them 0; and the adjoint against
/// both.
void check_jacobian(const TrajectoryResidual& residual) {
  const Vector theta = residual.map().initial();
  Vector r, ahead, behind, back;
  Eigen::MatrixXd J;
  REQUIRE(residual.evaluate(theta, r, &J).ok());
  std::unique_ptr<Linearization> at;
  REQUIRE(residual.linearize(theta, at).ok());
  REQUIRE(at->vjp(r, back).ok());
  CHECK((back - J.transpose() * r).norm() < 1e-9 * (J.transpose() * r).norm());
  const Vector d = Vector::LinSpaced(theta.size(), 1, 2);
  REQUIRE(at->jvp(d, ahead).ok());
  CHECK((ahead - J * d).norm() < 1e-9 * (J * d).norm());
  for (Index k = 0; k < theta.size(); ++k) {
    INFO(residual.map().names()[k]);
    REQUIRE(J.col(k).norm() > 0);
    // Central differences of steps that move the residual alike, whatever θ is measured in; the error of third
    // derivatives is about the square of the step's relative size.
    const double h = std::min(1e-4, 1e-2 / J.col(k).norm());
    REQUIRE(residual.evaluate(theta + h * Vector::Unit(theta.size(), k), ahead, nullptr).ok());
    REQUIRE(residual.evaluate(theta - h * Vector::Unit(theta.size(), k), behind, nullptr).ok());
    CHECK(((ahead - behind) / (2 * h) - J.col(k)).norm() < 1e-5 * J.col(k).norm());
  }
}

}  // namespace

TEST_CASE("sharing: every value can be a parameter in every mode, with its derivative", "[optim][sharing][fd]") {
  for (const char* value : shared_values)
    for (const Mode& mode : sharing_modes) {
      INFO(value << " under share: " << mode.name);
      std::vector<diff::Scenario> scenarios = two_scenarios();
      if (mode.entries == EntrySharing::Smooth && is_of_force(value)) {
        CHECK(contains(complaint([&] { ParameterMap(scenarios, {declared(value, mode)}); }),
                       "share: smooth needs a value of particles or springs, got one of a force"));
        continue;
      }
      if (std::string(value) == "rest_length")  // one spring of it has length 0, which has no logarithm
        for (diff::Scenario& s : scenarios) {
          Vector data = s.model.values().data();
          data[s.model.values().block(*s.model.values().find(value)).offset + 4] = 0.3;
          s.model = s.model.with_values(data);
        }
      Parameter declaration = declared(value, mode);
      if (declaration.value == "position") displace(declaration, scenarios);
      const TrajectoryResidual residual = residual_of(scenarios, {declaration});
      CHECK(residual.parameters() >= 1);
      if (mode.recordings == RecordingSharing::Each) CHECK(residual.parameters() % 2 == 0);
      check_jacobian(residual);
    }
}

TEST_CASE("sharing: values with key frames are parameters by key time, in every mode",
          "[optim][sharing][fd][key_frames]") {
  std::vector<diff::Scenario> scenarios = two_scenarios();
  for (diff::Scenario& s : scenarios) {
    const sim::ValueBlock& charge = s.model.values().block(sim::Model::charge_block);
    std::vector<Index> all(charge.size);
    for (Index i = 0; i < charge.size; ++i) all[i] = charge.offset + i;
    s.model = s.model.with_key_frames(all, {0.01, 0.05});
  }
  for (const Mode& mode : sharing_modes) {
    INFO(mode.name);
    const TrajectoryResidual residual = residual_of(scenarios, {declared("charge", mode)});
    const std::vector<std::string> names = residual.map().names();
    CHECK(std::count_if(names.begin(), names.end(), [](const auto& n) { return n.ends_with("(0.01 s)"); }) ==
          static_cast<Index>(names.size()) / 2);
    check_jacobian(residual);
  }
  const std::vector<std::string> names = residual_of(scenarios, {declared("charge", sharing_modes[1])}).map().names();
  CHECK(names == std::vector<std::string>{"charge[one](0.01 s)", "charge[one](0.05 s)", "charge[other](0.01 s)",
                                          "charge[other](0.05 s)"});
}

TEST_CASE("sharing: a tied value follows the other entry by entry, or the one number that all share",
          "[optim][sharing][tie][fd]") {
  const auto block = [](const diff::Scenario& s, const char* name) {
    return Vector(s.model.values()[*s.model.values().find(name)]);
  };
  for (const Mode& mode : sharing_modes) {
    INFO(mode.name);
    Parameter stiffness = declared("stiffness", mode), damping = shared("damping"), drag = shared("linear_drag");
    if (mode.entries == EntrySharing::All) stiffness.factor = false;  // one value, to which the drag can be tied
    damping.tie = Tie{"stiffness", 0.01, 0.1};
    std::vector<Parameter> parameters{damping, stiffness};  // whichever comes first
    if (mode.entries == EntrySharing::All) {
      drag.tie = Tie{"stiffness", 0.02, 0};
      parameters.push_back(drag);
    }
    const TrajectoryResidual residual = residual_of(two_scenarios(), parameters);
    CHECK(residual.parameters() == residual_of(two_scenarios(), {stiffness}).parameters());
    check_jacobian(residual);
    const Vector theta = residual.map().initial() + 0.1 * Vector::Ones(residual.parameters());
    for (Index s = 0; s < 2; ++s) {
      const diff::Scenario given = residual.map().scenarios()[s], fitted = residual.map().scatter(theta, s);
      const Vector k = block(fitted, "stiffness"), c = block(fitted, "damping");
      Index tied = 0;
      for (Index e = 0; e < k.size(); ++e) {
        if (k[e] == block(given, "stiffness")[e]) {
          CHECK(c[e] == block(given, "damping")[e]);  // in no group
          continue;
        }
        CHECK(c[e] == Approx(0.01 * k[e] + 0.1).epsilon(1e-12));
        ++tied;
      }
      CHECK(tied >= 4);
      if (mode.entries == EntrySharing::All)
        CHECK(block(fitted, "linear_drag")[3] == Approx(0.02 * k[0]).epsilon(1e-12));
    }
  }
}

TEST_CASE("sharing: a value tied by a power follows it, also of a factor and of a smooth field",
          "[optim][sharing][tie][fd]") {
  const auto block = [](const diff::Scenario& s, const char* name) {
    return Vector(s.model.values()[*s.model.values().find(name)]);
  };
  for (const Mode& mode : sharing_modes) {
    INFO(mode.name);
    Parameter stiffness = declared("stiffness", mode), damping = shared("damping");
    damping.tie = Tie{.to = "stiffness", .factor = 3e-4, .offset = 0.02, .power = 2};
    const TrajectoryResidual residual = residual_of(two_scenarios(), {stiffness, damping});
    check_jacobian(residual);
    const Vector theta = residual.map().initial() + 0.1 * Vector::Ones(residual.parameters());
    Index tied = 0;
    for (Index s = 0; s < 2; ++s) {
      const diff::Scenario given = residual.map().scenarios()[s], fitted = residual.map().scatter(theta, s);
      const Vector k = block(fitted, "stiffness"), c = block(fitted, "damping");
      for (Index e = 0; e < k.size(); ++e) {
        if (k[e] == block(given, "stiffness")[e]) continue;  // in no group
        CHECK(c[e] == Approx(3e-4 * k[e] * k[e] + 0.02).epsilon(1e-12));
        ++tied;
      }
    }
    CHECK(tied >= 8);
  }
}

TEST_CASE("sharing: ties to nothing, to ties and to what has no common owner are rejected",
          "[optim][sharing][tie][error]") {
  const std::vector<diff::Scenario> scenarios = two_scenarios();
  Parameter stiffness = shared("stiffness"), damping = shared("damping"), drag = shared("linear_drag");
  stiffness.entries.sharing = EntrySharing::None;
  const auto said = [&](const std::vector<Parameter>& parameters) {
    return complaint([&] { ParameterMap(scenarios, parameters); });
  };
  damping.tie = Tie{"stifness"};
  CHECK(contains(said({stiffness, damping}),
                 "parameters: damping: must be tied to a parameter of this fit that is not tied itself, got "
                 "'stifness'; known: stiffness"));
  damping.tie = Tie{"stiffness"};
  drag.tie = Tie{"damping"};
  CHECK(contains(said({stiffness, damping, drag}), "not tied itself, got 'damping'"));
  drag.tie = Tie{"stiffness"};
  CHECK(contains(said({stiffness, drag}), "must be tied to a value of the same particles or springs"));
  CHECK(contains(said({shared("stiffness"), drag}), "share: all, and multiplier: false where its entries differ"));
  damping.tie = Tie{"stiffness", -1};
  CHECK(contains(said({stiffness, damping}), "damping[0]: must be >= 0 N s/m"));
  Parameter field = shared("velocity");
  field.entries.sharing = EntrySharing::None;
  Parameter place = shared("position");
  place.tie = Tie{.to = "velocity", .power = 2};
  CHECK(contains(said({field, place}), "must be tied by a power to a parameter that stays positive"));
  Parameter some = shared("stiffness");
  some.entries.sharing = EntrySharing::Group;
  some.entries.groups = {{"one", {0}}, {"other", {1}}};
  damping.tie = Tie{"stiffness"};
  damping.entries.selected = {7};
  CHECK(contains(said({some, damping}), "must cover an entry that 'stiffness' also covers"));
}

TEST_CASE("sharing: declarations of one value on disjoint groups coexist", "[optim][sharing]") {
  Parameter left = shared("charge"), right = shared("charge");
  left.entries.sharing = right.entries.sharing = EntrySharing::Group;
  left.entries.groups = {{"left", {0, 1}}};
  right.entries.groups = {{"right", {2, 3}}};
  CHECK(ParameterMap(two_scenarios(), {left, right}).names() ==
        std::vector<std::string>{"charge[left]", "charge[right]"});
  right.entries.groups = {{"right", {1, 3}}};
  CHECK(contains(complaint([&] {
                   ParameterMap(two_scenarios(), {left, right});
                 }),
                 "must not cover entries of another parameter"));
}

TEST_CASE("sharing: a smooth field of positive values stays positive and has its control points' values",
          "[optim][sharing]") {
  const ParameterMap map(two_scenarios(), {declared("stiffness", sharing_modes[4])});
  REQUIRE(map.size() == 3);
  Vector theta = map.initial();
  theta[0] += 4;  // e⁴ times as stiff at the first control point
  theta[1] -= 4;
  const diff::Scenario fitted = map.scatter(theta, 0);
  const sim::Values& v = fitted.model.values();
  const Vector k = v[*v.find("stiffness")];
  CHECK(k.minCoeff() > 0);
  for (Index p = 0; p < 3; ++p)
    CHECK(k[std::stol(map.info()[p].group)] == Approx(map.physical(theta)[p]).epsilon(1e-12));
  Parameter drag = declared("linear_drag", sharing_modes[4]);
  drag.initial = 0;
  CHECK(contains(complaint([&] { ParameterMap(two_scenarios(), {drag}); }), "share: smooth needs a start > 0"));
  drag = declared("linear_drag", sharing_modes[4]);
  drag.entries.control_points = 8;
  CHECK(contains(complaint([&] { ParameterMap(two_scenarios(), {drag}); }), "points must be between 1 and 7"));
}
