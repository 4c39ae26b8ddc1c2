/// Cost of one Argon2id computation (RFC 9106 §3.1).
package struct Argon2Parameters: Hashable, Sendable {
    /// Memory in KiB.
    package let memory: UInt32
    /// Passes over the memory.
    package let passes: UInt32
    /// Lanes.
    package let lanes: UInt32

    /// Creates the cost of a computation.
    package init(memory: UInt32, passes: UInt32, lanes: UInt32) {
        self.memory = memory
        self.passes = passes
        self.lanes = lanes
    }

    /// 19 MiB, two passes, one lane.
    package static let standard = Argon2Parameters(memory: 19_456, passes: 2, lanes: 1)

    /// The least that a stored hash may ask for.
    static let least = Argon2Parameters(memory: 8, passes: 1, lanes: 1)
    /// The most that a stored hash may ask for: 1 GiB, 16 passes, 16 lanes.
    static let most = Argon2Parameters(memory: 1_048_576, passes: 16, lanes: 16)

    /// True if a stored hash may be computed at this cost.
    var isAllowed: Bool {
        memory >= max(Self.least.memory, 8 * lanes) && memory <= Self.most.memory
            && passes >= Self.least.passes && passes <= Self.most.passes
            && lanes >= Self.least.lanes && lanes <= Self.most.lanes
    }
}
