#pragma once
#include <string>
#include <string_view>

namespace pithball::datasets {

/// Whether the bytes begin with a UTF-16 byte order mark.
bool is_utf16(std::string_view bytes);

/// The text of such bytes in UTF-8, without the mark (The Unicode Standard 15, section 3.9). An incomplete character at
/// the end is dropped. Throws InvalidArgument at `where` on an unpaired surrogate.
std::string utf16_to_utf8(std::string_view bytes, const std::string& where);

}  // namespace pithball::datasets
