#pragma once
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace pithball::optim {

/// Answers that are kept on disk as they are found, each under its question, so that a killed program that is started
/// again need not find them twice. Questions and answers are bytes; the answers stay on disk. Every record has a
/// checksum (CRC-32): the first that does not hold ends the file, and what was lost with it is found anew.
class Ledger {
 public:
  /// Opens the file or makes it. `subject` is what the answers are about. Throws InvalidArgument if the file is about
  /// something else, is no ledger, or cannot be written.
  Ledger(const std::string& file, const std::string& subject);

  std::optional<std::string> find(const std::string& question) const;
  /// A later answer to the same question replaces the earlier one. Throws std::runtime_error if the disk rejects.
  void add(const std::string& question, const std::string& answer);

 private:
  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  struct Place {
    std::uint64_t offset, size;
  };
  bool read_record(std::uint64_t end, std::string& question, Place& answer);
  void write_record(const std::string& question, const std::string& answer);

  std::string name_;
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t end_ = 0;  // of the records that hold
  std::unordered_map<std::string, Place> answers_;
};

}  // namespace pithball::optim
