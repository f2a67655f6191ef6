#pragma once
#include <filesystem>
#include <string>

namespace pithball::app {

/// Throws InvalidArgument if the file exists or its folder does not; for commands that check before they start working.
void require_new_file(const std::string& name, const std::string& remedy = "remove it or choose another name");

/// Writes a new file atomically: it gets its name once it is completely on disk. Throws InvalidArgument as above,
/// std::runtime_error on a write error.
void write_new_file(const std::string& name, const std::string& content);

/// The same for a file that may exist: the old one stays until the new one is completely on disk. A symbolic link of
/// that name is replaced, not followed.
void replace_file(const std::string& name, const std::string& content);

/// Permissions of a new file or folder: `wanted` minus the user's umask.
std::filesystem::perms permissions_of_new(std::filesystem::perms wanted);

/// Waits until the content of a file, or the entries of a folder, are on disk. Throws std::runtime_error on a write
/// error.
void flush_to_disk(const std::filesystem::path& file_or_folder);

}  // namespace pithball::app
