#include "optim/uncertainty/common_unit.hpp"

#include <cmath>

#include "sim/core/counter_noise.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;
using pithball::sim::CounterNoise;
using pithball::test::complaint;
using pithball::test::contains;

namespace {

/// Multiples of 1.6 with normal errors, to three digits.
///
/// The numbers of the first test are those of NumPy 1.26 and SciPy, written apart from the code under test:
///    def phi(u): a = exp(-2*pi**2*s**2/u**2); return sqrt(2/(a*a).sum()) * (a*cos(2*pi*q/u)).sum()
///    def logL(u): return sum(log(exp(-(q[i] - arange(-60, 61)*u)**2/2/s[i]**2).sum()) for i in range(20))
///    minimize_scalar(lambda u: -logL(u), bounds=(1.5, 1.7), method="bounded", options=dict(xatol=1e-12))
/// and the error from the second difference of logL over 1e-4.
MeasuredValues twenty_charges() {
  MeasuredValues values{Vector(20), Vector(20)};
  values.value << 1.624, 1.479, 3.249, -1.57, 4.74, -2.92, 7.91, 1.609, 3.11, 6.512, -5.021, 9.68, 1.66, -1.696, 3.25,
      11.15, 4.944, -6.544, 1.84, 3.083;
  values.error << .08, .11, .07, .15, .12, .2, .1, .09, .3, .14, .13, .2, .06, .16, .1, .25, .12, .18, .4, .09;
  return values;
}

UnitSearch wide_search() {
  UnitSearch search;
  search.low = 1;
  search.high = 2.5;
  return search;
}

enum Streams : std::uint64_t { Sizes = 1, Errors };

/// Twelve values up to 6 of either sign with errors from `least` to twice that: smooth, or multiples of 1.6.
MeasuredValues draw_values(Index set, double least, bool multiples) {
  const CounterNoise sizes(5, Sizes), errors(5, Errors);
  MeasuredValues values{Vector(12), Vector(12)};
  for (Index i = 0; i < 12; ++i) {
    values.error[i] = least * (1 + sizes.uniform(set, i, 1));
    const double size = 12 * sizes.uniform(set, i, 0) - 6;
    values.value[i] = (multiples ? 1.6 * std::round(size / 1.6) : size) + values.error[i] * errors.normal(set, i, 0);
  }
  return values;
}

/// Parts of smooth sets whose p-value is at most 1 % and 5 %.
std::pair<double, double> false_alarms(Index sets, Index simulations) {
  double one = 0, five = 0;
  UnitSearch search = wide_search();
  search.simulations = simulations;
  for (Index set = 0; set < sets; ++set) {
    search.seed = static_cast<std::uint64_t>(set);
    const double p = find_common_unit(draw_values(set, 0.12, false), search).p_value;
    one += p <= 0.01;
    five += p <= 0.05;
  }
  return {one / static_cast<double>(sets), five / static_cast<double>(sets)};
}

/// Results for sets of multiples.
struct MultipleSets {
  double found = 0,         ///< part with a peak at the level
      covered = 0,          ///< of those that are resolved, within 1.96 errors of the truth
      predicted_power = 0;  ///< mean
};

MultipleSets look_for_multiples(Index sets, Index simulations, double least) {
  MultipleSets all;
  UnitSearch search = wide_search();
  search.simulations = simulations;
  search.supposed = 1.6;
  double resolved = 0, right = 0;
  for (Index set = 0; set < sets; ++set) {
    search.seed = static_cast<std::uint64_t>(set);
    const CommonUnit found = find_common_unit(draw_values(set, least, true), search);
    all.found += found.p_value <= search.level;
    all.predicted_power += found.power;
    if (found.status != UnitStatus::Resolved) continue;
    ++resolved;
    right += std::abs(found.unit - 1.6) <= 1.96 * found.error;
  }
  all.found /= static_cast<double>(sets);
  all.predicted_power /= static_cast<double>(sets);
  all.covered = resolved > 0 ? right / resolved : NAN;
  return all;
}

}  // namespace

TEST_CASE("common_unit: quantogram, unit, error and misfit of twenty charges", "[optim][common_unit][reference]") {
  const MeasuredValues values = twenty_charges();
  CHECK(quantogram(values, 1.6) == Approx(5.563657156142192).epsilon(1e-12));
  CHECK(quantogram(values, 1.45) == Approx(0.39593215829238904).epsilon(1e-10));
  CHECK(quantogram(values, 0.8) == Approx(3.9946257091962742).epsilon(1e-12));
  CHECK(quantogram(values, 1.1) == Approx(-1.0933461050538191).epsilon(1e-11));
  UnitSearch search = wide_search();
  const CommonUnit found = find_common_unit(values, search);
  CHECK(found.status == UnitStatus::Resolved);
  CHECK(found.unit == Approx(1.606009412092636).epsilon(1e-8));
  CHECK(found.statistical_error == Approx(0.010070690786486682).epsilon(1e-4));  // a second difference
  CHECK(found.error == found.statistical_error);
  CHECK(found.misfit == Approx(0.8003120852308513).epsilon(1e-6));
  // Ten samples for a period of the fastest cosine: φ of 5.586 falls by at most 1 − cos(π/10) between two of them.
  CHECK(found.peak <= 5.5861258470670805 * (1 + 1e-9));
  CHECK(found.peak > 0.95 * 5.5861258470670805);
  CHECK(found.p_value == 1.0 / 2001);
  CHECK(found.share > 0.999);
  CHECK(found.power > 0.999);
  CHECK(found.set_aside == 0);
  CHECK(found.multiples[0] == 1);
  CHECK(found.multiples[3] == -1);
  CHECK(found.multiples[15] == 7);
  search.scale_error = 0.03;
  const CommonUnit scaled = find_common_unit(values, search);
  CHECK(scaled.statistical_error == found.statistical_error);
  CHECK(scaled.error == Approx(std::hypot(found.error, 0.03 * found.unit)).epsilon(1e-12));
}

TEST_CASE("common_unit: values of a smooth set raise false alarms as often as the level says",
          "[optim][common_unit][statistics]") {
  const auto [one, five] = false_alarms(400, 200);
  CHECK(five > 0.02);  // of a binomial with 5 %, three standard deviations are 3.3 %
  CHECK(five < 0.083);
  CHECK(one < 0.025);
}

TEST_CASE("common_unit: many smooth sets raise false alarms as often as the level says",
          "[optim][common_unit][statistics][slow]") {
  const auto [one, five] = false_alarms(4000, 1000);
  CHECK(five == Approx(0.05).margin(0.0103));  // three standard deviations
  CHECK(one == Approx(0.01).margin(0.0047));
}

TEST_CASE("common_unit: multiples are found as often as the power says, and the unit lies within its error",
          "[optim][common_unit][statistics]") {
  const MultipleSets exact = look_for_multiples(200, 200, 0.08);
  CHECK(exact.found > 0.95);
  CHECK(exact.covered > 0.90);  // of 95 %, three standard deviations are 4.6 %
  const MultipleSets coarse = look_for_multiples(200, 200, 0.16);
  CHECK(coarse.found < 0.95);
  CHECK(coarse.found > 0.05);
  CHECK(coarse.found == Approx(coarse.predicted_power).margin(0.12));
}

TEST_CASE("common_unit: the intervals of many sets of multiples cover the unit",
          "[optim][common_unit][statistics][slow]") {
  const MultipleSets exact = look_for_multiples(2000, 400, 0.08);
  CHECK(exact.covered == Approx(0.95).margin(0.02));
  const MultipleSets coarse = look_for_multiples(2000, 400, 0.16);
  CHECK(coarse.found == Approx(coarse.predicted_power).margin(0.05));
}

TEST_CASE("common_unit: large errors are no evidence against a unit", "[optim][common_unit]") {
  UnitSearch search = wide_search();
  search.supposed = 1.6;
  MeasuredValues values = twenty_charges();
  values.error.setConstant(0.9);
  const CommonUnit hopeless = find_common_unit(values, search);
  CHECK(hopeless.status == UnitStatus::CannotBeResolved);
  CHECK(hopeless.power < 0.5);
  CHECK(std::isnan(hopeless.smallest_resolvable));
  // A smooth set with small errors is evidence.
  const CommonUnit smooth = find_common_unit(draw_values(1, 0.1, false), search);
  CHECK(smooth.status == UnitStatus::NotResolved);
  CHECK(smooth.power > 0.9);
  CHECK(smooth.smallest_resolvable < 1.6);
}

TEST_CASE("common_unit: a half of the unit is not taken for it, nor neutral values for evidence",
          "[optim][common_unit]") {
  UnitSearch search = wide_search();
  search.low = 0.6;  // 0.8 fits as well as 1.6
  const CommonUnit whole = find_common_unit(twenty_charges(), search);
  CHECK(whole.status == UnitStatus::Resolved);
  CHECK(whole.unit == Approx(1.606).epsilon(1e-3));
  // Ten neutral values are multiples of every unit.
  MeasuredValues values{Vector::Zero(12), Vector::Constant(12, 0.1)};
  values.value[10] = 1.55;
  values.value[11] = 4.2;
  const CommonUnit neutral = find_common_unit(values, search);
  CHECK(neutral.set_aside == 10);
  CHECK(neutral.p_value > 0.01);
  CHECK(neutral.status != UnitStatus::Resolved);
}

TEST_CASE("common_unit: errors that are too small are noticed, and widen that of the unit", "[optim][common_unit]") {
  MeasuredValues values = twenty_charges();
  const double honest = find_common_unit(values, wide_search()).statistical_error;
  values.error /= 3;
  const CommonUnit found = find_common_unit(values, wide_search());
  CHECK(found.misfit > 5);
  CHECK(found.statistical_error == Approx(honest).epsilon(0.3));
}

TEST_CASE("common_unit: results do not depend on unit, sign or order, and wrong input is rejected",
          "[optim][common_unit][error]") {
  const MeasuredValues values = twenty_charges();
  const CommonUnit found = find_common_unit(values, wide_search());
  MeasuredValues other{-1e-19 * values.value, 1e-19 * values.error};
  UnitSearch search = wide_search();
  search.low *= 1e-19;
  search.high *= 1e-19;
  CHECK(find_common_unit(other, search).unit == Approx(1e-19 * found.unit).epsilon(1e-9));
  CHECK(find_common_unit(other, search).error == Approx(1e-19 * found.error).epsilon(1e-6));

  const auto rejected = [](const MeasuredValues& wrong, const UnitSearch& how, const char* words) {
    const std::string said = complaint([&] { find_common_unit(wrong, how); });
    CAPTURE(said, words);
    CHECK(contains(said, words));
  };
  search = wide_search();
  search.high = 0.5;
  rejected(values, search, "range: must be two units > 0");
  search = wide_search();
  search.low = 1e-9;
  rejected(values, search, "2^24 cosines");
  search = wide_search();
  search.supposed = 3;
  rejected(values, search, "supposed: must lie in the range");
  search = wide_search();
  search.simulations = 50;
  rejected(values, search, "simulations: must be at least 1/level = 100");
  MeasuredValues wrong = values;
  wrong.error[3] = 0;
  rejected(wrong, wide_search(), "errors[3]: must be > 0, got 0");
  wrong.error.conservativeResize(19);
  rejected(wrong, wide_search(), "must be as many as values (20), got 19");
  CHECK(contains(complaint([&] { quantogram(values, 0); }), "unit: must be > 0"));
}
