#include "sim/integrator/touch_changes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pithball::sim {
namespace {

/// Depths of all gaps at a state [m].
std::vector<double> depths(const Model& model, const State& s) {
  std::vector<double> all;
  for_each_gap(model, s, [&](const MeetsObstacle&, const WallGap& gap) { all.push_back(gap.depth); });
  return all;
}

bool differ(double depth, double other) { return (depth > 0) != (other > 0); }

/// A length of the part, and the depths at its end.
struct Bracket {
  double length;
  std::vector<double> depths;
};

bool differ(const Bracket& a, const Bracket& b) {
  return !std::ranges::equal(a.depths, b.depths, [](double x, double y) { return !differ(x, y); });
}

/// The first eighth of the course after which touches are others than at its beginning. Those on the way are seen on a
/// cubic, which costs no forces, and confirmed.
std::optional<Bracket> find_other(const Model& model, const Course& course, const Bracket& begin) {
  constexpr int eighths = 8;
  for (int k = 1; k < eighths; ++k) {
    const double part = static_cast<double>(k) / eighths, length = part * course.h;
    const State seen{course.begin.t + length, on_the_way(course.begin, course.end, part), course.begin.v};
    if (!differ(begin, {length, depths(model, seen)})) continue;
    Bracket there{length, depths(model, course.at(length))};
    if (differ(begin, there)) return there;
  }
  Bracket end{course.h, depths(model, course.end)};
  return differ(begin, end) ? std::optional(std::move(end)) : std::nullopt;
}

/// Where the first of the touches that differ changes, if depths are linear in between.
double secant(const Bracket& low, const Bracket& high) {
  double first = high.length;
  for (std::size_t k = 0; k < low.depths.size(); ++k) {
    const double a = low.depths[k], b = high.depths[k];
    if (differ(a, b)) first = std::min(first, low.length + (high.length - low.length) * (a / (a - b)));
  }
  return first;
}

}  // namespace

bool meets_obstacles(const Model& model) {
  return std::ranges::any_of(model.terms(), [](const auto& term) { return bool(term->template as<MeetsObstacle>()); });
}

void for_each_gap(const Model& model, const State& s,
                  const std::function<void(const MeetsObstacle&, const WallGap&)>& visit) {
  for (const auto& term : model.terms())
    if (const auto* force = term->as<MeetsObstacle>())
      force->for_each_gap(model, s, [&](const WallGap& gap) { visit(*force, gap); });
}

bool touches_differ(const Model& model, const State& s, const State& other) {
  return differ(Bracket{0, depths(model, s)}, Bracket{0, depths(model, other)});
}

std::optional<double> TouchChanges::find_next(const Model& model, const Course& course) {
  const std::vector<double> first = depths(model, course.begin);
  Bracket low{0, first};
  auto end = find_other(model, course, low);
  if (!end) return {};
  Bracket high = std::move(*end);
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  double guess = secant(low, high), width = high.length;
  bool raised_low = false;
  for (int tries = 0; high.length - low.length > rounding * course.h; ++tries) {
    // A secant meets the change from one side; a little beyond it, by as much as it still moves, is the other side.
    const double moved = guess;
    guess = secant(low, high);
    const double beyond = std::max(2 * std::abs(guess - moved), rounding * course.h);
    double length = tries == 0 ? guess : guess + (raised_low ? beyond : -beyond);
    // Where three of them do not halve the bracket, its middle does.
    const bool slow = tries % 3 == 2 && high.length - low.length > width / 2;
    if (tries % 3 == 2) width = high.length - low.length;
    if (slow || !(length > low.length && length < high.length)) length = (low.length + high.length) / 2;
    if (!(length > low.length && length < high.length)) break;
    Bracket tried{length, depths(model, course.at(length))};
    raised_low = !differ(low, tried);
    (raised_low ? low : high) = std::move(tried);
  }
  of_gap_.resize(first.size(), 0);
  for (std::size_t k = 0; k < first.size(); ++k) of_gap_[k] += differ(first[k], high.depths[k]);
  return high.length;
}

bool TouchChanges::too_many() const {
  return std::ranges::any_of(of_gap_, [](int changes) { return changes > most_of_a_gap; });
}

}  // namespace pithball::sim
