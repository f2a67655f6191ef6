#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/types.hpp"
#include "sim/core/value_sign.hpp"

namespace pithball::sim {

/// Owner of a block of values; determines how groups select from it.
enum class ValueOwner { Particle, Spring, Term };

/// Behavior of a value when every mass and every force is multiplied by one factor λ, which leaves the motion
/// unchanged. A fit uses it to find values that are determined only up to a common factor, whether a force
/// determines the sign of charges, and what other frequencies a motion may have.
enum class ValueScaling {
  Unstated,       ///< not declared: `Values::add` rejects it
  Invariant,      ///< unchanged: lengths, times, rates, ratios, accelerations
  Force,          ///< grows by λ: dampings, drag coefficients, energies
  InverseForce,   ///< falls by λ: the gravitational constant
  Charge,         ///< a charge of the body: grows by √λ, or by λ if the body's charges do not interact
  ExternalField,  ///< acts on the body's charges from outside: grows by √λ with them, or is unchanged
  Stiffness,      ///< grows by λ; elastic frequencies are proportional to √(stiffness/inertia)
  Compliance,     ///< falls by λ: the inverse of a stiffness
  Inertia,        ///< grows by λ: a mass
};

/// Description of a block of physical values.
struct ValueTraits {
  std::string name;  ///< as in the experiment's `parameters:` list: "charge", "stiffness", "linear_drag"
  std::string unit;  ///< of every entry: "C", "N/m"
  ValueOwner owner = ValueOwner::Term;            ///< what its entries belong to
  ValueSign sign = ValueSign::Any;                ///< which values the entries may have
  ValueScaling scaling = ValueScaling::Unstated;  ///< must be stated
  /// For owner Term: one entry for each of a list of items (links, pins), so that three entries are not a vector.
  bool list = false;
};

/// One named block of physical values.
struct ValueBlock : ValueTraits {
  Index offset = 0;  ///< first entry in the flat vector
  Index size = 0;    ///< N, the number of springs, or as the term requires
  /// For values at a key time (`KeyFrames`): that time [s]. Their owner is Term, whatever the owner of the value.
  std::optional<double> key_time = {};
  /// Whether its entries are the x, y and z of a term's vector.
  bool is_vector() const { return owner == ValueOwner::Term && size == 3 && !list && !key_time; }
};

/// Every physical value of a model (all masses, charges, stiffnesses, field strengths, …) in one flat vector with named
/// blocks. Gradients and tangents with respect to the model have the same layout, so that a new value needs no code
/// outside the term that owns it. Several terms may add blocks with the same name.
class Values {
 public:
  /// Appends a block with its initial entries and returns its index. Throws InvalidArgument without a scaling.
  Index add(ValueTraits traits, const Vector& initial, std::optional<double> key_time = {});

  const std::vector<ValueBlock>& blocks() const { return blocks_; }  ///< in the order in which they were added
  const ValueBlock& block(Index k) const { return blocks_[k]; }      ///< block number k, as returned by `add`
  Index size() const { return data_.size(); }                        ///< number of entries of all blocks
  const Vector& data() const { return data_; }                       ///< all entries, block after block
  /// The same, to change; call `validate` afterwards.
  Vector& data() { return data_; }

  /// The entries of block k; also of any vector with this layout (a gradient, a tangent).
  auto of(const Vector& layout_alike, Index k) const { return layout_alike.segment(block(k).offset, block(k).size); }
  /// The same, to change.
  auto of(Vector& layout_alike, Index k) const { return layout_alike.segment(block(k).offset, block(k).size); }
  /// The present entries of block k.
  auto operator[](Index k) const { return of(data_, k); }

  /// The same blocks for other items of one kind: entry k of blocks with that owner is their earlier entry sources[k].
  Values gathered(ValueOwner owner, const std::vector<Index>& sources) const;

  /// The same blocks with further items of one kind: blocks with that owner are followed by as many entries as `more`,
  /// those of the block named `name`, and 0 for the others.
  Values followed(ValueOwner owner, const std::string& name, const Vector& more) const;

  /// The first block with this name, if any.
  std::optional<Index> find(std::string_view name) const;
  /// The block that contains entry i of the flat vector.
  Index block_of(Index i) const;

  /// Throws InvalidArgument naming the first entry that is not finite or has a forbidden sign.
  void validate() const;

 private:
  std::vector<ValueBlock> blocks_;
  Vector data_;
};

}  // namespace pithball::sim
