/// An authority's signing keys and their states.
///
/// ``schedule(_:algorithms:now:)`` returns the due actions, and ``apply(_:now:generate:)`` applies them.
public struct KeyRing: Sendable {
    /// The keys in the order in which they were published, with at most one active key for each algorithm.
    public internal(set) var entries: [Entry]

    /// Creates a ring from stored entries.
    public init(entries: [Entry] = []) {
        self.entries = entries.sorted { $0.publishedAt < $1.publishedAt }
    }

    /// Returns the active key for `alg`, or `nil` if none exists.
    public func signer(_ alg: SigningAlgorithm) -> SigningKey? {
        entries.first { $0.state == .active && $0.alg == alg && $0.key != nil }?.key
    }

    /// Returns the public key with the given id, or `nil` if the key is unknown or revoked.
    public func verifier(_ kid: String) -> VerificationKey? {
        entries.first { $0.kid == kid && $0.state.verifies }?.publicKey
    }

    /// The published key set, which contains all keys that are not revoked.
    public var jwks: JWKSet {
        JWKSet(keys: entries.filter(\.state.verifies).map(\.publicKey))
    }

    /// Returns the entry for the key with the given id, or `nil` if there is no such key.
    public func entry(_ kid: String) -> Entry? { entries.first { $0.kid == kid } }
}

extension KeyRing {
    /// A key with its state and the times of its state changes, in milliseconds since 1970 UTC.
    public struct Entry: Sendable {
        /// The state of a key, which determines whether it may sign and verify.
        public enum State: String, CaseIterable, Sendable, Hashable {
            /// The key is published but does not sign yet.
            case published
            case active
            /// The key no longer signs, but signatures that the key has made are still valid.
            case retired
            /// The key no longer signs, and signatures that the key has made are no longer valid.
            case revoked

            /// Whether signatures made by a key in this state can be valid.
            public var verifies: Bool { self != .revoked }
        }

        /// The private key, or `nil` if this process can only verify signatures.
        public let key: SigningKey?
        /// The public key.
        public let publicKey: VerificationKey
        /// The current state of the key.
        public internal(set) var state: State
        /// The time at which the key was published.
        public let publishedAt: Int64
        /// The time at which the key started signing, or `nil` if it has never been active.
        public internal(set) var activeFrom: Int64?
        /// The time at which the key stopped signing, or `nil` if it has not stopped.
        public internal(set) var retiredAt: Int64?
        /// The time at which the key is to be removed, or `nil` if no time is set.
        public internal(set) var removeAt: Int64?

        /// The id of the key, which tokens contain as `kid`.
        public var kid: String { publicKey.kid }
        /// The algorithm that the key is bound to.
        public var alg: SigningAlgorithm { publicKey.alg }
    }
}

extension KeyRing.Entry {
    /// Creates an entry with a private key, which can sign and verify.
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

    /// Creates an entry without a private key, which can only verify signatures.
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
