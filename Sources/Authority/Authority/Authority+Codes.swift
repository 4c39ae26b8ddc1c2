public import FlowModel
public import OAuth
import Storage
import StoreRefusals

extension Authority {
    /// Makes an authorization code for a flow that has ended with success; its authentication is used up.
    ///
    /// The code follows from the pending request: asked again, as after a double click, it is the same one.
    ///
    /// - Parameters:
    ///   - id: The pending request's id.
    ///   - session: The session that the flow has left, if it left one.
    ///   - terms: The terms of its use.
    ///   - caller: The caller.
    /// - Returns: The code.
    /// - Throws: `interaction_required` if nothing was proved for the request, or too long ago.
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

    /// Makes an authorization code for a live session that meets the request.
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
