#pragma once
#include <tuple>
#include <type_traits>

namespace pithball::sim {

/// The optional abilities of an object: a small interface to it for each, null where it has not got that one. A class
/// states once what it can do, and all who need an ability ask for it there, so that nothing can say one thing and do
/// another. The pointers are good as long as the object.
template <class... Each>
class Abilities {
 public:
  /// None.
  Abilities() = default;

  /// Those that the class Owner derives from.
  template <class Owner>
  static Abilities of(const Owner& owner) {
    return Abilities(offered<Each>(owner)...);
  }

  /// The same ones at the hands of a decorator of the object. It must derive from every ability there is: one that
  /// lacks any does not compile, so none is forgotten where a new one comes.
  template <class Decorator>
  Abilities through(const Decorator& decorator) const {
    return Abilities((get<Each>() ? static_cast<const Each*>(&decorator) : nullptr)...);
  }

  /// One of them; null without.
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

  /// Whether both have the same ones, be it of different objects.
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
