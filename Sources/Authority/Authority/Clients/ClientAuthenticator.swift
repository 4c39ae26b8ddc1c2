import AuthorityStore
import Crypto
import FlowModel
import Moments
import OAuth

/// Finds out which client a request comes from (RFC 6749 §2.3).
struct ClientAuthenticator {
    let store: AuthorityStore
    let failures: ClientFailures
    let now: Moment

    /// The client of a request, proved in one of the ways that it may use.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - clients: All clients by id.
    ///   - audiences: The names of this authority that a client's statement may be made for; asked for a statement only.
    /// - Returns: The client.
    /// - Throws: `invalid_client`, `invalid_request`, or a `Refusal` for a place that has failed too often.
    func client(
        _ request: ProgramRequest,
        among clients: [String: OAuthClient],
        audiences: () -> [String]
    ) async throws -> OAuthClient {
        let credentials = try ClientCredentials(request)
        do {
            return try await verified(credentials, clients[credentials.client], audiences: audiences)
        } catch let error as OAuthError where error.code == .invalidClient {
            // A right proof is taken from anywhere; what is put off are wrong ones.
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
            // Hashes of equal length are compared in constant time.
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

    /// The client is told B2C's number and nothing that tells a wrong id from a wrong secret beyond it.
    private static func failed(_ number: Int, _ detail: String) -> OAuthError {
        .b2c(.invalidClient, number, "client authentication failed", detail: detail)
    }
}
