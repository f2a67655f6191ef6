#pragma once
#include <filesystem>
#include <string>

namespace pithball::app {

/// Throws InvalidArgument if the file exists or lies in no folder; for commands that look before they work.
void require_new_file(const std::string& name, const std::string& remedy = "remove it or choose another name");

/// Writes a new file as a whole: it appears under its name once all of it is on the disk. Throws InvalidArgument as
/// above, std::runtime_error if the disk rejects.
void write_new_file(const std::string& name, const std::string& content);

/// The same for a file that may be there already: until all of it is on the disk, the old one stays. A symbolic link of
/// that name is replaced and not followed.
void replace_file(const std::string& name, const std::string& content);

/// What a new file or folder may be used for by others: what is wanted but for the user's mask.
std::filesystem::perms permissions_of_new(std::filesystem::perms wanted);

/// Waits until the content of a file, or the names in a folder, are on the disk. Throws std::runtime_error if the disk
/// rejects.
void flush_to_disk(const std::filesystem::path& file_or_folder);

}  // namespace pithball::app
