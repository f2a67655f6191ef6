// Lists of particles: numbers, ranges and groups.

#include "app/yaml/particle_list.hpp"

#include "sim/core/error.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::app;

namespace {

/// The particles of `list`, of nine that form a square of 3 × 3.
std::vector<Index> particles_of(const std::string& list) {
  const Groups groups{{"top", {6, 7, 8}}, {"left", {0, 3, 6}}, {"right", {2, 5, 8}}, {"corner", {6}}};
  Reading reading(parse_yaml("pinned: " + list, "square.yaml"), "");
  Node root = reading.root();
  return read_particles(root, "pinned", "", 9, groups);
}

using Particles = std::vector<Index>;

}  // namespace

TEST_CASE("particle lists: groups that meet at a corner have it once", "[app][yaml]") {
  CHECK(particles_of("[top, left]") == Particles{6, 7, 8, 0, 3});
  CHECK(particles_of("[left, top, right]") == Particles{0, 3, 6, 7, 8, 2, 5});
  CHECK(particles_of("[corner, top]") == Particles{6, 7, 8});
  CHECK(particles_of("[1, 4-5, top]") == Particles{1, 4, 5, 6, 7, 8});
  CHECK(particles_of("right") == Particles{2, 5, 8});
}

TEST_CASE("particle lists: a number whose particle is also named otherwise is a mistake", "[app][yaml]") {
  for (const char* list : {"[3, 3]", "[2-4, 3]", "[3, 2-4]", "[top, 7]", "[7, top]", "[top, left, 6]", "[0-2, left]",
                           "[top, top]", "[top, left, top]"}) {
    CAPTURE(list);
    CHECK_THROWS_AS(particles_of(list), InvalidArgument);
  }
}
