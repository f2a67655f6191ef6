// The keys by which a fit's standard errors are chosen: read, kept, and rejected where they say nothing.

#include <string>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using nlohmann::json;
using pithball::test::Outcome;
using pithball::test::read_text;
using pithball::test::says;
using pithball::test::small_experiment;
using pithball::test::Workplace;

namespace {

/// Leaves fit.yaml, which fits the small experiment's stiffness and charge; `more`: further keys of `fit`.
void write_small_fit(const Workplace& place, const std::string& more) {
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run("record small.yaml --rate 50 --noise '1 mm' --out tracks.csv --overwrite").status == 0);
  place.write("fit.yaml",
              std::string(small_experiment) +
                  "fit:\n  recordings: [{file: tracks.csv, markers: [0, 1, 2]}]\n  residual: {sigma: 1 mm}\n"
                  "  parameters: [stiffness: {initial: 12}, charge: {initial: 1.2 uC}]\n" +
                  more);
}

}  // namespace

TEST_CASE("fit errors: none leaves out standard errors and intervals, and nothing else", "[app][fit]") {
  const Workplace place;
  write_small_fit(place, "");
  const Outcome computed = place.run("fit fit.yaml --json");
  INFO(computed.out << computed.err);
  REQUIRE(computed.status == 0);
  write_small_fit(place, "  standard_errors: none\n");
  const Outcome none = place.run("fit fit.yaml --out run --json");
  INFO(none.out << none.err);
  REQUIRE(none.status == 0);
  for (std::size_t k = 0; k < 2; ++k) {
    const json with = computed.json()["parameters"][k], without = none.json()["parameters"][k];
    CHECK(without["estimate"].get<double>() == Approx(with["estimate"].get<double>()).epsilon(1e-6));
    CHECK(with["standard_error"].get<double>() > 0);
    CHECK(with["interval"][0].is_number());
    CHECK(without["standard_error"].is_null());
    CHECK(without["interval"][0].is_null());
    CHECK(without["interval"][1].is_null());
  }
  CHECK(none.json()["uncertainty"].is_null());
  CHECK(place.run("report run").status == 0);
  // As a run's own run.yaml has it.
  CHECK(place.run("fit run/run.yaml --json").json()["parameters"][0]["standard_error"].is_null());
}

TEST_CASE("fit errors: the names of exact_standard_errors are those of parameters", "[app][fit]") {
  const Workplace place;
  write_small_fit(place, "  exact_standard_errors: [stiffness]\n");
  const Outcome fit = place.run("fit fit.yaml --json");
  INFO(fit.out << fit.err);
  CHECK(fit.status == 0);  // of two values all errors are exact

  write_small_fit(place, "  exact_standard_errors: [charge, mass]\n");
  const Outcome unknown = place.run("fit fit.yaml");
  CHECK(unknown.status == 2);
  CHECK(unknown.out.empty());
  CHECK(says(unknown.err, "fit.yaml:"));
  CHECK(says(unknown.err,
             "exact_standard_errors: must be parameters of the fit, got 'mass'; these are stiffness, charge"));
}

TEST_CASE("fit errors: what the two keys cannot mean is rejected with its place", "[app][fit][error]") {
  const Workplace place;
  const auto complaint = [&](const std::string& key) {
    write_small_fit(place, "  " + key + "\n");
    const Outcome rejected = place.run("fit fit.yaml");
    INFO(key << ": " << rejected.err);
    CHECK(rejected.status == 2);
    CHECK(rejected.out.empty());
    CHECK(says(rejected.err, "fit.yaml:"));
    return rejected.err;
  };
  CHECK(says(complaint("standard_errors: exact"), "fit.standard_errors: "));
  CHECK(says(complaint("standard_errors: exact"), "'exact'"));
  CHECK(says(complaint("standard_errors: exact"), "computed, none"));
  CHECK(says(complaint("standard_errors: [none]"), "fit.standard_errors: "));
  CHECK(says(complaint("exact_standard_errors: {stiffness: 1}"), "fit.exact_standard_errors: "));
  CHECK(says(complaint("exact_standard_errors: [[stiffness]]"), "fit.exact_standard_errors"));
  CHECK(says(complaint("exact_standard_error: [stiffness]"), "did you mean 'exact_standard_errors'"));
}
