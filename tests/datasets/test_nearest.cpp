#include "datasets/text/nearest.hpp"

#include "tests/support/catch.hpp"

using namespace pithball::datasets;

TEST_CASE("nearest: a word with a slip of the pen is found, a different word is not", "[datasets][nearest]") {
  const std::vector<std::string> known{"time", "x1", "y1", "z1", "stiffness", "t", "tip"};
  CHECK(nearest("stifness", known) == "stiffness");
  CHECK(nearest("tmie", known) == "time");  // a swap is one slip
  CHECK(nearest("tp", known) == "tip");
  CHECK(nearest("TIME", known) == "time");
  CHECK(nearest("X1", known) == "x1");
  CHECK(nearest("C7", {"a:C7", "a:T10"}) == "a:C7");
  CHECK_FALSE(nearest("drag", {"linear_drag", "quadratic_drag"}));
  for (const char* far : {"seconds", "marker7", "temperature", "q", "kind", "charge", ""}) {
    INFO(far);
    CHECK_FALSE(nearest(far, known));
  }
}

TEST_CASE("nearest: without a near word the known ones are listed", "[datasets][nearest]") {
  const std::vector<std::string> known{"bunny", "torus"};
  CHECK(suggestion("tours", known) == "did you mean 'torus'?");
  CHECK(suggestion("meshes", known) == "known are bunny, torus");
  CHECK(suggestion("meshes", known, "choose one of these") == "choose one of these");
}
