// Claims held against made-up results.

#include <nlohmann/json.hpp>

#include "experiments/paper/claim.hpp"
#include "experiments/paper/result_path.hpp"
#include "sim/core/error.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::experiments::paper;
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

Claim claim(ClaimKind kind, const std::string& find, double number = 0) {
  Claim made;
  made.kind = kind;
  made.find = find;
  made.number = number;
  return made;
}

Verdict verdict(const Claim& made) { return judge(made, results).verdict; }

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

TEST_CASE("claim: each comparison agrees on its own side of the number only", "[experiments][paper]") {
  CHECK(verdict(claim(ClaimKind::AtMost, euler, 0.15)) == Verdict::Agrees);
  CHECK(verdict(claim(ClaimKind::AtMost, euler, 0.1)) == Verdict::Agrees);
  CHECK(verdict(claim(ClaimKind::AtMost, euler, 0.09)) == Verdict::Differs);
  CHECK(verdict(claim(ClaimKind::AtLeast, euler, 0.09)) == Verdict::Agrees);
  CHECK(verdict(claim(ClaimKind::AtLeast, euler, 0.11)) == Verdict::Differs);
  Claim about = claim(ClaimKind::About, euler, 0.11);
  about.within = 0.1;
  CHECK(verdict(about) == Verdict::Agrees);
  about.within = 0.05;
  CHECK(verdict(about) == Verdict::Differs);
  Claim word = claim(ClaimKind::Is, "run/status");
  word.word = "diverged";
  CHECK(verdict(word) == Verdict::Agrees);
  word.word = "ok";
  CHECK(verdict(word) == Verdict::Differs);
  word.find = "run/fine";
  word.word = "true";
  CHECK(verdict(word) == Verdict::Agrees);
}

TEST_CASE("claim: a quotient is judged as one number, and has none where a part has none", "[experiments][paper]") {
  Claim ratio = claim(ClaimKind::AtLeast, euler, 19);
  ratio.over = midpoint;
  CHECK(judge(ratio, results).ours.get<double>() == Approx(20).epsilon(1e-12));
  CHECK(verdict(ratio) == Verdict::Agrees);
  for (const std::string& divisor : {verlet, std::string("run/zero")}) {
    ratio.over = divisor;
    CHECK(judge(ratio, results).ours.is_null());
    CHECK(verdict(ratio) == Verdict::Differs);
    CHECK(our_text(ratio, judge(ratio, results)) == "none");
  }
}

TEST_CASE("claim: ours beats the paper's own method by being clearly less, or where that one fails",
          "[experiments][paper]") {
  Claim beats = claim(ClaimKind::Beats, midpoint);
  beats.rival = euler;
  const Finding better = judge(beats, results);
  CHECK(better.verdict == Verdict::Better);
  CHECK(better.remark == "20 times less");
  CHECK(verdict_text(better) == "better: 20 times less");
  CHECK(paper_text(beats, better) == "0.1 (its method, here)");
  std::swap(beats.find, beats.rival);
  CHECK(judge(beats, results).verdict == Verdict::Differs);
  CHECK(judge(beats, results).remark == "20 times more");
  beats.rival = beats.find;
  CHECK(judge(beats, results).verdict == Verdict::Agrees);
  beats.rival = verlet;
  CHECK(judge(beats, results).verdict == Verdict::Better);
  std::swap(beats.find, beats.rival);
  CHECK(judge(beats, results).verdict == Verdict::Differs);
}

TEST_CASE("claim: what is not stated is shown and not judged; what the results lack is told", "[experiments][paper]") {
  const Finding shown = judge(claim(ClaimKind::NotStated, "run/error"), results);
  CHECK(shown.verdict == Verdict::NotComparable);
  CHECK(!shown.missing);
  CHECK(shown.ours == 0.12);
  CHECK(paper_text(claim(ClaimKind::NotStated, "run/error"), shown) == "not stated");
  for (const char* absent : {"run/missing", "run/rows"}) {
    const Finding missing = judge(claim(ClaimKind::AtMost, absent, 1), results);
    CHECK(missing.missing);
    CHECK(missing.verdict == Verdict::NotComparable);
    CHECK(missing.remark.find(absent) != std::string::npos);
  }
  const Finding failed = judge(claim(ClaimKind::AtMost, "run/nothing", 1), results);
  CHECK(!failed.missing);
  CHECK(failed.verdict == Verdict::Differs);
}

TEST_CASE("claim: what is skipped still says what the paper states, and why it is skipped", "[experiments][paper]") {
  const Claim most = claim(ClaimKind::AtMost, "other/error", 0.15);
  const Finding skipped = skip(most, "needs the whole run");
  CHECK(paper_text(most, skipped) == "at most 0.15");
  CHECK(our_text(most, skipped) == "none");
  CHECK(verdict_text(skipped) == "skipped: needs the whole run");
}

TEST_CASE("claim: numbers are told with the prefix of their unit", "[experiments][paper]") {
  Claim charge = claim(ClaimKind::About, "run/error", 8e-5);
  charge.unit = "C";
  CHECK(paper_text(charge, judge(charge, results)) == "80 µC");
  CHECK(our_text(charge, judge(charge, results)) == "120 mC");
  charge.unit = "";
  CHECK(paper_text(charge, judge(charge, results)) == "8e-05");
  const Claim most = claim(ClaimKind::AtMost, "run/error", 0.15);
  CHECK(paper_text(most, judge(most, results)) == "at most 0.15");
}
