import NIOCore
import Synchronization
public import Systemd

/// The listening sockets, and the socket files that this process created.
final class Listeners: Sendable {
    private struct Listener {
        let channel: any Channel
        /// The socket's file, or `nil` if the service manager passed the socket to this process.
        let file: UnixSocketFile?
    }

    private struct State {
        var listeners: [Listener] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let listen: @Sendable (_ descriptor: Int32) async throws -> any Channel

    /// Creates an object without sockets that calls `listen` to accept connections on each bound socket.
    init(_ listen: @escaping @Sendable (_ descriptor: Int32) async throws -> any Channel) {
        self.listen = listen
    }

    func open(_ endpoint: SocketEndpoint) async throws {
        switch endpoint {
        case .inherited(let socket): add(Listener(channel: try await listen(socket.descriptor), file: nil))
        case .path(let path, let mode): try await serve(try UnixSocketFile.listen(at: path, mode: mode))
        }
    }

    var paths: [String] { state.withLock { $0.listeners.compactMap { $0.channel.localAddress?.pathname } } }

    var isGone: Bool { state.withLock { $0.listeners.contains { $0.file?.isGone == true } } }

    /// Recreates the sockets whose files have been removed or replaced.
    func restore() async throws {
        let gone = state.withLock { state in
            state.isClosed ? [] : state.listeners.filter { $0.file?.isGone == true }
        }
        for listener in gone {
            guard let bound = try listener.file?.listenAgain() else { continue }
            try await serve(bound)
            state.withLock { state in state.listeners.removeAll { $0.channel === listener.channel } }
            // Programs can no longer connect to the old socket. Its existing connections stay open.
            try? await listener.channel.close()
        }
    }

    /// Stops listening, and removes the socket files.
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

    /// Adds a listener, or returns `true` without adding it if ``close()`` has already been called.
    @discardableResult
    private func add(_ listener: Listener) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.listeners.append(listener) }
            return state.isClosed
        }
    }
}

/// An address that the socket listens on.
public enum SocketEndpoint: Hashable, Sendable {
    /// A socket that the service manager opened and passed to this process.
    case inherited(InheritedSocket)
    /// A path at which this process creates a socket file with the given mode.
    case path(String, mode: UInt32)
}
