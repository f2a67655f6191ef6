#include "optim/uncertainty/held_error.hpp"

#include <cmath>
#include <map>

#include "sim/core/text.hpp"

namespace pithball::optim {

void carry_error(const Eigen::MatrixXd& added, Uncertainty& u) {
  if (!std::isfinite(u.scale.s)) return;
  const Index P = u.standard_error.size();
  u.covariance += added;  // unknown rows stay NaN
  for (Index k = 0; k < P; ++k) {
    if (!u.identifiable[k]) continue;
    u.standard_error[k] = std::sqrt(u.covariance(k, k));
    u.half_width[k] = u.scale.quantile * u.standard_error[k];
  }
  for (Index a = 0; a < P; ++a)
    for (Index b = 0; b < P; ++b)
      if (a != b && u.identifiable[a] && u.identifiable[b] && u.covariance(a, a) > 0 && u.covariance(b, b) > 0)
        u.correlation(a, b) = u.covariance(a, b) / std::sqrt(u.covariance(a, a) * u.covariance(b, b));
}

std::pair<std::string, double> HeldEffect::largest() const {
  std::pair<std::string, double> found{"", 0};
  for (const auto& change : changes)
    if (std::abs(change.second) > std::abs(found.second)) found = change;
  return found;
}

std::string HeldBudget::sentence() const {
  std::map<std::string, int> most{{"model", 3}, {"clock", 1}, {"measurement", 1}};
  std::string text, last;
  for (const HeldEffect& effect : effects) {
    const auto [name, change] = effect.largest();
    if (!(std::abs(change) >= 1)) break;
    if (--most[effect.part] < 0) continue;
    const bool is_first = text.empty();
    text += (is_first ? "held exactly: " : ", ") + effect.name + " (" + effect.step + " = " +
            formatted("%.2g", std::abs(change));
    if (is_first) text += " standard errors";
    if (name != last) text += " of " + name;
    text += ")";
    last = name;
  }
  return text.empty() ? text : text + "; a prior lets the error of such a value count";
}

void fields(FieldVisitor& v, HeldEffect& effect) {
  v.is("HeldEffect", "what an error of a value that the fit holds exactly would do to the estimates");
  v("name", effect.name, "\"mass\", \"clock_scale\"; \"scale\": the factor of all readings");
  v("part", effect.part, "to what it belongs: model, clock or measurement");
  v("step", effect.step, "the error that is assumed, in words: \"1 %\"");
  v("size", effect.size, "the same as a number, of the first recording");
  v("unit", effect.unit, "unit of `size`; empty: a pure number, or a part of the value");
  v("changes", by_name(effect.changes),
    "change of each requested parameter in its standard errors, by name; of a vector in the worst direction");
}

void fields(FieldVisitor& v, HeldBudget& budget) {
  v.block(
      "held", "HeldBudget",
      "what the fit holds exactly, and what an error of it would do to the estimates; empty: not computed, because "
      "the fit failed, does not fit, or ended after very few steps",
      [&] {
        v("effects", budget.effects, "one for each held value, largest first");
        v("failure", or_null(budget.failure), "why they could not be computed; null: they were, or were not asked for");
        v.computed(
            "sentence", [&] { return budget.sentence(); }, "the largest of them; empty: none is of one standard error");
      });
}

}  // namespace pithball::optim
