import AsyncHTTPClient
import Foundation
import LocalIssuer
import NIOCore
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// End-to-end tests of sign-ins with assertions that an application's own provider has signed.
@Suite(.timeLimit(.minutes(5)))
struct AssertionSignInTests {
    private static let secret = "p1aRtner-secret-of-many-different-signs"
    private static let policy = "b2c_1_badge"
    private let signer: StatementSigner
    private let machine: Machine

    init() throws {
        signer = try StatementSigner()
        machine = try Self.machine(signer)
    }

    private static func machine(_ signer: StatementSigner, _ more: [String] = []) throws -> Machine {
        let machine = try Machine(
            configuration: more + [
                "clients:",
                "  backend: {type: confidential, firstParty: true, secretFile: backend.secret, apis: [tasks], "
                    + "grants: [jwt_bearer]}",
                "  other: {type: confidential, firstParty: true, secretFile: backend.secret, apis: [tasks], "
                    + "grants: [client_credentials]}",
            ]
        )
        try machine.writeSecret(Self.secret, to: "etc/backend.secret")
        let checks = try String(contentsOfFile: machine.policies + "/checks.yaml", encoding: .utf8)
        let badge =
            "  Badge: {type: assertion, realm: badgeRealm, issuer: \"https://badge.example\", "
            + "publicKey: \"\(signer.pem.replacing("\n", with: " "))\"}"
        // The configuration also accepts a key with line breaks, as in a PEM file.
        let lines = signer.pem.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n")
        let block = "  Second: {type: password}".replacing(
            "{type: password}",
            with:
                "\n    type: assertion\n    realm: second\n    issuer: \"https://second.example\"\n    publicKey: |\n\(lines)"
        )
        try machine.write(
            [checks.replacing("order:", with: badge + "\n" + block + "\norder:")],
            to: "etc/policies/checks.yaml"
        )
        for (name, checks) in [(Self.policy, "[Badge]"), ("b2c_1_more", "[Badge, UserLogin]")] {
            try machine.write(
                [
                    "kind: sign-up-or-sign-in", "signInChecks: \(checks)",
                    "claims: [oid, displayName, identityProvider, imf.user]", "scopes: {tasks.read: []}",
                ],
                to: "etc/policies/\(name).yaml"
            )
        }
        return machine
    }

    private func statement(
        _ changes: [String: JSONValue] = [:],
        policy: String = Self.policy,
        at machine: Machine? = nil
    ) throws -> String {
        let machine = machine ?? self.machine
        let now = Int64(Date().timeIntervalSince1970)
        let claims: [String: JSONValue] = [
            "iss": "https://badge.example", "sub": "john.lennon", "iat": .int(now), "exp": .int(now + 300),
            "aud": .string("\(machine.base)/local/\(policy)/v2.0"), "name": "John Lennon", "dob": "October 9, 1940",
        ]
        return try signer.statement(claims.merging(changes) { $1 }, isNamed: false)
    }

    private func redeem(
        _ statement: String?,
        client: String = "backend",
        policy: String = Self.policy,
        scope: String = "openid profile tasks.read",
        at machine: Machine? = nil
    ) async throws -> WebAnswer {
        let machine = machine ?? self.machine
        var request = HTTPClientRequest(url: "\(machine.base)/local/\(policy)/oauth2/v2.0/token")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        var fields = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("client_id", client), ("scope", scope),
        ]
        if client != "tasks-cli" { fields.append(("client_secret", Self.secret)) }
        if let statement { fields.append(("assertion", statement)) }
        request.body = .bytes(ByteBuffer(string: Form.encoded(fields)))
        let response = try await HTTPClient.forTests.execute(request, timeout: .seconds(30))
        let text = String(buffer: try await response.body.collect(upTo: 65_536))
        return WebAnswer(status: Int(response.status.code), headers: response.headers, text: text)
    }

    private func claims(_ answer: WebAnswer) throws -> JSONValue {
        let token = try #require(answer.json?["id_token"]?.string, "\(answer.status) \(answer.text)")
        return try StrictJSON.parse(try #require(Base64URL.decode(String(token.split(separator: ".")[1]))))
    }

    @Test("a client with a secret exchanges an assertion for tokens once, and the user is the same each time")
    func grant() async throws {
        let broker = try machine.startBroker()
        let first = try statement()
        let claims = try claims(try await redeem(first))
        #expect(claims["idp"] == "badgeRealm" && claims["name"] == "John Lennon" && claims["amr"] == ["fed"])
        #expect(
            claims["imf.user"] == [
                "id": "john.lennon", "displayName": "John Lennon", "authBy": "badgeRealm",
                "attributes": ["dob": "October 9, 1940"],
            ],
            "\(claims)"
        )
        let again = try await redeem(first)
        #expect(again.status == 400 && again.json?["error"] == "invalid_grant", "\(again.text)")
        let second = try self.claims(try await redeem(try statement(["jti": "two"])))
        #expect(second["sub"] == claims["sub"])
        let other = try self.claims(try await redeem(try statement(["sub": "paul"])))
        #expect(other["sub"] != claims["sub"])
        let lies: [(String, String?)] = [
            ("another authority's", try statement(["aud": "https://theirs.example"])),
            ("too long", try statement(["exp": 9_999_999_999])), ("no token", "x"),
        ]
        for (name, lie) in lies {
            let answer = try await redeem(lie)
            #expect(answer.status == 400 && answer.json?["error"] == "invalid_grant", "\(name): \(answer.text)")
        }
        let missing = try await redeem(nil)
        #expect(missing.status == 400 && missing.json?["error"] == "invalid_request", "\(missing.text)")
        for policy in ["b2c_1_sign_in", "b2c_1_more"] {
            let answer = try await redeem(try statement(policy: policy), policy: policy)
            #expect(answer.json?["error"] == "invalid_grant", "\(policy) asks for more: \(answer.text)")
        }
        for client in ["other", "tasks-cli"] {
            let answer = try await redeem(try statement(), client: client)
            #expect(answer.json?["error"] == "unauthorized_client", "\(client): \(answer.text)")
        }
        let metadata = try await WebAnswer.to(
            .GET,
            "\(machine.base)/local/\(Self.policy)/v2.0/.well-known/openid-configuration",
            token: nil
        )
        let grants = metadata.json?["grant_types_supported"]?.strings ?? []
        #expect(grants.contains("urn:ietf:params:oauth:grant-type:jwt-bearer"))
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
        #expect(try !broker.log().contains(first))
    }

    @Test("forged assertions about a user from one origin do not block that user's assertions from other origins")
    func forged() async throws {
        // Behind a proxy, the origin of an HTTP request is a network address, and the origin of a socket request is a
        // uid.
        let machine = try Self.machine(signer, ["behindProxy: true"])
        let broker = try machine.startBroker()
        let connection = try machine.connect()
        let start: JSONValue = ["policy": .string(Self.policy), "requestId": "forged"]
        var flow = try #require(try connection.call("flow.start", start)["flow"])
        let text = try StatementSigner().statement(["sub": "john.lennon"], isNamed: false)
        for _ in 0..<5 {
            #expect(flow["state"] == "pending" || flow["state"] == "running" || flow["step"] != nil, "\(flow)")
            flow = try connection.submit(flow, ["assertion": .string(text)])["flow"] ?? flow
        }
        #expect(flow["state"] == "failed", "\(flow)")
        #expect(try claims(try await redeem(try statement(at: machine), at: machine))["name"] == "John Lennon")
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test("at the socket and on a page an assertion is a step: a wrong one is prompted for again, a right one signs in")
    func step() async throws {
        let broker = try machine.startBroker()
        let connection = try machine.connect()
        let start: JSONValue = ["policy": .string(Self.policy), "requestId": "badge"]
        let flow = try #require(try connection.call("flow.start", start)["flow"])
        #expect(flow["step"]?["type"] == "assertion" && flow["step"]?["check"] == "Badge", "\(flow)")
        #expect(flow["step"]?["nodes"]?.array?.first?["kind"] == "secret")
        let wrong = try connection.submit(flow, ["assertion": .string(try statement(["iss": "https://x.example"]))])
        #expect(wrong["verdict"] == "rejected" && wrong["flow"]?["step"]?["attempts"]?["remaining"] == 4, "\(wrong)")
        let next = try #require(wrong["flow"])
        let done = try connection.submit(next, ["assertion": .string(try statement())])
        #expect(done["verdict"] == "accepted" && done["flow"]?["userIdentity"]?["id"] == "john.lennon", "\(done)")
        let silent: JSONValue = ["scopes": ["tasks.read"], "policy": .string(Self.policy), "prompt": "none"]
        #expect(try connection.call("token.acquire", silent)["token"]?["claims"]?["name"] == "John Lennon")

        var browser = WebBrowser()
        let page = try await browser.open(machine.authorizeAddress(Self.policy))
        #expect(page.text.contains("name=\"assertion\""), "\(page.status) \(page.text)")
        let again = try await browser.submit(page, ["assertion": "x"])
        #expect(again.text.contains("This signed assertion was not accepted."), "\(again.status) \(again.text)")
        let sent = try await browser.submit(again, ["assertion": try statement(["jti": "page"])])
        #expect(try destination(of: sent).contains("code="))
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test("five wrong assertions about one name block it for their origin only") func blocked()
        async throws
    {
        let broker = try machine.startBroker()
        for number in 0..<5 {
            let wrong = try statement(["aud": "https://theirs.example", "jti": .string("\(number)")])
            let answer = try await redeem(wrong)
            #expect(answer.json?["error"] == "invalid_grant" || answer.status == 429, "\(answer.text)")
        }
        let right = try await redeem(try statement())
        #expect(right.status == 429, "\(right.status) \(right.text)")
        #expect(try await redeem(try statement(["sub": "paul"])).status == 200)
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }
}
