#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "tests/layering/tracked_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

// The repository must read and work the same on every machine: no tracked text names a path of one machine, and data
// outside the repository is reached through PITHBALL_DATA only. Recordings are as their authors made them.

namespace {

/// A path of one developer's machine, at the start of a word.
bool names_a_machine_path(const std::string& line) {
  static const std::regex pattern(R"((^|[^A-Za-z0-9_.])/(home|Users|work|tmp)/)");
  return std::regex_search(line, pattern);
}

bool names_shared_data(const std::string& line) {
  return line.find(std::string("..") + "/shared") != std::string::npos;
}

bool is_recording(const std::string& file) { return file.starts_with("datasets/recordings/"); }

}  // namespace

TEST_CASE("tracked text: the patterns find what they are for", "[layering]") {
  CHECK(names_a_machine_path(std::string("see /") + "work/notes.md"));
  CHECK(names_a_machine_path(std::string("/") + "home/ada/pithball"));
  CHECK_FALSE(names_a_machine_path("https://example.org/work/paper"));
  CHECK_FALSE(names_a_machine_path("tests/work/mesh.obj"));
  CHECK(names_shared_data(std::string("..") + "/shared/data"));
}

TEST_CASE("tracked text: no path of one machine, no data outside the repository", "[layering]") {
  const std::filesystem::path root = pithball::tests::source_folder;
  const auto files = pithball::tests::tracked_files(root.string());
  for (const auto& file : files) {
    if (is_recording(file) && !file.ends_with("README.md")) continue;
    std::ifstream stream(root / file);
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number) {
      if (line.find('\0') != std::string::npos) break;  // not text
      if (names_a_machine_path(line)) FAIL_CHECK(file << ":" << number << ": a path of one machine: " << line);
      if (names_shared_data(line) && file != ".ci/run")
        FAIL_CHECK(file << ":" << number << ": reach data through PITHBALL_DATA: " << line);
    }
  }
}

TEST_CASE("tracked files: those over 1 MiB are recordings", "[layering]") {
  const std::filesystem::path root = pithball::tests::source_folder;
  for (const auto& file : pithball::tests::tracked_files(root.string())) {
    CAPTURE(file);
    if (!is_recording(file)) CHECK(std::filesystem::file_size(root / file) <= 1024 * 1024);
  }
}
