import NIOCore
import Synchronization
import Systemd

/// The sockets that are listened at, each with the file that this process made for it.
final class Doors: Sendable {
    private struct Door {
        let listener: any Channel
        /// Nil for what the service manager handed over.
        let file: SocketFile?
    }

    private struct State {
        var doors: [Door] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let listen: @Sendable (_ descriptor: Int32) async throws -> any Channel

    /// - Parameter listen: Accepts whoever comes to a socket that is bound.
    init(_ listen: @escaping @Sendable (_ descriptor: Int32) async throws -> any Channel) {
        self.listen = listen
    }

    func open(_ endpoint: SocketEndpoint) async throws {
        switch endpoint {
        case .inherited(let socket): add(Door(listener: try await listen(socket.descriptor), file: nil))
        case .path(let path, let mode): try await serve(try SocketFile.bind(path, mode: mode))
        }
    }

    /// Whether a file of ours is gone.
    var isGone: Bool { state.withLock { $0.doors.contains { $0.file?.isGone == true } } }

    /// Makes each socket anew whose file is gone.
    func restore() async throws {
        let gone = state.withLock { state in
            state.isClosed ? [] : state.doors.filter { $0.file?.isGone == true }
        }
        for door in gone {
            guard let bound = try door.file?.again() else { continue }
            try await serve(bound)
            state.withLock { state in state.doors.removeAll { $0.listener === door.listener } }
            // Nobody can find it any more; who came through it stays.
            try? await door.listener.close()
        }
    }

    /// Listens no more, and takes away the files.
    func close() async {
        let doors = state.withLock { state in
            state.isClosed = true
            defer { state.doors = [] }
            return state.doors
        }
        for door in doors { try? await door.listener.close() }
        for door in doors { door.file?.remove() }
    }

    private func serve(_ bound: (descriptor: Int32, file: SocketFile)) async throws {
        let listener: any Channel
        do {
            listener = try await listen(bound.descriptor)
        } catch {
            bound.file.remove()
            throw error
        }
        let isLate = add(Door(listener: listener, file: bound.file))
        guard isLate else { return }
        try? await listener.close()
        bound.file.remove()
    }

    /// - Returns: Whether it comes too late, since all are closed.
    @discardableResult
    private func add(_ door: Door) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.doors.append(door) }
            return state.isClosed
        }
    }
}
