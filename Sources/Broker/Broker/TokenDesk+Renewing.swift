import FlowModel
import Logging
import Moments
import OpenIDClient
import StoreRefusals
import Synchronization
import TokenCache

extension TokenDesk {
    /// The maximum number of concurrent early renewals at one authority.
    static let renewalsAtOnce = 8
    /// The maximum number of early renewals per uid in one round, so that one uid does not delay the others' renewals.
    static let renewalsPerUID = 4
    /// The maximum number of early renewals in one round at an authority.
    static let renewalsPerRound = 64

    private struct DueToken {
        let use: TokenUseRecord
        let source: ExternalTokenSource
        let account: AccountRow
    }

    /// Renews recently used external tokens in the second half of their lifetime, so that no caller has to wait.
    ///
    /// Tokens in a locked cache are not renewed, and a failed renewal is tried again after a minute. This method can be
    /// called again before it returns, because each authority has its own rounds of renewals.
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

/// The rounds of early renewals that are in progress, at most one per authority.
final class RenewalRounds: Sendable {
    struct Place: Hashable, Sendable {
        let issuer: String
        /// The uid that added the authority, or `nil` if the operator configured it.
        let uid: UInt32?
    }

    /// The maximum number of concurrent rounds.
    static let most = 64
    /// The maximum number of concurrent rounds at authorities that one uid has added.
    static let mostOfOwn = 4

    private let underWay = Mutex<Set<Place>>([])

    /// Starts a round at an authority, or returns `false` if a round is already in progress or a limit is reached.
    func begin(_ place: Place) -> Bool {
        underWay.withLock { underWay in
            guard underWay.count < Self.most else { return false }
            if let uid = place.uid, underWay.count(where: { $0.uid == uid }) >= Self.mostOfOwn { return false }
            return underWay.insert(place).inserted
        }
    }

    func end(_ place: Place) { underWay.withLock { _ = $0.remove(place) } }
}
