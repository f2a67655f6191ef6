#include "sim/core/error.hpp"
#include "datasets/mesh.hpp"
int main() {
  pithball::datasets::Mesh m; return static_cast<int>(m.springs.size());
}
