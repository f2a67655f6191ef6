#include "optim/parameter/parameter_blocks.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;
using namespace pithball::test;

TEST_CASE("parameter blocks: values of a particle and of the springs that begin at it are together",
          "[optim][parameter]") {
  std::vector<Parameter> declared;
  for (const char* value : {"charge", "stiffness"}) {
    declared.push_back(shared(value));
    declared.back().entries.sharing = EntrySharing::None;
  }
  declared.push_back(shared("damping"));
  // Springs 01 02 03 12 13 23: of particle 0, which is pinned, those go to their other end.
  const ParameterMap map({make_body("body", {.field = true, .pinned = 1})}, declared);
  REQUIRE(map.size() == 4 + 6 + 1);
  const std::vector<std::vector<Index>> expected{{0}, {1, 4, 7, 8}, {2, 5, 9}, {3, 6}, {10}};
  CHECK(find_blocks(map) == expected);
}

TEST_CASE("parameter blocks: recordings share them, and starts join", "[optim][parameter]") {
  std::vector<Parameter> declared;
  declared.push_back(shared("mass"));
  declared.back().entries.sharing = EntrySharing::None;
  const ParameterMap map({make_body("a", {.field = true}), make_body("b", {.field = true})}, declared);
  std::size_t members = 0;
  for (const std::vector<Index>& block : find_blocks(map)) members += block.size();
  CHECK(members == static_cast<std::size_t>(map.size()));
  CHECK(find_blocks(map).size() == 4);
}
