import Foundation
import Moments
import OAuth
import OpenIDClient
import OutgoingHTTP
import TestSupport
import Testing

@testable import CustomIdentity

/// Tests calls to servers whose names cannot currently be resolved, and which failures count against a server.
@Suite(.timeLimit(.minutes(1)))
struct LookUpTests {
    /// Calls a host, and returns the error, or `nil` if the call succeeds.
    private func failure(_ calls: OutsideCalls, at host: String) async -> ProviderError? {
        let call = OutsideCall(
            name: "realm",
            server: host,
            place: "here",
            address: "https://\(host)/",
            body: Data(),
            limit: .seconds(30)
        )
        do throws(ProviderError) {
            try await calls.send(call) { _, _ in }
            return nil
        } catch {
            return error
        }
    }

    @Test("a server that was not called because of too many pending lookups does not count as failed")
    func innocent() async throws {
        let resolver = StuckResolver()
        // No request is sent, because the route refuses the address of every name.
        let route = OutgoingRoute.direct.lookingUp { name in
            _ = resolver.refuses(name)
            return true
        }
        let calls = OutsideCalls(clock: .system, route: route)
        defer { resolver.letGo() }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<32 { tasks.addTask { _ = await failure(calls, at: "\(number).stuck.example") } }
            try await waitUntil("the limit of lookups is reached") { resolver.asked.count == 32 }
            for _ in 0..<6 {
                let error = await failure(calls, at: "innocent.example")
                #expect(error?.code == .unavailable && error?.wasAsked == false, "\(String(describing: error))")
                #expect(error?.detail.contains("DNS lookups") == true, "\(String(describing: error))")
            }
            resolver.letGo()
            try await tasks.waitForAll()
        }
        let error = await failure(calls, at: "innocent.example")
        #expect(error?.detail.contains("LinkLocalServer") == true, "\(String(describing: error))")
        try await calls.shutdown()
    }
}
