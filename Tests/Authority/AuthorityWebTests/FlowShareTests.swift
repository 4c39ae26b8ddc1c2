import Authority
import AuthorityStore
import AuthorityWeb
import FlowModel
import Flows
import Foundation
import HTTPTypes
import Moments
import OAuth
import Origins
import Policies
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct FlowShareTests {
    private func begin(_ scene: BrowserScene, _ count: Int, from address: UInt8) async throws -> [BrowserScene.Answer] {
        var answers: [BrowserScene.Answer] = []
        for _ in 0..<count { answers.append(try await scene.authorize(from: address)) }
        return answers
    }

    private func isOpen(
        _ scene: BrowserScene,
        _ begun: BrowserScene.Answer,
        uid: UInt32? = nil
    ) async throws -> Bool {
        let cookie = String((begun.headers[.setCookie] ?? "").prefix { $0 != ";" })
        return try await scene.send(.get, begun.location, cookies: cookie, uid: uid).status == 200
    }

    @Test("128 subordinate uids of one user take a quarter of the browser flows, and another user can sign in")
    func subordinates() async throws {
        let scene = try BrowserScene()
        let file = scene.folder.path("subuid")
        try Data("1001:100000:65536\n".utf8).write(to: URL(filePath: file))
        try await SubordinateRanges.$current.withValue(SubordinateRanges(path: file)) {
            var honest = TestBrowser(scene)
            honest.uid = 1002
            try await honest.authorize()
            var greedy: [(BrowserScene.Answer, uid: UInt32)] = []
            for uid in 100_000..<100_128 as Range<UInt32> {
                greedy.append((try await scene.authorize(uid: uid), uid))
            }
            let begun = greedy.filter { $0.0.location.hasPrefix("/local/flow/") }
            let open = try await begun.asyncCount { try await isOpen(scene, $0.0, uid: $0.uid) }
            #expect(open == 32)
            #expect(try await honest.signUp().reply["code"] != nil)
            var late = TestBrowser(scene)
            late.uid = 1003
            try await late.authorize()
            #expect(try await late.signIn().reply["code"] != nil)
        }
    }

    @Test("four addresses of one network take the network's quarter, and do not affect a fifth address or the socket")
    func fourAddresses()
        async throws
    {
        let scene = try BrowserScene()
        var greedy: [BrowserScene.Answer] = []
        for address in 2...5 as ClosedRange<UInt8> { greedy += try await begin(scene, 32, from: address) }
        #expect(greedy.allSatisfy { $0.location.hasPrefix("/local/flow/") })
        #expect(try await greedy.asyncCount { try await isOpen(scene, $0) } == 32)
        let honest = try await begin(scene, 3, from: 9)
        for begun in honest { #expect(try await isOpen(scene, begun)) }
        let kept = try await greedy.asyncCount { try await isOpen(scene, $0) }
        #expect(kept == 32 - honest.count)
        let caller = Caller(owner: .local(machine: "m", uid: 4711))
        let request = FlowRequest(caller: caller, client: "tasks-cli", policy: try PolicyID(BrowserScene.policy))
        #expect(try await scene.flows.start(request).flow.state == .challenge)
        // If the origin with the most flows starts another flow, it loses one of its own flows.
        let own = try await begin(scene, 1, from: 2)
        #expect(own[0].location.hasPrefix("/local/flow/"), "\(own[0].location) \(own[0].reply)")
        #expect(try await isOpen(scene, own[0]))
        for begun in honest { #expect(try await isOpen(scene, begun)) }
        #expect(try await greedy.asyncCount { try await isOpen(scene, $0) } == 32 - honest.count - 1)
    }

    @Test("an address can begin 64 flows in a minute, and another address is not affected") func rate() async throws {
        let scene = try BrowserScene()
        let begun = try await begin(scene, 64, from: 1)
        #expect(begun.allSatisfy { $0.location.hasPrefix("/local/flow/") })
        let refused = try await begin(scene, 1, from: 1)[0]
        #expect(refused.reply["error"] == "temporarily_unavailable")
        #expect(try await begin(scene, 1, from: 2)[0].location.hasPrefix("/local/flow/"))
        scene.clock.advance(by: .seconds(61))
        #expect(try await begin(scene, 1, from: 1)[0].location.hasPrefix("/local/flow/"))
    }
}

extension Array {
    /// Returns the number of elements for which `holds` returns `true`.
    fileprivate func asyncCount(_ holds: (Element) async throws -> Bool) async throws -> Int {
        var count = 0
        for element in self where try await holds(element) { count += 1 }
        return count
    }
}
