import Foundation
import Moments
import OAuth
import OpenIDClient
import Origins
import Synchronization

/// The sign-ins that are waiting for the browser to return from the authority, stored only in memory.
///
/// Each sign-in can be completed once, by the browser that started it. A new sign-in replaces the oldest one of an
/// origin that is at its limit. If the list is full, ``SharedTotal`` decides which origin's sign-in is removed.
final class PendingSignIns: Sendable {
    static let life: Duration = .seconds(600)

    struct SignIn: Sendable {
        let registration: ProviderRegistration
        let asked: OutsideDemand
        /// The secrets that the authority's response must match.
        let secrets: ProviderRequest
        let cookie: Secret
        let completion: Completion
    }

    fileprivate struct Entry {
        let signIn: SignIn
        let levels: OriginLevels
        let isKnown: Bool
        let ends: Deadline
    }

    private let entries = Mutex<[String: Entry]>([:])
    private let known = KnownOrigins()
    private let total: SharedTotal
    private let mostOfOrigin: Int

    init(most: Int = 4_096, mostOfOrigin: Int = 256) {
        total = SharedTotal(most: most)
        self.mostOfOrigin = mostOfOrigin
    }

    /// Stores a sign-in until its browser returns, or returns `false` if the list is full.
    func add(_ signIn: SignIn, of origin: OriginLevels, at now: Moment) -> Bool {
        let entry = Entry(
            signIn: signIn,
            levels: origin,
            isKnown: known.contains(origin, at: now),
            ends: Deadline(Self.life, after: now)
        )
        return entries.withLock { entries in
            func count(_ scope: SharedTotal.Scope) -> Int { entries.values.count { $0.isIn(scope) } }
            if count(.level(.widest, origin.widest)) >= mostOfOrigin || entries.count * 4 >= total.most {
                entries = entries.filter { !$0.value.ends.hasPassed(at: now) }
            }
            if count(.level(.origin, origin.origin)) >= mostOfOrigin {
                let own = entries.filter { $0.value.levels.origin == origin.origin }
                if let oldest = own.min(by: { $0.value.ends.boot < $1.value.ends.boot }) { entries[oldest.key] = nil }
            }
            let admission = total.admission(of: origin, isKnown: entry.isKnown, count: count) { scope in
                entries.filter { $0.value.isIn(scope) }.sorted { $0.value.ends.boot < $1.value.ends.boot }
                    .map { SharedTotal.Unanswered(id: $0.key, levels: $0.value.levels) }
            }
            switch admission {
            case .admitted: break
            case .replacing(let state): entries[state] = nil
            case .refused: return false
            }
            entries[signIn.secrets.state] = entry
            return true
        }
    }

    /// Records that a sign-in from this origin ended with a token that this API accepts.
    func succeeded(at origin: OriginLevels, _ now: Moment) { known.add(origin, at: now) }

    /// Removes and returns the sign-in with this `state`, or returns `nil` if it has expired.
    ///
    /// Returns `nil` and removes nothing if `cookies` does not contain the sign-in's cookie.
    func take(_ state: String, cookies: [Secret], at now: Moment) -> SignIn? {
        entries.withLock { entries in
            guard let entry = entries[state], cookies.contains(entry.signIn.cookie) else { return nil }
            entries[state] = nil
            return entry.ends.hasPassed(at: now) ? nil : entry.signIn
        }
    }
}

extension PendingSignIns.Entry {
    fileprivate func isIn(_ scope: SharedTotal.Scope) -> Bool {
        switch scope {
        case .all: true
        case .strangers: !isKnown
        case .level(let level, let name): levels[level] == name
        }
    }
}

extension ProviderRequest {
    static func random() -> ProviderRequest {
        ProviderRequest(
            state: RandomText.make(16),
            nonce: RandomText.make(16),
            verifier: Secret(RandomText.make(32))
        )
    }
}

enum RandomText {
    /// Returns `count` random bytes in base64url.
    static func make(_ count: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64URL.encode(Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }))
    }
}
