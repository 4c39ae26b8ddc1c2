import Foundation
import OAuth

/// The credentials with which a client authenticates a request (RFC 6749 §2.3).
enum ClientCredentials {
    case none(client: String)
    case basic(client: String, secret: Secret)
    case post(client: String, secret: Secret)
    case assertion(client: String, statement: Secret)

    /// The `client_assertion_type` for a JWT (RFC 7523 §2.2).
    static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// Reads the credentials of a request.
    ///
    /// - Throws: `invalid_request` if they are malformed or of more than one kind, `invalid_client` if there are none.
    init(_ request: ProgramRequest) throws(OAuthError) {
        let form = request.form
        let client = form["client_id"]
        let ways = [request.authorization != nil, form["client_secret"] != nil, form["client_assertion"] != nil]
        guard ways.filter({ $0 }).count <= 1 else {
            throw .invalidRequest("a client must authenticate by exactly one method")
        }
        if let field = request.authorization {
            let (id, secret) = try Self.basic(field)
            guard client == nil || client == id else {
                throw .invalidRequest("client_id is not the client of the Authorization field")
            }
            self = .basic(client: id, secret: secret)
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
        case .none(let client), .basic(let client, _), .post(let client, _), .assertion(let client, _): client
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

    /// Reads the client's id and secret from `Authorization`, where each is form-encoded (RFC 6749 §2.3.1).
    private static func basic(_ field: String) throws(OAuthError) -> (String, Secret) {
        let parts = field.utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) }
        guard parts.count == 2, parts[0].lowercased() == "basic", let bytes = Data(base64Encoded: String(parts[1])),
            let text = String(utf8: Array(bytes)), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            colon != text.startIndex
        else {
            throw .invalidClient(detail: "the Authorization field is malformed")
        }
        return (try Form.decoded(text[..<colon]), Secret(try Form.decoded(text[text.index(after: colon)...])))
    }
}
