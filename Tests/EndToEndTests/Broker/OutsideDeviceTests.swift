import Foundation
import LocalIssuer
import OAuth
import TestSupport
import Testing

/// End-to-end tests of sign-ins at external authorities with a device code (RFC 8628).
@Suite(.timeLimit(.minutes(5)))
struct OutsideDeviceTests {
    private static let asked: JSONValue = ["policy": "contoso", "scopes": ["files.read"], "mode": "device"]
    private static let none: JSONValue = ["policy": "contoso", "scopes": ["files.read"], "prompt": "none"]

    /// Runs `test` with a provider that sends `answers` in order when the daemon polls it for tokens.
    private func withProvider(
        _ answers: [LocalProvider.DeviceAnswer],
        life: Int64 = 600,
        _ test: (LocalProvider, Connection) async throws -> Void
    ) async throws {
        try await OutsideScene.serve { provider, machine in
            provider.answerDevices(answers, life: life)
            let daemon = try machine.startBroker()
            try await test(provider, try machine.connect())
            daemon.signal(SIGTERM)
            #expect(daemon.wait() == 0, "\(daemon.errors())")
            #expect(try !daemon.log().contains("device-1") && !daemon.log().contains("refresh-"))
        }
    }

    private func ended(_ connection: Connection, _ flow: JSONValue) async throws -> JSONValue {
        var now = flow
        try await waitUntil("the flow has ended", within: .seconds(60)) {
            now = try connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"] ?? .null
            return now["state"]?.string != "pending"
        }
        return now
    }

    @Test("the authority issues the codes, is polled at its own interval, and its tokens are stored") func tokens()
        async throws
    {
        try await withProvider([.pending, .slowDown, .tokens]) { provider, connection in
            let flow = try #require(try connection.call("token.acquire", Self.asked)["flow"])
            let place = try #require(flow["device"])
            #expect(place["userCode"]?.string == "WDJB-MJHT", "\(place)")
            #expect(place["verificationUri"]?.string == "\(provider.issuer)/activate", "\(place)")
            #expect(
                place["verificationUriComplete"]?.string == "\(provider.issuer)/activate?user_code=WDJB-MJHT",
                "\(place)"
            )
            // An identical request joins the first flow and gets the same codes.
            let again = try connection.call("token.acquire", Self.asked)
            #expect(again["joined"]?.bool == true && again["flow"]?["device"] == place, "\(again)")
            let end = try await ended(connection, flow)
            #expect(end["state"]?.string == "succeeded" && end["account"]?.string != nil, "\(end)")
            #expect(try connection.call("token.acquire", Self.none)["token"]?["accessToken"]?.string == "access-1")
            let pauses = provider.devicePauses
            #expect(pauses.count == 2 && pauses[1] >= .seconds(6), "\(pauses)")
        }
    }

    @Test(
        "a refusal, expired codes and a cancelled sign-in end the flow and the polling",
        arguments: [
            ([.pending, .denied], 600, "failed", "denied"), ([.expired], 600, "expired", nil),
            ([.pending], 2, "expired", nil),
        ] as [([LocalProvider.DeviceAnswer], Int64, String, String?)]
    )
    func ends(_ answers: [LocalProvider.DeviceAnswer], life: Int64, state: String, reason: String?) async throws {
        try await withProvider(answers, life: life) { provider, connection in
            let flow = try #require(try connection.call("token.acquire", Self.asked)["flow"])
            let end = try await ended(connection, flow)
            #expect(end["state"]?.string == state && end["reason"]?.string == reason, "\(end)")
            #expect(try connection.call("account.list")["accounts"] == [])
            let questions = provider.deviceQuestions
            #expect(try connection.refusal("token.acquire", Self.none).code == 1001)
            #expect(provider.deviceQuestions == questions)
        }
    }

    @Test("metadata with an address that may not be called is rejected as invalid") func lie() async throws {
        try await withProvider([.tokens]) { provider, connection in
            // At first the metadata is valid. After this request, the provider's metadata contains a forbidden address.
            let flow = try #require(try connection.call("token.acquire", Self.asked)["flow"])
            _ = try connection.call("flow.cancel", ["flow": flow["id"] ?? .null])
            provider.tell(.metadataElsewhere)
            let refused = try connection.refusal("token.acquire", Self.asked)
            #expect(refused.code == 1015, "\(refused)")
            #expect(!refused.message.contains("169.254"), "\(refused)")
        }
    }

    @Test("`sign-in --device` shows the code of the external authority, which the user types there") func command()
        async throws
    {
        let pair = try OutsidePair(grants: ["authorization_code", "refresh_token", "device_code"])
        let process = try BuiltProgram("tokenbroker").start(
            ["sign-in", "--policy", "contoso", "--device"],
            environment: pair.machine.environment
        )
        try await waitUntil("the command shows the code") { process.errors().contains("type this code: ") }
        let shown = process.errors()
        let code = try #require(shown.firstMatch(of: /type this code: ([B-Z]{4}-[B-Z]{4})/)).1
        #expect(shown.contains("\(pair.outside.base)/device") && !shown.contains("these words"), "\(shown)")
        var theirs = WebBrowser()
        let entry = try await theirs.open("\(pair.outside.base)/device")
        let question = try await theirs.submit(entry, ["user_code": String(code)])
        // The form must be posted to an address that contains the code.
        let decided = WebBrowser.Page(
            url: "\(pair.outside.base)/device?user_code=\(code)",
            status: question.status,
            headers: question.headers,
            text: question.text
        )
        let page = try await theirs.submit(decided, ["_decision": "allow"])
        let answers = ["username": pair.person.email, "password": pair.person.password]
        let done = try await theirs.submit(page, answers)
        #expect(done.status == 200, "\(done.text)")
        #expect(process.wait() == 0, "\(process.errors())")
        let token = try pair.machine.tokenbroker(["token", "--policy", "contoso", "--no-prompt"])
        #expect(token.status == 0 && token.output.split(separator: ".").count == 3, "\(token)")
        pair.end()
    }
}
