import Synchronization

/// The rounds of renewals ahead of time that are under way: one for each authority, so that a silent one holds up no other.
final class RenewalRounds: Sendable {
    /// An authority, as the round of it is told from others.
    struct Place: Hashable, Sendable {
        /// The issuer.
        let issuer: String
        /// The uid that has added it; nil for one that the operator has configured.
        let uid: UInt32?
    }

    /// The most rounds at once.
    static let most = 64
    /// The most of them at the authorities that one uid has added.
    static let mostOfOwn = 4

    private let underWay = Mutex<Set<Place>>([])

    /// Begins the round of an authority; false while one is under way there, or as many as may be.
    func begin(_ place: Place) -> Bool {
        underWay.withLock { underWay in
            guard underWay.count < Self.most else { return false }
            if let uid = place.uid, underWay.count(where: { $0.uid == uid }) >= Self.mostOfOwn { return false }
            return underWay.insert(place).inserted
        }
    }

    /// Ends the round of an authority.
    func end(_ place: Place) { underWay.withLock { _ = $0.remove(place) } }
}
