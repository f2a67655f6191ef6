#pragma once
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace pithball::optim {

/// A persistent table of results by key, so that a restarted program need not compute them again. Keys and results are
/// bytes; results stay on disk. Every record has a checksum (CRC-32): reading ends at the first invalid record, and
/// later results are computed again.
class Ledger {
 public:
  /// Opens or creates the file. `subject` identifies its content. Throws InvalidArgument if the file has another
  /// subject, is not a ledger, or cannot be written.
  Ledger(const std::string& file, const std::string& subject);

  /// The stored result; empty if there is none. Throws std::runtime_error on a read error.
  std::optional<std::string> find(const std::string& question) const;
  /// Stores a result, replacing an earlier one with the same key. Throws std::runtime_error on a write error.
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
  std::uint64_t end_ = 0;  // end of the valid records
  std::unordered_map<std::string, Place> answers_;
};

}  // namespace pithball::optim
