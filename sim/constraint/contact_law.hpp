#pragma once
#include <string>

#include "sim/core/settings.hpp"
#include "sim/model/values.hpp"

namespace pithball::sim {

/// Effect of a contact on the velocity u of its first particle relative to its second, or to an obstacle. With n = ∇C
/// of the first particle, v_n = n·u and v_t the tangential rest of u:
///   v_n becomes −e ṽ_n, ṽ_n its value before the contact was found, or 0 if that is slow, or stays ṽ_n if they
///   separate; v_t shrinks by at most friction · (normal impulse)/(reduced mass), and by the factor `slip`.
struct ContactLaw {
  double restitution = 0;  ///< e, 0 … 1
  double friction = 0;     ///< Coulomb's μ ≥ 0
  double slip = 1;         ///< remaining fraction of v_t after a substep in contact, 0 … 1
  double radius = 0;       ///< of the first particle [m]: the point of contact is x − radius n
};

/// The values shared by contacts of one kind, `<name>_restitution` and `<name>_friction`, and their slip.
class ContactValues {
 public:
  /// Throws InvalidArgument if a number is outside its range.
  ContactValues(const std::string& name, const ContactLaw& law);

  /// Reads `restitution`, `friction` and, for obstacles, `slip`.
  static ContactLaw read(Settings&, bool boundary);

  /// Adds both values, one entry each; called once when the model is built.
  void declare(Values&);
  /// The law with the values of a model.
  ContactLaw law(const Values& values, double radius) const {
    return {values[restitution_block_][0], values[friction_block_][0], law_.slip, radius};
  }

 private:
  std::string name_;
  ContactLaw law_;  // initial values; `Model::values()` has the current ones
  Index restitution_block_ = 0, friction_block_ = 0;
};

}  // namespace pithball::sim
