#include "sim/integrator/integrator_choice.hpp"

#include "sim/core/default_settings.hpp"
#include "sim/core/error.hpp"
#include "sim/integrator/adams.hpp"
#include "sim/integrator/embedded_runge_kutta.hpp"
#include "sim/integrator/gear.hpp"
#include "sim/integrator/imex.hpp"
#include "sim/integrator/imex_adaptive.hpp"
#include "sim/integrator/runge_kutta.hpp"
#include "sim/integrator/symplectic_euler.hpp"
#include "sim/integrator/theta.hpp"
#include "sim/integrator/velocity_verlet.hpp"
#include "sim/integrator/verlet.hpp"
#include "sim/integrator/xpbd.hpp"

namespace pithball::sim {
namespace {

struct Entry {
  IntegratorInfo info;
  std::function<IntegratorChoice::Maker(Settings&)> read;
};

/// An integrator without settings.
template <class T>
Entry plain() {
  return {T::integrator, [](Settings&) { return [](const StageOptions&) { return std::make_unique<T>(); }; }};
}

/// An implicit integrator whose only settings are those of its stages.
template <class T>
Entry staged() {
  return {T::integrator, [](Settings&) { return [](const StageOptions& o) { return std::make_unique<T>(o); }; }};
}

/// One integrator of a family that is given as a table.
template <class T, class Data>
Entry member(const Data& data) {
  return {data.info, [&data](Settings&) { return [&data](const StageOptions&) { return std::make_unique<T>(data); }; }};
}

/// An implicit integrator with settings of its own.
template <class T>
Entry set_up() {
  return {T::integrator, [](Settings& settings) {
            const auto own = T::read(settings);
            return [own](const StageOptions& o) { return std::make_unique<T>(own, o); };
          }};
}

/// An explicit integrator with settings of its own.
template <class T>
Entry explicit_set_up() {
  return {T::integrator, [](Settings& settings) {
            const auto own = T::read(settings);
            return [own](const StageOptions&) { return std::make_unique<T>(own); };
          }};
}

/// An explicit pair with error control.
Entry adaptive(const RungeKuttaTableau& tableau) {
  return {tableau.info, [&tableau](Settings& settings) {
            const auto own = EmbeddedRungeKutta::read(settings);
            return [own, &tableau](const StageOptions&) { return std::make_unique<EmbeddedRungeKutta>(tableau, own); };
          }};
}

/// An entry for the θ-method under the name in `info`; `read` reads its options from the settings, or returns fixed
/// ones.
Entry theta(const IntegratorInfo& info, Theta::Options (*read)(Settings&)) {
  return {info, [&info, read](Settings& settings) {
            const Theta::Options options = read(settings);
            return [&info, options](const StageOptions& o) { return std::make_unique<Theta>(info, options, o); };
          }};
}

const std::vector<Entry>& registry() {
  static const std::vector<Entry> entries = [] {
    std::vector<Entry> all{
        staged<ImexEuler>(),
        staged<ImexMidpoint>(),
        staged<ImexBdf2>(),
        set_up<ImexAdaptive>(),
        theta(Theta::integrator, Theta::read),
        theta(Theta::implicit_euler, [](Settings&) { return Theta::Options{.theta = 1}; }),
        plain<VelocityVerlet>(),
        plain<Leapfrog>(),
        plain<Verlet>(),
        plain<Beeman>(),
        plain<Gear>(),
        plain<SymplecticEuler>(),
        explicit_set_up<Xpbd>(),
    };
    for (const RungeKuttaTableau& tableau : runge_kutta_tableaux()) all.push_back(member<RungeKutta>(tableau));
    for (const RungeKuttaTableau& tableau : embedded_tableaux()) all.push_back(adaptive(tableau));
    for (const AdamsCoefficients& method : adams_methods()) all.push_back(member<Adams>(method));
    return all;
  }();
  return entries;
}

const Entry& find(const std::string& name) {
  for (const Entry& entry : registry())
    if (entry.info.name == name) return entry;
  std::vector<std::string> known;
  for (const Entry& entry : registry()) known.push_back(entry.info.name);
  throw InvalidArgument({"", "simulation.integrator", "must be one of " + joined(known), name, ""});
}

}  // namespace

IntegratorChoice::IntegratorChoice(const std::string& name, Settings& settings) : make_(find(name).read(settings)) {
  info_ = std::make_shared<const IntegratorInfo>(make_({})->info());
}

IntegratorChoice::IntegratorChoice(const std::string& name) {
  DefaultSettings nothing_written;
  *this = IntegratorChoice(name, nothing_written);
}

std::unique_ptr<Integrator> IntegratorChoice::make(const StageOptions& options) const {
  std::unique_ptr<Integrator> integrator = make_(options);
  if (memory_) integrator->freeze(memory_);
  return integrator;
}

IntegratorChoice IntegratorChoice::frozen() const {
  IntegratorChoice copy = *this;
  copy.memory_ = std::make_shared<SubstepMemory>();
  return copy;
}

const std::vector<IntegratorInfo>& integrators() {
  static const std::vector<IntegratorInfo> list = [] {
    std::vector<IntegratorInfo> infos;
    for (const Entry& entry : registry()) infos.push_back(entry.info);
    return infos;
  }();
  return list;
}

}  // namespace pithball::sim
