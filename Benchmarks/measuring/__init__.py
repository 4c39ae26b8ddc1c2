"""What `Benchmarks/measure` is made of."""
