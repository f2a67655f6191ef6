#include "sim/core/checked_product.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/support/catch.hpp"

using pithball::checked_product;

TEST_CASE("checked_product: the product up to the limit, nothing beyond it", "[sim][core]") {
  CHECK(checked_product(std::array{6, 7}, 42) == 42);
  CHECK(!checked_product(std::array{6, 7}, 41));
  CHECK(checked_product(std::vector<int>{}, 1) == 1);
  CHECK(!checked_product(std::vector<int>{}, 0));
  CHECK(!checked_product(std::array{2, -3}, 100));
  CHECK(!checked_product(std::array{-2, -3}, 100));
}

TEST_CASE("checked_product: factors whose product overflows are too many, unless one is zero", "[sim][core]") {
  constexpr std::int64_t large = std::int64_t{1} << 62, most = std::numeric_limits<std::int64_t>::max();
  CHECK(!checked_product(std::array{large, std::int64_t{4}}, most));  // 2⁶⁴ is 0 to a processor
  CHECK(checked_product(std::array{large, std::int64_t{1}}, most) == large);
  CHECK(checked_product(std::array{large, large, std::int64_t{0}}, most) == 0);
  constexpr std::uint64_t huge = std::uint64_t{1} << 63;
  CHECK(!checked_product(std::array{huge, std::uint64_t{2}}, ~std::uint64_t{0}));
  CHECK(checked_product(std::array{huge, std::uint64_t{1}}, ~std::uint64_t{0}) == huge);
}
