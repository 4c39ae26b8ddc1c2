import FlowModel
import Logging
import Moments
import OpenIDClient
import StoreRefusals
import Synchronization
import TokenCache

extension TokenDesk {
    /// The most renewals at once at one authority that nobody waits for.
    static let renewalsAtOnce = 8
    /// The most of them for one uid in a round, so that nobody's tokens keep others' from being renewed.
    static let renewalsPerUID = 4
    /// The most of them in a round.
    static let renewalsPerRound = 64

    /// A token that is to be renewed, and what renews it.
    private struct DueToken {
        let use: TokenUseRecord
        let source: ExternalTokenSource
        let account: AccountRow
    }

    /// Renews outside authorities' tokens that were used lately and are in the second half of their lives, so that no caller
    /// waits for it.
    ///
    /// Each authority has rounds of its own: this leaves one whose round is under way, so that it may be called again before it
    /// has returned, and an authority that is silent holds up none but itself. Unused tokens, and those of a locked cache, are
    /// left. Each renewal is the one of its family, with its deadline, under the authority's circuit and pause; the token before
    /// is served meanwhile. A failure is tried again in a minute.
    public func renewUsed() async {
        let rounds = await dueRounds()
        await withTaskGroup(of: Void.self) { tasks in
            for (place, round) in rounds where self.rounds.begin(place) {
                tasks.addTask {
                    await self.renew(round)
                    self.rounds.end(place)
                }
            }
        }
    }

    /// The tokens to be renewed now, by authority.
    private func dueRounds() async -> [RenewalRounds.Place: [DueToken]] {
        var rounds: [RenewalRounds.Place: [DueToken]] = [:]
        for use in used.due(at: clock.now) where !cache.vaults.isLocked(uid: use.asked.uid) {
            do {
                guard let (source, account) = try await source(of: use) else {
                    used.forget(use)
                    continue
                }
                let registration = source.authority.registration
                let place = RenewalRounds.Place(issuer: registration.issuer, uid: registration.uid)
                let round = rounds[place] ?? []
                guard round.count < Self.renewalsPerRound,
                    round.count(where: { $0.use.asked.uid == use.asked.uid }) < Self.renewalsPerUID
                else { continue }
                rounds[place] = round + [DueToken(use: use, source: source, account: account)]
            } catch {
                failed(use, error)
            }
        }
        return rounds
    }

    private func renew(_ round: [DueToken]) async {
        await withTaskGroup(of: Void.self) { tasks in
            for (number, due) in round.enumerated() {
                if number >= Self.renewalsAtOnce { await tasks.next() }
                tasks.addTask { await self.renew(due) }
            }
        }
    }

    private func renew(_ due: DueToken) async {
        do {
            if try await !due.source.renew(due.use, due.account) { used.forget(due.use) }
        } catch {
            failed(due.use, error)
        }
    }

    private func failed(_ use: TokenUseRecord, _ error: any Error) {
        use.wait(until: Deadline(FamilyRenewer.aheadPause, after: clock.now))
        logger.debug("a token was not renewed ahead of time", metadata: ["error": "\(error)"])
    }

    /// The authority of a token, and its account; nil if one of them has gone.
    private func source(of use: TokenUseRecord) async throws -> (ExternalTokenSource, AccountRow)? {
        let asked = use.asked
        let account = try await Broker.rows.storing { try cache.accounts.get(uid: asked.uid, id: asked.account) }
        guard let account, let authority = try await external.named(asked.policy, uid: asked.uid),
            AccountSelection.Place.outside(authority).has(account)
        else { return nil }
        var request = AcquireRequest(scopes: asked.scopes)
        request.resource = asked.resource.isEmpty ? nil : asked.resource
        let caller = Caller(owner: .local(machine: machine, uid: asked.uid))
        var source = try ExternalTokenSource(self, request, caller, authority)
        source.isUse = false
        return (source, account)
    }
}

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
