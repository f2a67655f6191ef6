// Nothing in a run may be measured against 1 m, 1 kg or 1 s: the same body at another scale moves alike.
#include "tests/support/net.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

/// Each unit alone from 4^-20 to 4^20, and the corners and edges of all three together.
std::vector<Scale> scales() {
  constexpr int most = 20;
  std::vector<Scale> list;
  for (int e = -most; e <= most; ++e)
    if (e != 0)
      for (const Scale& s : {Scale{.length = e}, Scale{.mass = e}, Scale{.time = e}}) list.push_back(s);
  for (const int l : {-most, 0, most})
    for (const int m : {-most, 0, most})
      for (const int t : {-most, 0, most})
        if ((l != 0) + (m != 0) + (t != 0) > 1) list.push_back({.length = l, .mass = m, .time = t});
  for (int k = 1; k <= 20; ++k)  // between them
    list.push_back({.length = k * 7 % 41 - 20, .mass = k * 11 % 41 - 20, .time = k * 17 % 41 - 20});
  return list;
}

/// What a case with numbers beyond the range of double is called; empty if there are none.
std::string leaves_range(const net::Case&, const Scale&) { return {}; }

/// Bits where every operation commutes with powers of two; 1e-12 where a library's pow does not.
double allowed_deviation(const net::Case& c) {
  const bool pow = c.name.find("sph") != std::string::npos;
  return pow ? 1e-12 : 0;
}

/// `part`: of all scales, each case sees one in so many, others see the others.
void check_scales(const std::vector<Scale>& list, std::size_t part) {
  constexpr Index steps = 6;
  constexpr double h = 1.0 / 64;
  const net::Bodies plain;
  const std::vector<net::Case> cases = net::all_cases(plain);
  std::vector<std::optional<net::Outcome>> wanted(cases.size());
  struct Failure {
    int count = 0;
    double worst = 0;
    std::string where;
  };
  std::map<std::string, Failure> failures;
  std::map<std::string, int> left_out;
  net::Reach all, seen;
  long runs = 0, rejected = 0;
  double worst = 0;
  for (std::size_t t = 0; t < list.size(); ++t) {
    const net::Bodies scaled(list[t]);
    for (std::size_t c = 0; c < cases.size(); ++c) {
      const net::Case& one = cases[c];
      all.add(one);
      if ((c + t) % part != 0) continue;
      seen.add(one);
      if (net::rounding_decides(one)) {
        ++left_out["rounding decides"];
        continue;
      }
      if (const std::string why = leaves_range(one, list[t]); !why.empty()) {
        ++left_out[why];
        continue;
      }
      if (!wanted[c]) wanted[c] = net::run(plain, one, one.integrator, h, steps);
      const net::Outcome got = net::run(scaled, one, one.integrator, h, steps);
      const double off = net::deviation(got, *wanted[c]);
      ++runs;
      rejected += wanted[c]->status == "rejected";
      worst = std::max(worst, off);
      if (off <= allowed_deviation(one)) continue;
      Failure& failure = failures[one.name];
      ++failure.count;
      if (failure.worst <= off) {
        failure.worst = off;
        failure.where = list[t].text() + ", " + wanted[c]->status + " -> " + got.status + " " + got.why;
      }
    }
  }
  for (const auto& [name, failure] : failures)
    FAIL_CHECK(name << ": off by " << failure.worst << " at " << failure.where << " (" << failure.count << " scales)");
  std::ostringstream out;
  for (const auto& [why, count] : left_out) out << "; " << why << ": " << count << " left out";
  REQUIRE(seen == all);
  WARN(cases.size() << " bodies, " << runs << " runs at " << list.size() << " scales, " << rejected
                    << " rejected at every scale, worst " << worst << out.str());
}

}  // namespace

TEST_CASE("net: every declared value grows by its unit", "[sim][net]") {
  const net::Bodies plain;
  for (const Scale& scale : {Scale{.length = 3}, Scale{.mass = -5}, Scale{.time = 4}}) {
    const net::Bodies scaled(scale);
    const auto check = [&](const Model& got, const Model& want) {
      REQUIRE(got.values().size() == want.values().size());
      for (std::size_t b = 0; b < want.values().blocks().size(); ++b) {
        const ValueBlock& block = want.values().blocks()[b];
        INFO(block.name << " [" << block.unit << "] at " << scale.text());
        const Index index = b;
        CHECK(Vector(got.values()[index]) == Vector(scale.of(block.unit) * want.values()[index]));
      }
    };
    for (std::size_t f = 0; f < plain.forces().size(); ++f) check(scaled.forces()[f].model, plain.forces()[f].model);
    for (std::size_t k = 0; k < plain.constraints().size(); ++k)
      check(scaled.constraints()[k].model, plain.constraints()[k].model);
  }
}

TEST_CASE("net: a body at another scale moves alike, to the last bit", "[sim][net][slow]") {
  check_scales(scales(), 15);
}

TEST_CASE("net: a few bodies of every force and integrator move alike at five scales, to the last bit", "[sim][net]") {
  check_scales({{.length = 20},
                {.mass = -20},
                {.time = 20},
                {.length = 7, .mass = -11, .time = 17},
                {.length = -13, .mass = 5, .time = -3}},
               31);
}
