#pragma once
#include <sys/socket.h>
#include <sys/types.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string>

#include "datasets/trajectory/hdf5_objects.hpp"

// HDF5 crashes on some damaged files before its results can be checked. So a child process opens the file; it has no
// access to other files, cannot write, has a memory limit, and answers one request at a time through a socket. A
// request and an answer are each a `Header` and the number of bytes that it gives.

namespace pithball::datasets::hdf5_dialogue {

/// A request: one for each function of Hdf5Objects.
enum class Question : std::int64_t { Has, Members, Shape, Doubles, Integers, Text, Integer };
/// How a request ended: with a result, or with the text of an InvalidArgument, a std::bad_alloc or another exception.
enum class Answer : std::int64_t { Done, Rejected, OutOfMemory, Failed };

/// The beginning of a message: the question or the answer, and the number of bytes that follow.
struct Header {
  std::int64_t kind;    ///< a Question or an Answer
  std::uint64_t bytes;  ///< number of bytes that follow
};

/// Reads all bytes, restarting after signals; false if the other side has closed.
inline bool receive_all(int socket, void* data, std::size_t bytes) {
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t n = recv(socket, to, bytes, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    bytes -= n;
  }
  return true;
}
/// Writes all bytes; likewise.
inline bool send_all(int socket, const void* data, std::size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = send(socket, from, bytes, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    from += n;
    bytes -= n;
  }
  return true;
}

/// The same for a complete message.
template <class Kind>
bool send_message(int socket, Kind kind, const void* data, std::size_t bytes) {
  const Header header{static_cast<std::int64_t>(kind), bytes};
  return send_all(socket, &header, sizeof header) && send_all(socket, data, bytes);
}

/// The child's side: restricts this process to the socket and serves the file until the parent is gone.
[[noreturn]] void serve(int socket, const std::string& file, Hdf5Opener open, std::chrono::seconds patience) noexcept;

}  // namespace pithball::datasets::hdf5_dialogue
