import LocalIssuer
import OAuth
import TestSupport
import Testing

/// Tests identity providers that issue no ID tokens, with the built daemon.
@Suite(.timeLimit(.minutes(5)))
struct ProviderKindTests {
    @Test("a provider without ID tokens signs users in by its userinfo, each with one account")
    func userinfo() async throws {
        let scene = ProviderScene(kind: .oauth2)
        try await scene.withProvider { provider, machine in
            provider.tell(.noIDToken)
            var (people, names): ([String], [String]) = ([], [])
            for (subject, name) in [("17", "Ada"), ("17", "Ada Renamed"), ("18", "Bob")] {
                provider.answerUserinfo(["sub": .string(subject), "profile": ["name": .string(name)]])
                var browser = WebBrowser()
                let there = try destination(of: try await browser.open(scene.request(machine)))
                let claims = try await scene.claims(try await scene.visit(there, &browser), machine)
                #expect(claims["idp"]?.string == "partner" && claims["amr"] == ["fed"], "\(claims)")
                people.append(try #require(claims["oid"]?.string))
                names.append(claims["name"]?.string ?? "")
            }
            #expect(people[0] == people[1] && people[1] != people[2])
            #expect(names == ["Ada", "Ada Renamed", "Bob"] || names == ["Ada", "Ada", "Bob"], "\(names)")
        }
    }

    @Test(
        "users are identified by a number, as at GitHub, or by a nested member, as at X",
        arguments: [
            ("id", [["id": 17, "login": "ada"], ["id": 17, "login": "ada2"], ["id": 18, "login": "bob"]]),
            (
                "data.id",
                [
                    ["data": ["id": "17", "name": "Ada"]], ["data": ["id": "17", "name": "Ada L."]],
                    ["data": ["id": "18"]],
                ]
            ),
        ] as [(String, [JSONValue])]
    )
    func subjects(_ claim: String, _ answers: [JSONValue]) async throws {
        let scene = ProviderScene(kind: .oauth2, subject: claim)
        try await scene.withProvider { provider, machine in
            provider.tell(.noIDToken)
            var people: [String] = []
            for answer in answers {
                provider.answerUserinfo(answer)
                var browser = WebBrowser()
                let there = try destination(of: try await browser.open(scene.request(machine)))
                let claims = try await scene.claims(try await scene.visit(there, &browser), machine)
                people.append(try #require(claims["oid"]?.string))
            }
            #expect(people[0] == people[1] && people[1] != people[2])
            // A response without the configured subject claim identifies no user.
            provider.answerUserinfo(["sub": "17", "data": ["login": "ada"]])
            var browser = WebBrowser()
            let there = try destination(of: try await browser.open(scene.request(machine)))
            #expect(try await scene.visit(there, &browser).status == 502)
        }
    }

    @Test(
        "userinfo without a user, or that is no object, does not sign in",
        arguments: [
            ["profile": ["name": "Ada"]], ["sub": ""], ["sub": ["a", "b"]], ["sub": true], [], "17",
        ] as [JSONValue]
    )
    func nobody(_ answer: JSONValue) async throws {
        let scene = ProviderScene(kind: .oauth2)
        try await scene.withProvider { provider, machine in
            provider.tell(.noIDToken)
            provider.answerUserinfo(answer)
            var browser = WebBrowser()
            let there = try destination(of: try await browser.open(scene.request(machine)))
            let page = try await scene.visit(there, &browser)
            #expect(page.status == 502, "\(page.status) \(page.text)")
        }
    }
}
