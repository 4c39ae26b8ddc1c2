import Authority
public import FlowModel
import Flows
public import OAuth
import TokenCache

extension Broker {
    /// How long ago the user of a personal daemon may have proved a password to act as its operator.
    static let operatorProof: Duration = .seconds(300)

    /// Everybody's security events after the one numbered `since`, oldest first.
    public func auditAll(
        since: Int64?,
        limit: Int,
        caller: Caller
    ) async throws -> [AuditRecord] {
        try await permit("audit.all", caller)
        let limit = min(max(limit, 1), Self.maxAuditRows)
        return try await authority.auditRows(since: since ?? 0, limit: limit)
    }

    /// Registers a client.
    public func addClient(
        _ client: NewClient,
        caller: Caller
    ) async throws -> AddedClient {
        try await permit("client.add", caller)
        let added = try await authority.addClient(client, caller)
        shared.raise()
        return added
    }

    /// All clients.
    public func clients(caller: Caller) async throws -> [ClientSummary] {
        try await permit("client.list", caller)
        return try await authority.clients()
    }

    /// Removes a registered client.
    public func removeClient(_ id: String, caller: Caller) async throws {
        try await permit("client.remove", caller)
        try await authority.removeClient(id, caller)
        shared.raise()
    }

    /// People, in the order of their ids, after `after`.
    public func users(
        after: String?,
        limit: Int,
        caller: Caller
    ) async throws -> [UserSummary] {
        try await permit("user.list", caller)
        let after = after.map { UserID(oid: $0.lowercased()) }
        return try await authority.users(after: after, limit: min(max(limit, 1), Self.maxAuditRows))
    }

    /// A person by object id or sign-in name.
    public func user(_ user: String, caller: Caller) async throws -> UserSummary {
        try await permit("user.show", caller)
        return try await authority.user(user)
    }

    /// Lets a person sign in or not; not ends every session and family.
    public func setUser(
        _ user: String,
        enabled: Bool,
        caller: Caller
    ) async throws -> UserSummary {
        try await permit(enabled ? "user.enable" : "user.disable", caller)
        let person = try await authority.setEnabled(user, enabled, caller)
        shared.raise()
        if !enabled { await forget(UserID(oid: person.user)) }
        return person
    }

    /// Gives a person's attempts back.
    public func unlockUser(_ user: String, caller: Caller) async throws -> UserSummary {
        try await permit("user.unlock", caller)
        return try await authority.unlock(user, caller)
    }

    /// Deletes a person, or takes the invitation of an address back.
    public func deleteUser(_ user: String, caller: Caller) async throws {
        try await permit("user.delete", caller)
        let person: UserSummary
        do {
            person = try await authority.user(user)
        } catch let refusal as Refusal where refusal.reason == .accountNotFound {
            // Who is only invited has nothing but that.
            return try await authority.withdrawInvitation(user, caller)
        }
        try await authority.deleteUser(person.user, caller)
        shared.raise()
        await forget(UserID(oid: person.user))
    }

    /// The signing keys.
    public func keys(caller: Caller) async throws -> [KeySummary] {
        try await permit("keys.list", caller)
        return try await authority.keys()
    }

    /// Replaces the signing key of an algorithm, all if nil.
    public func rotateKeys(
        algorithm: String?,
        caller: Caller
    ) async throws -> [KeySummary] {
        try await permit("keys.rotate", caller)
        let keys = try await authority.rotateKeys(named: algorithm, caller)
        shared.raise()
        return keys
    }

    /// Ends a signing key and what it signed.
    public func revokeKey(_ kid: String, caller: Caller) async throws -> [KeySummary] {
        try await permit("keys.revoke", caller)
        let keys = try await authority.revokeKey(kid, caller)
        shared.raise()
        return keys
    }

    /// Removes the tokens of somebody who may not sign in any more, and tells who waits for their flows.
    private func forget(_ user: UserID) async {
        flows.lookAgain()
        await removeTokens(of: user)
    }

    /// Refuses who is no operator; every call of an operator's method is audited with uid and pid.
    ///
    /// A personal daemon's operator is its user: with an account, only shortly after a password (contract §4).
    func permit(_ method: String, _ correlation: CorrelationID, _ caller: Caller) async throws {
        let caller = caller
        guard caller.isOperator else {
            try await authority.audit("operator.refused", caller, detail: ["method": method, "reason": "not_permitted"])
            throw Refusal(.notPermitted, "\(method) is for operators")
        }
        if settings().isPersonal, try await !authority.hasNobody(),
            try await !authority.provedPassword(caller.owner, within: Self.operatorProof)
        {
            try await authority.audit("operator.refused", caller, detail: ["method": method, "reason": "not_proved"])
            throw Refusal(.interactionRequired, "sign in with your password first; \(method) needs it to be fresh")
        }
        try await authority.audit("operator.permitted", caller, detail: ["method": method])
    }
}
