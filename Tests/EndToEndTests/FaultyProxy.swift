import Foundation
import Synchronization
import TestSupport

/// Stands between a client and a server of this machine, a request a connection, and loses, delays and doubles requests as
/// a number generator says.
final class FaultyProxy: Sendable {
    /// The fate of a request.
    enum Fault: CaseIterable, Sendable {
        /// It arrives, and so does its answer.
        case none
        /// It never arrives.
        case requestLost
        /// It arrives, and its answer is lost.
        case answerLost
        /// It arrives twice, and the second answer comes back.
        case twice
        /// The client hears nothing, and it arrives behind a later request.
        case late
        /// It is held up on its way.
        case slow
    }

    /// The port cannot be listened at.
    struct NotListening: Error {}

    private struct State {
        var random: SeededGenerator
        var late: [[UInt8]] = []
        var counts: [Fault: Int] = [:]
        var isFaulty = true
    }

    /// Milliseconds that a request is held up.
    private static let delay: Int32 = 40
    /// Seconds that a part of a message may take.
    private static let patience = 20

    let port: Int
    private let target: Int
    private let listener: Int32
    private let state: Mutex<State>

    /// Listens in front of a port of this machine.
    init(to target: Int, seed: UInt64) throws {
        self.target = target
        port = freePort()
        state = Mutex(State(random: SeededGenerator(seed: seed)))
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.address(port)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, length) == 0 }
        }
        guard isBound, listen(listener, 64) == 0 else { throw NotListening() }
        Thread.detachNewThread { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                Self.limitWaiting(client)
                Thread.detachNewThread { [self] in
                    serve(client)
                    close(client)
                }
            }
        }
    }

    /// Ends listening.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Every request arrives from now on, those that are late first.
    func repair() {
        state.withLock { $0.isFaulty = false }
        deliverLate()
    }

    /// Number of requests by fate.
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
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(server) }
        Self.limitWaiting(server)
        var address = Self.address(target)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(server, $0, length) == 0 }
        }
        guard isConnected, Self.send(request, to: server) else { return [] }
        var answer: [UInt8] = []
        while let part = Self.receive(from: server) { answer += part }
        return answer
    }

    private func answer(_ client: Int32, _ bytes: [UInt8]) { _ = Self.send(bytes, to: client) }

    // MARK: Bytes

    /// One request with its body, to a server that closes the connection behind its answer.
    private static func request(from client: Int32, for port: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        let end = Array("\r\n\r\n".utf8)
        while bytes.firstRange(of: end) == nil {
            guard let part = receive(from: client) else { return nil }
            bytes += part
        }
        guard let head = bytes.firstRange(of: end) else { return nil }
        var lines = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let length =
            lines.lazy.filter { $0.lowercased().hasPrefix("content-length:") }
            .compactMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }.first ?? 0
        var body = Array(bytes[head.upperBound...])
        while body.count < length {
            guard let part = receive(from: client) else { return nil }
            body += part
        }
        lines.removeAll { line in
            ["host:", "connection:"].contains { line.lowercased().hasPrefix($0) }
        }
        lines += ["Host: localhost:\(port)", "Connection: close"]
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    private static func receive(from descriptor: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }

    private static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func limitWaiting(_ descriptor: Int32) {
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}
