import Moments
import OAuth
import OutgoingHTTP
import TestSupport
import Testing

@testable import OpenIDClient

/// Tests which failures count against an authority while server names cannot be resolved.
@Suite(.timeLimit(.minutes(1)))
struct LookUpCircuitTests {
    private func registration(_ host: String, for uid: UInt32?) -> ProviderRegistration {
        ProviderRegistration(
            name: host,
            issuer: "https://\(host)",
            clientID: "ours",
            redirectURI: "http://localhost:8420/local/oauth2/authresp"
        )
        .called(by: .random(), for: uid)
    }

    @Test("an authority that was not called because of too many pending lookups does not count as failed")
    func innocent() async throws {
        let resolver = StuckResolver()
        // No request is sent, because this function refuses the addresses of every name.
        let route = OutgoingRoute.direct.lookingUp { name in
            _ = resolver.refuses(name)
            return true
        }
        let client = OpenIDClient(clock: .system, route: route)
        defer { resolver.letGo() }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<4 {
                let hanging = registration("\(number).stuck.example", for: 7)
                tasks.addTask { _ = try? await client.abilities(of: hanging) }
            }
            try await waitUntil("four names are looked up for the user") { resolver.asked.count == 4 }
            let innocent = registration("innocent.example", for: 7)
            for _ in 0..<Circuit.mostFailures + 1 {
                let error = await #expect(throws: ProviderError.self) { try await client.abilities(of: innocent) }
                #expect(error?.code == .unavailable && error?.wasAsked == false, "\(String(describing: error))")
                #expect(error?.detail.contains("DNS lookups") == true, "\(String(describing: error))")
            }
            #expect(!resolver.asked.contains("innocent.example"))
            // The call of another user is not limited, and fails only because the address is refused.
            let others = registration("innocent.example", for: 8)
            let error = await #expect(throws: ProviderError.self) { try await client.abilities(of: others) }
            #expect(error?.detail.contains("link-local address") == true, "\(String(describing: error))")
            resolver.letGo()
            try await tasks.waitForAll()
        }
        try await client.shutdown()
    }

    @Test("a retry after a pause that was not sent leaves the attempt to the next call") func tries() throws {
        var circuit = Circuit()
        let now = Moment(wall: 1, boot: 1, bootID: "b")
        for _ in 0..<Circuit.mostFailures {
            try circuit.begin("p", for: 7, at: now)
            circuit.end(isAvailable: false, for: 7, at: now)
        }
        let later = now.advanced(by: Circuit.pause)
        for _ in 0..<Circuit.mostCallsOfOne + 1 {
            try circuit.begin("p", for: 7, at: later)
            let error = #expect(throws: ProviderError.self) { try circuit.begin("p", for: 8, at: later) }
            #expect(error?.code == .unavailable && error?.retryAfter == Circuit.pause)
            circuit.withdraw(for: 7, at: later)
        }
        try circuit.begin("p", for: 7, at: later)
        circuit.end(isAvailable: false, for: 7, at: later)
        let error = #expect(throws: ProviderError.self) { try circuit.begin("p", for: 7, at: later) }
        #expect(error?.code == .unavailable && error?.retryAfter == Circuit.pause)
    }
}
