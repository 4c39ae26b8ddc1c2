import AuthorityStore
import Crypto
import FlowModel
import Moments
import OAuth

struct ClientAuthenticator {
    let store: AuthorityStore
    let failures: ClientFailures
    let now: Moment

    /// Authenticates the client with one of its allowed methods (RFC 6749 §2.3).
    ///
    /// `audiences` is called only if the client authenticates with an assertion.
    ///
    /// - Throws: `invalid_client`, `invalid_request`, or a `Refusal` after too many failures from the same origin.
    func client(
        _ request: ProgramRequest,
        among clients: [String: OAuthClient],
        audiences: () -> [String]
    ) async throws -> OAuthClient {
        let credentials = try ClientCredentials(request)
        do {
            return try await verified(credentials, clients[credentials.client], audiences: audiences)
        } catch let error as OAuthError where error.code == .invalidClient {
            // If the origin has too many failures, a `Refusal` replaces the error, but never for correct credentials.
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
        case .basic(_, let secret, let unencoded): try Self.check([secret, unencoded].compactMap { $0 }, of: client)
        case .post(_, let secret): try Self.check([secret], of: client)
        case .assertion(_, let statement):
            try await ClientAssertion.verify(statement, of: client, audiences: audiences(), store: store, now: now)
        }
        return client
    }

    /// Throws `invalid_client` unless one of `secrets` is the client's secret.
    private static func check(_ secrets: [Secret], of client: OAuthClient) throws {
        // `Secret` compares hashes of equal length in constant time.
        let matches = secrets.map { client.secretHash == Secret(bytes: SHA256.hash(data: $0.revealBytes())) }
        guard client.secretHash != nil, matches.contains(true) else { throw failed(90081, "the secret is wrong") }
    }

    private static func refused(_ method: ClientAuthenticationMethod, _ client: OAuthClient) -> OAuthError {
        let detail = "client \(client.id) may not use \(method.rawValue)"
        switch (client.summary.type, method) {
        case (.public, _), (.browser, _): return failed(90084, detail)
        case (.confidential, .none): return failed(90079, detail)
        case (.confidential, _): return .invalidClient(detail: detail)
        }
    }

    /// Returns an error that reveals only by its B2C number whether the client id or the secret is wrong.
    private static func failed(_ number: Int, _ detail: String) -> OAuthError {
        .b2c(.invalidClient, number, "client authentication failed", detail: detail)
    }
}
