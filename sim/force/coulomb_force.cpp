#include "sim/force/coulomb_force.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"
#include "sim/coulomb/coulomb_registry.hpp"
#include "sim/coulomb/fmm/fmm_coulomb_sum.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {
namespace {

Precision read_precision(Settings& settings) {
  const std::string precision =
      settings.choice("precision", {"double", "single"},
                      "method direct: single does pairs in float32, field to 1e-6; derivatives stay exact, and "
                      "differences of the rounded field cannot check them",
                      "double");
  return precision == "single" ? Precision::Single : Precision::Double;
}

DdefOptions read_ddef(Settings& settings) {
  DdefOptions ddef;
  const std::string variant = settings.choice("variant", {"paper_text", "paper_algorithm", "consistent"},
                                              "method ddef: which charges are near a charge", "consistent");
  ddef.variant = variant == "paper_text"        ? DdefVariant::PaperText
                 : variant == "paper_algorithm" ? DdefVariant::PaperAlgorithm
                                                : DdefVariant::Consistent;
  const std::string far_field = settings.choice(
      "far_field", {"interpolate", "ignore"}, "method ddef: what becomes of charges that are not near", "interpolate");
  ddef.far_field = far_field == "ignore" ? DdefFarField::Ignore : DdefFarField::Interpolate;
  ddef.points =
      settings.integer("points", "method ddef: grid points in the box around the charges, at least 1", ddef.points);
  if (ddef.points < 1)
    settings.refuse("points", "must be >= 1", std::to_string(ddef.points), "a thousand is a good start");
  return ddef;
}

}  // namespace

std::vector<std::shared_ptr<ForceTerm>> CoulombForce::make(Settings& settings) {
  std::vector<std::string> methods;
  for (const CoulombMethod& method : coulomb_methods()) methods.push_back(method.name);
  CoulombOptions options;
  options.method = settings.choice("method", methods, "how the sum over all pairs is done; auto chooses before step 0",
                                   options.method);
  options.softening = settings.number("softening", "m", "Plummer softening ε: r² → r² + ε²", options.softening);
  options.tolerance = settings.number(
      "tolerance", "", "promised relative L2 error of the field (auto and fmm), 1e-10…0.1", options.tolerance);
  if (!(options.tolerance >= FmmCoulombSum::finest && options.tolerance <= FmmCoulombSum::coarsest))
    settings.refuse("tolerance", "must lie between 1e-10 and 0.1", to_text(options.tolerance),
                    "1e-6 is a good start; method: direct has no error but rounding");
  if (options.softening < 0)
    settings.refuse("softening", "must be >= 0 m", std::to_string(options.softening), "use 0 for no softening");
  if (options.method == "direct" || settings.describing()) options.precision = read_precision(settings);
  if (options.method == "ddef" || settings.describing()) options.ddef = read_ddef(settings);
  return {std::make_shared<CoulombForce>(make_coulomb_sum(options), options.softening)};
}

const ForceTraits& CoulombForce::traits() const {
  static const ForceTraits traits{.name = "coulomb", .energy = "coulomb"};
  return traits;
}

void CoulombForce::validate(const Model& model, const State& s) const {
  if (softening_ > 0) return;
  // Equal positions are neighbours once the particles are sorted by their coordinates.
  std::vector<Index> order;
  for (Index i = 0; i < model.particles(); ++i)
    if (model.charge()[i] != 0) order.push_back(i);
  const auto less = [&](Index a, Index b) {
    return std::lexicographical_compare(s.x.col(a).begin(), s.x.col(a).end(), s.x.col(b).begin(), s.x.col(b).end());
  };
  std::sort(order.begin(), order.end(), less);
  for (std::size_t k = 1; k < order.size(); ++k)
    if (s.x.col(order[k - 1]) == s.x.col(order[k]))
      throw InvalidArgument({"", "forces.coulomb", "needs charged particles at different positions",
                             "particles " + std::to_string(std::min(order[k - 1], order[k])) + " and " +
                                 std::to_string(std::max(order[k - 1], order[k])) + " at the same point",
                             "move one of them, set its charge to 0, or give a softening"});
}

/// The structures of a frozen force, by time.
class CoulombForce::Memory {
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

std::shared_ptr<ForceTerm> CoulombForce::frozen() const {
  auto copy = std::make_shared<CoulombForce>(*this);
  copy->memory_ = std::make_shared<Memory>();
  return copy;
}

Index CoulombForce::crossings() const { return memory_ ? memory_->crossings() : 0; }

std::unique_ptr<CoulombSum::Plan> CoulombForce::plan(const State& s) const {
  return memory_ ? sum_->make_plan(s.x, memory_->structure(*sum_, s)) : sum_->make_plan(s.x);
}

void CoulombForce::add_force(const Model& model, const State& s, Points& f) const {
  const Vector q = model.charge();
  Points field = Points::Zero(3, model.particles());
  plan(s)->evaluate({.charge = &q}, {.field = &field});
  f += field * q.asDiagonal();
}

std::optional<double> CoulombForce::energy(const Model& model, const State& s) const {
  const Vector q = model.charge();
  Vector potential = Vector::Zero(model.particles());
  plan(s)->evaluate({.charge = &q}, {.potential = &potential});
  return 0.5 * q.dot(potential);
}

void CoulombForce::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  plan(s)->force_jvp(model.charge(), d.x, model.values().of(d.values, Model::charge_block), df);
}

void CoulombForce::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  Vector gq = Vector::Zero(model.particles());
  plan(s)->force_vjp(model.charge(), w, g.x, gq);
  model.values().of(g.values, Model::charge_block) += gq;
}

}  // namespace pithball::sim
