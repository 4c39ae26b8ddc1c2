import Authority
import Crypto
import FlowModel
import Foundation
import HTTPTypes
import OAuth
import TestSupport
import Testing

/// Tests of the checks that the tables in `docs/authority.md` list.
///
/// For each check of each endpoint, the tests have a request that only this check rejects.
@Suite(.timeLimit(.minutes(5)))
struct CheckRowTests {
    /// A check of an endpoint, and the changes that make the check reject a valid request.
    struct Row: Sendable, CustomTestStringConvertible {
        /// The beginning of the check's rule in the table.
        let check: String
        /// The name of the endpoint, which is the heading of a column in the table.
        let endpoint: String
        /// The changed parameters, where `nil` removes a parameter.
        var changes: [String: String?] = [:]
        /// The additional parameters, which may repeat a name.
        var added: [(String, String)] = []
        /// The client id and secret for HTTP Basic authentication, or `nil` to authenticate as in the valid request.
        ///
        /// An empty id turns authentication off.
        var basic: (String, String)?
        var policy = Site.policy
        /// The expected `error`, and words that the error description must contain.
        let refused: (error: String, words: String)

        var testDescription: String { "\(endpoint): \(check)" }
    }

    private static let twice = [("zz", "1"), ("zz", "2")]
    private static let programs = ["par", "token", "devicecode", "revoke", "introspect"]

    private static let ofPrograms: [Row] =
        programs.flatMap { endpoint in
            [
                Row(
                    check: "No parameter of a program's",
                    endpoint: endpoint,
                    added: twice,
                    refused: ("invalid_request", "the parameter zz is repeated")
                ),
                Row(
                    check: "The policy in",
                    endpoint: endpoint,
                    policy: "b2c_1_nowhere",
                    refused: ("not_found", "not_found")
                ),
                Row(
                    check: "The request must name",
                    endpoint: endpoint,
                    basic: ("web", "wrong"),
                    refused: ("invalid_client", "AADB2C90081")
                ),
            ]
        } + [
            Row(
                check: "`grant_type` must be present",
                endpoint: "token",
                changes: ["grant_type": "password"],
                refused: ("unsupported_grant_type", "AADB2C90086")
            ),
            Row(
                check: "The client must be registered for the grant",
                endpoint: "token",
                basic: ("limited", Site.secret),
                refused: ("unauthorized_client", "AADB2C90224")
            ),
            Row(
                check: "The client must be registered for the grant",
                endpoint: "devicecode",
                basic: ("limited", Site.secret),
                refused: ("unauthorized_client", "AADB2C90224")
            ),
            Row(
                check: "The client must be confidential, because",
                endpoint: "introspect",
                changes: ["client_id": "app"],
                basic: ("", ""),
                refused: ("invalid_client", "AADB2C90058")
            ),
            Row(
                check: "`token` must be present",
                endpoint: "revoke",
                changes: ["token": nil],
                refused: ("invalid_request", "AADB2C90083")
            ),
            Row(
                check: "`token` must be present",
                endpoint: "introspect",
                changes: ["token": nil],
                refused: ("invalid_request", "AADB2C90083")
            ),
            Row(
                check: "A pushed authorization",
                endpoint: "par",
                changes: ["request_uri": "urn:ietf:params:oauth:request_uri:x"],
                refused: ("invalid_request", "a pushed request must not contain request_uri")
            ),
            Row(
                check: "In a device's",
                endpoint: "devicecode",
                changes: ["scope": "openid \"x\""],
                refused: ("invalid_scope", "AADB2C99005")
            ),
            Row(
                check: "A program's request",
                endpoint: "par",
                added: [("resource", "https://tasks.example"), ("resource", "https://notes.example")],
                refused: ("invalid_target", "AADB2C90146: a token can be for only one resource")
            ),
            Row(
                check: "A program's request",
                endpoint: "devicecode",
                added: [("resource", "https://tasks.example"), ("resource", "https://notes.example")],
                refused: ("invalid_target", "AADB2C90146: a token can be for only one resource")
            ),
        ]

    /// Changes to an authorization request, each of which is rejected by one check.
    ///
    /// The request can also be pushed (RFC 9126).
    private static let changes: [(check: String, changes: [String: String?], error: String, words: String)] = [
        (
            "`redirect_uri` must be present, even", ["redirect_uri": "https://app.example/else"], "invalid_request",
            "AADB2C90006"
        ),
        ("`response_mode`, if present", ["response_mode": "web_message"], "invalid_request", "AADB2C90014"),
        (
            "Stored parameter values", ["nonce": String(repeating: "n", count: 4_097)], "invalid_request",
            "nonce has more than 4096 bytes"
        ),
        ("`state` must not", ["state": "a\u{1}b"], "invalid_request", "state has a control character"),
        (
            "The request must not", ["registration": "{}"], "registration_not_supported",
            "registration is not supported"
        ),
        (
            "The client must be registered for the authorization", ["client_id": "coder"], "unauthorized_client",
            "AADB2C90057"
        ),
        ("`response_type` must be `code`", ["response_type": "token"], "unsupported_response_type", "AADB2C90013"),
        ("`code_challenge` must be present, even", ["code_challenge": nil], "invalid_request", "AADB2C99059"),
        ("`scope` must be a list", ["scope": "openid \"x\""], "invalid_scope", "AADB2C99005"),
        ("`prompt` must be a list", ["prompt": "later"], "invalid_request", "AADB2C90043"),
        ("`max_age`, if present, must be a number", ["max_age": "-1"], "invalid_request", "AADB2C90120"),
        (
            "`acr_values`, if present, must be a list",
            ["acr_values": (0..<17).map { "\($0 % 2 + 1)" }.joined(separator: " ")],
            "invalid_request", "acr_values has more than 16 values"
        ),
        ("`claims`, if present, must be a JSON", ["claims": "[]"], "invalid_request", "claims is not a JSON object"),
        (
            "`id_token_hint`, if present, must be an ID token that this authority issued to this",
            ["id_token_hint": "x"],
            "invalid_request", "AADB2C90232"
        ),
        (
            "`claims` may request", ["claims": "{\"id_token\":{\"sub\":{\"values\":[\"a\",\"b\"]}}}"],
            "invalid_request", "claims must identify one user"
        ),
        ("The policy and", ["scope": "openid tasks.fly"], "invalid_scope", "AADB2C90117"),
    ]

    /// Checks of an authorization request that never reject a pushed request.
    ///
    /// For a pushed request, the checks of a program's request run first, and reject the same invalid parameters.
    private static let met = [
        "`client_id` must be present", "No parameter except", "The request may",
    ]

    private static let ofRequests: [Row] =
        ["authorize", "par"].flatMap { endpoint in
            changes.map { change in
                Row(
                    check: change.check,
                    endpoint: endpoint,
                    changes: change.changes,
                    refused: (change.error, change.words)
                )
            }
        } + [
            Row(
                check: met[0],
                endpoint: "authorize",
                changes: ["client_id": nil],
                refused: ("invalid_request", "AADB2C90008")
            ),
            Row(
                check: met[1],
                endpoint: "authorize",
                added: twice,
                refused: ("invalid_request", "a parameter is repeated")
            ),
            Row(
                check: met[2],
                endpoint: "authorize",
                changes: ["resource": "https://elsewhere.example"],
                refused: ("invalid_target", "AADB2C90146: no API has this resource")
            ),
        ]

    private static let ofLogout: [Row] = [
        Row(
            check: "No parameter of a logout request",
            endpoint: "logout",
            added: twice,
            refused: ("invalid_request", "a parameter is repeated")
        ),
        Row(
            check: "`id_token_hint`, if present, must be an ID token that this authority issued",
            endpoint: "logout",
            changes: ["id_token_hint": "a.b.c", "post_logout_redirect_uri": nil],
            refused: ("invalid_request", "id_token_hint is not an ID token of this authority")
        ),
        Row(
            check: "`id_token_hint` must be present",
            endpoint: "logout",
            changes: ["id_token_hint": nil, "post_logout_redirect_uri": nil],
            policy: Site.hinted,
            refused: ("invalid_request", "AADB2C90272")
        ),
        Row(
            check: "`client_id` and `id_token_hint`, if",
            endpoint: "logout",
            changes: ["client_id": "app", "post_logout_redirect_uri": nil],
            refused: ("invalid_request", "id_token_hint was issued to another client")
        ),
        Row(
            check: "`post_logout_redirect_uri`, if",
            endpoint: "logout",
            changes: ["post_logout_redirect_uri": "com.example.app:/elsewhere"],
            refused: ("invalid_request", "AADB2C90067")
        ),
    ]

    private static let rows = ofPrograms + ofRequests + ofLogout

    /// The checks of the userinfo endpoint.
    ///
    /// They have a separate test, because a request to this endpoint consists only of a token.
    private static let ofTokens = ["The access token", "The `openid` scope"]

    private func site() async throws -> Site {
        func client(_ id: String, _ type: ClientType, _ grants: [GrantType]) -> OAuthClient {
            OAuthClient(
                ClientSummary(client: id, name: id, type: type, redirectURIs: [Site.redirectURI], configured: true),
                isFirstParty: true,
                apis: ["tasks"],
                grants: grants,
                secretHash: type == .confidential ? Secret(bytes: SHA256.hash(data: Data(Site.secret.utf8))) : nil
            )
        }
        return try await Site(clients: [
            client("limited", .confidential, [.refreshToken]), client("coder", .public, [.refreshToken]),
        ])
    }

    /// Returns a valid request to an endpoint.
    private func request(_ endpoint: String, _ site: Site) async throws -> [String: String?] {
        switch endpoint {
        case "token": return ["grant_type": "client_credentials", "scope": "tasks.read"]
        case "devicecode": return ["client_id": "app", "scope": "openid tasks.read"]
        case "revoke": return ["client_id": "app", "token": "x"]
        case "introspect": return ["token": "x"]
        case "logout":
            let code = try await site.code(client: "native")
            let hint = try await site.redeem(code, ["client_id": "native"])["id_token"]?.string
            return ["id_token_hint": hint, "post_logout_redirect_uri": "com.example.app:/out"]
        default:
            return [
                "client_id": "app", "response_type": "code", "redirect_uri": Site.redirectURI,
                "scope": "openid tasks.read", "state": "s", "nonce": "n",
                "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
            ]
        }
    }

    private static let paths: [String: AuthorityEndpoint] = [
        "authorize": .authorize, "par": .pushedRequests, "token": .token, "devicecode": .deviceAuthorization,
        "revoke": .revocation, "introspect": .introspection, "logout": .logout,
    ]

    private func send(
        _ endpoint: String,
        _ parameters: [String: String?],
        _ site: Site,
        _ added: [(String, String)] = [],
        basic: (String, String)? = nil,
        policy: String = Site.policy
    ) async throws -> Site.Answer {
        var parameters = parameters
        var headers: HTTPFields = [:]
        // At the token and introspection endpoints, a request that names no client authenticates as `web`.
        let named = parameters["client_id"].flatMap { $0 }
        let proof = basic ?? (named == nil && ["token", "introspect"].contains(endpoint) ? ("web", Site.secret) : nil)
        if let (id, secret) = proof, !id.isEmpty {
            headers[.authorization] = "Basic " + Data("\(id):\(secret)".utf8).base64EncodedString()
            parameters["client_id"] = id
        }
        let pairs = parameters.compactMap { name, value in value.map { (name, $0) } } + added
        let body = Form.encoded(pairs.map { (name: $0.0, value: $0.1) })
        let path = "/local/\(policy)\(try #require(Self.paths[endpoint]).path)"
        if Self.programs.contains(endpoint) {
            headers[.contentType] = "application/x-www-form-urlencoded"
            return try await site.send(.post, path, headers: headers, body: body)
        }
        return try await site.send(.get, "\(path)?\(body)", headers: headers)
    }

    @Test(
        "a request that fails one row of the table is rejected by that check, and accepted without the change",
        arguments: rows
    )
    func row(_ row: Row) async throws {
        let site = try await site()
        let whole = try await request(row.endpoint, site)
        let taken = try await send(row.endpoint, whole, site)
        #expect(
            taken.status < 400 && taken.error == nil && taken.reply["error"] == nil,
            "\(taken.status) \(taken.text)"
        )
        let refused = try await send(
            row.endpoint,
            whole.merging(row.changes) { $1 },
            site,
            row.added,
            basic: row.basic,
            policy: row.policy
        )
        if let error = refused.reply["error"] {
            #expect(refused.status == 303 && error == row.refused.error)
            #expect(refused.reply["error_description"]?.contains(row.refused.words) == true, "\(refused.location)")
        } else {
            #expect((400..<500).contains(refused.status) && refused.text.contains(row.refused.error))
            #expect(refused.text.contains(row.refused.words), "\(refused.status) \(refused.text)")
        }
    }

    @Test(
        "userinfo accepts a user's token with openid, and rejects a client's token and one without openid by each check"
    )
    func userinfo() async throws {
        let site = try await site()
        let path = "/local/\(Site.policy)\(AuthorityEndpoint.userinfo.path)"
        func ask(_ tokens: Site.Answer) async throws -> Site.Answer {
            let token = try #require(tokens["access_token"]?.string)
            return try await site.send(.get, path, headers: [.authorization: "Bearer \(token)"])
        }
        #expect(try await ask(try await site.tokens(scopes: ["openid", "tasks.read"])).status == 200)
        let own = try await ask(try await site.clientCredentials())
        #expect(own.status == 401 && own.error == "invalid_token")
        let plain = try await ask(try await site.tokens(scopes: ["tasks.read"]))
        #expect(plain.status == 403 && plain.error == "insufficient_scope")
    }

    @Test("each row of the table has its request at each endpoint that makes the check") func all() throws {
        let url = ProjectFolder.url.appending(path: "docs/authority.md")
        let text = try String(contentsOf: url, encoding: .utf8)
        let table = try #require(
            text.firstMatch(of: /<!-- begin checks by endpoint -->([\s\S]*?)<!-- end -->/)?.1
        )
        let lines = table.split(separator: "\n").filter { $0.hasPrefix("|") }
        let columns = try #require(lines.first).split(separator: "|").dropFirst().map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        var count = 0
        for line in lines.dropFirst(2) {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
            let rule = try #require(cells.first)
            for (endpoint, mark) in zip(columns, cells.dropFirst()) where mark == "x" {
                count += 1
                let found = Self.rows.filter { $0.endpoint == endpoint && rule.hasPrefix($0.check) }.count
                let isElsewhere =
                    (endpoint == "par" ? Self.met : endpoint == "userinfo" ? Self.ofTokens : [])
                    .contains { rule.hasPrefix($0) }
                #expect(found == (isElsewhere ? 0 : 1), "\(endpoint): \(rule)")
            }
        }
        #expect(count == Self.rows.count + Self.met.count + Self.ofTokens.count)
    }
}
