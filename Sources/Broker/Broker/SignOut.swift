import Authority
public import FlowModel
import Flows
import Logging
import OAuth
import StoreRefusals
import TokenCache

extension Broker {
    /// Removes the uid's tokens, then its sessions, families and flows.
    ///
    /// Parts that could not be ended yet are named in the answer and tried again.
    ///
    /// The cache is emptied first, with a new generation, so that a renewal under way cannot bring the account back.
    public func signOut(
        _ request: SignOutRequest,
        caller: Caller
    ) async throws -> SignOutSummary {
        let uid = try caller.owner.cacheUID
        let extent: SignOutExtent
        switch request.extent {
        case .all: extent = .all
        case .account(let id):
            guard try await everyAccount(of: uid).contains(where: { $0.account == id }) else {
                throw Refusal(.accountNotFound, "there is no such account")
            }
            extent = .accounts([id])
        }
        return try await signOut(extent, uid: uid, caller)
    }

    /// Signs out what an extent covers.
    func signOut(_ extent: SignOutExtent, uid: UInt32, _ caller: Caller) async throws -> SignOutSummary {
        var outside = OutsideSignOut(self, uid: uid, extent, caller)
        let result: SignOutResult
        do {
            result = try await cache.signOuts.begin(uid: uid, extent)
        } catch {
            outside.undo(self)
            throw Self.rows.refusal(error)
        }
        outside.takeRest(self, uid: uid, extent, caller)
        if extent == .all { locks.forget(uid) }
        // The persons of locked accounts at outside authorities are unknown, so nothing can be revoked there.
        let unopened = result.unopened.filter { $0 != Self.localAuthority }.map { "accounts at \($0)" }
        let unknown = await outside.finish(self) + unopened
        do {
            let ended = try await finish(result.ticket, caller)
            return SignOutSummary(tokens: result.tokens, sessions: ended.sessions, flows: ended.flows, left: unknown)
        } catch {
            logger.warning(
                "a sign-out was not finished",
                metadata: ["error": "\(error)", "correlation": "\(caller.correlationID)"]
            )
            let left = extent == .all ? ["sessions"] : result.ticket.targets.map { "session of \($0.account)" }
            return SignOutSummary(tokens: result.tokens, sessions: 0, flows: 0, left: left + unknown)
        }
    }

    /// Finishes pending sign-outs; those that fail are tried again the next time.
    func finishSignOuts() async {
        do {
            for ticket in try cache.signOuts.pending() { try await finishAgain(ticket) }
        } catch {
            logger.warning("a sign-out was not finished", metadata: ["error": "\(error)"])
        }
    }

    /// Finishes the pending sign-outs of a uid before it may sign in again.
    ///
    /// Afterwards the old sessions could not be distinguished from new ones.
    func finishSignOuts(of uid: UInt32) async throws {
        for ticket in try await Self.rows.storing({ try cache.signOuts.pending(uid: uid) }) {
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
            // Waiting callers are woken; the store then ends everything else in one transaction.
            flows += try await self.flows.cancelAll(owner: caller.owner, user: user)
            let removed = try await authority.signOut(user: user, caller)
            sessions += removed.sessions
            flows += removed.flows
        }
        do {
            try await cache.signOuts.completed(ticket)
        } catch {
            throw Self.rows.refusal(error)
        }
        return (sessions, flows)
    }
}

extension SignOutTicket.Target {
    /// The person of our own authority; nil for one of another.
    fileprivate var user: UserID? { authority == Broker.localAuthority ? UserID(oid: subject) : nil }
}
