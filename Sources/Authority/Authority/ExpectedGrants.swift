public import AuthorityStore
public import FlowModel
public import OAuth

/// Prepares grants that are written in the transaction that records a flow's success.
///
/// Each method returns `nil` if a connector must be called first, in which case the grant is issued afterwards.
public struct ExpectedGrants: Sendable {
    let authority: Authority

    /// Prepares the code that ``Authority/issueCode(pending:session:_:_:)`` would issue, valid once it is written.
    ///
    /// `authentication` is the authentication that the flow writes, and `session` the session that it creates, if any.
    ///
    /// - Throws: `Refusal` if the authentication does not satisfy the request, or `StoreError` if the store fails.
    public func code(
        pending id: String,
        by authentication: Authentication,
        session: String?,
        _ terms: CodeTerms,
        _ caller: Caller
    ) async throws -> (code: Secret, grant: Issue)? {
        let grant = AuthenticationGrant(pending: id, sessionID: session, expected: authentication)
        return try await authority.tokens.expecting(grant, caller) { basis, context in
            let (code, issue) = grant.code(basis, (), terms, context)
            return (code: code, grant: issue)
        }
    }

    /// Prepares the approval that ``Devices/approve(_:pending:_:)`` would record.
    ///
    /// - Throws: `Refusal` if the authentication does not satisfy the request, or `StoreError` if the store fails.
    public func approval(
        _ device: DeviceRequest,
        pending id: String,
        by authentication: Authentication,
        _ caller: Caller
    ) async throws -> Issue? {
        let grant = AuthenticationGrant(pending: id, expected: authentication)
        return try await authority.tokens.expecting(grant, caller) { basis, context in
            grant.approval(device.id, basis, (), context)
        }
    }

    /// Prepares the tokens that ``Authority/issue(pending:_:)`` would issue.
    ///
    /// The flow must not create or change an account, because the tokens are prepared before such a change is written.
    ///
    /// - Throws: `Refusal` for an insufficient authentication or a missing account, or `StoreError` if the store fails.
    public func tokens(
        pending id: String,
        by authentication: Authentication,
        _ caller: Caller
    ) async throws -> ExpectedTokens? {
        let grant = AuthenticationGrant(pending: id, expected: authentication)
        let endpoint = authority.tokens
        return try await endpoint.expecting(grant, caller) { basis, context in
            let (signer, event) = try await endpoint.signer(grant, basis, context)
            let (family, issue) = try await grant.family(basis, (), event: event, context)
            return ExpectedTokens(grant: issue, signer: signer, family: family)
        }
    }
}

/// The tokens for a grant that is about to be written.
public struct ExpectedTokens: Sendable {
    /// The grant to write in the transaction that records the flow's success.
    public let grant: Issue
    let signer: TokenSigner
    let family: FamilyRow

    /// Signs the tokens, which is allowed only after the grant has been written to disk.
    public func signed() throws -> IssuedTokens { try signer.tokens(family) }
}

extension Authority {
    /// Prepares grants for flows that are about to succeed.
    public var expected: ExpectedGrants { ExpectedGrants(authority: self) }
}
