import FlowModel
import HTTPTypes
import OAuth
import OutgoingHTTP
import TestSupport
import Testing

@testable import CustomIdentity
@testable import Policies

/// Tests calls to API connectors over a real socket, and each origin's share of these calls.
@Suite(.timeLimit(.minutes(2)))
struct ConnectorClientTests {
    private static let proceed: JSONValue = ["version": "1.0.0", "action": "Continue"]
    private let time = TestClock()
    private let ours = Origin.local(machine: "m1", uid: 1_000)
    private let theirs = Origin.local(machine: "m1", uid: 1_001)

    /// Runs `test` with a server, a connector that points to the server, and a client.
    private func withConnector(
        deadlines: any Clock<Duration> = ContinuousClock(),
        timeoutSec: Int = 30,
        _ test: (LocalRealm, Connector, ConnectorClient) async throws -> Void
    ) async throws {
        let server = LocalRealm()
        let calls = OutsideCalls(clock: time.clock, route: .direct, deadlines: deadlines)
        try await server.serve { realm in
            do {
                let connector = Connector(
                    place: .beforeUserCreated,
                    url: realm.url,
                    proof: .none,
                    timeout: .seconds(timeoutSec)
                )
                try await test(server, connector, ConnectorClient(calls))
            } catch {
                try await calls.shutdown()
                throw error
            }
            try await calls.shutdown()
        }
    }

    /// Calls a connector, and returns the refusal, or `nil` if the connector responds.
    private func refusal(_ client: ConnectorClient, _ connector: Connector, _ origin: Origin) async -> Refusal? {
        do throws(Refusal) {
            _ = try await client.ask(connector, ["step": .string(connector.place.step)], from: origin)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "eight calls of one origin may wait, the ninth is told to retry later, and another origin is served meanwhile"
    )
    func share() async throws {
        let deadlines = SleepClock()
        try await withConnector(deadlines: deadlines) { server, connector, client in
            server.answer(nil as LocalRealm.Answer?)
            try await withThrowingTaskGroup(of: Refusal?.self) { tasks in
                for _ in 0..<ConnectorClient.mostCalls {
                    tasks.addTask { await refusal(client, connector, ours) }
                }
                try await waitUntil("all are called") { server.asked.count == ConnectorClient.mostCalls }
                let ninth = await refusal(client, connector, ours)
                #expect(ninth?.reason == .limitExceeded && ninth?.retryAfterMs == 1_000, "\(String(describing: ninth))")
                #expect(server.asked.count == ConnectorClient.mostCalls)
                server.answer(Self.proceed)
                // The earlier calls are still waiting for a response.
                #expect(await refusal(client, connector, theirs) == nil)
                #expect(server.asked.count == ConnectorClient.mostCalls + 1)
                try await deadlines.advance(by: connector.timeout, whenSleeping: ConnectorClient.mostCalls)
                // After the timeout, the calls are tried again. Some calls get a response, and the others are refused.
                for try await refusal in tasks {
                    #expect(refusal.map { $0.reason == .providerUnavailable } ?? true, "\(String(describing: refusal))")
                }
            }
            // After a minute, calls from the origin are accepted again.
            time.advance(by: .seconds(60))
            #expect(await refusal(client, connector, ours) == nil)
        }
    }

    @Test("with the default timeoutSec, a silent connector is unavailable after two tries of 20 s")
    func twice() async throws {
        let deadlines = SleepClock()
        try await withConnector(deadlines: deadlines, timeoutSec: Connector.standardTimeoutSec) {
            server,
            connector,
            client in
            server.answer(nil as LocalRealm.Answer?)
            async let refused = refusal(client, connector, ours)
            for count in 1...2 {
                try await waitUntil("call \(count)") { server.asked.count == count }
                try await deadlines.advance(by: .seconds(20))
            }
            let refusal = await refused
            #expect(refusal?.reason == .providerUnavailable, "\(String(describing: refusal))")
            #expect(server.asked.count == 2 && connector.longest > .seconds(40))
        }
    }

    @Test("a failing connector is paused for the origin that encountered the failures, and called for others")
    func circuit()
        async throws
    {
        try await withConnector { server, connector, client in
            server.answer(LocalRealm.Answer(status: .internalServerError, body: []))
            var last: Refusal?
            for _ in 0..<6 { last = await refusal(client, connector, ours) }
            #expect(last?.reason == .providerUnavailable && (last?.retryAfterMs ?? 0) > 1_000)
            let count = server.asked.count
            server.answer(Self.proceed)
            #expect(await refusal(client, connector, ours)?.reason == .providerUnavailable)
            #expect(server.asked.count == count)
            #expect(await refusal(client, connector, theirs) == nil)
            time.advance(by: .seconds(60))
            #expect(await refusal(client, connector, ours) == nil)
        }
    }
}
