public import AuthorityStore
public import FlowModel
public import OAuth

/// Prepares grants for flows that are about to succeed.
///
/// The transaction that records the success writes the grant too.
///
/// The flow's authentication is evaluated before the transaction and consumed in it. Each method returns `nil` if a
/// connector must be called first. In that case, the grant is issued after the transaction.
public struct ExpectedGrants: Sendable {
    let authority: Authority

    /// Prepares an authorization code, like ``Authority/issueCode(pending:session:_:_:)``.
    ///
    /// - Parameters:
    ///   - id: The pending request's id.
    ///   - authentication: The authentication that the flow writes.
    ///   - session: The session that the flow creates, or `nil` if it creates none.
    ///   - terms: The terms that the code is bound to.
    ///   - caller: The caller.
    /// - Returns: The code, which becomes valid when the grant is written, or `nil` if a connector must be called
    ///   first.
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

    /// Prepares the approval of a device's request, like ``Devices/approve(_:pending:_:)``.
    ///
    /// - Parameters:
    ///   - device: The device's request.
    ///   - id: The pending request's id.
    ///   - authentication: The authentication that the flow writes.
    ///   - caller: The caller.
    /// - Returns: The grant, or `nil` if a connector must be called first.
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

    /// Prepares tokens, like ``Authority/issue(pending:_:)``, for a user whose account the flow does not change.
    ///
    /// - Parameters:
    ///   - id: The pending request's id.
    ///   - authentication: The authentication that the flow writes.
    ///   - caller: The caller.
    /// - Returns: The tokens, which you sign after the grant is written, or `nil` if a connector must be called first.
    /// - Throws: `Refusal` if the authentication does not satisfy the request or the account does not exist yet, or
    ///   `StoreError` if the store fails.
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

/// The tokens of a grant that is about to be written.
public struct ExpectedTokens: Sendable {
    /// The grant, for the transaction that writes it.
    public let grant: Issue
    let signer: TokenSigner
    let family: FamilyRow

    /// Signs the tokens.
    ///
    /// Call this only after the grant has been written to disk.
    public func signed() throws -> IssuedTokens { try signer.tokens(family) }
}

extension Authority {
    /// Prepares grants for flows that are about to succeed.
    public var expected: ExpectedGrants { ExpectedGrants(authority: self) }
}
