#include <filesystem>
#include <numbers>
#include <regex>
#include <set>

#include "app/run/run_meters.hpp"
#include "app/yaml/quantity.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

using namespace pithball;
using namespace pithball::app;

namespace {

/// The units of all keys, as on the page of keys.
std::set<std::string> units_of_keys() {
  const std::string page = read_text(std::filesystem::path(tests::source_folder) / "docs/keys.md");
  const std::regex kind(R"(\| (?:number|vector|per [a-z]+|expression)[^|\[]*\[([^\],]+)\])");
  std::set<std::string> units;
  for (std::sregex_iterator found(page.begin(), page.end(), kind), none; found != none; ++found)
    units.insert((*found)[1]);
  return units;
}

}  // namespace

TEST_CASE("units: a reciprocal is refused for every dimension", "[app][units]") {
  const std::set<std::string> units = units_of_keys();
  REQUIRE(units.size() > 15);
  for (const std::string& unit : units) {
    if (unit == "%") continue;
    INFO(unit);
    CHECK(read_quantity("3 " + unit, unit).value == 3);
    for (const std::string& reciprocal : {"3 (" + unit + ")^-1", "3 1/(" + unit + ")", "3 k(" + unit + ")^-1"})
      CHECK_FALSE(read_quantity(reciprocal, unit).problem.empty());
  }
  for (const auto& [written, unit] : std::vector<std::pair<std::string, std::string>>{{"4 m/N", "N/m"},
                                                                                      {"4 mm/N", "N/m"},
                                                                                      {"4 s2/kg", "N/m"},
                                                                                      {"2 1/kg", "kg"},
                                                                                      {"5 1/m", "m"},
                                                                                      {"4 s2/m", "m/s2"},
                                                                                      {"20 s", "1/s"},
                                                                                      {"1 kHz", "s"},
                                                                                      {"100 rpm", "s"},
                                                                                      {"2 1/deg", "rad"},
                                                                                      {"2 Hz", "s"}}) {
    INFO(written << " as " << unit);
    CHECK_THAT(read_quantity(written, unit).problem, Catch::Contains("is the reciprocal of"));
  }
  CHECK(read_quantity("60 rpm", "1/s").value == Approx(2 * std::numbers::pi));
  CHECK(read_quantity("50 %", "").value == 0.5);
}

TEST_CASE("units: those with several meanings are refused, others have that of their users", "[app][units]") {
  CHECK_THAT(read_quantity("1 ton", "kg").problem, Catch::Contains("1000 kg are a `tonne`"));
  CHECK(read_quantity("1 tonne", "kg").value == 1000);
  CHECK_THAT(read_quantity("5 gr", "kg").problem, Catch::Contains("grams are `g`"));
  CHECK(read_quantity("1 grain", "kg").value == Approx(64.79891e-6));
  const auto value = [](const char* text, const char* unit) {
    const Quantity quantity = read_quantity(text, unit);
    CAPTURE(text, quantity.problem);
    CHECK(quantity.problem.empty());
    return quantity.value;
  };
  CHECK(value("2 cal", "J") == Approx(8.368).epsilon(1e-15));
  CHECK(value("1 kcal", "J") == Approx(4184).epsilon(1e-15));
  CHECK(value("1 Da", "kg") == 1.66053906660e-27);  // CODATA 2018
  CHECK(value("1 kDa", "kg") == Approx(1.66053906660e-24).epsilon(1e-15));
  CHECK(value("1 Hartree", "J") == 4.3597447222071e-18);  // CODATA 2018
  CHECK(value("1 statV", "V") == Approx(299.792458).epsilon(1e-15));
  CHECK(value("1 statC", "C") == Approx(3.3356409519815204e-10).epsilon(1e-15));
  CHECK(value("1 aC", "C") == Approx(1e-18).epsilon(1e-15));
}

TEST_CASE("units: a run faster than light or 1e20 times as large has a note", "[app][units]") {
  MotionMeter calm, fast, far;
  const auto at = [](double x, double v) { return sim::State{1, sim::Vec3(x, 0, 0), sim::Vec3(0, v, 0)}; };
  for (MotionMeter* meter : {&calm, &fast, &far}) meter->add(at(1e-3, 2));
  calm.add(at(1e12, 2.9e8));
  fast.add(at(1, 3.1e8));
  far.add(at(2e17, 1));
  CHECK(calm.notes().empty());
  REQUIRE(fast.notes().size() == 1);
  CHECK_THAT(fast.notes()[0], Catch::Contains("1.03 times the speed of light"));
  REQUIRE(far.notes().size() == 1);
  CHECK_THAT(far.notes()[0], Catch::Contains("2e+20-fold"));
}
