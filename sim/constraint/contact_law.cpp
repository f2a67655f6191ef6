#include "sim/constraint/contact_law.hpp"

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::sim {
namespace {

void require_fraction(const std::string& what, double value) {
  if (!(value >= 0 && value <= 1))
    throw InvalidArgument(
        {"", what, "must be between 0 and 1", to_text(value), "0: nothing is retained, 1: everything"});
}

}  // namespace

ContactValues::ContactValues(const std::string& name, const ContactLaw& law) : name_(name), law_(law) {
  require_fraction("constraints." + name + ".restitution", law.restitution);
  require_fraction("constraints." + name + ".slip", law.slip);
}

ContactLaw ContactValues::read(Settings& settings, bool boundary) {
  ContactLaw law;
  law.restitution =
      settings.number("restitution", "", "restitution e: ratio of the normal speeds after and before an impact, 0 to 1",
                      law.restitution);
  law.friction = settings.number("friction", "", "Coulomb friction coefficient μ", law.friction);
  if (boundary)
    law.slip = settings.number("slip", "",
                               "fraction of the tangential velocity retained per substep in contact (1: frictionless; "
                               "below 1, with restitution 0: a dissipative wall)",
                               law.slip);
  return law;
}

void ContactValues::declare(Values& values) {
  const auto add = [&](const std::string& what, double initial) {
    return values.add({name_ + what, "", ValueOwner::Term, ValueSign::NonNegative, ValueScaling::Invariant},
                      Vector::Constant(1, initial));
  };
  restitution_block_ = add("_restitution", law_.restitution);
  friction_block_ = add("_friction", law_.friction);
}

}  // namespace pithball::sim
