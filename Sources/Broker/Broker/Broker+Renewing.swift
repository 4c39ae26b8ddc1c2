import FlowModel
import Logging
import Moments
import OpenIDClient
import StoreRefusals
import TokenCache

extension Broker {
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
                    await renew(round)
                    self.rounds.end(place)
                }
            }
        }
    }

    /// The tokens to be renewed now, by authority.
    private func dueRounds() async -> [RenewalRounds.Place: [DueToken]] {
        var rounds: [RenewalRounds.Place: [DueToken]] = [:]
        for use in usedTokens.due(at: clock.now) where !cache.vaults.isLocked(uid: use.asked.uid) {
            do {
                guard let (source, account) = try await source(of: use) else {
                    usedTokens.forget(use)
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
                tasks.addTask { await renew(due) }
            }
        }
    }

    private func renew(_ due: DueToken) async {
        do {
            if try await !due.source.renew(due.use, due.account) { usedTokens.forget(due.use) }
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
        let account = try await Self.rows.storing { try cache.accounts.get(uid: asked.uid, id: asked.account) }
        guard let account, let authority = try await outside(asked.policy, uid: asked.uid),
            AccountChoice.Place.outside(authority).has(account)
        else { return nil }
        var request = AcquireRequest(scopes: asked.scopes)
        request.resource = asked.resource.isEmpty ? nil : asked.resource
        let caller = Caller(owner: .local(machine: machine, uid: asked.uid))
        var source = try ExternalTokenSource(self, request, caller, authority)
        source.isUse = false
        return (source, account)
    }
}
