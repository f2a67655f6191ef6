// Feeds a target with files, for compilers without libFuzzer: run_corpus TARGET FILE|FOLDER...

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fs = std::filesystem;

int main(int count, char** words) {
  if (count < 2) return 2;
  setenv("PITHBALL_FUZZ_TARGET", words[1], 1);
  std::vector<fs::path> files;
  for (int k = 2; k < count; ++k) {
    if (!fs::is_directory(words[k])) files.emplace_back(words[k]);
    if (!fs::is_directory(words[k])) continue;
    for (const auto& entry : fs::directory_iterator(words[k])) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);  // the last line is the input that ended the program
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (!in) return 2;
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  std::printf("%zu inputs\n", files.size());
  return files.empty() ? 2 : 0;
}
