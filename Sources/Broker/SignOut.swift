import Authority
public import FlowModel
import Flows
import Logging
import OAuth
import StoreRefusals
import TokenCache

extension Broker {
    /// Removes the uid's tokens, then its sessions, families and flows; what could not be ended yet is named and tried
    /// again.
    ///
    /// The cache goes first, with a new generation, so that a renewal under way cannot bring the account back.
    public func signOut(
        _ request: SignOutRequest,
        caller: Caller
    ) async throws -> SignOutSummary {
        let uid = try caller.owner.cacheUID
        let extent: SignOutExtent
        switch request.extent {
        case .all: extent = .all
        case .account(let id):
            guard try await Self.rows.storing({ try cache.account(uid: uid, id: id) }) != nil else {
                throw Refusal(.accountNotFound, "there is no such account")
            }
            extent = .accounts([id])
        }
        let result: SignOutResult
        do {
            result = try await cache.signOut(uid: uid, extent)
        } catch {
            throw Self.rows.refusal(error)
        }
        if extent == .all { locks.forget(uid) }
        // Whom locked accounts belonged to elsewhere is not known any more, so nothing can be revoked there.
        let unknown = result.unopened.filter { $0 != Self.localAuthority }.map { "accounts at \($0)" }
        do {
            let ended = try await finish(result.ticket, caller)
            return SignOutSummary(tokens: result.tokens, sessions: ended.sessions, flows: ended.flows, left: unknown)
        } catch {
            logger.warning(
                "a sign-out was not finished",
                metadata: ["error": "\(error)", "correlation": "\(caller.correlationID)"]
            )
            let left = request.extent == .all ? ["sessions"] : result.ticket.targets.map { "session of \($0.account)" }
            return SignOutSummary(tokens: result.tokens, sessions: 0, flows: 0, left: left + unknown)
        }
    }

    /// Finishes what sign-outs have left to do; what fails stays for the next time.
    func finishSignOuts() async {
        do {
            for ticket in try cache.pendingSignOuts() { try await finishAgain(ticket) }
        } catch {
            logger.warning("a sign-out was not finished", metadata: ["error": "\(error)"])
        }
    }

    /// Finishes what sign-outs of a uid have left to do, before it may sign in again.
    ///
    /// Later it could not be told any more which session was meant.
    func finishSignOuts(of uid: UInt32) async throws {
        for ticket in try await Self.rows.storing({ try cache.pendingSignOuts(uid: uid) }) {
            try await finishAgain(ticket)
        }
    }

    private func finishAgain(_ ticket: SignOutTicket) async throws {
        let owner = Owner.local(machine: machine, uid: ticket.uid)
        _ = try await finish(ticket, Caller(owner: owner))
    }

    private func finish(_ ticket: SignOutTicket, _ caller: Caller) async throws -> (sessions: Int, flows: Int) {
        let users: [UserID?] = ticket.isAll ? [nil] : ticket.targets.map { UserID(oid: $0.subject) }
        var sessions = 0
        var flows = 0
        for user in users {
            // Whoever waits for a flow is told; the store then ends what else there is, in one transaction.
            flows += try await self.flows.cancelAll(owner: caller.owner, user: user)
            let removed = try await authority.signOut(user: user, caller)
            sessions += removed.sessions
            flows += removed.flows
        }
        do {
            try await cache.completed(ticket)
        } catch {
            throw Self.rows.refusal(error)
        }
        return (sessions, flows)
    }
}
