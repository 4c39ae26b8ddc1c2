#pragma once

#include <stddef.h>
#include <stdint.h>

// Returns the catalog file for a language, such as "en", and stores its length in bytes. Returns NULL if there is none.
const uint8_t *_Nullable ctexts_of(const char *_Nonnull language, size_t *_Nonnull length);
