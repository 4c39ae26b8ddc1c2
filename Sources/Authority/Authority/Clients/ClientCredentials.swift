import Foundation
import OAuth

/// The credentials with which a client authenticates a request (RFC 6749 §2.3).
enum ClientCredentials {
    case none(client: String)
    /// `unencoded` is the secret before form decoding, or `nil` if decoding does not change the secret.
    case basic(client: String, secret: Secret, unencoded: Secret?)
    case post(client: String, secret: Secret)
    case assertion(client: String, statement: Secret)

    /// The value of `client_assertion_type` that identifies a JWT (RFC 7523 §2.2).
    static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// Throws `invalid_request` or `invalid_client` if credentials are missing, malformed or for more than one method.
    init(_ request: ProgramRequest) throws(OAuthError) {
        let form = request.form
        let client = form["client_id"]
        let ways = [request.authorization != nil, form["client_secret"] != nil, form["client_assertion"] != nil]
        guard ways.filter({ $0 }).count <= 1 else {
            throw .invalidRequest("a client must authenticate by exactly one method")
        }
        if let field = request.authorization {
            let (id, secret, unencoded) = try Self.basic(field)
            guard client == nil || client == id else {
                throw .invalidRequest("client_id is not the client of the Authorization field")
            }
            self = .basic(client: id, secret: secret, unencoded: unencoded)
        } else if let statement = form["client_assertion"] {
            guard form["client_assertion_type"] == Self.assertionType else {
                throw .invalidRequest("client_assertion_type is not \(Self.assertionType)")
            }
            self = .assertion(
                client: try ClientAssertion.client(statement, named: client),
                statement: Secret(statement)
            )
        } else {
            guard let client else {
                throw .b2c(.invalidClient, 90008, "the parameter client_id is missing")
            }
            self = form["client_secret"].map { .post(client: client, secret: Secret($0)) } ?? .none(client: client)
        }
    }

    var client: String {
        switch self {
        case .none(let client), .basic(let client, _, _), .post(let client, _), .assertion(let client, _): client
        }
    }

    var method: ClientAuthenticationMethod {
        switch self {
        case .none: .none
        case .basic: .clientSecretBasic
        case .post: .clientSecretPost
        case .assertion: .privateKeyJWT
        }
    }

    /// Reads the form-encoded client id and secret from the `Authorization` field (RFC 6749 §2.3.1).
    private static func basic(_ field: String) throws(OAuthError) -> (String, Secret, Secret?) {
        let parts = field.utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) }
        guard parts.count == 2, parts[0].lowercased() == "basic", let bytes = Data(base64Encoded: String(parts[1])),
            let text = String(utf8: Array(bytes)), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            colon != text.startIndex
        else {
            throw .invalidClient(detail: "the Authorization field is malformed")
        }
        let sent = text[text.index(after: colon)...]
        let decoded = try? Form.decoded(sent)
        // Many clients do not form-encode the secret, so a secret with `+` or `%` is also accepted as it was sent.
        let unencoded = decoded != nil && sent.utf8.contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "%") }
        return (
            try Form.decoded(text[..<colon]), Secret(decoded ?? String(sent)), unencoded ? Secret(String(sent)) : nil
        )
    }
}
