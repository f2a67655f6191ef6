#pragma once
#include <string>
#include <string_view>

namespace pithball::datasets {

/// The SHA-256 checksum of these bytes as 64 hexadecimal digits.
std::string sha256_of(std::string_view bytes);

/// The SHA-256 checksum of a file's content as 64 hexadecimal digits; throws InvalidArgument if it cannot be read.
std::string sha256_of_file(const std::string& file);

}  // namespace pithball::datasets
