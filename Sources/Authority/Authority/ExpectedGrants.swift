public import AuthorityStore
public import FlowModel
public import OAuth

/// The grants to requests whose flows are about to succeed, for the transactions that write the successes.
///
/// The flow's authentication is judged before it is written; it is used up where it is written. Each is nil where something has
/// to be asked of a connector first: the grant is then given afterwards.
public struct ExpectedGrants: Sendable {
    let authority: Authority

    /// An authorization code, as ``Authority/issueCode(pending:session:_:_:)`` gives it.
    ///
    /// - Parameters:
    ///   - id: The pending request's id.
    ///   - authentication: The authentication that the flow writes.
    ///   - session: The session that the flow leaves, if it leaves one.
    ///   - terms: The terms of its use.
    ///   - caller: The caller.
    /// - Returns: The code, which counts once the grant is written.
    /// - Throws: `Refusal` if the authentication does not meet the request, `StoreError`.
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

    /// The approval of a device's request, as ``Devices/approve(_:pending:_:)`` gives it.
    ///
    /// - Parameters:
    ///   - device: The device's request.
    ///   - id: The pending request's id.
    ///   - authentication: The authentication that the flow writes.
    ///   - caller: The caller.
    /// - Returns: The grant.
    /// - Throws: `Refusal` if the authentication does not meet the request, `StoreError`.
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

    /// Tokens, as ``Authority/issue(pending:_:)`` gives them, of a person whose account the flow leaves as it is.
    ///
    /// - Parameters:
    ///   - id: The pending request's id.
    ///   - authentication: The authentication that the flow writes.
    ///   - caller: The caller.
    /// - Returns: The tokens, which are signed once the grant is written.
    /// - Throws: `Refusal` if the authentication does not meet the request, or nobody has such an account yet; `StoreError`.
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

/// Tokens of a grant that is about to be written.
public struct ExpectedTokens: Sendable {
    /// The grant.
    public let grant: Issue
    let signer: TokenSigner
    let family: FamilyRow

    /// Signs the tokens, once the grant is on the disk.
    public func signed() throws -> IssuedTokens { try signer.tokens(family) }
}

extension Authority {
    /// The grants to requests whose flows are about to succeed.
    public var expected: ExpectedGrants { ExpectedGrants(authority: self) }
}
