public import FlowModel
public import OAuth
import Storage
import StoreRefusals

extension Authority {
    /// Issues an authorization code for a successful flow, and consumes the flow's authentication.
    ///
    /// A repeated call, for example after a double click, returns the same code. `session` is the session that the flow
    /// created, or `nil` if it created none.
    ///
    /// - Throws: `interaction_required` if the request has no stored authentication, or one that is too old.
    public func issueCode(
        pending id: String,
        session: String? = nil,
        _ terms: CodeTerms,
        _ caller: Caller
    ) async throws -> Secret {
        try await Self.rows.storing {
            let grant = AuthenticationGrant(pending: id, sessionID: session)
            do {
                return try await tokens.issueCode(grant, terms, caller)
            } catch let error as StoreError where error.code == .consumed {
                return grant.code(try await tokens.context(caller))
            }
        }
    }

    /// Issues an authorization code for a live session that satisfies the request.
    public func issueCode(
        _ request: ResolvedRequest,
        session: String,
        _ terms: CodeTerms,
        _ caller: Caller
    ) async throws -> Secret {
        try await Self.rows.storing {
            try await tokens.issueCode(SessionGrant(session: session, request: request), terms, caller)
        }
    }
}
