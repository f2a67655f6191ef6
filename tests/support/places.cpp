#include "tests/support/places.hpp"

namespace pithball::tests {

const char* const source_folder = PITHBALL_SOURCE_DIR;
const char* const built_program = PITHBALL_PROGRAM;
const char* const built_lab = PITHBALL_LAB;

}  // namespace pithball::tests
