import Foundation
import Moments
import OAuth
import OpenIDClient
import Synchronization

/// The sign-ins of browsers that are at the authority, each good for one return of the browser that left.
///
/// They live in memory only: whoever is away during a restart begins anew. A place that begins more than its share loses its
/// oldest; if all have as many as they may, the place that has most loses its oldest.
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

    private struct Entry {
        let signIn: SignIn
        let place: String
        let ends: Deadline
    }

    private let entries = Mutex<[String: Entry]>([:])
    private let most: Int
    private let mostOfPlace: Int

    /// Keeps none yet.
    ///
    /// - Parameters:
    ///   - most: The greatest number of all.
    ///   - mostOfPlace: The greatest number of one place.
    init(most: Int = 4_096, mostOfPlace: Int = 256) {
        self.most = most
        self.mostOfPlace = mostOfPlace
    }

    /// Keeps a sign-in of a place until its browser returns.
    func add(_ signIn: SignIn, of place: String, at now: Moment) {
        let entry = Entry(signIn: signIn, place: place, ends: Deadline(Self.life, after: now))
        entries.withLock { entries in
            if entries.count >= most || entries.values.count(where: { $0.place == place }) >= mostOfPlace {
                entries = entries.filter { !$0.value.ends.hasPassed(at: now) }
            }
            if entries.values.count(where: { $0.place == place }) >= mostOfPlace {
                Self.removeOldest(of: place, &entries)
            } else if entries.count >= most {
                let counts = Dictionary(grouping: entries.values, by: \.place).mapValues(\.count)
                Self.removeOldest(of: counts.max { $0.value < $1.value }?.key ?? place, &entries)
            }
            entries[signIn.secrets.state] = entry
        }
    }

    /// Takes the sign-in of a state, once, for the browser that has its cookie; for any other it stays.
    func take(_ state: String, cookies: [Secret], at now: Moment) -> SignIn? {
        entries.withLock { entries in
            guard let entry = entries[state], cookies.contains(entry.signIn.cookie) else { return nil }
            entries[state] = nil
            return entry.ends.hasPassed(at: now) ? nil : entry.signIn
        }
    }

    private static func removeOldest(of place: String, _ entries: inout [String: Entry]) {
        let oldest = entries.filter { $0.value.place == place }.min { $0.value.ends.boot < $1.value.ends.boot }
        if let oldest { entries[oldest.key] = nil }
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
