#include "sim/constraint/contact_law.hpp"

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::sim {
namespace {

void require_fraction(const std::string& what, double value) {
  if (!(value >= 0 && value <= 1))
    throw InvalidArgument({"", what, "must be between 0 and 1", to_text(value), "0 keeps nothing, 1 all"});
}

}  // namespace

ContactValues::ContactValues(const std::string& name, const ContactLaw& law) : name_(name), law_(law) {
  require_fraction("constraints." + name + ".restitution", law.restitution);
  require_fraction("constraints." + name + ".slip", law.slip);
}

ContactLaw ContactValues::read(Settings& settings, bool boundary) {
  ContactLaw law;
  law.restitution =
      settings.number("restitution", "", "e, speed after a bounce over that before, 0 to 1", law.restitution);
  law.friction = settings.number("friction", "", "Coulomb's coefficient μ of friction", law.friction);
  if (boundary)
    law.slip = settings.number("slip", "",
                               "what is left of the speed along the boundary after a substep in contact; below 1, with "
                               "restitution 0, the boundary is cold",
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
