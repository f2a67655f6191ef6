#include "optim/search/ledger.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

constexpr char magic[8] = {'p', 'i', 't', 'h', 'l', 'e', 'd', '1'};

/// Header of each question and its answer. Numbers are stored as in memory, since a ledger is read on the machine that
/// wrote it.
struct RecordHead {
  std::uint64_t question = 0, answer = 0;  // bytes
  std::uint64_t sum = 0;                   // CRC-32 of both sizes, the question and the answer
};

std::uint64_t sum_of(const RecordHead& head, const std::string& question, const std::string& answer) {
  uLong sum = crc32(0, nullptr, 0);
  const auto add = [&](const void* data, std::size_t bytes) {
    sum = crc32_z(sum, static_cast<const Bytef*>(data), bytes);
  };
  add(&head.question, sizeof head.question);
  add(&head.answer, sizeof head.answer);
  add(question.data(), question.size());
  add(answer.data(), answer.size());
  return sum;
}

bool read_bytes(std::FILE* file, void* data, std::size_t bytes) {
  return bytes == 0 || std::fread(data, 1, bytes, file) == bytes;
}

}  // namespace

Ledger::Ledger(const std::string& file, const std::string& subject) : name_(file) {
  const int mode_of_new = 0666;
  const int opened = open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode_of_new);
  if (opened >= 0) file_.reset(fdopen(opened, "r+b"));
  if (!file_)
    throw InvalidArgument(
        {file, "", "must be a file that can be written", std::strerror(errno), "choose another --out"});
  std::fseek(file_.get(), 0, SEEK_END);
  const auto size = static_cast<std::uint64_t>(std::ftell(file_.get()));
  std::rewind(file_.get());

  char head[sizeof magic];
  std::string question;
  Place answer{};
  const bool begun = size >= sizeof head;
  const bool is_ledger =
      begun && read_bytes(file_.get(), head, sizeof head) && std::memcmp(head, magic, sizeof magic) == 0;
  if (begun && !is_ledger)
    throw InvalidArgument(
        {file, "", "must be an evaluation log of this program", "something else", "give --overwrite"});
  end_ = sizeof magic;
  if (is_ledger && read_record(size, question, answer)) {
    if (question != subject)
      throw InvalidArgument({file, "", "must be the evaluation log of this fit",
                             "one of another start or other parameters", "give --overwrite to restart"});
    while (read_record(size, question, answer)) answers_[question] = answer;
    if (ftruncate(opened, static_cast<off_t>(end_)) != 0)
      throw std::runtime_error("cannot write " + file + ": " + std::strerror(errno));
    return;
  }
  // A new file, or one from a program that was killed before it stored anything.
  if (ftruncate(opened, 0) != 0) throw std::runtime_error("cannot write " + file + ": " + std::strerror(errno));
  std::rewind(file_.get());
  std::fwrite(magic, 1, sizeof magic, file_.get());
  write_record(subject, "");
}

/// Reads the record after the valid ones; false if there is no valid one before `end`.
bool Ledger::read_record(std::uint64_t end, std::string& question, Place& answer) {
  RecordHead head;
  const std::uint64_t left = end - end_;
  std::fseek(file_.get(), end_, SEEK_SET);
  if (left < sizeof head || !read_bytes(file_.get(), &head, sizeof head)) return false;
  const std::uint64_t content = left - sizeof head;
  if (head.question > content || head.answer > content - head.question) return false;
  question.resize(head.question);
  std::string found(head.answer, '\0');
  if (!read_bytes(file_.get(), question.data(), question.size()) ||
      !read_bytes(file_.get(), found.data(), found.size()))
    return false;
  if (head.sum != sum_of(head, question, found)) return false;
  answer = {end_ + sizeof head + head.question, head.answer};
  end_ = answer.offset + answer.size;
  return true;
}

void Ledger::write_record(const std::string& question, const std::string& answer) {
  RecordHead head{question.size(), answer.size(), 0};
  head.sum = sum_of(head, question, answer);
  std::fseek(file_.get(), end_, SEEK_SET);
  std::fwrite(&head, 1, sizeof head, file_.get());
  std::fwrite(question.data(), 1, question.size(), file_.get());
  std::fwrite(answer.data(), 1, answer.size(), file_.get());
  if (std::fflush(file_.get()) != 0 || std::ferror(file_.get()))  // so that a killed program loses no results
    throw std::runtime_error("cannot write " + name_ + ": " + std::strerror(errno));
  end_ += sizeof head + question.size() + answer.size();
}

std::optional<std::string> Ledger::find(const std::string& question) const {
  const auto place = answers_.find(question);
  if (place == answers_.end()) return {};
  std::string answer(place->second.size, '\0');
  std::fseek(file_.get(), place->second.offset, SEEK_SET);
  if (!read_bytes(file_.get(), answer.data(), answer.size())) throw std::runtime_error("cannot read " + name_);
  return answer;
}

void Ledger::add(const std::string& question, const std::string& answer) {
  write_record(question, answer);
  answers_[question] = {end_ - answer.size(), answer.size()};
}

}  // namespace pithball::optim
