#include "datasets/manifest/sha256.hpp"

#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "sim/core/error.hpp"

namespace pithball::datasets {

std::string sha256_of_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InvalidArgument({file, "file", "must be readable", "an error", "check the path and its permissions"});
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const auto check = [](int done) {
    if (done != 1) throw std::runtime_error("OpenSSL cannot compute SHA-256");
  };
  check(EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr));
  std::array<char, 65536> block;
  while (in.read(block.data(), block.size()) || in.gcount() > 0)
    check(EVP_DigestUpdate(context.get(), block.data(), in.gcount()));
  std::array<unsigned char, 32> sum{};
  check(EVP_DigestFinal_ex(context.get(), sum.data(), nullptr));
  std::string digits;
  for (const unsigned byte : sum) {
    digits += "0123456789abcdef"[byte >> 4];
    digits += "0123456789abcdef"[byte & 15];
  }
  return digits;
}

}  // namespace pithball::datasets
