import NIOCore
import Synchronization
public import Systemd

/// The listening sockets, each with the file that this process made for it.
final class Listeners: Sendable {
    private struct Listener {
        let channel: any Channel
        /// The file of the socket; nil for one that the service manager handed over.
        let file: UnixSocketFile?
    }

    private struct State {
        var listeners: [Listener] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let listen: @Sendable (_ descriptor: Int32) async throws -> any Channel

    /// - Parameter listen: Accepts connections at a bound socket.
    init(_ listen: @escaping @Sendable (_ descriptor: Int32) async throws -> any Channel) {
        self.listen = listen
    }

    func open(_ endpoint: SocketEndpoint) async throws {
        switch endpoint {
        case .inherited(let socket): add(Listener(channel: try await listen(socket.descriptor), file: nil))
        case .path(let path, let mode): try await serve(try UnixSocketFile.listen(at: path, mode: mode))
        }
    }

    /// The paths at which programs connect.
    var paths: [String] { state.withLock { $0.listeners.compactMap { $0.channel.localAddress?.pathname } } }

    /// True if a socket file that this process made is gone.
    var isGone: Bool { state.withLock { $0.listeners.contains { $0.file?.isGone == true } } }

    /// Makes each socket anew whose file is gone.
    func restore() async throws {
        let gone = state.withLock { state in
            state.isClosed ? [] : state.listeners.filter { $0.file?.isGone == true }
        }
        for listener in gone {
            guard let bound = try listener.file?.listenAgain() else { continue }
            try await serve(bound)
            state.withLock { state in state.listeners.removeAll { $0.channel === listener.channel } }
            // The old socket cannot be reached any more; connections made through it stay.
            try? await listener.channel.close()
        }
    }

    /// Stops listening, and removes the files.
    func close() async {
        let listeners = state.withLock { state in
            state.isClosed = true
            defer { state.listeners = [] }
            return state.listeners
        }
        for listener in listeners { try? await listener.channel.close() }
        for listener in listeners { listener.file?.remove() }
    }

    private func serve(_ bound: (descriptor: Int32, file: UnixSocketFile)) async throws {
        let channel: any Channel
        do {
            channel = try await listen(bound.descriptor)
        } catch {
            bound.file.remove()
            throw error
        }
        let isLate = add(Listener(channel: channel, file: bound.file))
        guard isLate else { return }
        try? await channel.close()
        bound.file.remove()
    }

    /// - Returns: True if it comes too late, since all are closed.
    @discardableResult
    private func add(_ listener: Listener) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.listeners.append(listener) }
            return state.isClosed
        }
    }
}

/// An address at which the socket listens.
public enum SocketEndpoint: Hashable, Sendable {
    /// A socket that the service manager opened.
    case inherited(InheritedSocket)
    /// A path at which this process makes a socket, with the mode of its file.
    case path(String, mode: UInt32)
}
