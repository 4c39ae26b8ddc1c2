import AuthorityStore
import FlowModel
import OAuth
import TestSupport
import Testing

@testable import Authority

@Suite(.timeLimit(.minutes(1)))
struct UserClaimsTests {
    private func user(_ names: [SignInName], _ attributes: [String: JSONValue] = [:]) -> UserRecord {
        UserRecord(id: UserID(oid: "the-id"), signInNames: names, attributes: attributes, createdAt: 0)
    }

    @Test("preferred_username is the user name, else the e-mail address, else the id, but never the display name")
    func names() {
        let (name, address) = (SignInName(.username, "ada"), SignInName(.email, "ada@example.org"))
        #expect(UserClaims.name(of: user([address, name])) == "ada")
        #expect(UserClaims.name(of: user([address])) == "ada@example.org")
        #expect(UserClaims.name(of: user([], ["email": "bob@example.org", "displayName": "Eve"])) == "bob@example.org")
        // A user of a provider can choose the display name of another user.
        #expect(UserClaims.name(of: user([], ["displayName": "ada@example.org"])) == "the-id")
    }

    @Test("the scope profile adds preferred_username, unless the policy has a claim of that name")
    func profile() {
        let ada = user([SignInName(.email, "ada@example.org")])
        func added(_ scopes: [String], _ claims: [(String, JSONValue)] = []) -> [String: JSONValue] {
            Dictionary(UserClaims.profile(of: ada, scopes: scopes, beside: claims)) { first, _ in first }
        }
        #expect(added(["openid", "profile"]) == ["preferred_username": "ada@example.org"])
        #expect(added(["openid", "email"]).isEmpty)
        #expect(added(["openid", "profile"], [("preferred_username", "ada")]).isEmpty)
        #expect(added(["profile"], [("name", "Ada")]) == ["preferred_username": "ada@example.org"])
    }
}
