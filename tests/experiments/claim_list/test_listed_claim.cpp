// Claims of a list held against made-up results.

#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/claim/claim.hpp"
#include "experiments/claim/claim_report.hpp"
#include "experiments/claim_list/listed_claim.hpp"
#include "experiments/claim_list/result_path.hpp"
#include "sim/core/error.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::experiments;
using nlohmann::ordered_json;

namespace {

const ordered_json results = ordered_json::parse(R"({
  "run": {
    "status": "diverged", "error": 0.12, "nothing": null, "zero": 0, "fine": true,
    "rows": [
      {"method": "imex_euler", "time_step": 0.15, "system.charge": "6 uC", "energy": {"mean": 0.1}},
      {"method": "imex_euler", "time_step": 0.03, "system.charge": "6 uC", "energy": {"mean": 0.06}},
      {"method": "imex_midpoint", "time_step": 0.15, "system.charge": "6 uC", "energy": {"mean": 0.005}},
      {"method": "velocity_verlet", "time_step": 0.15, "system.charge": "6 uC", "energy": {"mean": null}}]
  }})");

const std::string euler = "run/rows[method=imex_euler, time_step=0.15]/energy/mean",
                  midpoint = "run/rows[method=imex_midpoint]/energy/mean",
                  verlet = "run/rows[method=velocity_verlet]/energy/mean";

ListedClaim listed(ClaimKind kind, const std::string& find, double number = 0) {
  ListedClaim made;
  made.claim.kind = kind;
  made.claim.expected = number;
  made.find = find;
  return made;
}

Verdict verdict(const ListedClaim& made) { return judge(measured_claim(made, results)).verdict; }

}  // namespace

TEST_CASE("result path: keys, numbers of items, and items chosen by what they hold", "[experiments][paper]") {
  const auto value = [](const std::string& path) -> ordered_json {
    const ordered_json* found = find_result(results, path);
    return found ? *found : ordered_json("absent");
  };
  CHECK(value("run/status") == "diverged");
  CHECK(value("run/rows/1/time_step") == 0.03);
  CHECK(value(euler) == 0.1);
  CHECK(value("run/rows[system.charge=6 uC,time_step=3e-2]/energy/mean") == 0.06);
  CHECK(value("run/rows[method=velocity_verlet]/energy/mean").is_null());
  for (const char* absent : {"run/missing", "run/rows/4", "run/rows[method=rk4]/energy", "run/status/further",
                             "run/rows[time_step=0.1500001]", "run/status[a=b]", "other", "run/rows/-1"})
    CHECK(value(absent) == "absent");
  for (const char* wrong : {"", "run//status", "run/rows[method]", "run/rows[a=b", "run/rows[a=b]x"})
    CHECK_THROWS_AS(find_result(results, wrong), pithball::InvalidArgument);
}

TEST_CASE("listed claim: numbers and words are taken from where the list says", "[experiments][paper]") {
  CHECK(verdict(listed(ClaimKind::AtMost, euler, 0.1)) == Verdict::Holds);
  CHECK(verdict(listed(ClaimKind::AtMost, euler, 0.09)) == Verdict::Missed);
  ListedClaim word = listed(ClaimKind::Word, "run/status");
  word.claim.expected = "diverged";
  CHECK(verdict(word) == Verdict::Holds);
  word.claim.expected = "ok";
  CHECK(verdict(word) == Verdict::Missed);
  word.find = "run/fine";
  word.claim.expected = "true";
  CHECK(verdict(word) == Verdict::Holds);
}

TEST_CASE("listed claim: a quotient is judged as one number, and has none where a part has none",
          "[experiments][paper]") {
  ListedClaim ratio = listed(ClaimKind::AtLeast, euler, 19);
  ratio.over = midpoint;
  CHECK(std::get<double>(measured_claim(ratio, results).measured) == Approx(20).epsilon(1e-12));
  CHECK(verdict(ratio) == Verdict::Holds);
  for (const std::string& divisor : {verlet, std::string("run/zero")}) {
    ratio.over = divisor;
    CHECK(measured_text(measured_claim(ratio, results)) == "none");
    CHECK(verdict(ratio) == Verdict::Missed);
  }
}

TEST_CASE("listed claim: ours beats the paper's own method by being clearly less, or where that one fails",
          "[experiments][paper]") {
  ListedClaim beats = listed(ClaimKind::BetterThan, midpoint);
  beats.rival = euler;
  beats.claim.rival = "its method, here";
  const Claim better = measured_claim(beats, results);
  CHECK(verdict_text(better) == "better: 20 times less");
  CHECK(expected_text(better) == "less than 0.1 (its method, here)");
  std::swap(beats.find, beats.rival);
  CHECK(verdict_text(measured_claim(beats, results)) == "MISSED: 20 times more");
  beats.rival = beats.find;
  CHECK(verdict(beats) == Verdict::Holds);
  beats.rival = verlet;
  CHECK(verdict(beats) == Verdict::Better);
  std::swap(beats.find, beats.rival);
  CHECK(verdict(beats) == Verdict::Missed);
  beats.find = midpoint;
  beats.rival = "run/missing";
  CHECK(verdict(beats) == Verdict::Missed);
}

TEST_CASE("listed claim: what is not stated is shown; what the results lack is missed", "[experiments][paper]") {
  const Claim shown = measured_claim(listed(ClaimKind::NotStated, "run/error"), results);
  CHECK(judge(shown).verdict == Verdict::NotStated);
  CHECK(measured_text(shown) == "0.12");
  for (const ClaimKind kind : {ClaimKind::AtMost, ClaimKind::NotStated})
    for (const char* absent : {"run/missing", "run/rows"}) {
      const Judgment missing = judge(measured_claim(listed(kind, absent, 1), results));
      CHECK(missing.verdict == Verdict::Missed);
      CHECK(missing.remark.find(absent) != std::string::npos);
    }
  ListedClaim failed = listed(ClaimKind::AtMost, "run/nothing", 1);
  CHECK(verdict(failed) == Verdict::Missed);
  failed.claim.differs = "it is known to";
  CHECK(verdict(failed) == Verdict::Missed);
  failed.find = euler;
  CHECK(verdict(failed) == Verdict::HoldsAfterAll);
}

TEST_CASE("listed claim: what is skipped still says what the paper states, and why it is skipped",
          "[experiments][paper]") {
  const Claim skipped = skipped_claim(listed(ClaimKind::AtMost, "other/error", 0.15), "needs the whole run");
  CHECK(expected_text(skipped) == "at most 0.15");
  CHECK(measured_text(skipped) == "none");
  CHECK(verdict_text(skipped) == "skipped: needs the whole run");
}

TEST_CASE("result path: a star finds every member, and what one of them lacks is null", "[experiments][claim]") {
  const auto found = [&](const std::string& path) {
    std::string text;
    for (const ordered_json* value : find_results(results, path)) text += (value ? value->dump() : "absent") + " ";
    return text;
  };
  CHECK(found("run/rows[*, method=imex_euler]/time_step") == "0.15 0.03 ");
  CHECK(found("run/rows[*]/energy/mean") == "0.1 0.06 0.005 null ");
  CHECK(found("*/rows/*/time_step") == "0.15 0.03 0.15 0.15 ");
  CHECK(found("run/rows[*]/energy/max") == "absent absent absent absent ");
  CHECK(found("run/rows[*, method=rk4]/energy") == "absent ");
  CHECK(found("run/status/*") == "absent ");
  CHECK(finds_several("*/status"));
  CHECK(!finds_several("run/rows[a=b]"));
  CHECK_THROWS_AS(find_result(results, "*/status"), pithball::InvalidArgument);
  const ordered_json named = ordered_json::parse(R"({"fit": [{"name": "charge[0]", "estimate": 2}]})");
  CHECK(*find_result(named, "fit[name=charge[0]]/estimate") == 2);
}

namespace {

ListedNumber written(Series numbers) {
  ListedNumber number;
  number.given = std::move(numbers);
  return number;
}

ListedNumber reduced(const std::string& reduction, const std::string& expression) {
  ListedNumber number;
  number.reduction = reduction;
  number.expression = expression;
  return number;
}

/// Series a = 1, 3, −2, 10 and b = 1, 2, left out, 4; c is a/b for each, d half of 8.
const ItemValues values{{"a", written({1, 3, -2, 10})},
                        {"b", written({1, 2, {}, 4})},
                        {"c", reduced("", "a/b")},
                        {"d", reduced("value", "8/2")},
                        {"steps", ListedNumber("run/rows[*, method=imex_euler]/time_step")},
                        {"energies", ListedNumber("run/rows[*]/energy/mean")}};

double number(const std::string& reduction, const std::string& expression) {
  return evaluate(reduced(reduction, expression), values, results).front().value();
}

}  // namespace

TEST_CASE("listed number: expressions act on each number of a series, and reductions make one of them",
          "[experiments][claim]") {
  CHECK(number("largest", "a") == 10);
  CHECK(number("smallest", "a") == -2);
  CHECK(number("middle", "a") == 4);
  CHECK(number("half_range", "a") == 6);
  CHECK(number("sum", "a") == 12);
  CHECK(number("mean", "a") == 3);
  CHECK(number("median", "a") == 2);
  CHECK(number("spread", "a") == Approx(1.4826 * 2.5).epsilon(1e-12));
  CHECK(number("rms", "a") == Approx(std::sqrt(28.5)).epsilon(1e-12));
  CHECK(number("positive", "a") == 3);
  CHECK(number("median", "c") == 1.5);  // of 1, 1.5 and 2.5
  CHECK(number("sum", "c + d") == Approx(5 + 12).epsilon(1e-12));
  CHECK(number("value", "d^2") == 16);
  CHECK(number("largest", "steps") == 0.15);
  CHECK(std::isnan(number("value", "a")));           // which of four?
  CHECK(std::isnan(number("largest", "energies")));  // one run has none
  CHECK(std::isnan(number("positive", "energies")));
  CHECK_THROWS_AS(number("sum", "a + steps"), pithball::InvalidArgument);
  CHECK(paths_of(reduced("sum", "c*steps"), values) ==
        std::vector<std::string>{"run/rows[*, method=imex_euler]/time_step"});
}

TEST_CASE("listed claim: error and tolerance may come from the results too", "[experiments][claim]") {
  ListedClaim range = listed(ClaimKind::Within, "", 9);
  range.find = reduced("middle", "a");
  range.error = reduced("half_range", "a");
  range.within_errors = 1;
  const Claim claim = measured_claim(range, results, values);
  CHECK(std::get<double>(claim.measured) == 4);
  CHECK(claim.error == 6);
  CHECK(claim.tolerance == 6);
  CHECK(judge(claim).verdict == Verdict::Holds);
  range.within_errors = 0.5;
  CHECK(judge(measured_claim(range, results, values)).verdict == Verdict::Missed);
  range.find = reduced("", "a");
  const Claim several = measured_claim(range, results, values);
  CHECK(judge(several).verdict == Verdict::Missed);
  CHECK(several.failure.find("4 numbers") != std::string::npos);
}

TEST_CASE("item table: columns have a row for each entry, and leave out runs that were not made",
          "[experiments][claim]") {
  const ItemTable table{"Steps",
                        {{"method", ListedNumber("run/rows[*]/method")},
                         {"energy", ListedNumber("run/rows[*]/energy/mean")},
                         {"four", reduced("", "d")},
                         {"other", ListedNumber("other/rows[*]/method")}}};
  const ordered_json filled = fill_table(table, values, results);
  CHECK(filled.at("columns") == ordered_json{"method", "energy", "four"});
  REQUIRE(filled.at("rows").size() == 4);
  CHECK(filled.at("rows")[3] == ordered_json{"velocity_verlet", nullptr, 4.0});
  const std::string text = tables_text(ordered_json::array({filled}));
  CHECK(text.find("Steps\n  method") == 0);
  CHECK(text.find("velocity_verlet  –") != std::string::npos);
}
