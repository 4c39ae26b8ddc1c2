"""The modules of the measurements in `Benchmarks`."""
