// Every verdict of a claim, how it is told, and the exit status that it asks for.

#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/bench/coulomb_report.hpp"
#include "experiments/bench/recovery_bench.hpp"
#include "experiments/claim/claim.hpp"
#include "experiments/claim/claim_report.hpp"
#include "experiments/claim/statistics.hpp"
#include "experiments/paper/ddef_study.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::experiments;

namespace {

const std::string because = "a ruler";

Claim at_most(double measured, double limit) { return claim_at_most("length", measured, limit, "m", because); }
Claim at_least(double measured, double limit) { return claim_at_least("length", measured, limit, "m", because); }
Claim within(double measured, double expected, double tolerance) {
  return claim_within("length", measured, expected, tolerance, "m", because);
}
Claim better(double measured, double rival) { return claim_better("error", measured, rival, "rival", "m", because); }

Claim known(Claim claim) {
  claim.differs = "it bends";
  return claim;
}

Verdict verdict(const Claim& claim) { return judge(claim).verdict; }

}  // namespace

TEST_CASE("claim: each comparison holds on its own side of the number only", "[experiments][claim]") {
  CHECK(verdict(at_most(1, 1)) == Verdict::Holds);
  CHECK(verdict(at_most(1.01, 1)) == Verdict::Missed);
  CHECK(verdict(at_least(1, 1)) == Verdict::Holds);
  CHECK(verdict(at_least(0.99, 1)) == Verdict::Missed);
  CHECK(verdict(within(1.02, 1, 0.03)) == Verdict::Holds);
  CHECK(verdict(within(0.98, 1, 0.03)) == Verdict::Holds);
  CHECK(verdict(within(1.04, 1, 0.03)) == Verdict::Missed);
  CHECK(verdict(within(0.96, 1, 0.03)) == Verdict::Missed);
  CHECK(verdict(claim_word("status", "ok", "ok", because)) == Verdict::Holds);
  CHECK(verdict(claim_word("status", "diverged", "ok", because)) == Verdict::Missed);
}

TEST_CASE("claim: better than a rival is clearly less; a rival that has none is beaten", "[experiments][claim]") {
  CHECK(verdict(better(1, 20)) == Verdict::Better);
  CHECK(judge(better(1, 20)).remark == "20 times less");
  CHECK(verdict(better(20, 1)) == Verdict::Missed);
  CHECK(judge(better(20, 1)).remark == "20 times more");
  CHECK(verdict(better(1, 1)) == Verdict::Holds);
  Claim close = better(1.04, 1);
  CHECK(verdict(close) == Verdict::Missed);
  close.tolerance = 0.05;
  CHECK(verdict(close) == Verdict::Holds);
  Claim alone = better(1, NAN);
  CHECK(verdict(alone) == Verdict::Missed);  // nobody knows why the rival has no number
  alone.expected = "it diverged";
  CHECK(verdict(alone) == Verdict::Better);
}

TEST_CASE("claim: what was not measured is missed, whatever is claimed", "[experiments][claim]") {
  for (const double nothing : {NAN, INFINITY, -INFINITY}) {
    CHECK(verdict(at_most(nothing, 1)) == Verdict::Missed);
    CHECK(verdict(at_least(nothing, 1)) == Verdict::Missed);
    CHECK(verdict(within(nothing, 1, INFINITY)) == Verdict::Missed);
    CHECK(verdict(better(nothing, 1)) == Verdict::Missed);
    CHECK(verdict(known(at_most(nothing, 1))) == Verdict::Missed);  // a reason explains a number, not its absence
    CHECK(verdict(at_most(1, nothing)) == Verdict::Missed);
  }
  CHECK(verdict(within(1, 1, NAN)) == Verdict::Missed);
  CHECK(verdict(claim_word("status", "", "", because)) == Verdict::Missed);
  Claim empty = at_most(1, 2);
  empty.measured = {};
  CHECK(verdict(empty) == Verdict::Missed);
  CHECK(judge(empty).remark == "there is no number");
  Claim failed = claim_shown("length", 1, NAN, "m", because);
  CHECK(verdict(failed) == Verdict::NotStated);
  failed.failure = "the run could not be made";
  CHECK(verdict(failed) == Verdict::Missed);
  CHECK(judge(failed).remark == "the run could not be made");
}

TEST_CASE("claim: a known difference is reported as such, and so is its end", "[experiments][claim]") {
  CHECK(verdict(known(at_most(2, 1))) == Verdict::DiffersAsExplained);
  CHECK(verdict(known(at_most(1, 1))) == Verdict::HoldsAfterAll);
  CHECK(verdict(known(better(2, 1))) == Verdict::DiffersAsExplained);
  CHECK(verdict(known(better(1, 2))) == Verdict::HoldsAfterAll);
  CHECK(reason_text(known(at_most(2, 1))) == "it bends");
}

TEST_CASE("claim: only a missed one ends with status 1", "[experiments][claim]") {
  Claim skipped = at_most(2, 1);
  skipped.skipped = "needs the whole run";
  CHECK(verdict(skipped) == Verdict::Skipped);
  const std::vector<Claim> fine{at_most(1, 1),        better(1, 2), known(at_most(2, 1)),
                                known(at_most(1, 1)), skipped,      claim_shown("length", 1, NAN, "m", because)};
  CHECK(exit_status(fine) == 0);
  CHECK(exit_status(std::vector<Claim>{}) == 0);
  for (const Claim& missed : {at_most(2, 1), at_most(NAN, 1), known(at_most(NAN, 1))}) {
    std::vector<Claim> one_missed = fine;
    one_missed.insert(one_missed.begin() + 2, missed);
    CHECK(exit_status(one_missed) == 1);
    CHECK(exit_status(std::vector<ClaimGroup>{{"fine", fine}, {"missed", one_missed}}) == 1);
  }
  CHECK(exit_status(std::vector<ClaimGroup>{{"fine", fine}, {"fine too", fine}}) == 0);
}

TEST_CASE("claim: numbers are reported with error, tolerance and the prefix of their unit", "[experiments][claim]") {
  Claim charge = claim_within("charge", 5.294e-5, 8e-5, 4e-6, "C", because);
  charge.error = 1.7e-6;
  CHECK(measured_text(charge) == "52.94 ± 1.7 µC");
  CHECK(expected_text(charge) == "80 ± 4 µC");
  charge.unit = "e-5 C";  // no plain unit: told as it is
  CHECK(expected_text(charge) == "8e-05 ± 4e-06 e-5 C");
  CHECK(expected_text(within(0, 0, 1e-4)) == "0 ± 100 µm");
  CHECK(expected_text(at_most(1, 0.15)) == "at most 150 mm");
  CHECK(expected_text(at_least(1, 2)) == "at least 2 m");
  CHECK(expected_text(better(1, 2)) == "less than 2 m (rival)");
  CHECK(expected_text(claim_shown("length", 1, NAN, "m", because)) == "not stated");
  CHECK(measured_text(at_most(NAN, 1)) == "none");
  CHECK(measured_text(claim_shown("particles", 1234567, NAN, "", because)) == "1234567");
  CHECK(verdict_text(better(20, 1)) == "MISSED: 20 times more");
}

TEST_CASE("claim: the table has a line for each, in columns, and counts verdicts", "[experiments][claim]") {
  const std::string table = table_of_claims({{"Rulers", {at_most(1, 2), claim_word("µ", "ok", "ok", "it ends")}},
                                             {"Others", {at_most(3, 2), at_most(4, 2)}}});
  CHECK(table ==
        "claim     measured  expected     verdict  why\n"
        "Rulers\n"
        "  length  1 m       at most 2 m  holds    a ruler\n"
        "  µ       ok        ok           holds    it ends\n"
        "Others\n"
        "  length  3 m       at most 2 m  MISSED   a ruler\n"
        "  length  4 m       at most 2 m  MISSED   a ruler\n"
        "claims: 2 holds; 2 missed\n");
  CHECK(table_of_claims({}).empty());
}

TEST_CASE("claim: rows of JSON hold every part, and null for what is not there", "[experiments][claim]") {
  const auto rows = rows_of_claims({within(1.04, 1, 0.03), claim_shown("mass", NAN, NAN, "kg", because)});
  CHECK(rows[0] == nlohmann::ordered_json{{"quantity", "length"},
                                          {"value", 1.04},
                                          {"error", nullptr},
                                          {"unit", "m"},
                                          {"comparison", "within"},
                                          {"expected", 1.0},
                                          {"tolerance", 0.03},
                                          {"rival", nullptr},
                                          {"verdict", "missed"},
                                          {"holds", false},
                                          {"remark", ""},
                                          {"why", "a ruler"}});
  CHECK(rows[1]["value"].is_null());
  CHECK(rows[1]["holds"].is_null());
  CHECK(rows_of_claims({at_most(1, 1)})[0]["holds"] == true);
}

TEST_CASE("worst: a number that is not there is not lost among the others", "[experiments][claim]") {
  Worst none, numbers, missing;
  for (const double value : {2., 3., 1.}) numbers.add(value);
  for (const double value : {2., double(NAN), 1.}) missing.add(value);
  CHECK(std::isnan(none.largest()));
  CHECK(numbers.largest() == 3);
  CHECK(numbers.smallest() == 1);
  CHECK(std::isnan(missing.largest()));
  CHECK(std::isnan(missing.smallest()));
}

TEST_CASE("bench coulomb: errors beyond what a method promises are missed claims", "[experiments][bench][claim]") {
  CoulombRow fmm{.method = "fmm", .distribution = "cube", .n = 1000, .tolerance = 1e-3, .errors = {1e-4, 9e-4}};
  CoulombRow direct{.method = "direct", .distribution = "cube", .n = 1000, .errors = {1e-15}};
  const CoulombRow timed{.method = "direct", .distribution = "cube", .n = 1000000, .extrapolated = true, .errors = {}};
  const CoulombRow ddef{.method = "ddef", .distribution = "cube", .n = 1000, .errors = {0.1}};
  CHECK(coulomb_claims({timed, ddef}).empty());
  CHECK(coulomb_claims({fmm, direct, timed, ddef}).size() == 2);
  CHECK(exit_status(coulomb_claims({fmm, direct, timed, ddef})) == 0);
  direct.errors = {1e-12};
  CHECK(exit_status(coulomb_claims({fmm, direct})) == 1);
  direct.method = "direct_single";
  CHECK(exit_status(coulomb_claims({fmm, direct})) == 0);
  fmm.errors = {1e-4, 1.1e-3};
  CHECK(exit_status(coulomb_claims({fmm, direct})) == 1);
  fmm.quantity = CoulombQuantity::Jvp;
  CHECK(exit_status(coulomb_claims({fmm})) == 0);
  fmm.errors = {1e-4, NAN};
  CHECK(exit_status(coulomb_claims({fmm})) == 1);
}

TEST_CASE("bench recovery: fits that fail and intervals that lie are missed claims", "[experiments][bench][claim]") {
  const RecoveryCase noisy{.noise = 0.01, .missing = 0.6};
  RecoveryFigures figures{
      .repetitions = 200, .converged = 200, .identifiable_share = 1, .coverage = 0.94, .evaluations = {}};
  CHECK(exit_status(recovery_claims(noisy, figures)) == 0);
  figures.coverage = 0.91;  // by 4 %, of which 3 % are chance
  CHECK(exit_status(recovery_claims(noisy, figures)) == 1);
  figures.identifiable_share = 0.9;  // which excuses nothing
  CHECK(exit_status(recovery_claims(noisy, figures)) == 1);
  figures.coverage = NAN;
  CHECK(exit_status(recovery_claims(noisy, figures)) == 1);
  figures.identifiable_share = 0;
  CHECK(verdict(recovery_claims(noisy, figures)[1]) == Verdict::Skipped);
  figures.repetitions = figures.converged = 3;
  CHECK(verdict(recovery_claims(noisy, figures)[1]) == Verdict::Skipped);
  figures.converged = 2;
  CHECK(exit_status(recovery_claims(noisy, figures)) == 1);
  CHECK(recovery_claims({.noise = 0, .missing = 0.6}, figures).size() == 1);
}

TEST_CASE("study ddef: what its page says is claimed of the worst of all cases", "[experiments][paper][claim]") {
  const auto row = [](const char* variant, const char* far_field, double error) {
    return nlohmann::json{
        {"surface", "torus"},          {"n", 1000}, {"m", 500}, {"variant", variant}, {"far_field", far_field},
        {"mean_relative_error", error}};
  };
  const auto study = [&](double put_right) {
    return nlohmann::json{
        {"rows",
         {row("paper_text", "interpolate", 0.4), row("paper_algorithm", "interpolate", 0.18),
          row("consistent", "interpolate", put_right), row("paper_text", "ignore", 0.9),
          row("paper_algorithm", "ignore", 1.0)}},
        {"fmm", {{{"surface", "torus"}, {"n", 1000}, {"tolerance", 0.01}, {"mean_relative_error", 0.005}}}}};
  };
  CHECK(exit_status(paper::ddef_claims(study(0.08))) == 0);
  CHECK(exit_status(paper::ddef_claims(study(0.12))) == 1);
  CHECK(exit_status(paper::ddef_claims(study(0.01))) == 1);
  CHECK(exit_status(paper::ddef_claims(study(NAN))) == 1);
  CHECK(exit_status(paper::ddef_claims({{"rows", nlohmann::json::array()}, {"fmm", nlohmann::json::array()}})) == 1);
}
