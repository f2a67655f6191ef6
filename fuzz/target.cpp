#include "fuzz/target.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "sim/core/error.hpp"

namespace pithball::fuzz {
namespace {

namespace fs = std::filesystem;

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "pithball-fuzz-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make " + pattern);
    path = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

/// The target that the environment names.
const Target& chosen_target() {
  const char* const name = std::getenv("PITHBALL_FUZZ_TARGET");
  std::string known;
  for (const Target& target : targets()) {
    if (name && std::string(name) == target.name) return target;
    known += std::string(" ") + target.name;
  }
  std::fprintf(stderr, "PITHBALL_FUZZ_TARGET must be one of:%s\n", known.c_str());
  std::exit(2);
}

}  // namespace

const std::vector<Target>& targets() {
  static const std::vector<Target> all{
#include "fuzz/targets.inc"
  };
  return all;
}

std::string scratch_folder() {
  static const ScratchFolder folder;
  return folder.path.string();
}

std::string as_file(std::string_view bytes, const std::string& name) {
  const std::string file = scratch_folder() + "/" + name;
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return file;
}

void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "a promise is broken: %s\n", promise);
  std::abort();
}

}  // namespace pithball::fuzz

/// What libFuzzer and `run_corpus` call with each input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pithball;
  static const fuzz::Target& target = fuzz::chosen_target();
  try {
    target.read({reinterpret_cast<const char*>(data), size}, target.kind);
  } catch (const InvalidArgument&) {  // rejected, as it may be
  }
  return 0;
}
