import Crypto
import OAuth
import Synchronization

/// A cache of tokens with a valid signature, so that a repeated token is parsed and verified only once.
///
/// Everything that can change is checked every time: the key, the type, the times and the claims. Keys are identified
/// by their ids, so a cache can be used for only one key ring, whose key ids must be thumbprints.
public final class KnownSignatures: Sendable {
    /// The maximum number of cached tokens.
    ///
    /// The cache is cleared when it is full.
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

    /// Returns the cache key for a token: the SHA-256 of the token's full text.
    static func name(_ token: String) -> SHA256Digest {
        var (token, hash) = (token, SHA256())
        token.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        return hash.finalize()
    }

    subscript(name: SHA256Digest) -> Known? { known.withLock { $0[name] } }

    /// Caches a token under `name`.
    ///
    /// The token's signature must have been verified with the key that the token identifies.
    func remember(_ name: SHA256Digest, _ token: Known) {
        known.withLock { known in
            if known.count >= Self.most { known = [:] }
            known[name] = token
        }
    }
}
