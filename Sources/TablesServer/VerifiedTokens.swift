import Crypto
import Moments
import RemoteKeys
import Synchronization

/// Remembers which tokens were verified, by their hash, so that a token is verified once: until it ends, or its issuer
/// withdraws a key or must be asked for its keys again.
final class VerifiedTokens: Sendable {
    /// Most tokens that are remembered; those used longest ago make room.
    static let limit = 4096

    private struct Entry {
        let caller: Caller
        let end: Deadline
        let key: PublishedKey
        var lastUse: UInt64
    }

    private struct State {
        var entries: [SHA256Digest: Entry] = [:]
        var uses: UInt64 = 0

        /// Forgets what has ended, and a quarter of the rest, so that making room is rare.
        mutating func makeRoom(at now: Moment) {
            entries = entries.filter { !$0.value.end.hasEnded(at: now) }
            guard entries.count >= VerifiedTokens.limit else { return }
            let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(VerifiedTokens.limit / 4)
            for (name, _) in oldest { entries[name] = nil }
        }
    }

    private let state = Mutex(State())

    /// The name a token is remembered by.
    static func name(_ token: Substring) -> SHA256Digest {
        var (token, hash) = (token, SHA256())
        token.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        return hash.finalize()
    }

    /// Who had that token verified before, unless it has ended by either clock, or its key is to be looked at anew.
    func caller(_ name: SHA256Digest, at now: Moment) -> Caller? {
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
            return state.entries.values[index].caller
        }
    }

    /// Remembers a token.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - caller: Whose it is.
    ///   - expiresAt: When it ends, in seconds since 1970 UTC.
    ///   - key: What verified it.
    ///   - now: What time it is.
    func remember(
        _ name: SHA256Digest,
        _ caller: Caller,
        until expiresAt: Int64,
        by key: PublishedKey,
        at now: Moment
    ) {
        let end = Deadline(.milliseconds(expiresAt * 1000 - now.wall), after: now)
        state.withLock { state in
            if state.entries.count >= Self.limit { state.makeRoom(at: now) }
            state.uses += 1
            state.entries[name] = Entry(caller: caller, end: end, key: key, lastUse: state.uses)
        }
    }

    /// How many are remembered.
    var count: Int { state.withLock { $0.entries.count } }
}
