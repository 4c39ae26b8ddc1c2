/// The cost parameters of an Argon2id computation (RFC 9106 §3.1).
package struct Argon2Parameters: Hashable, Sendable {
    /// The amount of memory, in KiB.
    package let memory: UInt32
    package let passes: UInt32
    package let lanes: UInt32

    package init(memory: UInt32, passes: UInt32, lanes: UInt32) {
        self.memory = memory
        self.passes = passes
        self.lanes = lanes
    }

    package static let standard = Argon2Parameters(memory: 19_456, passes: 2, lanes: 1)

    /// The minimum cost parameters that are accepted in a stored hash.
    static let least = Argon2Parameters(memory: 8, passes: 1, lanes: 1)
    /// The maximum cost parameters that are accepted in a stored hash, including 1 GiB of memory.
    static let most = Argon2Parameters(memory: 1_048_576, passes: 16, lanes: 16)

    var isAllowed: Bool {
        memory >= max(Self.least.memory, 8 * lanes) && memory <= Self.most.memory
            && passes >= Self.least.passes && passes <= Self.most.passes
            && lanes >= Self.least.lanes && lanes <= Self.most.lanes
    }
}
