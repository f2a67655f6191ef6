#pragma once
#include <sys/file.h>

#include <cerrno>

namespace pithball::app {

/// What came of an attempt to lock a file or folder.
enum class Locked {
  Yes,      ///< as long as it is open
  ByOther,  ///< another program has locked it
  Unknown,  ///< the file system has no locks
};

/// Locks an open file or folder against other programs that try to.
inline Locked try_to_lock(int opened) {
  if (flock(opened, LOCK_EX | LOCK_NB) == 0) return Locked::Yes;
  return errno == EWOULDBLOCK ? Locked::ByOther : Locked::Unknown;
}

}  // namespace pithball::app
