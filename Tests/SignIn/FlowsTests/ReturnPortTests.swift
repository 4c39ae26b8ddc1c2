import FlowModel
import Foundation
import Localization
import OAuth
import OpenIDClient
import Origins
import Synchronization
import TestSupport
import Testing

@testable import Flows

/// Tests the loopback ports for sign-ins at external authorities.
///
/// A port must be open only during a sign-in, and is identified by the `state` of that sign-in.
@Suite(.timeLimit(.minutes(1)))
struct ReturnPortTests {
    /// Records the requested ports and the number of closed ports.
    private final class Ports: Sendable {
        struct Asked: Hashable {
            let address: String
            let state: Secret?
            let life: Duration
        }

        let asked = Mutex<[Asked]>([])
        let closed = Mutex(0)
        let failure = Mutex<ReturnPort.Unavailable?>(nil)

        var open: ReturnPort.Open {
            { address, state, life throws(ReturnPort.Unavailable) in
                if let failure = self.failure.withLock({ $0 }) { throw failure }
                self.asked.withLock { $0.append(Asked(address: address.description, state: state, life: life)) }
                return ReturnPort(number: address.port ?? 49_152) { self.closed.withLock { $0 += 1 } }
            }
        }
    }

    private let ports = Ports()
    private let clock = TestClock()
    private let flows: OutsideFlows

    init() {
        flows = OutsideFlows(
            client: OpenIDClient(clock: clock.clock),
            ports: ports.open,
            clock: clock.clock,
            limits: FlowLimits(),
            logger: World.logger,
            changes: FlowChanges()
        )
    }

    private func request(_ way: OutsideRequest.Way, key: String = "one") -> OutsideRequest {
        let there = "https://login.example"
        return OutsideRequest(
            registration: ProviderRegistration(
                name: "contoso",
                issuer: there,
                place: .endpoints(authorization: "\(there)/a", token: "\(there)/t", userinfo: "\(there)/u"),
                clientID: "ours",
                redirectURI: "http://localhost:8420/local/oauth2/authresp"
            ),
            way: way,
            policy: "contoso",
            asked: OutsideDemand(scopes: []),
            demand: AuthenticationDemand(acrValues: [], maxAge: nil),
            person: nil,
            requestID: nil,
            joinKey: key,
            keep: { _ in "account" }
        )
    }

    private func address(_ text: String) throws -> LoopbackURI { try #require(LoopbackURI(text)) }

    /// Returns the parameters of the address to which the browser is redirected.
    private func leaves(_ flow: Flow) async throws -> Form {
        let departure = try await flows.departure(flow.id, owner: World.jo)
        return try Form(String(departure.address.drop { $0 != "?" }.dropFirst()))
    }

    @Test("a browser is redirected with the address of the open port, which accepts the state of that redirect")
    func leaving() async throws {
        let started = try await flows.start(request(.port(try address("http://127.0.0.1/cb"))), owner: World.jo)
        // An identical request joins the flow and uses the same port.
        let again = try await flows.start(request(.port(try address("http://127.0.0.1/cb"))), owner: World.jo)
        #expect(again.joined && again.flow.id == started.flow.id)
        let form = try await leaves(started.flow)
        #expect(form["redirect_uri"] == "http://127.0.0.1:49152/cb")
        let state = try #require(form["state"])
        let asked = Ports.Asked(address: "http://127.0.0.1/cb", state: Secret(state), life: .seconds(900))
        #expect(ports.asked.withLock { $0 } == [asked])
        #expect(ports.closed.withLock { $0 } == 0)
    }

    @Test(
        "100 subordinate uids of one user get a quarter of the sign-ins at external authorities, and others can still sign in"
    )
    func subordinates() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("subuid")
        try Data("1001:100000:65536\n".utf8).write(to: URL(filePath: file))
        try await SubordinateRanges.$current.withValue(SubordinateRanges(path: file)) {
            func begin(_ uid: UInt32, _ key: String) async throws -> Flow {
                try await flows.start(request(.registered, key: key), owner: .local(machine: "m", uid: uid)).flow
            }
            let honest = try await begin(1002, "honest")
            for number in 0..<800 { _ = try? await begin(UInt32(100_000 + number / 8), "\(number)") }
            var open = 0
            for uid in 100_000..<100_100 as Range<UInt32> {
                open += await flows.list(owner: .local(machine: "m", uid: uid)).count
            }
            #expect(open == FlowLimits().total / 4)
            #expect(await flows.list(owner: .local(machine: "m", uid: 1002)).map(\.id) == [honest.id])
            #expect(try await !begin(1003, "late").state.isTerminal)
        }
    }

    @Test("a port is closed once, when its sign-in is cancelled, fails or expires") func closed() async throws {
        let way = OutsideRequest.Way.port(try address("http://localhost"))
        let first = try await flows.start(request(way), owner: World.jo).flow
        for _ in 0..<2 { _ = try await flows.cancel(first.id, owner: World.jo) }
        #expect(ports.closed.withLock { $0 } == 1)
        let second = try await flows.start(request(way), owner: World.jo).flow
        let denied = ProviderAnswer(code: nil, issuer: nil, error: "access_denied")
        #expect(try await flows.returned(second.id, owner: World.jo, denied).state == .failed(.denied))
        #expect(ports.closed.withLock { $0 } == 2)
        _ = try await flows.start(request(way), owner: World.jo)
        clock.advance(by: .seconds(901))
        #expect(await flows.list(owner: World.jo).isEmpty)
        #expect(ports.closed.withLock { $0 } == 3 && ports.asked.withLock { $0.count } == 3)
    }

    @Test("if the address is pasted, the port is reserved but accepts no state") func kept() async throws {
        let flow = try await flows.start(request(.kept(try address("http://localhost:8400"))), owner: World.jo).flow
        #expect(ports.asked.withLock { $0.map(\.address) } == ["http://localhost:8400"])
        #expect(ports.asked.withLock { $0.map(\.state) } == [nil])
        _ = try await flows.cancel(flow.id, owner: World.jo)
        #expect(ports.closed.withLock { $0 } == 1)
    }

    @Test("the address of the registration needs no port") func registered() async throws {
        let flow = try await flows.start(request(.registered), owner: World.jo).flow
        #expect(try await leaves(flow)["redirect_uri"] == "http://localhost:8420/local/oauth2/authresp")
        #expect(ports.asked.withLock { $0.isEmpty })
    }

    @Test(
        "an unavailable port is named with what to do, and leaves no sign-in",
        arguments: [
            ("http://localhost:8400", true, "Port 8400, required for the browser redirect, is in use"),
            (
                "http://localhost:81", false,
                "permission to listen on port 81 for the browser redirect. Choose port 1024 or above."
            ),
            ("http://localhost", true, "No loopback port is free"),
        ]
    )
    func unavailable(_ text: String, _ isInUse: Bool, _ sentence: String) async throws {
        ports.failure.withLock { $0 = ReturnPort.Unavailable(isInUse: isInUse, reason: "the cause") }
        let refused = await #expect(throws: Refusal.self) {
            try await flows.start(request(.port(try address(text))), owner: World.jo)
        }
        #expect(refused?.reason == .unsupportedStep && refused?.message.contains(sentence) == true, "\(refused as Any)")
        #expect(refused?.detail == "the cause")
        #expect(await flows.list(owner: World.jo).isEmpty)
    }
}
