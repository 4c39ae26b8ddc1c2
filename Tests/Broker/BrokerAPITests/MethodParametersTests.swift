import BrokerAPI
import FlowModel
import Localization
import OAuth
import Testing

@Suite(.timeLimit(.minutes(2)))
struct MethodParametersTests {
    @Test(
        "unknown parameters of a method are rejected by name",
        arguments: [
            (["scopes": ["a"], "scope": "a"], "scope"), ([:], "scopes"), (["scopes": "a"], "scopes"),
            (["scopes": [1]], "scopes[0]"), (["scopes": ["a"], "policy": 3], "policy"),
            (["scopes": ["a"], "policy": nil], "policy"), (["scopes": ["a"], "maxAge": -1], "maxAge"),
            (["scopes": ["a"], "maxAge": 1.5], "maxAge"), (["scopes": ["a"], "maxAge": "1"], "maxAge"),
            (["scopes": ["a"], "prompt": "maybe"], "prompt"),
            (["scopes": ["a"], "user": ["id": "x", "age": 3]], "user.age"),
            (["scopes": ["a"], "user": ["type": "UniqueId"]], "user.id"),
            (["scopes": ["a"], "correlationId": "not a UUID of thirty-six characters!!"], "correlationId"),
            (["scopes": ["a"], "correlationId": "short"], "correlationId"),
            (["scopes": ["a"], "extraQueryParameters": ["STATE": "x"]], "extraQueryParameters.STATE"),
            (["scopes": ["a"], "extraQueryParameters": ["p": "x"]], "extraQueryParameters.p"),
            (["scopes": ["a"], "extraQueryParameters": ["domain_hint": "x", "p": "x"]], "extraQueryParameters.p"),
            (["scopes": ["a"], "requestId": .string(String(repeating: "r", count: 65))], "requestId"),
            (["scopes": .array([JSONValue](repeating: "a", count: 65))], "scopes"),
            (["scopes": ["a"], "forceRefresh": 1], "forceRefresh"),
        ] as [([String: JSONValue], String)]
    )
    func refused(params: [String: JSONValue], member: String) {
        let error = #expect(throws: JSONRPCError.self) { try AcquireRequest(params: params) }
        #expect(error?.code == -32_602)
        #expect(error?.data?["member"]?.string == member)
    }

    @Test(
        "an invalid UUID of any length is rejected with the expected format",
        arguments: ["short", "not a UUID of thirty-six characters!!"]
    )
    func uuid(_ text: String) {
        let error = #expect(throws: JSONRPCError.self) { try AccountList(params: ["correlationId": .string(text)]) }
        #expect(error?.message == "The parameter `correlationId` must be a UUID.")
    }

    @Test(
        "an invalid parameter is named in a sentence in every language",
        arguments: [
            ([:], "The parameter `scopes` is missing.", "Der Parameter `scopes` fehlt."),
            (
                ["scopes": [], "x": 1], "This method has no parameter `x`.",
                "Diese Methode hat keinen Parameter `x`."
            ),
            (["scopes": 1], "The parameter `scopes` must be a list.", "Der Parameter `scopes` muss eine Liste sein."),
            (
                ["scopes": [""]], "The parameter `scopes[0]` must have 1 to 256 characters.",
                "Der Parameter `scopes[0]` muss 1 bis 256 Zeichen haben."
            ),
            (
                ["scopes": [], "maxAge": -1], "The parameter `maxAge` must be between 0 and 31536000.",
                "Der Parameter `maxAge` muss zwischen 0 und 31536000 liegen."
            ),
            (
                ["scopes": [], "mode": "x"], "The parameter `mode` must be one of native, browser, device, paste.",
                "Der Parameter `mode` muss eines von native, browser, device, paste sein."
            ),
            (
                ["scopes": [], "providerToken": [:]], "The parameter `providerToken` must not be empty.",
                "Der Parameter `providerToken` darf nicht leer sein."
            ),
            (
                ["scopes": [], "extraQueryParameters": ["p": "x"]],
                "The parameter `extraQueryParameters.p` is reserved by the protocol. Choose another name.",
                "Der Parameter `extraQueryParameters.p` ist im Protokoll reserviert. Wählen Sie einen anderen Namen."
            ),
        ] as [([String: JSONValue], String, String)]
    )
    func sentence(_ params: [String: JSONValue], _ english: String, _ german: String) throws {
        let error = try #require(throws: JSONRPCError.self) { try AcquireRequest(params: params) }
        #expect(error.message == english)
        #expect(BrokerError(error).text.words(in: .german) == german)
    }

    @Test("the name of an unknown member is truncated: it may be a misplaced token") func misplaced() throws {
        let params: [String: JSONValue] = ["scopes": [], "providerToken": [String(repeating: "a", count: 4_000): 1]]
        let error = try #require(throws: JSONRPCError.self) { try AcquireRequest(params: params) }
        #expect(error.message == "The parameter `providerToken.\(String(repeating: "a", count: 64))` must be a string.")
    }

    @Test("an invented member name is repeated without control characters and truncated, however it is composed")
    func composed() throws {
        let name = "a\u{1B}\u{202E}" + String(repeating: "\u{301}", count: 30_000)
        let unknown = try #require(throws: JSONRPCError.self) { try AcquireRequest(params: ["scopes": [], name: 1]) }
        let shown = "a\u{FFFD}\u{FFFD}" + String(repeating: "\u{301}", count: 61)
        #expect(unknown.message == "This method has no parameter `\(shown)`.")
        let params: [String: JSONValue] = ["scopes": [], "providerToken": [name: 1]]
        let misplaced = try #require(throws: JSONRPCError.self) { try AcquireRequest(params: params) }
        #expect(misplaced.message == "The parameter `providerToken.\(shown)` must be a string.")
    }

    @Test("a request with all members survives an encoding round trip") func whole() throws {
        var request = AcquireRequest(scopes: ["tasks.read", "tasks.write"])
        request.policy = "b2c_1_sign_in"
        request.client = "app"
        request.additionalScopes = ["more"]
        request.account = "abc"
        request.user = .init(id: "jo@example.org", kind: .optionalDisplayableID)
        request.resource = "tasks"
        request.acrValues = ["2"]
        request.maxAge = 300
        request.claims = ["id_token": ["auth_time": ["essential": true]]]
        request.prompt = .login
        request.mode = .device
        request.provider = "facebook"
        request.providerToken = ["access_token": Secret("t")]
        request.minValidityMs = 1000
        request.forceRefresh = true
        request.correlationID = CorrelationID("0b9b3e2e-6c0f-4a6e-9d43-0d6fb1c5a111")
        request.requestID = "r1"
        #expect(try AcquireRequest(params: request.params).params == request.params)
    }

    @Test("a flow.start request with all members survives an encoding round trip") func wholeStart() throws {
        let request = StartFlowRequest(
            policy: "b2c_1_partner",
            input: ["username": "jo"],
            account: "abc",
            acrValues: ["2"],
            maxAge: 300,
            mode: .browser,
            provider: "partner",
            providerToken: ["id_token": Secret("t")],
            requestID: "r1"
        )
        #expect(try StartFlowRequest(params: request.params).params == request.params)
    }

    @Test("a member with its default value is not written") func usualValues() {
        let request = StartFlowRequest(policy: "b2c_1_sign_in", requestID: "r1")
        #expect(request.params == ["policy": "b2c_1_sign_in", "requestId": "r1"])
        let exact = JSONRPCError(code: 1007, Text(exactly: "Wait a little."))
        #expect(exact.data == nil)
    }

    @Test("an empty object of query parameters is equal to none") func noQueryParameters() throws {
        #expect(try AcquireRequest(params: ["scopes": [], "extraQueryParameters": [:]]).params == ["scopes": []])
    }

    @Test("a provider token without a value is rejected") func noProviderToken() throws {
        let none: JSONValue = [:]
        let acquire = #expect(throws: JSONRPCError.self) {
            try AcquireRequest(params: ["scopes": [], "provider": "partner", "providerToken": none])
        }
        let start = #expect(throws: JSONRPCError.self) {
            try StartFlowRequest(params: ["policy": "b2c_1_partner", "requestId": "r", "providerToken": none])
        }
        for error in [acquire, start] { #expect(error?.code == -32602, "\(String(describing: error))") }
    }

    @Test("parameters that a request omits have defaults") func defaults() throws {
        let request = try AcquireRequest(params: ["scopes": []])
        #expect(request.prompt == .auto)
        #expect(request.mode == .native)
        #expect(!request.forceRefresh)
        #expect(request.params == ["scopes": []])
    }

    @Test(
        "a sign-out names one account or all, not both, and must revoke",
        arguments: [
            [:], ["all": false], ["account": "a", "all": true], ["all": "yes"], ["all": true, "revoke": false],
        ] as [[String: JSONValue]]
    )
    func signOut(_ params: [String: JSONValue]) {
        let error = #expect(throws: JSONRPCError.self) { try SignOutRequest(params: params) }
        #expect(error?.code == -32_602)
    }

    @Test("a sign-out of one account and of all accounts are different requests") func extents() throws {
        #expect(try SignOutRequest(params: ["account": "a"]).extent == .account("a"))
        #expect(try SignOutRequest(params: ["all": true, "revoke": true]).extent == .all)
    }

    @Test("a hello with another protocol version is rejected") func hello() throws {
        let error = #expect(throws: JSONRPCError.self) {
            try BrokerHello(params: ["protocol": [2], "client": ["id": "app"]])
        }
        #expect(error?.data?["member"]?.string == "protocol")
        #expect(try BrokerHello(params: ["protocol": [2, 1], "client": ["id": "app"]]).client == "app")
    }

    @Test("a wait is at most a minute long, and its deadline is longer than the wait") func wait() throws {
        let error = #expect(throws: JSONRPCError.self) { try FlowWait(params: ["flow": "f", "timeoutMs": 60_001]) }
        #expect(error?.code == -32_602 && error?.data?["member"] == "timeoutMs")
        #expect(try FlowWait(params: ["flow": "f", "timeoutMs": 60_000]).deadline == .seconds(65))
    }

    @Test("every method accepts a correlation id") func correlation() throws {
        let id: JSONValue = "0b9b3e2e-6c0f-4a6e-9d43-0d6fb1c5a111"
        _ = try AccountList(params: ["correlationId": id])
        _ = try KeysRevoke(params: ["kid": "k", "correlationId": id])
        let error = #expect(throws: JSONRPCError.self) { try AccountList(params: ["correlationId": 1]) }
        #expect(error?.code == -32_602 && error?.data?["member"] == "correlationId")
    }

    @Test("the published schema is the enforced rule") func schema() {
        let parameters = AcquireRequest.description.json["params"]?.array ?? []
        #expect(parameters.compactMap { $0["name"]?.string } == AcquireRequest.description.allFields.map(\.name))
        let scopes = parameters.first { $0["name"] == "scopes" }
        #expect(scopes?["required"] == true)
        #expect(scopes?["schema"]?["maxItems"] == 64)
        let user = parameters.first { $0["name"] == "user" }
        #expect(user?["schema"]?["additionalProperties"] == false)
        #expect(user?["schema"]?["required"] == ["id"])
    }
}
