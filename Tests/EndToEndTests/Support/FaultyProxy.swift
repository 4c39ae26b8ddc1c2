import Foundation
import Synchronization
import TestSupport

/// A proxy between a client and a server on this machine that loses, delays and duplicates requests at random.
///
/// Each connection carries one request. A seeded generator chooses the faults.
final class FaultyProxy: Sendable {
    /// A way in which the proxy handles a request.
    enum Fault: CaseIterable, Sendable {
        /// The request and its response arrive.
        case none
        /// The request is lost.
        case requestLost
        /// The request arrives, and its response is lost.
        case answerLost
        /// The server gets the request twice, and the client gets the second response.
        case twice
        /// The client gets no response, and the request arrives after a later request.
        case late
        /// The request is delayed.
        case slow
    }

    struct NotListening: Error {}

    private struct State {
        var random: SeededGenerator
        var late: [[UInt8]] = []
        var counts: [Fault: Int] = [:]
        var isFaulty = true
    }

    /// The delay of a slow request, in milliseconds.
    private static let delay: Int32 = 40

    let port: Int
    private let target: Int
    private let listener: Int32
    private let state: Mutex<State>

    /// Listens on a free port, and forwards requests to the port `target` of this machine.
    init(to target: Int, seed: UInt64) throws {
        self.target = target
        port = freePort()
        state = Mutex(State(random: SeededGenerator(seed: seed)))
        listener = try LoopbackTCP.listening(at: port)
        LoopbackTCP.serve(listener) { [self] in serve($0) }
    }

    func stop() {
        LoopbackTCP.stop(listener)
    }

    /// Ends the faults, and delivers the late requests.
    func repair() {
        state.withLock { $0.isFaulty = false }
        deliverLate()
    }

    /// The number of requests that met each fault.
    var counts: [Fault: Int] { state.withLock { $0.counts } }

    // MARK: Requests

    private func serve(_ client: Int32) {
        guard let request = Self.request(from: client, for: target) else { return }
        let fault = state.withLock { state in
            let fault = state.isFaulty ? Self.fault(state.random.below(12)) : .none
            state.counts[fault, default: 0] += 1
            if fault == .late { state.late.append(request) }
            return fault
        }
        switch fault {
        case .none: answer(client, forward(request))
        case .requestLost, .late: return
        case .answerLost: _ = forward(request)
        case .twice:
            _ = forward(request)
            answer(client, forward(request))
        case .slow:
            poll(nil, 0, Self.delay)
            answer(client, forward(request))
        }
        deliverLate()
    }

    private static func fault(_ number: Int) -> Fault {
        switch number {
        case 0: .requestLost
        case 1: .answerLost
        case 2: .twice
        case 3: .late
        case 4: .slow
        default: .none
        }
    }

    private func deliverLate() {
        let late = state.withLock { state in
            defer { state.late = [] }
            return state.late
        }
        for request in late { _ = forward(request) }
    }

    private func forward(_ request: [UInt8]) -> [UInt8] {
        guard let server = LoopbackTCP.connected(to: target) else { return [] }
        defer { close(server) }
        guard LoopbackTCP.send(request, to: server) else { return [] }
        var answer: [UInt8] = []
        while let part = LoopbackTCP.receive(from: server) { answer += part }
        return answer
    }

    private func answer(_ client: Int32, _ bytes: [UInt8]) { _ = LoopbackTCP.send(bytes, to: client) }

    // MARK: Bytes

    /// Reads one request with its body, and changes the header so that the server closes the connection afterwards.
    private static func request(from client: Int32, for port: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        let end = Array("\r\n\r\n".utf8)
        while bytes.firstRange(of: end) == nil {
            guard let part = LoopbackTCP.receive(from: client) else { return nil }
            bytes += part
        }
        guard let head = bytes.firstRange(of: end) else { return nil }
        var lines = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let length =
            lines.lazy.filter { $0.lowercased().hasPrefix("content-length:") }
            .compactMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }.first ?? 0
        var body = Array(bytes[head.upperBound...])
        while body.count < length {
            guard let part = LoopbackTCP.receive(from: client) else { return nil }
            body += part
        }
        lines.removeAll { line in
            ["host:", "connection:"].contains { line.lowercased().hasPrefix($0) }
        }
        lines += ["Host: localhost:\(port)", "Connection: close"]
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }
}
