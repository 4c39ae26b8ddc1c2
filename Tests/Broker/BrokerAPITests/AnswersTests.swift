import BrokerAPI
import FlowModel
import OAuth
import Testing

@Suite(.timeLimit(.minutes(2)))
struct AnswersTests {
    private static let token = AcquiredToken(
        accessToken: Secret("eyJ"),
        expiresAt: 1_795_000_000_000,
        scopes: ["tasks.read"],
        account: "a1",
        username: "jo@example.org",
        acr: "1",
        amr: ["pwd"],
        authTime: 1_794_999_000_000,
        claims: ["name": "Jo"],
        policy: "b2c_1_sign_in",
        correlationID: "0b9b3e2e-6c0f-4a6e-9d43-0d6fb1c5a111",
        fromCache: true,
        cached: true
    )

    @Test("a token has the members of the contract") func tokenMembers() {
        let members = Self.token.json.object.map { Set($0.keys) }
        #expect(
            members == [
                "accessToken", "tokenType", "expiresAt", "scopes", "account", "username", "acr", "amr", "authTime",
                "claims", "policy", "correlationId", "fromCache", "cached",
            ]
        )
        #expect(Self.token.json["tokenType"] == "Bearer")
        #expect(!"\(Self.token)".contains("eyJ"))
    }

    @Test("what a policy lacks is reported in English, and by its key") func missing() throws {
        let summary = PolicySummary(
            policy: "p",
            kind: "sign-up",
            displayName: "P",
            issuer: "i",
            available: false,
            missing: Text("refusal.signUpClosed")
        )
        #expect(summary.json["missing"] == "Sign-up is closed. Ask an operator for an account.")
        #expect(summary.json["missingText"] == ["key": "refusal.signUpClosed"])
        try roundTrip(summary)
        var members = try #require(summary.json.object)
        members["missingText"] = ["key": "refusal.ofNewerVersion"]
        let other = try PolicySummary(WireReader(.object(members)))
        #expect(other.missing == Text(exactly: "Sign-up is closed. Ask an operator for an account."))
    }

    @Test("results survive an encoding round trip") func roundTrips() throws {
        try roundTrip(Self.token)
        try roundTrip(AcquireRequest.Answer.token(Self.token))
        try roundTrip(SignOutSummary(tokens: 2, sessions: 1, flows: 0, left: ["the session at example.org"]))
        try roundTrip(
            ServiceStatus(version: "1", uptimeMs: 5, policies: ["p"], counts: ["accounts": 1], locked: false)
        )
        try roundTrip(LockAnswer(locked: true))
        try roundTrip(APISummary(api: "tasks", origins: ["https://tasks.example"], scopes: ["tasks.read"]))
        try roundTrip(
            PolicySummary(
                policy: "p",
                kind: "social",
                displayName: "P",
                issuer: "i",
                available: false,
                missing: Text(exactly: "Id."),
                scopes: ["tasks.read"],
                providers: ["partner"]
            )
        )
        try roundTrip(
            AccountSummary(
                account: "a",
                username: "u",
                displayName: "U",
                authority: "local",
                policies: ["p"],
                lastUsed: 3,
                isDefault: true
            )
        )
        try roundTrip(
            TokenSummary(
                account: "a",
                username: "u",
                client: "c",
                authority: "local",
                policy: "p",
                resource: "tasks",
                scopes: ["s"],
                expiresAt: 1,
                acr: "1",
                amr: ["pwd"],
                authTime: 2
            )
        )
        try roundTrip(
            AuditRecord(
                sequence: 1,
                at: 2,
                event: "e",
                uid: 3,
                pid: 4,
                user: "u",
                client: nil,
                policy: nil,
                correlationID: "x",
                detail: ["k": "v"]
            )
        )
        let client = ClientSummary(
            client: "c",
            name: "C",
            type: .confidential,
            redirectURIs: ["https://x/cb"],
            scopes: ["s"],
            audience: "tasks",
            configured: false
        )
        try roundTrip(client)
        try roundTrip(AddedClient(client: client, secret: Secret("s3cret")))
        try roundTrip(UserSummary(user: "o", signInNames: ["u"], displayName: "U", enabled: true, createdAt: 1))
        var user = UserSummary(user: "o", signInNames: ["u"], displayName: "U", enabled: false, createdAt: 1)
        user.attributes = ["city": "Rome"]
        user.sessions = 1
        user.families = 2
        user.groups = ["admins"]
        try roundTrip(user)
        try roundTrip(KeySummary(kid: "k", alg: "ES256", state: "active", publishedAt: 1, activeFrom: 2))
        try roundTrip(Removal(removed: "c"))
    }

    @Test("a list is a named member of its result") func lists() throws {
        let keys = [KeySummary(kid: "k", alg: "ES256", state: "active", publishedAt: 1)]
        let result = KeysList.result(keys)
        #expect(result["keys"]?.array?.count == 1)
        #expect(try KeysList.answer(in: result) == keys)
        #expect(try AccountList.answer(in: ["accounts": []]).isEmpty)
        #expect(try AccountList.answer(in: [:]).isEmpty)
    }

    @Test("a named result is not decoded without its name") func named() throws {
        let error = #expect(throws: UnreadableAnswer.self) { try FlowGet.answer(in: ["flows": []]) }
        #expect(error?.member == "flow")
    }

    @Test(
        "a member of the wrong type is rejected by name",
        arguments: [
            (["user": "o", "createdAt": "today"], "createdAt"), (["user": "o", "signInNames": "u"], "signInNames"),
            (["user": "o", "signInNames": [1]], "signInNames"), (["user": "o", "enabled": 1], "enabled"),
            (["user": "o", "groups": "admins"], "groups"), (["createdAt": 1], "user"),
        ] as [(JSONValue, String)]
    )
    func otherType(json: JSONValue, member: String) {
        let error = #expect(throws: UnreadableAnswer.self) { try UserSummary(WireReader(json)) }
        #expect(error?.member == member)
    }

    @Test("members that a result omits have defaults") func defaults() throws {
        let user = try UserSummary(WireReader(["user": "o", "attributes": nil]))
        #expect(user == UserSummary(user: "o", signInNames: [], displayName: "", enabled: true, createdAt: 0))
    }

    private func roundTrip<Value: WireValue & Equatable>(_ value: Value) throws {
        let parsed = try StrictJSON.parse(value.json.bytes)
        #expect(try Value(WireReader(parsed)) == value)
    }
}
