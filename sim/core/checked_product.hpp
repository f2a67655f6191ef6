#pragma once
#include <optional>
#include <ranges>
#include <utility>

namespace pithball {

/// The product of integers from a file or a key, if it is at most `most`; empty if it is larger or a factor is
/// negative. Use it before allocating memory of that size: it does not overflow, and the limit is explicit. The empty
/// product is 1.
template <std::ranges::input_range Factors>
constexpr auto checked_product(const Factors& factors, std::ranges::range_value_t<Factors> most)
    -> std::optional<std::ranges::range_value_t<Factors>> {
  using Number = std::ranges::range_value_t<Factors>;
  Number product = 1;
  bool zero = false, larger = false;  // a later factor may be 0
  for (const Number factor : factors) {
    if (std::cmp_less(factor, 0)) return {};
    zero |= factor == 0;
    if (factor == 0 || larger) continue;
    larger = product > most / factor;
    if (!larger) product *= factor;
  }
  if (zero) return Number{0};
  if (larger || product > most) return {};
  return product;
}

}  // namespace pithball
