import Crypto
import Moments
import RemoteKeys
import Synchronization

/// A cache of verified tokens, by hash.
///
/// A token is verified only once, until it expires, its issuer removes the key, or the issuer's keys must be fetched
/// again.
final class VerifiedTokens: Sendable {
    /// The maximum number of cached tokens.
    ///
    /// The least recently used tokens are removed first.
    static let limit = 4096

    private struct Entry {
        let identity: BearerIdentity
        let end: Deadline
        let key: PublishedKey
        var lastUse: UInt64
    }

    private struct State {
        var entries: [SHA256Digest: Entry] = [:]
        var uses: UInt64 = 0

        /// Removes expired tokens and a quarter of the remaining ones.
        ///
        /// Because this frees many entries at once, the method is rarely called.
        mutating func makeRoom(at now: Moment) {
            entries = entries.filter { !$0.value.end.hasEnded(at: now) }
            guard entries.count >= VerifiedTokens.limit else { return }
            let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(VerifiedTokens.limit / 4)
            for (name, _) in oldest { entries[name] = nil }
        }
    }

    private let state = Mutex(State())

    /// Returns the cache key of a token, its SHA-256 hash.
    static func name(_ token: Substring) -> SHA256Digest {
        var (token, hash) = (token, SHA256())
        token.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        return hash.finalize()
    }

    /// Returns the identity of a cached token.
    ///
    /// Returns `nil` if the token is unknown, is expired on the monotonic clock or the wall clock, or if its key must
    /// be checked again.
    func identity(_ name: SHA256Digest, at now: Moment) -> BearerIdentity? {
        state.withLock { state in
            guard let index = state.entries.index(forKey: name) else { return nil }
            guard state.entries.values[index].key.isCurrent(at: now),
                !state.entries.values[index].end.hasEnded(at: now)
            else {
                state.entries.remove(at: index)
                return nil
            }
            state.uses += 1
            state.entries.values[index].lastUse = state.uses
            return state.entries.values[index].identity
        }
    }

    /// Adds a verified token.
    ///
    /// - Parameters:
    ///   - name: The cache key, from ``name(_:)``.
    ///   - identity: The user that the token names.
    ///   - expiresAt: The expiry, in seconds since 1970 UTC.
    ///   - key: The key that verified the token.
    ///   - now: The current time.
    func remember(
        _ name: SHA256Digest,
        _ identity: BearerIdentity,
        until expiresAt: Int64,
        by key: PublishedKey,
        at now: Moment
    ) {
        let end = Deadline(.milliseconds(expiresAt * 1000 - now.wall), after: now)
        state.withLock { state in
            if state.entries.count >= Self.limit { state.makeRoom(at: now) }
            state.uses += 1
            state.entries[name] = Entry(identity: identity, end: end, key: key, lastUse: state.uses)
        }
    }
}
