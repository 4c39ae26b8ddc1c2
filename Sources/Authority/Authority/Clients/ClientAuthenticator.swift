import AuthorityStore
import Crypto
import FlowModel
import Moments
import OAuth

struct ClientAuthenticator {
    let store: AuthorityStore
    let failures: ClientFailures
    let now: Moment

    /// Authenticates a request's client with one of the methods that the client may use (RFC 6749 §2.3).
    ///
    /// Calls `audiences` only for a client assertion.
    ///
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
            // Correct credentials were accepted above, from any origin. If the origin has too many failures, the caller
            // gets a `Refusal` instead of the original error.
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

    /// Returns the error for a failed authentication.
    ///
    /// Apart from the B2C error number, the error does not reveal whether the id or the secret is wrong.
    private static func failed(_ number: Int, _ detail: String) -> OAuthError {
        .b2c(.invalidClient, number, "client authentication failed", detail: detail)
    }
}
