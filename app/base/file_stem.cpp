#include "app/base/file_stem.hpp"

#include <cctype>

namespace pithball::app {

std::string file_stem(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.') c = '_';
  return name;
}

}  // namespace pithball::app
