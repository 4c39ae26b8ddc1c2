import BrokerAPI
import Glibc
import NIOCore
import NIOPosix
import OAuth
import Synchronization
import Systemd

/// A connection to a broker, over which nothing is sent before the server's uid has been checked.
final class SocketConnection: Sendable {
    let path: String
    private let channel: any Channel
    private let answers: NIOLoopBound<AnswerHandler>
    private let lastID = Atomic<Int64>(0)

    static let connectTimeout: TimeAmount = .seconds(5)
    /// How long to keep trying to connect while the socket's accept queue is full.
    private static let crowdTimeout: Duration = .seconds(5)

    private init(path: String, channel: any Channel, answers: NIOLoopBound<AnswerHandler>) {
        self.path = path
        self.channel = channel
        self.answers = answers
    }

    /// Connects to the first listening server, or throws ``ClientError`` if there is none or it is not trusted.
    static func open(
        _ location: SocketLocation,
        trusts: @Sendable (UInt32, String) -> Bool
    ) async throws -> SocketConnection {
        var failures: [ClientError.Reason.Place] = []
        var silentPaths: [String] = []
        for path in location.paths {
            do {
                return try await patiently { try await open(path, trusts: trusts) }
            } catch let error as ClientError {
                throw error
            } catch {
                failures.append(ClientError.Reason.Place(path, error))
                if isSilence(error) { silentPaths.append(path) }
            }
        }
        throw ClientError(
            .unreachable,
            .noBroker(failures, lacksRuntimeDirectory: location.lacksRuntimeDirectory),
            silentPaths: silentPaths.count == failures.count ? silentPaths : []
        )
    }

    /// Calls `connect`, and calls it again while the socket's accept queue is full (`EAGAIN`, connect(2)).
    private static func patiently<Result>(_ connect: () async throws -> Result) async throws -> Result {
        let end = ContinuousClock.now + crowdTimeout
        while true {
            do {
                return try await connect()
            } catch let error as IOError where error.errnoCode == EAGAIN && ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(Int.random(in: 5...25)))
            }
        }
    }

    private static func open(
        _ path: String,
        trusts: @Sendable (UInt32, String) -> Bool
    ) async throws -> SocketConnection {
        let (channel, answers) = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(connectTimeout)
            .connect(unixDomainSocketPath: path) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = AnswerHandler()
                    try channel.pipeline.syncOperations.addHandler(handler)
                    return (channel, NIOLoopBound(handler, eventLoop: channel.eventLoop))
                }
            }
        do {
            let uid = try await serverUID(channel)
            guard trusts(uid, path) else {
                throw ClientError(.untrustedServer, .foreignServer(path: path, uid: uid))
            }
            return SocketConnection(path: path, channel: channel, answers: answers)
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }

    private static func serverUID(_ channel: any Channel) async throws -> UInt32 {
        guard let options = channel as? any SocketOptionProvider else { throw ChannelError.operationUnsupported }
        let credentials: EventLoopFuture<KernelCredentials> = options.unsafeGetSocketOption(
            level: .socket,
            name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
        )
        return try await credentials.get().uid
    }

    /// Whether `error` means that the socket does not exist, or that no process is listening on it.
    private static func isSilence(_ error: any Error) -> Bool {
        guard let error = error as? IOError else { return false }
        return error.errnoCode == ENOENT || error.errnoCode == ECONNREFUSED
    }

    var isOpen: Bool { channel.isActive }

    func call(_ method: String, _ params: [String: JSONValue], deadline: Duration) async throws -> JSONValue {
        let id = lastID.add(1, ordering: .relaxed).newValue
        var line = JSONRPCRequest(id: .number("\(id)"), method: method, params: params).bytes
        line.append(UInt8(ascii: "\n"))
        let outcome = CallOutcome<JSONRPCResponse>()
        let buffer = channel.allocator.buffer(bytes: line)
        let (channel, answers) = (channel, answers)
        let response = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                outcome.deliver(to: continuation)
                channel.eventLoop.execute {
                    answers.value.await(id, outcome, deadline: TimeAmount(deadline), on: channel)
                    channel.writeAndFlush(buffer).whenFailure { _ in
                        outcome.finish(.failure(AnswerHandler.disconnected))
                    }
                }
            }
        } onCancel: {
            outcome.finish(.failure(CancellationError()))
        }
        return try response.outcome.get()
    }

    func follow(_ notified: @escaping AnswerHandler.Notified) {
        let answers = answers
        channel.eventLoop.execute { answers.value.follow(notified) }
    }

    /// Closes the connection, so that calls that are still waiting for a response fail.
    func close() async {
        try? await channel.close()
    }
}

/// A Swift version of the kernel's `struct ucred` (unix(7)).
private struct KernelCredentials: Sendable {
    var pid: Int32
    var uid: UInt32
    var gid: UInt32
}

extension SocketConnection {
    /// How long the client continues to wait for a response after the broker's own deadline for the call has passed.
    private static let patience: Duration = .seconds(2)

    func call<Method: BrokerMethod>(_ method: Method, _ correlationID: CorrelationID?) async throws -> Method.Answer {
        var params = method.params
        if params["correlationId"] == nil, let correlationID {
            params["correlationId"] = .string(correlationID.description)
        }
        let result = try await result(of: method, params: params)
        do {
            return try Method.answer(in: result)
        } catch {
            throw ClientError(.unreadableAnswer, .unreadable(error))
        }
    }

    func result<Method: BrokerMethod>(of method: Method, params: [String: JSONValue]) async throws -> JSONValue {
        do {
            return try await call(Method.description.name, params, deadline: method.deadline + Self.patience)
        } catch let error as JSONRPCError {
            throw BrokerError(error)
        }
    }
}
