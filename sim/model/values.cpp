#include "sim/model/values.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::sim {

Index Values::add(std::string name, std::string unit, ValueOwner owner, ValueSign sign, const Vector& initial,
                  std::optional<double> key_time) {
  const Index offset = data_.size();
  blocks_.push_back({std::move(name), std::move(unit), owner, sign, offset, initial.size(), key_time});
  data_.conservativeResize(offset + initial.size());
  data_.tail(initial.size()) = initial;
  return static_cast<Index>(blocks_.size()) - 1;
}

Index Values::add_list(std::string name, std::string unit, ValueSign sign, const Vector& initial) {
  const Index k = add(std::move(name), std::move(unit), ValueOwner::Term, sign, initial);
  blocks_.back().list = true;
  return k;
}

Values Values::gathered(ValueOwner owner, const std::vector<Index>& sources) const {
  Values result;
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    Vector entries = (*this)[static_cast<Index>(k)];
    if (blocks_[k].owner == owner) entries = Vector(entries(sources));
    const Index number =
        result.add(blocks_[k].name, blocks_[k].unit, blocks_[k].owner, blocks_[k].sign, entries, blocks_[k].key_time);
    result.blocks_[static_cast<std::size_t>(number)].list = blocks_[k].list;
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
  return static_cast<Index>(after - blocks_.begin()) - 1;
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
