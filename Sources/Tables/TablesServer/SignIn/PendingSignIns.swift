import Foundation
import Moments
import OAuth
import OpenIDClient
import Origins
import Synchronization

/// The sign-ins of browsers that are at the authority, each good for one return of the browser that left.
///
/// They live in memory only: a browser that is away during a restart begins anew. An origin that begins more than its share loses
/// its oldest; ``SharedTotal`` decides who loses one if there are too many.
final class PendingSignIns: Sendable {
    /// The time that a person has at the authority.
    static let life: Duration = .seconds(600)

    /// A sign-in of a browser.
    struct SignIn: Sendable {
        /// The registration that it was begun with.
        let registration: ProviderRegistration
        /// The tokens that were asked for.
        let asked: OutsideDemand
        /// The secrets that the answer must fit.
        let secrets: ProviderRequest
        /// The cookie that the browser must bring back.
        let cookie: Secret
        /// The place at which the browser ends.
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

    /// Keeps none yet.
    ///
    /// - Parameters:
    ///   - most: The greatest number of all.
    ///   - mostOfOrigin: The greatest number of one origin.
    init(most: Int = 4_096, mostOfOrigin: Int = 256) {
        total = SharedTotal(most: most)
        self.mostOfOrigin = mostOfOrigin
    }

    /// Keeps a sign-in until its browser returns.
    ///
    /// - Parameters:
    ///   - signIn: The sign-in.
    ///   - origin: The levels of the browser's origin.
    ///   - now: The current time.
    /// - Returns: Whether there was room for it.
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

    /// Notes that a browser of this origin came back with a token that this API accepts.
    func succeeded(at origin: OriginLevels, _ now: Moment) { known.add(origin, at: now) }

    /// Takes the sign-in of a state, once, for the browser that has its cookie; for any other it stays.
    func take(_ state: String, cookies: [Secret], at now: Moment) -> SignIn? {
        entries.withLock { entries in
            guard let entry = entries[state], cookies.contains(entry.signIn.cookie) else { return nil }
            entries[state] = nil
            return entry.ends.hasPassed(at: now) ? nil : entry.signIn
        }
    }
}

extension PendingSignIns.Entry {
    /// Whether the sign-in is one of a scope.
    fileprivate func isIn(_ scope: SharedTotal.Scope) -> Bool {
        switch scope {
        case .all: true
        case .strangers: !isKnown
        case .level(let level, let name): levels[level] == name
        }
    }
}

extension ProviderRequest {
    /// A request with new secrets.
    static func random() -> ProviderRequest {
        ProviderRequest(
            state: RandomText.make(16),
            nonce: RandomText.make(16),
            verifier: Secret(RandomText.make(32))
        )
    }
}

/// Random bytes as text.
enum RandomText {
    /// Makes so many bytes in base64url.
    static func make(_ count: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64URL.encode(Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }))
    }
}
