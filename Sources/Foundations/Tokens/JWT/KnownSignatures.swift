import Crypto
import OAuth
import Synchronization

/// Tokens whose signatures were found good, so that one which is shown again and again is read and verified once.
///
/// Everything that may have changed is checked each time it is shown: its key, its kind, its time and its claims. Keys are
/// told apart by their ids, so a memory serves one ring of keys, whose ids are their thumbprints.
public final class KnownSignatures: Sendable {
    /// The most tokens that are remembered; beyond it, all are forgotten.
    public static let most = 4096

    /// The contents of a token, as the key that it names has signed them.
    struct Known: Sendable {
        let alg: String
        let kid: String
        let typ: String?
        let claims: [String: JSONValue]
    }

    private let known = Mutex<[SHA256Digest: Known]>([:])

    /// An empty memory.
    public init() {}

    /// The name of a token: the digest of its text, every byte of which counts.
    static func name(_ token: String) -> SHA256Digest {
        var (token, hash) = (token, SHA256())
        token.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        return hash.finalize()
    }

    /// The contents of a token that was found good before; nil for every other.
    subscript(name: SHA256Digest) -> Known? { known.withLock { $0[name] } }

    /// Remembers a token whose signature was found to be that of the key it names.
    func remember(_ name: SHA256Digest, _ token: Known) {
        known.withLock { known in
            if known.count >= Self.most { known = [:] }
            known[name] = token
        }
    }
}
