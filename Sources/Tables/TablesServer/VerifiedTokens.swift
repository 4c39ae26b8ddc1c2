import Crypto
import Moments
import RemoteKeys
import Synchronization

/// A cache of verified tokens, identified by their hashes.
///
/// A token is cached until it expires, its authority's keys must be fetched again, or one of the keys was withdrawn.
final class VerifiedTokens: Sendable {
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

        /// Removes expired tokens, and if the cache is still full, the least recently used quarter of the tokens.
        mutating func makeRoom(at now: Moment) {
            entries = entries.filter { !$0.value.end.hasEnded(at: now) }
            guard entries.count >= VerifiedTokens.limit else { return }
            let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(VerifiedTokens.limit / 4)
            for (name, _) in oldest { entries[name] = nil }
        }
    }

    private let state = Mutex(State())

    static func name(_ token: Substring) -> SHA256Digest {
        var (token, hash) = (token, SHA256())
        token.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        return hash.finalize()
    }

    /// Returns a cached token's identity, or `nil` if the token is missing or expired, or its key is not current.
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

    /// Adds a verified token, which expires at `expiresAt`, in seconds since 1970 UTC.
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
