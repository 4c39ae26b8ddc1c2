import FlowModel
import Foundation
import Moments
import Origins
import Systemd
import TestSupport
import Testing

@testable import BrokerRPC

@Suite(.timeLimit(.minutes(1)))
struct RegistryStateTests {
    private let now = TestClock().now

    private func state(_ change: (inout SocketLimits) -> Void = { _ in }) -> RegistryState {
        var limits = SocketLimits()
        limits.connectionsPerUID = 2
        limits.connections = 8
        change(&limits)
        return RegistryState(limits: limits)
    }

    private func peer(_ uid: UInt32) -> PeerCredentials { PeerCredentials(pid: 1, uid: uid, gid: 1) }

    @Test("a uid has a limited number of connections, and so have all uids together") func connections() {
        var state = state()
        #expect(state.admit(peer(1)) == nil)
        #expect(state.admit(peer(1)) == nil)
        #expect(state.admit(peer(1)) == .tooManyConnections)
        for uid in [2, 2, 3, 3, 4, 4] as [UInt32] { #expect(state.admit(peer(uid)) == nil) }
        #expect(state.admit(peer(5)) == .tooManyConnections)
        #expect(state.closed(1, hasAsked: false) == .none)
        #expect(state.admit(peer(5)) == nil)
        #expect(state.admit(peer(.max)) == .nobody)
    }

    @Test("the subordinate uids of a user share a quarter of all connections, and another user can connect")
    func subordinates() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("subuid")
        try Data("1001:100000:65536\n".utf8).write(to: URL(filePath: file))
        SubordinateRanges.$current.withValue(SubordinateRanges(path: file)) {
            var state = state { $0.connections = 40 }
            var admitted = 0
            for uid in 100_000..<100_100 as Range<UInt32> where state.admit(peer(uid)) == nil { admitted += 1 }
            #expect(admitted == 10)
            #expect(state.admit(peer(1001)) == .tooManyConnections)
            #expect(state.admit(peer(1002)) == nil)
            #expect(state.closed(100_000, hasAsked: false) == .none)
            #expect(state.admit(peer(1001)) == nil)
        }
    }

    @Test("a uid has a limited number of concurrent calls, whatever other uids have") func calls() {
        var state = state { $0.inFlightPerUID = 1 }
        for uid in [1, 2] as [UInt32] {
            #expect(state.admit(peer(uid)) == nil)
            let memory = state.memory(of: uid)
            #expect(state.begin(uid, memory) == nil)
            let second = state.begin(uid, memory)
            #expect(second?.reason == .limitExceeded)
        }
        #expect(state.ended(1) == .none)
        #expect(state.begin(1, state.memory(of: 1)) == nil)
        #expect(state.calls == 2)
    }

    @Test("a uid with unread responses begins no call, over all its connections") func unread() {
        var state = state {
            $0.unreadPerConnection = 10
            $0.unreadPerUID = 15
        }
        let (first, second, other) = (state.memory(of: 1), state.memory(of: 1), state.memory(of: 2))
        #expect(first.reserve(10))
        #expect(!first.reserve(1))
        #expect(!second.reserve(6))
        #expect(second.held == 0)
        #expect(second.reserve(5))
        #expect(state.unreadBytes(of: 1) == 15)
        let refusal = state.begin(1, second)
        #expect(refusal?.facts[.limit] == "unreadBytes")
        #expect(state.begin(2, other) == nil)
        first.release(10)
        #expect(state.begin(1, second) == nil)
    }

    @Test("a uid has a limited number of lines per second") func rate() {
        var state = state { $0.requestsPerSecondPerUID = 2 }
        let clock = TestClock()
        _ = state.admit(peer(1))
        _ = state.memory(of: 1)
        #expect(state.line(of: 1, isFirst: true, at: clock.now) == .allowed)
        #expect(state.line(of: 1, isFirst: false, at: clock.now) == .allowed)
        guard case .tooMany(let wait) = state.line(of: 1, isFirst: false, at: clock.now) else {
            Issue.record("a third line was allowed")
            return
        }
        #expect((1...1000).contains(wait))
        clock.advance(by: .seconds(1))
        #expect(state.line(of: 1, isFirst: false, at: clock.now) == .allowed)
    }

    @Test("the shutdown waits for calls in progress, and for the first line of accepted connections") func end() {
        var state = state()
        _ = state.admit(peer(1))
        let memory = state.memory(of: 1)
        #expect(state.end() == .cancelCalls)
        #expect(state.end() == .none)
        #expect(state.settled() == .none)
        #expect(state.line(of: 1, isFirst: true, at: now) == .allowed)
        #expect(state.begin(1, memory) == nil)
        #expect(state.line(of: 1, isFirst: false, at: now) == .ending)
        #expect(state.settled() == .none)
        #expect(state.ended(1) == .closeConnections)
        #expect(state.admit(peer(2)) == .ending)
        #expect(state.closed(1, hasAsked: true) == .finish)
    }

    @Test("the shutdown waits briefly for silent connections, and longer for calls in progress") func silent() {
        var state = state()
        _ = state.admit(peer(1))
        _ = state.admit(peer(2))
        let memory = state.memory(of: 1)
        _ = state.line(of: 1, isFirst: true, at: now)
        #expect(state.begin(1, memory) == nil)
        _ = state.end()
        #expect(state.lastCallsPassed() == .cancelCalls)
        #expect(state.settled() == .none)
        #expect(state.admit(peer(3)) == .ending)
        #expect(state.drainPassed() == .closeConnections)
        #expect(state.drainPassed() == .none)
        #expect(state.ended(1) == .none)
        #expect(state.closed(2, hasAsked: false) == .none)
        #expect(state.closed(1, hasAsked: true) == .finish)
    }

    @Test("a service without connections ends at once") func empty() {
        var state = state()
        #expect(state.end() == .cancelCalls)
        #expect(state.settled() == .closeConnections)
        #expect(state.settled() == .finish)
        #expect(state.settled() == .none)
    }
}
