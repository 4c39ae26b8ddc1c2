import Foundation
import Moments
import OAuth
import OpenIDClient
import OutgoingHTTP
import TestSupport
import Testing

@testable import CustomIdentity

/// Names of servers that cannot be looked up now, and what those servers are blamed for.
@Suite(.timeLimit(.minutes(1)))
struct LookUpTests {
    /// The error of a call to a host.
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

    @Test("a server that was not asked, since too many names are looked up, is not held to have failed")
    func innocent() async throws {
        let resolver = StuckResolver()
        // Nothing is sent anywhere: all names are at an address that is refused.
        let route = OutgoingRoute.direct.lookingUp { name in
            _ = resolver.refuses(name)
            return true
        }
        let calls = OutsideCalls(clock: .system, route: route)
        defer { resolver.letGo() }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<32 { tasks.addTask { _ = await failure(calls, at: "\(number).stuck.example") } }
            try await waitUntil("as many names are looked up as may be") { resolver.asked.count == 32 }
            for _ in 0..<6 {
                let error = await failure(calls, at: "innocent.example")
                #expect(error?.code == .unavailable && error?.wasAsked == false, "\(String(describing: error))")
                #expect(error?.detail.contains("being looked up") == true, "\(String(describing: error))")
            }
            resolver.letGo()
            try await tasks.waitForAll()
        }
        let error = await failure(calls, at: "innocent.example")
        #expect(error?.detail.contains("LinkLocalServer") == true, "\(String(describing: error))")
        try await calls.shutdown()
    }
}
