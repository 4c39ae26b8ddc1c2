/// Numbers that look random and are the same in every run (SplitMix64).
public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// The same numbers for the same `seed`.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// From 0 to less than `limit`.
    public mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

    /// One of them; there is at least one.
    public mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
}
