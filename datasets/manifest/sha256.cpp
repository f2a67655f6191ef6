#include "datasets/manifest/sha256.hpp"

#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "sim/core/error.hpp"

namespace pithball::datasets {

namespace {

/// A checksum that is updated as bytes are added.
class Sha256 {
 public:
  Sha256() { check(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr)); }
  void add(std::string_view bytes) { check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size())); }
  std::string digits() {
    std::array<unsigned char, 32> sum{};
    check(EVP_DigestFinal_ex(context_.get(), sum.data(), nullptr));
    std::string digits;
    for (const unsigned byte : sum) {
      digits += "0123456789abcdef"[byte >> 4];
      digits += "0123456789abcdef"[byte & 15];
    }
    return digits;
  }

 private:
  static void check(int done) {
    if (done != 1) throw std::runtime_error("OpenSSL cannot compute SHA-256");
  }
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

}  // namespace

std::string sha256_of(std::string_view bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.digits();
}

std::string sha256_of_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InvalidArgument({file, "file", "must be readable", "an error", "check the path and its permissions"});
  Sha256 sum;
  std::array<char, 65536> block;
  while (in.read(block.data(), block.size()) || in.gcount() > 0)
    sum.add({block.data(), static_cast<std::size_t>(in.gcount())});
  return sum.digits();
}

}  // namespace pithball::datasets
