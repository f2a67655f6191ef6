#pragma once
#include <tuple>
#include <type_traits>

namespace pithball::sim {

/// The optional abilities of an object: a pointer to a small interface for each, null if the object does not have it. A
/// class lists its abilities once, and all users query them there, so that they cannot be inconsistent. The pointers
/// are valid as long as the object.
template <class... Each>
class Abilities {
 public:
  /// No abilities.
  Abilities() = default;

  /// The abilities among the base classes of Owner.
  template <class Owner>
  static Abilities of(const Owner& owner) {
    return Abilities(offered<Each>(owner)...);
  }

  /// The same abilities, implemented by a decorator of the object. It must derive from every existing ability:
  /// otherwise it does not compile, so that no new one is forgotten.
  template <class Decorator>
  Abilities through(const Decorator& decorator) const {
    return Abilities((get<Each>() ? static_cast<const Each*>(&decorator) : nullptr)...);
  }

  /// An ability; null if absent.
  template <class Ability>
  const Ability* get() const {
    return std::get<const Ability*>(all_);
  }

  /// These without one of them.
  template <class Ability>
  Abilities except() const {
    Abilities rest = *this;
    std::get<const Ability*>(rest.all_) = nullptr;
    return rest;
  }

  /// Whether both have the same abilities, possibly of different objects.
  bool same_kinds(const Abilities& other) const {
    return ((static_cast<bool>(get<Each>()) == static_cast<bool>(other.template get<Each>())) && ...);
  }

 private:
  explicit Abilities(const Each*... each) : all_(each...) {}

  template <class Ability, class Owner>
  static const Ability* offered(const Owner& owner) {
    if constexpr (std::is_base_of_v<Ability, Owner>)
      return &owner;
    else
      return nullptr;
  }

  std::tuple<const Each*...> all_;
};

}  // namespace pithball::sim
