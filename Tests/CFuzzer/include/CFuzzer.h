// The entry of libFuzzer, which the toolchain has as a library without a header.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Calls `check` with more and more inputs; returns the exit status.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*check)(const uint8_t *data, size_t size));
