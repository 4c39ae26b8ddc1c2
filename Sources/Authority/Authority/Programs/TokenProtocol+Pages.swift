public import OAuth
import StoreRefusals
import Tokens

extension TokenProtocol {
    /// Returns the origin whose pages may read the response to a request, or `nil` if no page may (Fetch §3.2).
    ///
    /// The call precedes all checks, so that a rejected page uses up neither a code, a refresh token nor a limit.
    ///
    /// - Throws: `invalid_request` if `page` must not call the endpoint for `client`.
    public func reader(
        _ page: CallingPage?,
        client: String?,
        at endpoint: AuthorityEndpoint
    ) async throws -> String? {
        guard let page else { return nil }
        return try await Authority.rows.storing {
            let clients = try await authority.memory.snapshot().clients
            return try page.reader(of: client.flatMap { clients[$0] }, at: endpoint)
        }
    }

    /// Returns the origin whose pages may read the response to a request with an access token, or `nil` if no page may.
    ///
    /// The token determines the client. If the token is not valid, the response contains only the error.
    ///
    /// - Throws: `invalid_request` if `page` must not use the tokens of that client.
    public func reader(_ page: CallingPage?, token: Secret?) async throws -> String? {
        guard page != nil else { return nil }
        let claims = token.flatMap { try? UnverifiedJWT($0.reveal()).unverifiedClaims() }
        let client = claims?["client_id"]?.string
        if client == nil, let reader = try await reader(page, at: .userinfo) { return reader }
        return try await reader(page, client: client, at: .userinfo)
    }

    /// Returns the origin whose pages may read the error of a request that names no client, or `nil` if no page may.
    public func reader(_ page: CallingPage?, at endpoint: AuthorityEndpoint) async throws -> String? {
        guard let page, try await expects(pagesOf: page.origin, at: endpoint) else { return nil }
        return page.origin
    }

    /// Whether a page of `origin` may call the endpoint for at least one client (Fetch §3.2.2).
    public func expects(pagesOf origin: String, at endpoint: AuthorityEndpoint) async throws -> Bool {
        guard endpoint.isForPages else { return false }
        return try await Authority.rows.storing {
            try await authority.memory.snapshot().clients.values.contains { $0.pageOrigins.contains(origin) }
        }
    }
}
