import AuthorityStore
import Crypto
import FlowModel
import Moments
import OAuth

/// Authenticates the client of a request (RFC 6749 §2.3).
struct ClientAuthenticator {
    let store: AuthorityStore
    let failures: ClientFailures
    let now: Moment

    /// Authenticates the client of a request by one of the methods that the client may use, and returns the client.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - clients: All clients, by id.
    ///   - audiences: Returns the accepted audiences of a client assertion. Called only if the request contains an
    ///     assertion.
    /// - Returns: The client.
    /// - Throws: `invalid_client`, `invalid_request`, or a `Refusal` if authentication has failed too often from this
    ///   origin.
    func client(
        _ request: ProgramRequest,
        among clients: [String: OAuthClient],
        audiences: () -> [String]
    ) async throws -> OAuthClient {
        let credentials = try ClientCredentials(request)
        do {
            return try await verified(credentials, clients[credentials.client], audiences: audiences)
        } catch let error as OAuthError where error.code == .invalidClient {
            // Correct credentials are accepted from every origin. The limit only rejects further failures early.
            try failures.require(request.origin, at: now)
            failures.add(request.origin, at: now)
            throw error
        }
    }

    private func verified(
        _ credentials: ClientCredentials,
        _ client: OAuthClient?,
        audiences: () -> [String]
    ) async throws -> OAuthClient {
        guard let client else {
            throw Self.failed(90018, "no client is registered under this id")
        }
        guard client.methods.contains(credentials.method) else { throw Self.refused(credentials.method, client) }
        switch credentials {
        case .none: break
        case .basic(_, let secret), .post(_, let secret):
            // Equal-length hashes are compared in constant time.
            guard let hash = client.secretHash, hash == Secret(bytes: SHA256.hash(data: secret.revealBytes())) else {
                throw Self.failed(90081, "the secret is wrong")
            }
        case .assertion(_, let statement):
            try await ClientAssertion.verify(statement, of: client, audiences: audiences(), store: store, now: now)
        }
        return client
    }

    private static func refused(_ method: ClientAuthenticationMethod, _ client: OAuthClient) -> OAuthError {
        let detail = "client \(client.id) may not use \(method.rawValue)"
        switch (client.summary.type, method) {
        case (.public, _): return failed(90084, detail)
        case (.confidential, .none): return failed(90079, detail)
        case (.confidential, _): return .invalidClient(detail: detail)
        }
    }

    /// Creates the error for a failed authentication.
    ///
    /// Apart from the B2C error number, it does not reveal whether the id or the secret is wrong.
    private static func failed(_ number: Int, _ detail: String) -> OAuthError {
        .b2c(.invalidClient, number, "client authentication failed", detail: detail)
    }
}
