#include "sim/model/values.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::sim {

Index Values::add(ValueTraits traits, const Vector& initial, std::optional<double> key_time) {
  if (traits.scaling == ValueScaling::Unstated)
    throw InvalidArgument({"", traits.name,
                           "must state what becomes of it where all masses and forces grow by one factor", "nothing",
                           "give its ValueTraits a ValueScaling"});
  const Index offset = data_.size();
  blocks_.push_back({std::move(traits), offset, initial.size(), key_time});
  data_.conservativeResize(offset + initial.size());
  data_.tail(initial.size()) = initial;
  return static_cast<Index>(blocks_.size()) - 1;
}

Values Values::gathered(ValueOwner owner, const std::vector<Index>& sources) const {
  Values result;
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Vector entries = blocks_[k].owner == owner ? Vector((*this)[k](sources)) : Vector((*this)[k]);
    result.add(blocks_[k], entries, blocks_[k].key_time);
  }
  return result;
}

Values Values::followed(ValueOwner owner, const std::string& name, const Vector& more) const {
  Values result;
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Index further = blocks_[k].owner == owner ? more.size() : 0;
    Vector entries = Vector::Zero(blocks_[k].size + further);
    entries.head(blocks_[k].size) = (*this)[k];
    if (blocks_[k].name == name) entries.tail(further) = more;
    result.add(blocks_[k], entries, blocks_[k].key_time);
  }
  return result;
}

std::optional<Index> Values::find(std::string_view name) const {
  for (std::size_t k = 0; k < blocks_.size(); ++k)
    if (blocks_[k].name == name) return static_cast<Index>(k);
  return {};
}

Index Values::block_of(Index i) const {
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), i,
                                      [](Index entry, const ValueBlock& block) { return entry < block.offset; });
  return (after - blocks_.begin()) - 1;
}

void Values::validate() const {
  for (const ValueBlock& b : blocks_) {
    for (Index i = 0; i < b.size; ++i) {
      const double value = data_[b.offset + i];
      const std::string unit = b.unit.empty() ? "" : " " + b.unit;
      const std::string what = b.size == 1 ? b.name : b.name + "[" + std::to_string(i) + "]";
      if (!std::isfinite(value)) throw InvalidArgument({"", what, "must be a finite number", to_text(value), ""});
      if (b.sign == ValueSign::Positive && !(value > 0))
        throw InvalidArgument({"", what, "must be > 0" + unit, to_text(value), "give a positive " + b.name});
      if (b.sign == ValueSign::NonNegative && value < 0)
        throw InvalidArgument(
            {"", what, "must be >= 0" + unit, to_text(value), "give a " + b.name + " that is not negative"});
    }
  }
}

}  // namespace pithball::sim
