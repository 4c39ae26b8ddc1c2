import BrokerAPI
import FlowModel
import Glibc
import NIOPosix
import OAuth
import Systemd
import TestSupport
import Testing

@testable import BrokerClient

@Suite(.timeLimit(.minutes(1)))
struct BrokerClientTests {
    @Test("calls share a connection and get their own responses") func calls() async throws {
        let broker = try ScriptedBroker()
        try await broker.serve(["account.get": { ["account": $0["account"] ?? "", "username": "u"] }]) {
            let client = broker.client()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        let account = try await client.account("a\(number)")
                        #expect(account.account == "a\(number)")
                    }
                }
                try await group.waitForAll()
            }
            await client.close()
        }
    }

    @Test("a client identifies itself on each connection, in any language") func introduces() async throws {
        let broker = try ScriptedBroker()
        try await broker.serve(["account.get": { ["account": $0["account"] ?? "", "username": "u"] }]) {
            for _ in 0..<2 {
                let client = broker.client()
                _ = try await client.account("a")
                await client.close()
            }
        }
        #expect(broker.hellos.map { $0["client"]?["id"] } == ["app", "app"])
        #expect(broker.hellos.allSatisfy { $0["locale"] == nil })
    }

    @Test("a refusal of the broker is thrown with its reason") func refusal() async throws {
        let broker = try ScriptedBroker()
        let id = CorrelationID()
        let script: ScriptedBroker.Script = { _ in
            throw Refusal(.blocked, Text(exactly: "Blocked.")).retrying(afterMs: 5)
        }
        try await broker.serve(["account.list": script]) {
            let client = broker.client(correlationID: id)
            let error = await #expect(throws: BrokerError.self) { try await client.accounts() }
            #expect(error?.refusal == .blocked)
            #expect(error?.retryAfterMs == 5)
            #expect(error?.correlationID == id.description)
        }
    }

    @Test("if no broker listens, the error names the socket paths") func unreachable() async throws {
        let folder = try TemporaryFolder()
        let location = SocketLocation(paths: [folder.path("one"), folder.path("two")])
        let error = await #expect(throws: ClientError.self) { try await BrokerClient(location).status() }
        #expect(error?.code == .unreachable)
        #expect(error?.description.contains("\(folder.path("one")): connect: No such file or directory") == true)
        #expect(error?.description.contains(folder.path("two")) == true)
    }

    @Test("the first path with a listening broker is used") func places() async throws {
        let broker = try ScriptedBroker()
        try await broker.serve(["account.list": { _ in ["accounts": []] }]) {
            let location = SocketLocation(paths: [broker.path + ".none", broker.path])
            let accounts = try await BrokerClient(location).accounts()
            #expect(accounts.isEmpty)
        }
    }

    @Test("an untrusted server receives nothing") func untrusted() async throws {
        let broker = try ScriptedBroker()
        try await broker.serve(["account.list": { _ in ["accounts": []] }]) {
            let client = BrokerClient(
                SocketLocation(paths: [broker.path]),
                clientID: nil,
                correlationID: nil,
                handlers: ChallengeHandlers()
            ) { uid, path in uid != geteuid() || path != broker.path }
            let error = await #expect(throws: ClientError.self) { try await client.accounts() }
            #expect(error?.code == .untrustedServer)
            #expect(broker.received.isEmpty)
        }
    }

    @Test("this user and root are trusted, others are not") func trust() {
        #expect(SocketLocation.trusts(geteuid(), at: "/tmp/x"))
        #expect(SocketLocation.trusts(0, at: "/tmp/x"))
        #expect(!SocketLocation.trusts(geteuid() + 4321, at: "/tmp/x"))
        #expect(!SocketLocation.trusts(geteuid() + 4321, at: SocketLocation.servicePath))
    }

    @Test(
        "the socket paths are those of the contract",
        arguments: [
            (
                nil, ["XDG_RUNTIME_DIR": "/run/user/1/"],
                ["/run/user/1/tokenbroker/tokenbroker.sock", "/run/tokenbroker/tokenbroker.sock"]
            ),
            (nil, [:], ["/run/user/7/tokenbroker/tokenbroker.sock", "/run/tokenbroker/tokenbroker.sock"]),
            (
                nil, ["XDG_RUNTIME_DIR": "here"],
                ["/run/user/7/tokenbroker/tokenbroker.sock", "/run/tokenbroker/tokenbroker.sock"]
            ),
            (nil, ["TOKENBROKER_SOCKET": "/a"], ["/a"]), ("/b", ["TOKENBROKER_SOCKET": "/a"], ["/b"]),
        ] as [(String?, [String: String], [String])]
    )
    func location(override: String?, environment: [String: String], paths: [String]) {
        let location = SocketLocation(override: override, environment: environment, uid: 7)
        #expect(location.paths == paths)
        let isDefault = paths.first == "/run/user/7/tokenbroker/tokenbroker.sock"
        #expect(location.lacksRuntimeDirectory == isDefault)
    }

    @Test("root without a runtime directory uses the service") func rootLocation() {
        let location = SocketLocation(override: nil, environment: [:], uid: 0)
        #expect(location.paths == [SocketLocation.servicePath] && !location.lacksRuntimeDirectory)
    }

    @Test("after a restart of the broker the next call opens a new connection") func reconnect() async throws {
        let broker = try ScriptedBroker()
        let client = broker.client()
        for _ in 1...2 {
            try await broker.serve(["account.list": { _ in ["accounts": []] }]) {
                let accounts = try await client.accounts()
                #expect(accounts.isEmpty)
            }
        }
        #expect(broker.calls("account.list") == 2)
    }

    @Test("a call that a stopping service did not begin is retried once, over a new connection") func ending()
        async throws
    {
        let broker = try ScriptedBroker()
        let client = broker.client()
        let script: ScriptedBroker.Script = { _ in
            guard broker.calls("account.use") > 1 else {
                throw Refusal(.shuttingDown, Text(exactly: "the service is ending"))
            }
            return ["account": "a", "username": "u"]
        }
        try await broker.serve(["account.use": script]) {
            let account = try await client.use("a")
            #expect(account.username == "u")
        }
        #expect(broker.calls("account.use") == 2)
        #expect(broker.hellos.count == 2)
    }

    @Test("a service that stops twice in a row is an error") func endingTwice() async throws {
        let broker = try ScriptedBroker()
        let script: ScriptedBroker.Script = { _ in throw Refusal(.shuttingDown, Text(exactly: "the service is ending"))
        }
        try await broker.serve(["account.list": script]) {
            let client = broker.client()
            let error = await #expect(throws: BrokerError.self) { try await client.accounts() }
            #expect(error?.refusal == .shuttingDown)
            await client.close()
        }
        #expect(broker.calls("account.list") == 2)
    }

    @Test("a cancelled call returns at once") func cancelled() async throws {
        let broker = try ScriptedBroker()
        let script: ScriptedBroker.Script = { _ in
            try await untilCancelled()
            return [:]
        }
        try await broker.serve(["flow.wait": script]) {
            let client = broker.client()
            let call = Task { try await client.call(FlowWait(flow: "fl_1", sinceRev: 1)) }
            try await waitUntil("the call arrives") { !broker.received.isEmpty }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            await client.close()
        }
    }

    @Test("a result without a required member is unreadable, and the error names the member") func unreadable()
        async throws
    {
        let broker = try ScriptedBroker()
        try await broker.serve(["account.get": { _ in ["username": "u"] }]) {
            let error = await #expect(throws: ClientError.self) { try await broker.client().account("a") }
            #expect(error?.code == .unreadableAnswer)
            #expect(error?.description.contains("account") == true)
        }
    }
}
