import Authority
import AuthorityStore
import FlowModel
import Foundation
import HTTPTypes
import OAuth
import TestSupport
import Testing

/// Tests of clients that send a refresh token again because they did not receive the response.
@Suite(.timeLimit(.minutes(2)))
struct RFC9700RepeatedRenewalTests {
    private static let scopes = ["openid", "offline_access", "tasks.read", "tasks.write"]

    private func events(_ kind: AuditKind, _ site: Site) async throws -> [[String: String]] {
        try await site.store.audit.all(limit: 1_000).filter { $0.event == kind.rawValue }.map(\.detail)
    }

    /// Returns whether an access token is active at the other daemon.
    private func isActive(_ access: JSONValue?, _ site: Site) async throws -> Bool? {
        let parameters = ["token": try #require(access?.string)]
        return try await site.post(.introspection, parameters, basic: ("web", Site.secret), daemon: 1)["active"]?.bool
    }

    @Test("RFC 9700 §4.14.2: within the grace period a replaced refresh token gets the same successor") func again()
        async throws
    {
        let site = try await Site()
        let first = try #require(try await site.tokens(scopes: Self.scopes)["refresh_token"]?.string)
        var answers = [try await site.refresh(first)]
        site.time.advance(by: .milliseconds(9_999))
        let repetitions: [[String: String]] = [[:], ["scope": "tasks.read"], ["scope": "openid"]]
        for changes in repetitions {
            answers.append(try await site.refresh(first, changes, daemon: 1))
        }
        #expect(answers.map(\.status) == [200, 200, 200, 200], "\(answers.map(\.text))")
        #expect(Set(answers.compactMap { $0["refresh_token"]?.string }).count == 1)
        #expect(Set(answers.compactMap { $0["access_token"]?.string }).count == 4)
        let repeated = try await events(.tokenRenewed, site).map { $0["repeated"] ?? "false" }
        #expect(repeated == ["false", "true", "true", "true"])
        #expect(try await events(.familyRevoked, site).isEmpty)
        // The successor is still the newest token, even after the grace period of the token that it replaced.
        site.time.advance(by: .seconds(60))
        #expect(try await site.refresh(try #require(answers[3]["refresh_token"]?.string)).status == 200)
    }

    @Test("RFC 9700 §4.14.2: twelve concurrent uses at two daemons within the grace period get one successor")
    func twelve() async throws {
        let site = try await Site()
        let token = try #require(try await site.tokens()["refresh_token"]?.string)
        let answers = try await withThrowingTaskGroup(of: Site.Answer.self) { group in
            for number in 0..<12 { group.addTask { try await site.refresh(token, daemon: number % 2) } }
            return try await group.reduce(into: [Site.Answer]()) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.text))")
        let successors = Set(answers.compactMap { $0["refresh_token"]?.string })
        #expect(successors.count == 1 && !successors.contains(token))
        #expect(Set(answers.compactMap { $0["access_token"]?.string }).count == 12)
        let repeated = try await events(.tokenRenewed, site).filter { $0["repeated"] == "true" }
        #expect(repeated.count == 11)
        #expect(try await site.store.families.list(owner: Site.owner).count == 1)
        #expect(try await site.refresh(try #require(successors.first), daemon: 1).status == 200)
    }

    @Test(
        "RFC 9700 §4.14.2: a replaced refresh token revokes the family and its access tokens",
        arguments: [
            "after the grace period", "after the first use of its successor", "for additional scopes",
            "from another client", "at another policy", "without a grace period",
        ]
    )
    func reused(_ reason: String) async throws {
        let site = try await Site(refreshGrace: reason == "without a grace period" ? .zero : .seconds(10))
        let tokens = try await site.tokens(scopes: Self.scopes)
        let first = try #require(tokens["refresh_token"]?.string)
        var changes = ["scope": "tasks.read"]
        var policy = Site.policy
        let renewed = try await site.refresh(first, changes)
        let second = try #require(renewed["refresh_token"]?.string, "\(renewed.text)")
        var newest = second
        switch reason {
        case "after the grace period": site.time.advance(by: .seconds(10))
        case "after the first use of its successor":
            newest = try #require(try await site.refresh(second)["refresh_token"]?.string)
        case "for additional scopes": changes["scope"] = "tasks.read tasks.write"
        case "from another client": changes["client_id"] = "other"
        case "at another policy": policy = "b2c_1_other"
        default: break
        }
        for answer in [tokens, renewed] { #expect(try await isActive(answer["access_token"], site) == true) }
        let refused = try await site.refresh(first, changes, policy: policy, daemon: 1)
        #expect(refused.error == "invalid_grant" && refused["access_token"] == nil, "\(refused.text)")
        for answer in [tokens, renewed] { #expect(try await isActive(answer["access_token"], site) == false) }
        let ended = try await site.refresh(newest)
        #expect(ended.error == "invalid_grant" && ended.description.hasPrefix("AADB2C90129: "), "\(ended.text)")
        let reasons = try await events(.familyRevoked, site).compactMap { $0["reason"] }
        #expect(reasons == ["reused"])
    }

    @Test(
        "RFC 9700 §4.14.2: a replaced refresh token revokes the family even if the request contains a wrong parameter",
        arguments: ["after the grace period", "after the first use of its successor", "without a grace period"],
        [["scope": "unknown"], ["resource": "https://elsewhere.example"]]
    )
    func reusedWithError(_ reason: String, _ changes: [String: String]) async throws {
        let site = try await Site(refreshGrace: reason == "without a grace period" ? .zero : .seconds(10))
        let tokens = try await site.tokens(scopes: Self.scopes)
        let first = try #require(tokens["refresh_token"]?.string)
        let renewed = try await site.refresh(first)
        var newest = try #require(renewed["refresh_token"]?.string, "\(renewed.text)")
        switch reason {
        case "after the grace period": site.time.advance(by: .seconds(10))
        case "after the first use of its successor":
            newest = try #require(try await site.refresh(newest)["refresh_token"]?.string)
        default: break
        }
        let refused = try await site.refresh(first, changes, daemon: 1)
        #expect(refused.error == "invalid_grant" && refused.description.hasPrefix("AADB2C90080: "), "\(refused.text)")
        for answer in [tokens, renewed] { #expect(try await isActive(answer["access_token"], site) == false) }
        let ended = try await site.refresh(newest)
        #expect(ended.error == "invalid_grant" && ended.description.hasPrefix("AADB2C90129: "), "\(ended.text)")
        let reasons = try await events(.familyRevoked, site).compactMap { $0["reason"] }
        #expect(reasons == ["reused"])
    }

    @Test("a scope beyond the grant is refused within the grace period too, and does not revoke the family")
    func beyond() async throws {
        let site = try await Site()
        let first = try #require(try await site.tokens()["refresh_token"]?.string)
        let second = try #require(try await site.refresh(first)["refresh_token"]?.string)
        #expect(try await site.refresh(first, ["scope": "tasks.write"]).error == "invalid_scope")
        #expect(try await site.refresh(second).status == 200)
    }
}
