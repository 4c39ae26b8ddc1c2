import Authority
import FlowModel
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
        correlationID: CorrelationID = .random(),
        caller: Caller
    ) async throws -> [AuditAnswer] {
        try await permit("audit.all", correlationID, caller)
        let limit = min(max(limit, 1), Self.maxAuditRows)
        return try await authority.auditRows(since: since ?? 0, limit: limit).map { AuditAnswer($0) }
    }

    /// Registers a client.
    public func addClient(
        _ request: AddClientRequest,
        correlationID: CorrelationID,
        caller: Caller
    ) async throws -> ClientAnswer {
        try await permit("client.add", correlationID, caller)
        var client = Authority.NewClient(name: request.name)
        client.isConfidential = request.isConfidential
        client.redirectURIs = request.redirectURIs
        client.scopes = request.scopes
        client.audience = request.audience
        let added = try await authority.addClient(client, caller.asker(correlationID))
        shared.raise()
        return ClientAnswer(added.client, audience: request.audience, secret: added.secret)
    }

    /// All clients.
    public func clients(correlationID: CorrelationID, caller: Caller) async throws -> [ClientAnswer] {
        try await permit("client.list", correlationID, caller)
        return try await authority.clients().map { ClientAnswer($0, audience: $0.audience, secret: nil) }
    }

    /// Removes a registered client.
    public func removeClient(_ id: String, correlationID: CorrelationID, caller: Caller) async throws {
        try await permit("client.remove", correlationID, caller)
        try await authority.removeClient(id, caller.asker(correlationID))
        shared.raise()
    }

    /// People, in the order of their ids, after `after`.
    public func users(
        after: String?,
        limit: Int,
        correlationID: CorrelationID,
        caller: Caller
    ) async throws -> [UserAnswer] {
        try await permit("user.list", correlationID, caller)
        let after = after.map { UserID(oid: $0.lowercased()) }
        return try await authority.users(after: after, limit: min(max(limit, 1), Self.maxAuditRows)).map {
            UserAnswer($0)
        }
    }

    /// A person by object id or sign-in name.
    public func user(_ user: String, correlationID: CorrelationID, caller: Caller) async throws -> UserAnswer {
        try await permit("user.show", correlationID, caller)
        let person = try await authority.user(user)
        let live = try await authority.holdings(of: person.summary.id)
        return UserAnswer(
            person,
            attributes: person.attributes,
            sessions: live.sessions,
            families: live.families
        )
    }

    /// Lets a person sign in or not; not ends every session and family.
    public func setUser(
        _ user: String,
        enabled: Bool,
        correlationID: CorrelationID,
        caller: Caller
    ) async throws -> UserAnswer {
        try await permit(enabled ? "user.enable" : "user.disable", correlationID, caller)
        let person = try await authority.setEnabled(user, enabled, caller.asker(correlationID))
        shared.raise()
        if !enabled { await forget(person.summary.id) }
        return UserAnswer(person)
    }

    /// Gives a person's attempts back.
    public func unlockUser(_ user: String, correlationID: CorrelationID, caller: Caller) async throws -> UserAnswer {
        try await permit("user.unlock", correlationID, caller)
        return UserAnswer(try await authority.unlock(user, caller.asker(correlationID)))
    }

    /// Deletes a person, or takes the invitation of an address back.
    public func deleteUser(_ user: String, correlationID: CorrelationID, caller: Caller) async throws {
        try await permit("user.delete", correlationID, caller)
        let person: Authority.Person
        do {
            person = try await authority.user(user)
        } catch let refusal as Refusal where refusal.reason == .accountNotFound {
            // Who is only invited has nothing but that.
            return try await authority.withdrawInvitation(user, caller.asker(correlationID))
        }
        try await authority.deleteUser(person.summary.id.oid, caller.asker(correlationID))
        shared.raise()
        await forget(person.summary.id)
    }

    /// The signing keys.
    public func keys(correlationID: CorrelationID, caller: Caller) async throws -> [KeyAnswer] {
        try await permit("keys.list", correlationID, caller)
        return try await authority.keys().map { KeyAnswer($0) }
    }

    /// Replaces the signing key of an algorithm, all if nil.
    public func rotateKeys(
        algorithm: String?,
        correlationID: CorrelationID,
        caller: Caller
    ) async throws -> [KeyAnswer] {
        try await permit("keys.rotate", correlationID, caller)
        let keys = try await authority.rotateKeys(named: algorithm, caller.asker(correlationID))
        shared.raise()
        return keys.map { KeyAnswer($0) }
    }

    /// Ends a signing key and what it signed.
    public func revokeKey(_ kid: String, correlationID: CorrelationID, caller: Caller) async throws -> [KeyAnswer] {
        try await permit("keys.revoke", correlationID, caller)
        let keys = try await authority.revokeKey(kid, caller.asker(correlationID))
        shared.raise()
        return keys.map { KeyAnswer($0) }
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
        let asker = caller.asker(correlation)
        guard caller.isOperator else {
            try await authority.audit("operator.refused", asker, detail: ["method": method, "reason": "not_permitted"])
            throw Refusal(.notPermitted, "\(method) is for operators")
        }
        if settings().isPersonal, try await !authority.hasNobody(),
            try await !authority.provedPassword(caller.owner, within: Self.operatorProof)
        {
            try await authority.audit("operator.refused", asker, detail: ["method": method, "reason": "not_proved"])
            throw Refusal(.interactionRequired, "sign in with your password first; \(method) needs it to be fresh")
        }
        try await authority.audit("operator.permitted", asker, detail: ["method": method])
    }
}
