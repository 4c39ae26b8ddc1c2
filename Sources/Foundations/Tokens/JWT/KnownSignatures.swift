import Crypto
import OAuth
import Synchronization

/// A cache of tokens with valid signatures, so that a repeated token is parsed and its signature verified only once.
///
/// All other checks are repeated. A cache must be used with only one key ring, and the key ids in this ring must be
/// thumbprints, so that a key id always identifies the same key.
public final class KnownSignatures: Sendable {
    /// The maximum number of cached tokens, at which the cache is cleared.
    public static let most = 4096

    struct Known: Sendable {
        let alg: String
        let kid: String
        let typ: String?
        let claims: [String: JSONValue]
    }

    private let known = Mutex<[SHA256Digest: Known]>([:])

    /// Creates an empty cache.
    public init() {}

    /// Returns the cache key for a token, which is the SHA-256 hash of the whole token.
    static func name(_ token: String) -> SHA256Digest {
        var (token, hash) = (token, SHA256())
        token.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        return hash.finalize()
    }

    subscript(name: SHA256Digest) -> Known? { known.withLock { $0[name] } }

    /// Caches a token whose signature the caller has verified with the key that the token identifies.
    func remember(_ name: SHA256Digest, _ token: Known) {
        known.withLock { known in
            if known.count >= Self.most { known = [:] }
            known[name] = token
        }
    }
}
