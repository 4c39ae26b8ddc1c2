#pragma once

#include <stddef.h>
#include <stdint.h>

// The file of a language, such as "en", and its length; NULL if there is none.
const uint8_t *_Nullable ctexts_of(const char *_Nonnull language, size_t *_Nonnull length);
