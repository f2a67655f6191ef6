#include "optim/search/ledger.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "fuzz/target.hpp"

namespace {

using pithball::fuzz::require;
using pithball::optim::Ledger;

/// Changes the byte at a place, or ends the file there.
void damage(const std::string& file, std::size_t place, char change) {
  const auto at = place % std::filesystem::file_size(file);
  if (change == 0) return std::filesystem::resize_file(file, at);
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekg(static_cast<std::streamoff>(at));
  const auto old = static_cast<char>(bytes.get());
  bytes.seekp(static_cast<std::streamoff>(at));
  bytes.put(static_cast<char>(old ^ change));
}

/// Answers, one on a line after the letter that is its question, are written; then one byte of the file changes.
/// `head`: its place and how.
void find_in_damaged(const std::string& file, std::string_view head, std::istringstream answers) {
  std::filesystem::remove(file);
  std::map<std::string, std::set<std::string>> given;
  {
    Ledger whole(file, "subject");
    for (std::string line; std::getline(answers, line);) {
      whole.add(line.substr(0, 1), line);
      given[line.substr(0, 1)].insert(line);
    }
  }
  const auto digit = [&](std::size_t k) { return static_cast<std::size_t>(static_cast<unsigned char>(head[k])); };
  damage(file, digit(0) + 256 * digit(1), head[2]);
  Ledger damaged(file, "subject");
  for (const auto& [question, all] : given)
    if (const auto found = damaged.find(question)) require(all.contains(*found), "an answer is as it was given");
}

}  // namespace

/// `kind`: "bytes" for a file as it is, "damaged" for a sound one in which a byte is changed.
void pithball::fuzz::ledger(std::string_view bytes, const std::string& kind) {
  if (kind == "damaged") {
    if (bytes.size() > 3)
      find_in_damaged(scratch_folder() + "/ledger.bin", bytes, std::istringstream(std::string(bytes.substr(3))));
    return;
  }
  const std::string file = as_file(bytes, "ledger.bin");
  Ledger(file, "subject").add("question", "answer");
  require(Ledger(file, "subject").find("question") == "answer", "what was added is found");
}
