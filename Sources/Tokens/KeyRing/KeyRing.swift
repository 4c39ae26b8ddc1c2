/// The signing keys of one authority, and what state each is in.
///
/// A value: the store says what is in it, ``schedule(_:algorithms:policy:now:)`` what is due, and ``apply(_:policy:now:generate:)``
/// does it to the value before the store writes what changed.
public struct KeyRing: Sendable {
    /// The keys in the order they were published; at most one of each algorithm is active.
    public internal(set) var entries: [Entry]

    /// A ring as it was stored.
    public init(entries: [Entry] = []) {
        self.entries = entries.sorted { $0.publishedAt < $1.publishedAt }
    }

    /// The key that signs with `alg` now.
    public func signer(_ alg: SigningAlgorithm) -> SigningKey? {
        entries.first { $0.state == .active && $0.alg == alg && $0.key != nil }?.key
    }

    /// The public key of that name, unless it was revoked.
    public func verifier(_ kid: String) -> VerificationKey? {
        entries.first { $0.kid == kid && $0.state.verifies }?.publicKey
    }

    /// What others verify with: the keys that sign, that will, and that did.
    public var jwks: JWKSet {
        JWKSet(keys: entries.filter(\.state.verifies).map(\.publicKey))
    }

    /// The entry of that name.
    public func entry(_ kid: String) -> Entry? { entries.first { $0.kid == kid } }
}
