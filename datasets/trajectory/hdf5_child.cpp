#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <new>
#include <system_error>

#include "datasets/trajectory/h5md.hpp"
#include "datasets/trajectory/hdf5_dialogue.hpp"
#include "sim/core/bytes.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

namespace {

using namespace hdf5_dialogue;

/// For answers other than arrays.
constexpr std::uint64_t longest_answer = std::uint64_t{1} << 20;

std::vector<std::uint64_t> read_list(BytesReader& found) {
  std::vector<std::uint64_t> list(found.count(sizeof(std::int64_t)));
  for (std::uint64_t& n : list) n = found.number();
  return list;
}

class Hdf5ObjectsInChild : public Hdf5Objects {
 public:
  Hdf5ObjectsInChild(std::string file, Hdf5Opener open, std::chrono::seconds patience);
  ~Hdf5ObjectsInChild() override { end(); }
  Hdf5ObjectsInChild(const Hdf5ObjectsInChild&) = delete;
  Hdf5ObjectsInChild& operator=(const Hdf5ObjectsInChild&) = delete;

  bool has(const std::string& object) override;
  std::vector<Hdf5Member> members(const std::string& group, std::size_t most) override;
  Hdf5Shape shape(const std::string& array) override;
  std::vector<double> doubles(const std::string& array, const Hdf5Shape& shape, const Hdf5Rows& rows) override {
    return numbers<double>(Question::Doubles, array, shape, rows);
  }
  std::vector<std::int64_t> integers(const std::string& array, const Hdf5Shape& shape, const Hdf5Rows& rows) override {
    return numbers<std::int64_t>(Question::Integers, array, shape, rows);
  }
  std::optional<std::string> text(const std::string& object, const std::string& attribute) override;
  std::optional<std::int64_t> integer(const std::string& object, const std::string& attribute) override;

 private:
  using Deadline = std::chrono::steady_clock::time_point;
  static Deadline after(std::chrono::seconds patience) { return std::chrono::steady_clock::now() + patience; }
  template <class Number>
  std::vector<Number> numbers(Question kind, const std::string& array, const Hdf5Shape& shape, const Hdf5Rows& rows);
  void send_question(Question kind, const BytesWriter& question);
  /// Returns the answer to a question with one or two names; `most`: the largest number of items permitted in the
  /// answer.
  std::string ask(Question kind, std::initializer_list<std::string> names, std::size_t most = 0);
  /// Returns the number of bytes of the next answer; throws if the child rejects the question or fails.
  std::uint64_t expect(Deadline deadline, std::uint64_t most);
  void receive(void* data, std::size_t bytes, Deadline deadline);
  std::string receive_short(Deadline deadline);
  [[noreturn]] void gone(const std::string& how);
  [[noreturn]] void stopped(const std::string& how);
  [[noreturn]] void died();
  void end();

  std::string file_;
  std::chrono::seconds patience_;
  int socket_ = -1;
  pid_t child_ = -1;
};

Hdf5ObjectsInChild::Hdf5ObjectsInChild(std::string file, Hdf5Opener open, std::chrono::seconds patience)
    : file_(std::move(file)), patience_(patience) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot make a socket to read HDF5 files through");
  child_ = fork();
  if (child_ == 0) serve(ends[1], file_, open, patience);
  const int error = errno;
  close(ends[1]);
  socket_ = ends[0];
  if (child_ < 0) {
    end();
    throw std::system_error(error, std::generic_category(), "cannot start a process to read HDF5 files in");
  }
  try {
    receive_short(after(patience));
  } catch (...) {
    end();
    throw;
  }
}

/// Kills the child process with SIGKILL: it only reads, so no data can be lost.
void Hdf5ObjectsInChild::end() {
  if (socket_ >= 0) close(socket_);
  if (child_ > 0) {
    kill(child_, SIGKILL);
    while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) continue;
  }
  socket_ = -1;
  child_ = -1;
}

void Hdf5ObjectsInChild::gone(const std::string& how) {
  throw UnreadHdf5({file_, "trajectory", "must be an HDF5 file that the HDF5 library can read",
                    "one on which the library " + how,
                    "the file is damaged or malicious; copy it again, or run the simulation again"});
}

void Hdf5ObjectsInChild::stopped(const std::string& how) {
  throw UnreadHdf5({file_, "trajectory", "must be read without being stopped", how,
                    "try again; check the memory and the disk of this machine"});
}

/// Handles a closed socket: the child crashed, and its status shows how once the system provides it.
void Hdf5ObjectsInChild::died() {
  int status = -1;  // denotes neither a crash nor an exit
  for (int k = 0; k < 100 && waitpid(child_, &status, WNOHANG) == 0; ++k) poll(nullptr, 0, 10);  // ms
  if (WIFSIGNALED(status) || WIFEXITED(status)) child_ = -1;
  end();
  if (WIFSIGNALED(status))
    for (const int outside : {SIGKILL, SIGHUP, SIGALRM})
      if (WTERMSIG(status) == outside) stopped(std::string("an end from outside (") + strsignal(outside) + ")");
  gone(WIFSIGNALED(status) ? std::string("crashes (") + strsignal(WTERMSIG(status)) + ")" : "ends the process");
}

void Hdf5ObjectsInChild::receive(void* data, std::size_t bytes, Deadline deadline) {
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    using std::chrono::milliseconds;
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    pollfd wait{socket_, POLLIN, 0};
    const int ready = poll(&wait, 1, std::clamp<std::int64_t>(left, 0, 1'000'000'000));
    if (ready == 0) {
      end();
      gone("finds no end");
    }
    const ssize_t n = ready < 0 ? -1 : recv(socket_, to, bytes, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) died();
    to += n;
    bytes -= n;
  }
}

std::uint64_t Hdf5ObjectsInChild::expect(Deadline deadline, std::uint64_t most) {
  Header header;
  receive(&header, sizeof header, deadline);
  const auto kind = static_cast<Answer>(header.kind);
  if (header.bytes > (kind == Answer::Done ? most : longest_answer)) {
    end();
    gone("answers what it was not asked");
  }
  if (kind == Answer::Done) return header.bytes;
  if (kind == Answer::OutOfMemory) gone("asks for more memory than such a file can need");
  std::string bytes(header.bytes, '\0');
  receive(bytes.data(), bytes.size(), deadline);
  BytesReader said(bytes);
  if (kind != Answer::Rejected) throw std::runtime_error(file_ + ": " + said.text());
  InvalidArgument::Parts p;
  for (std::string* part : {&p.where, &p.what, &p.required, &p.got, &p.remedy}) *part = said.text();
  throw InvalidArgument(p);
}

std::string Hdf5ObjectsInChild::receive_short(Deadline deadline) {
  std::string bytes(expect(deadline, longest_answer), '\0');
  receive(bytes.data(), bytes.size(), deadline);
  return bytes;
}

void Hdf5ObjectsInChild::send_question(Question kind, const BytesWriter& question) {
  if (socket_ < 0) gone("failed before");
  if (!send_message(socket_, kind, question.bytes().data(), question.bytes().size())) died();
}

std::string Hdf5ObjectsInChild::ask(Question kind, std::initializer_list<std::string> names, std::size_t most) {
  BytesWriter question;
  question.number(patience_.count());
  for (const std::string& name : names) question.text(name);
  question.number(static_cast<std::int64_t>(most));
  send_question(kind, question);
  return receive_short(after(patience_));
}

bool Hdf5ObjectsInChild::has(const std::string& object) {
  const std::string bytes = ask(Question::Has, {object});
  return BytesReader(bytes).number() != 0;
}

std::vector<Hdf5Member> Hdf5ObjectsInChild::members(const std::string& group, std::size_t most) {
  const std::string bytes = ask(Question::Members, {group}, most);
  BytesReader found(bytes);
  std::vector<Hdf5Member> members(found.count(4 * sizeof(std::int64_t)));
  for (Hdf5Member& member : members) {
    member.name = found.text();
    member.is_group = found.number() != 0;
    member.is_array = found.number() != 0;
    member.size = read_list(found);
  }
  return members;
}

Hdf5Shape Hdf5ObjectsInChild::shape(const std::string& array) {
  const std::string bytes = ask(Question::Shape, {array});
  BytesReader found(bytes);
  Hdf5Shape shape;
  shape.size = read_list(found);
  shape.chunk = read_list(found);
  shape.stored = found.number();
  shape.width = found.number();
  return shape;
}

template <class Number>
std::vector<Number> Hdf5ObjectsInChild::numbers(Question kind, const std::string& array, const Hdf5Shape& shape,
                                                const Hdf5Rows& rows) {
  std::vector<Number> values(shape.numbers(rows));
  const std::uint64_t bytes = values.size() * sizeof(Number);
  BytesWriter question;
  const auto patience = patience_ + std::chrono::seconds(bytes >> 20);  // slow disks read a mebibyte per second
  question.number(patience.count());
  question.text(array);
  for (const std::uint64_t n : {rows.first, rows.count, rows.stride}) question.number(n);
  send_question(kind, question);
  const Deadline deadline = after(patience);
  if (expect(deadline, bytes) != bytes) {
    end();
    gone("answers what it was not asked");
  }
  receive(values.data(), bytes, deadline);
  return values;
}

std::optional<std::string> Hdf5ObjectsInChild::text(const std::string& object, const std::string& attribute) {
  const std::string bytes = ask(Question::Text, {object, attribute});
  BytesReader found(bytes);
  if (found.number() == 0) return {};
  return found.text();
}

std::optional<std::int64_t> Hdf5ObjectsInChild::integer(const std::string& object, const std::string& attribute) {
  const std::string bytes = ask(Question::Integer, {object, attribute});
  BytesReader found(bytes);
  if (found.number() == 0) return {};
  return found.number();
}

}  // namespace

std::unique_ptr<Hdf5Objects> open_hdf5_in_child(const std::string& file, Hdf5Opener open,
                                                std::chrono::seconds patience) {
  return std::make_unique<Hdf5ObjectsInChild>(file, open, patience);
}

}  // namespace pithball::datasets
