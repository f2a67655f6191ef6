#include "sim/force/inverse_square_force.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"
#include "sim/coulomb/fmm/fmm_coulomb_sum.hpp"
#include "sim/force/closest_approach.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {
namespace {

Precision read_precision(Settings& settings) {
  const std::string precision =
      settings.choice("precision", {"double", "single"},
                      "for method direct: `single` computes pairs in float32, with an error of 1e-6 in the field; "
                      "derivatives stay exact, but finite differences of the rounded field are too inaccurate to check "
                      "them",
                      "double");
  return precision == "single" ? Precision::Single : Precision::Double;
}

DdefOptions read_ddef(Settings& settings) {
  DdefOptions ddef;
  const std::string variant =
      settings.choice("variant", {"paper_text", "paper_algorithm", "consistent"},
                      "for method ddef: definition of the near charges of a charge", "consistent");
  ddef.variant = variant == "paper_text"        ? DdefVariant::PaperText
                 : variant == "paper_algorithm" ? DdefVariant::PaperAlgorithm
                                                : DdefVariant::Consistent;
  const std::string far_field =
      settings.choice("far_field", {"interpolate", "ignore"},
                      "for method ddef: treatment of charges outside the near set", "interpolate");
  ddef.far_field = far_field == "ignore" ? DdefFarField::Ignore : DdefFarField::Interpolate;
  ddef.points = settings.integer(
      "points", "for method ddef: number of grid points in the box around the charges, at least 1", ddef.points);
  if (ddef.points < 1)
    settings.reject("points", "must be >= 1", std::to_string(ddef.points), "a thousand is a good start");
  return ddef;
}

}  // namespace

CoulombOptions InverseSquareForce::read_options(Settings& settings) {
  std::vector<std::string> methods;
  for (const CoulombMethod& method : coulomb_methods()) methods.push_back(method.name);
  CoulombOptions options;
  options.method = settings.choice("method", methods,
                                   "algorithm for the pairwise sum; `auto` selects one before step 0", options.method);
  options.softening = settings.number("softening", "m", "Plummer softening length ε: r² → r² + ε²", options.softening);
  options.tolerance = settings.number(
      "tolerance", "", "requested relative L2 error of the field (auto and fmm), 1e-10…0.1", options.tolerance);
  if (!(options.tolerance >= FmmCoulombSum::finest && options.tolerance <= FmmCoulombSum::coarsest))
    settings.reject("tolerance", "must be between 1e-10 and 0.1", to_text(options.tolerance),
                    "1e-6 is a good start; method: direct has no error but rounding");
  if (options.softening < 0)
    settings.reject("softening", "must be >= 0 m", to_text(options.softening), "use 0 for no softening");
  if (options.method == "direct" || settings.describing()) options.precision = read_precision(settings);
  if (options.method == "ddef" || settings.describing()) options.ddef = read_ddef(settings);
  return options;
}

std::vector<Index> InverseSquareForce::carriers(const Model& model) const {
  std::vector<Index> list;
  const auto weight = model.values()[weights_.block];
  for (Index i = 0; i < model.particles(); ++i)
    if (weight[i] != 0) list.push_back(i);
  return list;
}

double InverseSquareForce::shortest_time(const Model& model, const State& s, const Points& a) const {
  return closest_approach(model, s, a, carriers(model));
}

void InverseSquareForce::validate(const Model& model, const State& s) const {
  if (softening_ > 0) return;
  const Values& values = model.values();
  if (const auto pair = find_coincident(s.x, carriers(model)))
    throw InvalidArgument(
        {"", "forces." + traits().name, "needs " + weights_.carriers + " at different positions",
         "particles " + std::to_string(pair->i) + " and " + std::to_string(pair->j) + " at the same point",
         "move one of them, set its " + values.block(weights_.block).name + " to 0, or give a softening"});
}

/// The structures of a frozen force at each time.
class InverseSquareForce::Memory {
 public:
  std::shared_ptr<const CoulombSum::Structure> structure(const CoulombSum& sum, const State& s) {
    const std::lock_guard lock(mutex_);
    const auto [at, is_new] = structures_.try_emplace(s.t);
    if (is_new)
      at->second = sum.make_structure(s.x);
    else if (at->second)
      crossings_ = std::max(crossings_, at->second->crossings(s.x));
    return at->second;
  }
  Index crossings() const { return crossings_; }

 private:
  std::mutex mutex_;
  std::map<double, std::shared_ptr<const CoulombSum::Structure>> structures_;
  Index crossings_ = 0;
};

void InverseSquareForce::freeze() { memory_ = std::make_shared<Memory>(); }

Index InverseSquareForce::crossings() const { return memory_ ? memory_->crossings() : 0; }

std::unique_ptr<CoulombSum::Plan> InverseSquareForce::plan(const State& s) const {
  return memory_ ? sum_->make_plan(s.x, memory_->structure(*sum_, s)) : sum_->make_plan(s.x);
}

double InverseSquareForce::factor(const Model& model) const {
  return factor_.scale * (factor_.block ? model.values()[*factor_.block][0] : 1.0);
}

void InverseSquareForce::add_force_of(const CoulombSum::Plan& pairs, const Model& model, Points& f) const {
  const Vector w = model.values()[weights_.block];
  Points field = Points::Zero(3, model.particles());
  pairs.evaluate({.charge = &w}, {.field = &field});
  f += field * (factor(model) * w).asDiagonal();
}

double InverseSquareForce::energy_of(const CoulombSum::Plan& pairs, const Model& model) const {
  const Vector w = model.values()[weights_.block];
  Vector potential = Vector::Zero(model.particles());
  pairs.evaluate({.charge = &w}, {.potential = &potential});
  return 0.5 * factor(model) * w.dot(potential);
}

void InverseSquareForce::add_jvp_of(const CoulombSum::Plan& pairs, const Model& model, const Variation& d,
                                    Points& df) const {
  const Values& values = model.values();
  const Vector w = values[weights_.block];
  Points change = Points::Zero(3, model.particles());
  pairs.force_jvp(w, d.x, values.of(d.values, weights_.block), change);
  df += factor(model) * change;
  if (!factor_.block) return;
  if (const double by_value = factor_.scale * values.of(d.values, *factor_.block)[0]; by_value != 0) {
    Points field = Points::Zero(3, model.particles());
    pairs.evaluate({.charge = &w}, {.field = &field});
    df += field * (by_value * w).asDiagonal();
  }
}

void InverseSquareForce::add_force(const Model& model, const State& s, Points& f) const {
  add_force_of(*plan(s), model, f);
}

std::optional<double> InverseSquareForce::energy(const Model& model, const State& s) const {
  return energy_of(*plan(s), model);
}

bool InverseSquareForce::add_partial_force(const Model& model, const State& s, const std::vector<Index>& some,
                                           Points& f) const {
  const auto pairs = sum_->make_partial_plan(s.x, some);
  if (pairs) add_force_of(*pairs, model, f);
  return pairs != nullptr;
}

std::optional<double> InverseSquareForce::partial_energy(const Model& model, const State& s,
                                                         const std::vector<Index>& some) const {
  const auto pairs = sum_->make_partial_plan(s.x, some);
  return pairs ? std::optional(energy_of(*pairs, model)) : std::nullopt;
}

void InverseSquareForce::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  add_jvp_of(*plan(s), model, d, df);
}

void InverseSquareForce::add_jvps(const Model& model, const State& s, const Directions& d, Panel& df) const {
  const auto sums = plan(s);
  for (Index p = 0; p < d.count(); ++p) {
    Points change = Points::Zero(3, model.particles());
    add_jvp_of(*sums, model, d.alone(p), change);
    add_points(df, p, change);
  }
}

void InverseSquareForce::add_vjp(const Model& model, const State& s, const Points& a, Variation& g) const {
  const Values& values = model.values();
  const Vector w = values[weights_.block];
  const auto sums = plan(s);
  Points gx = Points::Zero(3, model.particles());
  Vector gw = Vector::Zero(model.particles());
  sums->force_vjp(w, a, gx, gw);
  g.x += factor(model) * gx;
  values.of(g.values, weights_.block) += factor(model) * gw;
  if (!factor_.block) return;
  Points field = Points::Zero(3, model.particles());
  sums->evaluate({.charge = &w}, {.field = &field});
  values.of(g.values, *factor_.block)[0] += factor_.scale * a.cwiseProduct(field * w.asDiagonal()).sum();
}

}  // namespace pithball::sim
