#include "sim/model/framed_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

struct ModelsInTime::Made {
  std::shared_ptr<const Values> from;  // kept alive, because its address identifies the values
  double t;
  Model model;  // without key frames: otherwise it would own this object in turn
};

ModelsInTime::ModelsInTime() = default;
ModelsInTime::~ModelsInTime() = default;

Model ModelsInTime::at(const Model& model, double t) {
  const std::shared_ptr<const Values>& from = model.shared_values();
  {
    const std::lock_guard lock(mutex_);
    for (const auto& made : made_)
      if (made && made->from == from && made->t == t) return made->model;
  }
  auto made = std::make_unique<const Made>(Made{from, t, model.at(t)});
  Model result = made->model;
  const std::lock_guard lock(mutex_);
  made_[next_] = std::move(made);
  next_ = (next_ + 1) % kept;
  return result;
}

namespace {

/// Returns the direction d with the tangent of the values at time t: d itself if key frames and leak do not alter it,
/// otherwise `copy`, which is then filled.
const Variation& at_time(const Model& model, double t, const Variation& d, std::optional<Variation>& copy) {
  const auto& frames = model.key_frames();
  const bool leaking = model.charge_leak() && model.charge_leak()->touched_by(d.values);
  if (!leaking &&
      std::none_of(frames.begin(), frames.end(), [&](const KeyFrames& f) { return f.touched_by(d.values); }))
    return d;
  copy = d;
  for (const KeyFrames& f : frames) f.interpolate(t, copy->values);
  if (leaking) model.charge_leak()->apply_to_change(t, model.values().data(), copy->values);
  return *copy;
}

/// Calls `add`, which adds ∂L/∂values(t) to the gradient; then moves the contributions of key-framed entries to their
/// keys, and those of leaking charges to the initial charges and to the leak rate.
template <class Add>
void add_at_time(const Model& model, double t, Vector& gradient, Add add) {
  const auto& leak = model.charge_leak();
  Vector before;  // gradient with respect to the charges before this call
  if (leak) {
    before = gradient.segment(leak->charges, leak->count);
    gradient.segment(leak->charges, leak->count).setZero();
  }
  add();
  for (const KeyFrames& frames : model.key_frames()) frames.move_gradient(t, gradient);
  if (!leak) return;
  leak->move_gradient(t, model.values().data(), gradient);
  gradient.segment(leak->charges, leak->count) += before;
}

/// Returns the model with each key-framed value at its maximum. (Leak is ignored: no stiffness depends on a charge.)
Model at_largest(const Model& model) {
  Vector data = model.values().data();
  for (const KeyFrames& frames : model.key_frames())
    for (Index e = 0; e < frames.count(); ++e) data[frames.entries[e]] = frames.largest(data, e);
  return model.with_constant_values(data);
}

}  // namespace

Model KeyFramedForce::seen(const Model& model, double t) const { return models_->at(model, t); }

std::shared_ptr<ForceTerm> KeyFramedForce::before(std::shared_ptr<const ForceTerm> other) const {
  return std::make_shared<KeyFramedForce>(std::move(other), models_, from_, until_);
}

bool KeyFramedForce::changes_between(double from, double to) const {
  return (from < until_ && to > from_) || force().changes_between(from, to);
}

void KeyFramedForce::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  std::optional<Variation> copy;
  force().add_jvp(seen(model, s.t), s, at_time(model, s.t, d, copy), df);
}

void KeyFramedForce::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  add_at_time(model, s.t, g.values, [&] { force().add_vjp(seen(model, s.t), s, w, g); });
}

double KeyFramedForce::depth_jvp(const Model& model, const State& s, const WallGap& at, const Variation& d) const {
  std::optional<Variation> copy;
  return force_as<MeetsObstacle>().depth_jvp(seen(model, s.t), s, at, at_time(model, s.t, d, copy));
}

void KeyFramedForce::add_depth_vjp(const Model& model, const State& s, const WallGap& at, double w,
                                   Variation& g) const {
  add_at_time(model, s.t, g.values, [&] { force_as<MeetsObstacle>().add_depth_vjp(seen(model, s.t), s, at, w, g); });
}

void KeyFramedForce::flow_velocity_jvp(const Model& model, const State& s, double h, const Variation& d,
                                       Points& dv) const {
  std::optional<Variation> copy;
  force_as<VelocityFlow>().flow_velocity_jvp(seen(model, s.t), s, h, at_time(model, s.t, d, copy), dv);
}

void KeyFramedForce::flow_velocity_vjp(const Model& model, const State& s, double h, const Points& a,
                                       Variation& g) const {
  add_at_time(model, s.t, g.values, [&] { force_as<VelocityFlow>().flow_velocity_vjp(seen(model, s.t), s, h, a, g); });
}

void KeyFramedForce::add_stiffness_majorizer(const Model& model, double scale, Majorizer& L) const {
  force_as<StiffPotential>().add_stiffness_majorizer(at_largest(model), scale, L);
}

void KeyFramedForce::add_damping_majorizer(const Model& model, double scale, Majorizer& L) const {
  force_as<LinearDissipation>().add_damping_majorizer(at_largest(model), scale, L);
}

}  // namespace pithball::sim

// Member functions of Model for values that change with time.

namespace pithball::sim {
namespace {

[[noreturn]] void reject_frames(const std::string& required, const std::string& got, const std::string& remedy = "") {
  throw InvalidArgument({"", "key_frames", required, got, remedy});
}

void check_times(const std::vector<double>& times) {
  if (times.empty()) reject_frames("must have at least one key time", "none");
  for (std::size_t j = 0; j < times.size(); ++j) {
    if (!std::isfinite(times[j])) reject_frames("must have finite key times", to_text(times[j]));
    if (j > 0 && !(times[j] > times[j - 1]))
      reject_frames("must have increasing key times", to_text(times[j]) + " s after " + to_text(times[j - 1]) + " s");
  }
}

std::string listed(const std::vector<double>& times) {
  std::string list;
  for (const double t : times) list += (list.empty() ? "" : ", ") + to_text(t);
  return list + " s";
}

}  // namespace

std::shared_ptr<const Model::Structure> Model::in_time(std::shared_ptr<const Structure> constant,
                                                       std::vector<KeyFrames> frames, std::optional<ChargeLeak> leak) {
  if (frames.empty() && !leak) return constant;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Structure changing = *constant;
  const auto models = std::make_shared<ModelsInTime>();
  double from = leak ? -infinity : infinity, until = -from;
  for (const KeyFrames& each : frames) {
    from = std::min(from, each.times.front());
    until = std::max(until, each.times.back());
  }
  for (auto& term : changing.terms) term = std::make_shared<KeyFramedForce>(term, models, from, until);
  changing.key_frames = std::move(frames);
  changing.charge_leak = std::move(leak);
  changing.constant = std::move(constant);
  return std::make_shared<const Structure>(std::move(changing));
}

Model Model::with_key_frames(const std::vector<Index>& entries, const std::vector<double>& times) const {
  check_times(times);
  if (entries.empty()) reject_frames("must select at least one entry", "no entry");
  for (const Index entry : entries)
    if (entry < 0 || entry >= values().size())
      reject_frames("must be of values of the model, 0 to " + std::to_string(values().size() - 1),
                    std::to_string(entry));
  const Index number = values().block_of(entries.front());
  const ValueBlock& block = values().block(number);
  if (number == mass_block)
    reject_frames("must not be of masses: forces follow key frames, inertia does not", "mass",
                  "use one mass, or one for each recording");
  if (number == charge_block && charge_leak())
    reject_frames("must not be of charges that leak", "charge", "remove one of the two");
  if (block.key_time) reject_frames("must not be of values at key times", "'" + block.name + "'");
  std::set<Index> once;
  for (const Index entry : entries) {
    if (values().block_of(entry) != number)
      reject_frames("must be of entries of one value", "'" + block.name + "' and another");
    if (!once.insert(entry).second)
      reject_frames("must contain every entry once",
                    "'" + block.name + "[" + std::to_string(entry - block.offset) + "]' twice");
  }
  for (const KeyFrames& other : key_frames())
    for (const Index entry : other.entries)
      if (once.count(entry))
        reject_frames("must be the only ones of their values",
                      "second ones of '" + block.name + "[" + std::to_string(entry - block.offset) +
                          "]', which has key times " + listed(other.times) + " already",
                      "give every value key frames once");

  KeyFrames frames{entries, times, values().size()};
  Values more = values();
  for (const double t : times)
    more.add({block.name + "(" + to_text(t) + " s)", block.unit, ValueOwner::Term, block.sign, block.scaling},
             at(t).values().data()(entries), t);
  std::vector<KeyFrames> all = key_frames();
  all.push_back(std::move(frames));
  Model model = *this;
  model.structure_ = in_time(constant_structure(), std::move(all), charge_leak());
  model.values_ = std::make_shared<const Values>(std::move(more));
  return model;
}

Model Model::with_charge_leak(double rate) const {
  const auto reject = [](const std::string& got) {
    throw InvalidArgument(
        {"", "charge_leak", "must be the only change of the charges with time", got, "remove one of the two"});
  };
  if (charge_leak()) reject("a second one");
  for (const KeyFrames& frames : key_frames())
    if (values().block_of(frames.entries.front()) == charge_block) reject("key frames of charges");
  Values more = values();
  const ValueBlock charges = more.block(charge_block);
  const Index number =
      more.add({"charge_leak_rate", "1/s", ValueOwner::Term, ValueSign::NonNegative, ValueScaling::Invariant},
               Vector::Constant(1, rate));
  more.validate();
  Model model = *this;
  model.structure_ =
      in_time(constant_structure(), key_frames(), ChargeLeak{more.block(number).offset, charges.offset, charges.size});
  model.values_ = std::make_shared<const Values>(std::move(more));
  return model;
}

Model Model::with_constant_values(const Vector& data) const {
  Model model = *this;
  model.structure_ = constant_structure();
  Values values = *values_;
  values.data() = data;
  model.values_ = std::make_shared<const Values>(std::move(values));
  return model;
}

Model Model::at(double t) const {
  if (has_constant_values()) return *this;
  Vector data = values().data();
  for (const KeyFrames& frames : key_frames()) frames.interpolate(t, data);
  if (charge_leak()) charge_leak()->apply(t, data);
  return with_constant_values(data);
}

}  // namespace pithball::sim
