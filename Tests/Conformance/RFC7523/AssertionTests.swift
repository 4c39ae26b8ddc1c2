import Authority
import AuthorityStore
import FlowModel
import Foundation
import HTTPTypes
import Moments
import OAuth
import TestSupport
import Testing
import Tokens

@Suite(.timeLimit(.minutes(2)))
struct RFC7523AssertionTests {
    private func send(_ site: Site, _ statement: String, daemon: Int = 0) async throws -> Site.Answer {
        let parameters = [
            "grant_type": "client_credentials", "scope": "tasks.read", "client_assertion": statement,
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        ]
        return try await site.post(.token, parameters, daemon: daemon)
    }

    @Test(
        "RFC 7523 §3: an assertion for the issuer or the token endpoint authenticates the client",
        arguments: [Site.issuer, "\(Site.base)/local/\(Site.policy)/oauth2/v2.0/token"]
    )
    func audiences(_ audience: String) async throws {
        let site = try await Site()
        let answer = try await send(site, try site.assertion(["aud": .string(audience)]))
        #expect(answer.status == 200, "\(answer.description)")
    }

    @Test("RFC 7523 §3: an assertion may omit its issue time, which must not be in the future") func issuedAt()
        async throws
    {
        let site = try await Site()
        let now = site.time.now.seconds
        for (number, at) in [nil, now - 3_000, now, now + 60].enumerated() {
            let claim = at.map { JSONValue.int($0) }
            let answer = try await send(site, try site.assertion(["iat": claim], id: "j\(number)"))
            #expect(answer.status == 200, "\(answer.description)")
        }
        let wrong: [JSONValue] = [.int(now + 61), .int(now + 6_000), "now"]
        for (number, claim) in wrong.enumerated() {
            let answer = try await send(site, try site.assertion(["iat": claim], id: "late\(number)"))
            #expect(answer.status == 401 && answer.error == "invalid_client")
        }
        // Without `iat`, only `exp` limits the lifetime of the assertion.
        let long: [String: JSONValue?] = ["iat": nil, "exp": .int(now + 4_000)]
        #expect(try await send(site, try site.assertion(long, id: "long")).status == 401)
    }

    @Test("RFC 7523 §3: an assertion is valid for one use, at all daemons together") func once() async throws {
        let site = try await Site()
        let statement = try site.assertion()
        let answers = try await withThrowingTaskGroup(of: Site.Answer.self) { group in
            for number in 0..<6 { group.addTask { try await send(site, statement, daemon: number % 2) } }
            return try await group.reduce(into: [Site.Answer]()) { $0.append($1) }
        }
        #expect(answers.filter { $0.status == 200 }.count == 1)
        #expect(answers.filter { $0.error == "invalid_client" }.count == 5)
        #expect(try await send(site, try site.assertion(id: "j2")).status == 200)
    }

    @Test(
        "RFC 7523 §3: an assertion with another audience or client, without expiry or id, too long or expired is rejected",
        arguments: [
            ("aud", "https://elsewhere.example"), ("exp", nil), ("jti", nil), ("iss", "web"), ("sub", "web"),
            ("exp", .int(1)), ("exp", .int(4_000_000_000)),
        ] as [(String, JSONValue?)]
    )
    func refused(_ claim: String, _ value: JSONValue?) async throws {
        let site = try await Site()
        let answer = try await send(site, try site.assertion([claim: value]))
        #expect(answer.status == 401)
        #expect(answer.error == "invalid_client")
    }

    @Test("RFC 7523 §2.2: the type is required, and a signature of another key does not authenticate") func type()
        async throws
    {
        let site = try await Site()
        let untyped = try await site.post(
            .token,
            ["grant_type": "client_credentials", "client_assertion": try site.assertion()]
        )
        #expect(untyped.error == "invalid_request")
        #expect(try await send(site, try await Site().assertion()).error == "invalid_client")
    }
}
