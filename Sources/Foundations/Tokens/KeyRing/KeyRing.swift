/// The signing keys of one authority and their states.
///
/// A value: the store loads it, ``schedule(_:algorithms:now:)`` returns the actions that are due, and
/// ``apply(_:now:generate:)`` applies them before the store writes the changes.
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

extension KeyRing {
    /// One key and its state; times are milliseconds since 1970 UTC.
    public struct Entry: Sendable {
        /// The state of a key, which decides if it may sign and verify.
        public enum State: String, CaseIterable, Sendable, Hashable {
            /// The key is published and signs nothing yet.
            case published
            /// The key signs.
            case active
            /// The key signs no more; its signatures are still valid.
            case retired
            /// None of the key's signatures is valid any more.
            case revoked

            /// True if a signature of such a key may be valid.
            public var verifies: Bool { self != .revoked }
        }

        /// The private key; nil if this process may only verify.
        public let key: SigningKey?
        /// The public key.
        public let publicKey: VerificationKey
        /// The state.
        public internal(set) var state: State
        /// The time of publication.
        public let publishedAt: Int64
        /// The time of the promotion to ``State/active``.
        public internal(set) var activeFrom: Int64?
        /// The time from which it signs no more.
        public internal(set) var retiredAt: Int64?
        /// The time at which it is removed.
        public internal(set) var removeAt: Int64?

        /// The key id: the name of the public key.
        public var kid: String { publicKey.kid }
        /// The algorithm.
        public var alg: SigningAlgorithm { publicKey.alg }
    }
}

extension KeyRing.Entry {
    /// Makes an entry with its private key.
    public init(
        key: SigningKey,
        state: State,
        publishedAt: Int64,
        activeFrom: Int64? = nil,
        retiredAt: Int64? = nil,
        removeAt: Int64? = nil
    ) {
        self.init(
            key: key,
            publicKey: key.publicKey,
            state: state,
            publishedAt: publishedAt,
            activeFrom: activeFrom,
            retiredAt: retiredAt,
            removeAt: removeAt
        )
    }

    /// Makes an entry that can only verify.
    public init(
        publicKey: VerificationKey,
        state: State,
        publishedAt: Int64,
        activeFrom: Int64? = nil,
        retiredAt: Int64? = nil,
        removeAt: Int64? = nil
    ) {
        self.init(
            key: nil,
            publicKey: publicKey,
            state: state,
            publishedAt: publishedAt,
            activeFrom: activeFrom,
            retiredAt: retiredAt,
            removeAt: removeAt
        )
    }
}
