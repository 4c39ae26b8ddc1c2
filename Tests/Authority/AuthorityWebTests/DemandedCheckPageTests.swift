import AuthorityStore
import HTTPTypes
import OAuth
import Policies
import TestSupport
import Testing

/// The policy keys `scopes`, `mandatoryScope` and `clientScopes` can require checks after the sign-in.
@Suite(.timeLimit(.minutes(2)))
struct DemandedCheckPageTests {
    /// A policy key that requires an emailed code, and requests with and without this requirement.
    struct Row: CustomTestStringConvertible {
        let key: String
        var scopes: [String: [String]] = ["tasks.read": [], "tasks.write": []]
        var mandatory: [String] = []
        var clients: [String: [String: [String]]] = [:]
        /// The client and the scope of a request that requires the code.
        let asked: (client: String, scope: String)
        /// The client and the scope of a request that does not require the code, or `nil` if every request does.
        let free: (client: String, scope: String)?

        var testDescription: String { key }
    }

    private static let rows = [
        Row(
            key: "scopes",
            scopes: ["tasks.read": [], "tasks.write": ["EmailCode"]],
            asked: ("tasks-cli", "tasks.write"),
            free: ("tasks-cli", "tasks.read")
        ),
        Row(key: "mandatoryScope", mandatory: ["EmailCode"], asked: ("tasks-cli", "tasks.read"), free: nil),
        Row(
            key: "clientScopes",
            clients: ["tokenbroker-cli": ["tasks.write": ["EmailCode"]]],
            asked: ("tokenbroker-cli", "tasks.write"),
            free: ("tasks-cli", "tasks.write")
        ),
    ]

    private func request(_ asked: (client: String, scope: String)) -> [String: String?] {
        ["client_id": asked.client, "scope": "openid \(asked.scope)"]
    }

    /// Redeems the code in a response, and returns the scopes of the access token.
    private func scopes(
        _ scene: BrowserScene,
        _ answer: BrowserScene.Answer,
        _ client: String
    ) async throws -> [String] {
        let code = try #require(answer.reply["code"], "\(answer)")
        let tokens = try await scene.redeem(code, client: client)
        return (tokens["scope"]?.string ?? "").split(separator: " ").map(String.init)
    }

    @Test(
        "checks required by these policy keys run after the password, and only for matching requests",
        arguments: rows
    )
    func asked(_ row: Row) async throws {
        let policy = Policy(
            id: try PolicyID(BrowserScene.policy),
            kind: .signUpOrSignIn,
            attributes: [
                AttributeRule(name: "email", required: true, verify: true), AttributeRule(name: "displayName"),
            ],
            scopes: row.scopes,
            mandatoryScope: row.mandatory,
            clientScopes: row.clients
        )
        let scene = try BrowserScene(policies: [policy])
        var browser = TestBrowser(scene)
        try await browser.authorize(["client_id": row.asked.client])
        _ = try await browser.signUp()
        if let free = row.free {
            try await browser.authorize(request(free))
            let answer = try await browser.signIn()
            #expect(try await scopes(scene, answer, free.client).contains { $0.hasSuffix(free.scope) })
        }
        try await browser.authorize(request(row.asked))
        #expect(try await browser.signIn().location == browser.place)
        let page = try await browser.page()
        #expect(page.text.contains("name=\"code\""), "\(page.text)")
        let code = try await scene.mailedCode()
        let wrong = try await browser.post(["code": code == "000000" ? "000001" : "000000"])
        #expect(wrong.location == browser.place && wrong.reply["code"] == nil)
        let answer = try await browser.post(["code": code])
        #expect(try await scopes(scene, answer, row.asked.client).contains { $0.hasSuffix(row.asked.scope) })
    }
}
