extension KeyRing {
    /// One key and its state; times are milliseconds since 1970 UTC.
    public struct Entry: Sendable {
        /// What a key is used for.
        public enum State: String, CaseIterable, Sendable, Hashable {
            /// Others may fetch it; it signs nothing yet.
            case published
            /// It signs.
            case active
            /// It signs no more; what it signed is still good.
            case retired
            /// Nothing it signed is good any more.
            case revoked

            /// Whether a token signed by such a key may be good.
            public var verifies: Bool { self != .revoked }
        }

        /// The private key; nil where this process may only verify.
        public let key: SigningKey?
        /// The public key.
        public let publicKey: VerificationKey
        /// What it is used for.
        public internal(set) var state: State
        /// Since when others could fetch it.
        public let publishedAt: Int64
        /// Since when it signs or signed.
        public internal(set) var activeFrom: Int64?
        /// Since when it signs no more.
        public internal(set) var retiredAt: Int64?
        /// When it is removed.
        public internal(set) var removeAt: Int64?

        /// The name.
        public var kid: String { publicKey.kid }
        /// The algorithm.
        public var alg: SigningAlgorithm { publicKey.alg }

        /// An entry with its private key.
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

        /// An entry that can only verify.
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

        private init(
            key: SigningKey?,
            publicKey: VerificationKey,
            state: State,
            publishedAt: Int64,
            activeFrom: Int64?,
            retiredAt: Int64?,
            removeAt: Int64?
        ) {
            self.key = key
            self.publicKey = publicKey
            self.state = state
            self.publishedAt = publishedAt
            self.activeFrom = activeFrom
            self.retiredAt = retiredAt
            self.removeAt = removeAt
        }
    }
}
