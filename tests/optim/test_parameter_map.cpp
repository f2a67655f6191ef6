#include <random>

#include "optim/parameter/parameter_map.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::BodyOptions;
using pithball::test::complaint;
using pithball::test::contains;
using pithball::test::make_body;
using pithball::test::shared;

namespace {

/// Two recordings, and parameters of every kind of sharing, transform and mode.
ParameterMap rich_map() {
  BodyOptions loaded;
  loaded.gravity = true;
  loaded.field = true;
  std::vector<Parameter> parameters;
  parameters.push_back(shared("charge"));
  parameters.back().initial = 5e-6;

  Parameter stiffness = shared("stiffness");
  stiffness.entries.sharing = EntrySharing::Group;
  stiffness.entries.groups = {{"left", {0, 1}}, {"right", {3, 5}}};
  stiffness.factor = true;
  parameters.push_back(stiffness);

  Parameter mass = shared("mass");
  mass.recordings.sharing = RecordingSharing::Each;
  mass.entries.selected = {1, 2};
  mass.offset = {Vector::Zero(4), Vector::Constant(4, 0.1)};
  parameters.push_back(mass);

  Parameter velocity = shared("velocity");
  velocity.entries.sharing = EntrySharing::None;
  velocity.recordings.sharing = RecordingSharing::Each;
  velocity.entries.components = "xz";
  velocity.entries.selected = {1, 3};
  parameters.push_back(velocity);

  Parameter gravity = shared("gravity");
  gravity.entries.components = "z";
  parameters.push_back(gravity);

  Parameter drag = shared("linear_drag");
  drag.recordings.sharing = RecordingSharing::Label;
  drag.recordings.labels = {"light", "heavy"};
  drag.range.lower = 0;
  drag.range.upper = 2;
  parameters.push_back(drag);
  return ParameterMap({make_body("a"), make_body("b", loaded)}, parameters);
}

Vector some_theta(const ParameterMap& map) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(0.01, 0.2);
  Vector theta = map.initial();
  for (double& t : theta) t += uniform(random);
  return theta;
}

}  // namespace

TEST_CASE("parameter_map: names say value, recording, group and component", "[optim][parameter_map]") {
  const std::vector<std::string> expected = {
      "charge",           "stiffness[left]",  "stiffness[right]",   "mass[a]",
      "mass[b]",          "velocity[a][1].x", "velocity[a][1].z",   "velocity[a][3].x",
      "velocity[a][3].z", "velocity[b][1].x", "velocity[b][1].z",   "velocity[b][3].x",
      "velocity[b][3].z", "gravity.z",        "linear_drag[light]", "linear_drag[heavy]"};
  const ParameterMap map = rich_map();
  CHECK(map.names() == expected);
  CHECK(map.info()[0].unit == "C");
  CHECK(map.info()[1].unit.empty());  // a factor
  CHECK(map.active(0) == std::vector<Index>{0, 1, 2, 3, 5, 6, 7, 8, 14});
  CHECK(map.active(1) == std::vector<Index>{0, 1, 2, 4, 9, 10, 11, 12, 13, 15});
}

TEST_CASE("parameter_map: default starts come from the model, default transforms from the sign",
          "[optim][parameter_map]") {
  const ParameterMap map = rich_map();
  CHECK(map.info()[0].transform.kind() == Transform::Kind::Scaled);
  CHECK(map.info()[0].transform.scale() == 5e-6);
  CHECK(map.initial()[0] == Approx(1));
  CHECK(map.info()[1].initial == Approx(1));  // factor
  CHECK(map.info()[1].transform.kind() == Transform::Kind::Log);
  CHECK(map.info()[3].initial == Approx(0.3));
  CHECK(map.info()[4].initial == Approx(0.2));  // 0.1 of it is the known part
  CHECK(map.info()[5].initial == Approx(0.1));
  CHECK(map.info()[13].initial == Approx(-9.81));
  CHECK(map.info()[14].initial == 0);
  CHECK(map.info()[14].transform.kind() == Transform::Kind::Scaled);  // a start of 0 has no logarithm
  CHECK(map.info()[14].transform.scale() == 2);                       // from the bound
  CHECK(map.lower()[14] == 0);
  CHECK(map.upper()[14] == Approx(1));
  CHECK(map.lower()[3] == -std::numeric_limits<double>::infinity());  // log
}

TEST_CASE("parameter_map: scatter sets what the declarations say and leaves the rest", "[optim][parameter_map]") {
  const ParameterMap map = rich_map();
  Vector theta = map.initial();
  theta[0] = 1.4;             // charge 7 µC
  theta[2] = std::log(1.5);   // stiffness[right]
  theta[4] = std::log(0.25);  // mass[b]
  theta[9] = map.info()[9].transform.theta(0.33);
  const std::vector<diff::Scenario> fitted = map.scatter(theta);
  CHECK((fitted[0].model.charge() - Vector::Constant(4, 7e-6)).norm() < 1e-18);
  const auto stiffness = [](const diff::Scenario& s) {
    return Vector(s.model.values()[*s.model.values().find("stiffness")]);
  };
  const Vector before = stiffness(map.scenarios()[0]), after = stiffness(fitted[0]);
  CHECK(after[3] == Approx(1.5 * before[3]));
  CHECK(after[5] == Approx(1.5 * before[5]));
  CHECK(after[0] == Approx(before[0]));
  CHECK(after[2] == before[2]);
  CHECK(fitted[1].model.mass()[2] == Approx(0.35));  // known 0.1 and fitted 0.25
  CHECK(fitted[1].model.mass()[0] == 0.3);
  CHECK(fitted[1].initial.v(0, 1) == Approx(0.33));
  CHECK(fitted[1].initial.v(1, 1) == -0.2);
}

TEST_CASE("parameter_map: directions are the derivative of scatter", "[optim][parameter_map][fd]") {
  const ParameterMap map = rich_map();
  const Vector theta = some_theta(map);
  const double h = 1e-5;
  for (Index s = 0; s < 2; ++s) {
    const Eigen::MatrixXd D = map.directions(theta, s);
    const std::vector<Index>& active = map.active(s);
    REQUIRE(D.cols() == static_cast<Index>(active.size()));
    for (Index k = 0; k < map.size(); ++k) {
      const Vector step = h * Vector::Unit(map.size(), k);
      const Vector difference =
          (map.scatter(theta + step, s).physical_values() - map.scatter(theta - step, s).physical_values()) / (2 * h);
      const auto it = std::find(active.begin(), active.end(), k);
      if (it == active.end()) {
        CHECK(difference.norm() == 0);
      } else {
        REQUIRE(difference.norm() > 0);
        // Central difference of exp: relative error h²/6; rounding of values near 10 with this step leaves 1e-10.
        CHECK((D.col(it - active.begin()) - difference).norm() <
              1e-9 * std::max(1.0, difference.norm()) + 1e-6 * difference.norm());
      }
    }
  }
}

TEST_CASE("parameter_map: pull_back is the transpose of directions", "[optim][parameter_map]") {
  const ParameterMap map = rich_map();
  const Vector theta = some_theta(map);
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (Index s = 0; s < 2; ++s) {
    Vector g(map.scenarios()[s].size());
    for (double& x : g) x = normal(random);
    Vector pulled = Vector::Ones(map.size());
    map.pull_back(theta, s, g, pulled);
    const Vector expected = map.directions(theta, s).transpose() * g;
    Vector all = Vector::Ones(map.size());
    for (std::size_t c = 0; c < map.active(s).size(); ++c) all[map.active(s)[c]] += expected[c];
    REQUIRE(expected.norm() > 1e-3);
    CHECK((pulled - all).norm() < 1e-13 * all.norm());  // the same products, summed in another order
  }
}

TEST_CASE("parameter_map: a charge of 0 everywhere is rejected as a start unless a field acts",
          "[optim][parameter_map][error]") {
  Parameter charge = shared("charge");
  charge.initial = 0;
  CHECK(contains(complaint([&] { ParameterMap({make_body("a")}, {charge}); }), "stationary start"));
  BodyOptions with_field;
  with_field.field = true;
  CHECK_NOTHROW(ParameterMap({make_body("a", with_field)}, {charge}));
}

TEST_CASE("parameter_map: an undetermined sign of the charge is noted", "[optim][parameter_map]") {
  const ParameterMap alone({make_body("a")}, {shared("charge")});
  REQUIRE(alone.notes().size() == 1);
  CHECK(alone.notes()[0].find("sign") != std::string::npos);

  BodyOptions with_field;
  with_field.field = true;
  CHECK(ParameterMap({make_body("a", with_field)}, {shared("charge")}).notes().empty());

  Parameter some = shared("charge");
  some.entries.selected = {0, 1};  // the others keep a known charge
  CHECK(ParameterMap({make_body("a")}, {some}).notes().empty());
  // One recording in a field is enough for a charge that all recordings share.
  CHECK(ParameterMap({make_body("a"), make_body("b", with_field)}, {shared("charge")}).notes().empty());
}

TEST_CASE("parameter_map: the note on signs is true of several charges, of free fields, and of bounds",
          "[optim][parameter_map]") {
  Parameter each = shared("charge");
  each.entries.sharing = EntrySharing::None;
  const ParameterMap several({make_body("a")}, {each});
  REQUIRE(several.notes().size() == 1);  // their signs relative to one another are told
  CHECK(contains(several.notes()[0], "charge[0], charge[1], charge[2], charge[3]: the common sign cannot be"));
  CHECK_FALSE(contains(several.notes()[0], "is kept"));  // a search from several starts does not

  // The sign of a field that is free itself tells that of no charge.
  BodyOptions with_field;
  with_field.field = true;
  Parameter strength = shared("electric_field", 1);
  strength.factor = true;
  const ParameterMap both({make_body("a", with_field)}, {shared("charge"), strength});
  REQUIRE(both.notes().size() == 1);
  CHECK(contains(both.notes()[0], "charge, electric_field: the common sign cannot be determined"));
  CHECK(ParameterMap({make_body("a", with_field)}, {strength}).notes().empty());  // known charges tell it

  // A recording in a field tells the sign of one charge, another one that of the others relative to it.
  Parameter first = each, others = each;
  first.entries.selected = {0};
  others.entries.selected = {1, 2, 3};
  others.recordings.scenarios = {0};
  CHECK(ParameterMap({make_body("a"), make_body("b", with_field)}, {first, others}).notes().empty());

  Parameter positive = shared("charge");
  positive.range.lower = 0;
  CHECK(ParameterMap({make_body("a")}, {positive}).notes().empty());
}

TEST_CASE("parameter_map: declarations that make no sense are rejected by name", "[optim][parameter_map][error]") {
  const auto rejects = [](const std::vector<Parameter>& parameters, const std::string& words) {
    const std::string message = complaint([&] { ParameterMap({make_body("a"), make_body("b")}, parameters); });
    INFO("expected: " << words << "\nmessage:  " << message);
    CHECK(contains(message, words));
  };
  rejects({shared("color")}, "known: mass, charge");
  rejects({shared("charge"), shared("charge")}, "different names");
  Parameter again = shared("charge");
  again.name = "charge again";
  rejects({shared("charge"), again}, "must not cover entries of another parameter");

  Parameter p = shared("stiffness");
  p.entries.selected = {99};
  rejects({p}, "must select at least one entry");
  p = shared("linear_drag");
  p.factor = true;  // of zeros
  rejects({p}, "must select at least one entry");
  p = shared("stiffness");
  p.entries.sharing = EntrySharing::Group;
  rejects({p}, "named groups");
  p.entries.groups = {{"one", {0, 1}}, {"two", {1, 2}}};
  rejects({p}, "must not overlap");
  p = shared("velocity");
  p.entries.components = "u";
  rejects({p}, "x, y, z");
  p = shared("mass");
  p.recordings.sharing = RecordingSharing::Label;
  p.recordings.labels = {"one"};
  rejects({p}, "one for each recording");
  p = shared("stiffness");
  p.initial = 5;
  p.range.lower = 6;
  rejects({p}, "initial must be within");
  p.range.lower = 4;
  p.range.upper = 3;
  rejects({p}, "lower < upper");
  p = shared("linear_drag");
  p.range.transform = Transform::Kind::Log;
  rejects({p}, "log needs a start > 0");
  p = shared("mass");
  p.recordings.scenarios = {2};
  rejects({p}, "recordings must be below 2");
  p = shared("mass");
  p.value = "m";
  rejects({p}, "'m'");
}

TEST_CASE("parameter_map: velocities of pinned particles are not parameters", "[optim][parameter_map]") {
  BodyOptions pinned;
  pinned.gravity = true;
  Parameter velocity = shared("velocity");
  velocity.entries.sharing = EntrySharing::None;
  CHECK(ParameterMap({make_body("a", pinned)}, {velocity}).size() == 9);
  CHECK(ParameterMap({make_body("a")}, {velocity}).size() == 12);
}
