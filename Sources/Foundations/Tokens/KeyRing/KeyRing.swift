/// The signing keys of one authority and their states.
///
/// A value: the store loads it, ``schedule(_:algorithms:policy:now:)`` returns the actions that are due, and
/// ``apply(_:policy:now:generate:)`` applies them before the store writes the changes.
public struct KeyRing: Sendable {
    /// The keys in the order they were published; at most one of each algorithm is active.
    public internal(set) var entries: [Entry]

    /// Makes a ring of stored entries.
    public init(entries: [Entry] = []) {
        self.entries = entries.sorted { $0.publishedAt < $1.publishedAt }
    }

    /// Returns the key that signs with `alg` now.
    public func signer(_ alg: SigningAlgorithm) -> SigningKey? {
        entries.first { $0.state == .active && $0.alg == alg && $0.key != nil }?.key
    }

    /// Returns the public key with that id, unless it was revoked.
    public func verifier(_ kid: String) -> VerificationKey? {
        entries.first { $0.kid == kid && $0.state.verifies }?.publicKey
    }

    /// The published key set: the keys that sign, that will, and that did.
    public var jwks: JWKSet {
        JWKSet(keys: entries.filter(\.state.verifies).map(\.publicKey))
    }

    /// Returns the entry of the key with that id.
    public func entry(_ kid: String) -> Entry? { entries.first { $0.kid == kid } }
}
