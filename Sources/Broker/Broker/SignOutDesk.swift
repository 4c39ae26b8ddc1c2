import Authority
public import FlowModel
import Flows
import Logging
import Moments
import OAuth
import StoreRefusals
import TokenCache

/// Signs users out of their accounts at the local and external authorities, and removes the cached tokens.
public struct SignOutDesk: Sendable {
    let accounts: LocalAccounts
    let external: ExternalAuthorities
    let engine: FlowDirectory
    let locks: VaultDependencies
    let machine: String
    let logger: Logger

    var store: IssuedTokenStore { accounts.store }
    var cache: TokenCache { store.cache }
    var authority: Authority { store.authority }

    /// Removes the tokens of the caller's uid, and then ends the uid's sessions, token families and flows.
    ///
    /// The cached tokens are removed first, and a renewal that is already in progress can no longer store new ones. The
    /// response lists what could not be ended. The broker later retries to end local sessions and tokens, but it does
    /// not send the requests to external authorities again.
    public func signOut(
        _ request: SignOutRequest,
        caller: Caller
    ) async throws -> SignOutSummary {
        let uid = try caller.owner.cacheUID
        let extent: SignOutExtent
        switch request.extent {
        case .all: extent = .all
        case .account(let id):
            guard try await accounts.every(of: uid).contains(where: { $0.account == id }) else {
                throw Broker.noSuchAccount
            }
            extent = .accounts([id])
        }
        return try await signOut(extent, uid: uid, caller)
    }

    func signOut(_ extent: SignOutExtent, uid: UInt32, _ caller: Caller) async throws -> SignOutSummary {
        var outside = OutsideSignOut(self, uid: uid, extent, caller)
        let result: SignOutResult
        do {
            result = try await cache.signOuts.begin(uid: uid, extent)
        } catch {
            outside.undo(store)
            throw Broker.rows.refusal(error)
        }
        outside.takeRest(self, uid: uid, extent, caller)
        if extent == .all { locks.forget(uid) }
        // The accounts in a locked cache cannot be read, so their tokens at external authorities cannot be revoked.
        let unopened = result.unopened.filter { $0 != Broker.localAuthority }.map { "accounts at \($0)" }
        let unknown = await outside.finish(external) + unopened
        do {
            let ended = try await finish(result.ticket, caller)
            return SignOutSummary(tokens: result.tokens, sessions: ended.sessions, flows: ended.flows, left: unknown)
        } catch {
            logger.warning(
                "a sign-out was not finished",
                metadata: ["error": "\(error)", "correlationId": "\(caller.correlationID)"]
            )
            let left = extent == .all ? ["sessions"] : result.ticket.targets.map { "session of \($0.account)" }
            return SignOutSummary(tokens: result.tokens, sessions: 0, flows: 0, left: left + unknown)
        }
    }

    /// Completes pending sign-outs, oldest first.
    func finishPending() async {
        func warn(_ error: any Error) {
            logger.warning("a sign-out was not finished", metadata: ["error": "\(error)"])
        }
        do {
            for ticket in try cache.signOuts.pending() {
                do { try await finishAgain(ticket) } catch { warn(error) }
            }
        } catch { warn(error) }
    }

    /// Completes a uid's pending sign-outs before the uid signs in again, because they would end the new session too.
    func finishPending(of uid: UInt32) async throws {
        for ticket in try await Broker.rows.storing({ try cache.signOuts.pending(uid: uid) }) {
            try await finishAgain(ticket)
        }
    }

    private func finishAgain(_ ticket: SignOutTicket) async throws {
        let owner = Owner.local(machine: machine, uid: ticket.uid)
        _ = try await finish(ticket, Caller(owner: owner))
    }

    private func finish(_ ticket: SignOutTicket, _ caller: Caller) async throws -> (sessions: Int, flows: Int) {
        let users: [UserID?] = ticket.isAll ? [nil] : ticket.targets.compactMap(\.user)
        var sessions = 0
        var flows = 0
        for user in users {
            // Cancel the flows separately to wake their waiting callers. One transaction then ends everything else.
            flows += try await engine.cancelAll(owner: caller.owner, user: user)
            let removed = try await authority.sessions.signOut(user: user, caller)
            sessions += removed.sessions
            flows += removed.flows
        }
        try await Broker.rows.storing { try await cache.signOuts.completed(ticket) }
        return (sessions, flows)
    }

    /// Signs out of all accounts at an authority that the uid added, and removes the authority.
    ///
    /// - Returns: Descriptions of the sessions that could not be ended and the tokens that could not be revoked.
    /// - Throws: `account_not_found` if the uid has not added such an authority.
    public func removeAuthority(_ name: String, caller: Caller) async throws -> [String] {
        let uid = try caller.owner.cacheUID
        guard let row = try await Broker.rows.storing({ try cache.ownAuthorities.get(uid: uid, name: name) }) else {
            throw Refusal(.accountNotFound, Text("refusal.noOwnAuthority"))
        }
        // Do not sign out of accounts that also belong to the authority that the operator configured under this name.
        let place = AccountSelection.Place.outside(external.described(row, uid))
        let operators = accounts.settings().authorities[name].map { AccountSelection.Place.outside($0) }
        let ids = try await accounts.every(of: uid)
            .filter { place.has($0) && operators?.has($0) != true }.map(\.account)
        var left: [String] = []
        if !ids.isEmpty { left = try await signOut(.accounts(ids), uid: uid, caller).left }
        _ = try await Broker.rows.storing { try await cache.ownAuthorities.remove(uid: uid, name: name) }
        await external.note(.authorityRemoved, at: external.described(row, uid), caller)
        return left
    }
}

extension SignOutTicket.Target {
    fileprivate var user: UserID? { authority == Broker.localAuthority ? UserID(oid: subject) : nil }
}
