import Moments
import OAuth

/// How a provider reports which client an access token was issued to.
public enum TokenConfirmation: Hashable, Sendable {
    /// Token introspection (RFC 7662) at the endpoint in the provider's metadata.
    case introspection
    /// Google's `tokeninfo` endpoint at this address.
    case googleTokenInfo(String)
    /// Facebook's `debug_token` endpoint at this address.
    case facebookDebugToken(String)
    /// GitHub's `POST /applications/{client_id}/token`.
    ///
    /// The associated value is the URL up to `applications`.
    case githubApplications(String)
    /// The provider does not report the client, so access tokens that callers present are rejected.
    case none

    struct ConfirmedToken {
        let client: String
        let subject: String?
    }
}

extension TokenConfirmation {
    /// Verifies with the provider that an access token was issued to this client, and returns the user's id if known.
    ///
    /// - Throws: ``ProviderError``, with code `denied` if the token was issued to another client or is not valid.
    func subject(
        of token: Secret,
        _ registration: ProviderRegistration,
        _ metadata: ProviderMetadata,
        over connections: OutsideConnections,
        at now: Moment
    ) async throws(ProviderError) -> String? {
        let answer: OutsideHTTP.Answer
        let read: (OutsideHTTP.Answer) -> ConfirmedToken?
        switch self {
        case .introspection:
            guard let endpoint = metadata.introspection else { throw Self.unconfirmed(registration) }
            let form = [(name: "token", value: token.reveal()), ("token_type_hint", "access_token")]
            let proof = try ClientProofAtProvider(registration, metadata, at: now)
            answer = try await connections.http.post(endpoint, form, proof, for: registration)
            read = ConfirmedToken.introspection
        case .googleTokenInfo(let url):
            let query = Form.encoded([("access_token", token.reveal())])
            answer = try await connections.http.get("\(url)?\(query)", for: registration)
            read = ConfirmedToken.googleTokenInfo
        case .facebookDebugToken(let url):
            let app = "\(registration.clientID)|\(registration.secret?.reveal() ?? "")"
            let query = Form.encoded([("input_token", token.reveal()), ("access_token", app)])
            answer = try await connections.http.get("\(url)?\(query)", for: registration)
            read = ConfirmedToken.facebookDebugToken
        case .githubApplications(let url):
            let proof = ClientProofAtProvider(registration, as: .basic, offered: [])
            let body: JSONValue = ["access_token": .string(token.reveal())]
            let address = "\(url)/\(registration.clientID)/token"
            answer = try await connections.http.post(
                address,
                json: body,
                authorization: proof.authorization,
                for: registration
            )
            read = ConfirmedToken.githubApplications
        case .none: throw Self.unconfirmed(registration)
        }
        guard answer.json?.object != nil else {
            throw ProviderError(.protocolViolation, "\(registration.name) did not describe the token in JSON")
        }
        guard let found = read(answer), Secret(found.client) == Secret(registration.clientID) else {
            throw ProviderError(.denied, "the access token of \(registration.name) was issued to another client")
        }
        return found.subject
    }

    private static func unconfirmed(_ registration: ProviderRegistration) -> ProviderError {
        ProviderError(.denied, "\(registration.name) cannot report which client an access token was issued to")
    }
}

extension TokenConfirmation.ConfirmedToken {
    static func introspection(_ answer: OutsideHTTP.Answer) -> Self? {
        guard answer.status == 200, let json = answer.json, json["active"] == .bool(true),
            let client = json["client_id"]?.string
        else { return nil }
        return Self(client: client, subject: json["sub"]?.string)
    }

    static func googleTokenInfo(_ answer: OutsideHTTP.Answer) -> Self? {
        guard answer.status == 200, let client = answer.json?["aud"]?.string else { return nil }
        return Self(client: client, subject: answer.json?["sub"]?.string)
    }

    static func facebookDebugToken(_ answer: OutsideHTTP.Answer) -> Self? {
        guard answer.status == 200, let data = answer.json?["data"], data["is_valid"] == .bool(true),
            let client = data["app_id"]?.string
        else { return nil }
        return Self(client: client, subject: data["user_id"]?.string)
    }

    static func githubApplications(_ answer: OutsideHTTP.Answer) -> Self? {
        guard answer.status == 200, let client = answer.json?["app"]?["client_id"]?.string else { return nil }
        return Self(client: client, subject: answer.json?["user"]?["id"]?.int.map { "\($0)" })
    }
}
