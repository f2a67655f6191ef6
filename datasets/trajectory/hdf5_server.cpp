#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <new>
#include <system_error>

#include "datasets/trajectory/hdf5_dialogue.hpp"
#include "sim/core/bytes.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets::hdf5_dialogue {
namespace {

/// Returns the memory limit of a child: enough for HDF5's own data on an intact file, and for compressed arrays.
std::uint64_t memory_limit(std::uint64_t file_bytes) { return (std::uint64_t{2} << 30) + 16 * file_bytes; }

void limit(int resource, rlim_t value) {
  const rlimit both{value, value};
  setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

#ifndef PITHBALL_SANITIZED
/// Returns the current address space of this process in bytes, which a child inherits.
std::uint64_t address_space() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}
#endif

/// Restricts the child to the socket, as descriptor 3, and to one more descriptor, for the file to read.
void shut_in(int socket, std::uint64_t memory) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) std::signal(number, SIG_DFL);
  for (const int number : {SIGINT, SIGTERM}) std::signal(number, SIG_IGN);  // the parent ends it properly
  const int nothing = open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, stream);
  dup2(socket, 3);
  close_range(4, ~0U, 0);
#ifdef PITHBALL_SANITIZED  // sanitizers map terabytes, and use a pipe to test whether an address is readable
  limit(RLIMIT_NOFILE, 7);
#else
  limit(RLIMIT_NOFILE, 5);
  limit(RLIMIT_AS, address_space() + memory);
#endif
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NPROC, 0);
  limit(RLIMIT_CORE, 0);
}

template <class Number>
bool send_numbers(const std::vector<Number>& numbers) {
  return send_message(3, Answer::Done, numbers.data(), numbers.size() * sizeof(Number));
}

Hdf5Rows read_rows(BytesReader& question) {
  const auto first = question.number(), count = question.number(), stride = question.number();
  return {static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(stride)};
}

/// Sets an alarm that ends this process if its parent was killed and so cannot end it.
void set_alarm(std::chrono::seconds patience) {
  constexpr std::chrono::seconds for_the_parent{10};
  alarm(static_cast<unsigned>((patience + for_the_parent).count()));
}

void put_list(BytesWriter& found, const std::vector<std::uint64_t>& list) {
  found.number(list.size());
  for (const std::uint64_t n : list) found.number(n);
}

bool answer(Hdf5Objects& objects, std::map<std::string, Hdf5Shape>& shapes, Question kind, const std::string& bytes) {
  BytesReader question(bytes);
  set_alarm(std::chrono::seconds(question.number()));
  const std::string object = question.text();
  if (kind == Question::Doubles) return send_numbers(objects.doubles(object, shapes.at(object), read_rows(question)));
  if (kind == Question::Integers) return send_numbers(objects.integers(object, shapes.at(object), read_rows(question)));
  BytesWriter found;
  const auto put_if = [&](const auto& value, const auto& put) {
    found.number(value.has_value());
    if (value) put(*value);
  };
  if (kind == Question::Has) {
    found.number(objects.has(object));
  } else if (kind == Question::Members) {
    const std::vector<Hdf5Member> members = objects.members(object, static_cast<std::size_t>(question.number()));
    found.number(members.size());
    for (const Hdf5Member& member : members) {
      found.text(member.name);
      found.number(member.is_group);
      found.number(member.is_array);
      put_list(found, member.size);
    }
  } else if (kind == Question::Shape) {
    const Hdf5Shape& shape = shapes[object] = objects.shape(object);
    put_list(found, shape.size);
    put_list(found, shape.chunk);
    found.number(shape.stored);
    found.number(shape.width);
  } else if (kind == Question::Text) {
    put_if(objects.text(object, question.text()), [&](const std::string& text) { found.text(text); });
  } else {
    put_if(objects.integer(object, question.text()), [&](std::int64_t n) { found.number(n); });
  }
  return send_message(3, Answer::Done, found.bytes().data(), found.bytes().size());
}

/// Runs `work`, which sends its own answer; if it throws, sends the error instead. Returns false if the parent is gone.
template <class Work>
bool answer_or_complain(const Work& work) {
  Answer kind = Answer::Failed;
  BytesWriter said;
  try {
    return work();
  } catch (const InvalidArgument& error) {
    kind = Answer::Rejected;
    const InvalidArgument::Parts& p = error.parts();
    for (const std::string& part : {p.where, p.what, p.required, p.got, p.remedy}) said.text(part);
  } catch (const std::bad_alloc&) {
    kind = Answer::OutOfMemory;
  } catch (const std::exception& error) {
    said.text(error.what());
  }
  return send_message(3, kind, said.bytes().data(), said.bytes().size());
}

}  // namespace

void serve(int socket, const std::string& file, Hdf5Opener open, std::chrono::seconds patience) noexcept {
  std::error_code unknown;
  const std::uint64_t size = std::filesystem::file_size(file, unknown);
  shut_in(socket, memory_limit(unknown ? 0 : size));
  std::unique_ptr<Hdf5Objects> objects;
  std::map<std::string, Hdf5Shape> shapes;
  bool goes_on = answer_or_complain([&] {
    set_alarm(patience);
    objects = open(file);
    return send_message(3, Answer::Done, "", 0);
  });
  while (goes_on && objects) {
    alarm(0);  // no time limit while waiting for the parent
    Header header;
    if (!receive_all(3, &header, sizeof header)) break;
    std::string question(header.bytes, '\0');
    if (!receive_all(3, question.data(), question.size())) break;
    goes_on =
        answer_or_complain([&] { return answer(*objects, shapes, static_cast<Question>(header.kind), question); });
  }
  _exit(0);
}

}  // namespace pithball::datasets::hdf5_dialogue
