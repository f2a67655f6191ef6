// Claims of a list held against made-up results.

#include <nlohmann/json.hpp>

#include "experiments/claim/claim_text.hpp"
#include "experiments/claim/verdict.hpp"
#include "experiments/claim_list/listed_claim.hpp"
#include "experiments/claim_list/result_path.hpp"
#include "sim/core/error.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::experiments;
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
