public import FlowModel
public import HTTPTypes
public import Hummingbird
public import Logging
import Systemd

/// Information about a request that the request itself does not contain.
public struct HTTPContext: RequestContext, RequestContextSource, Sendable {
    /// The type from which a context is created, which is the context type itself.
    public typealias Source = HTTPContext

    /// The storage that Hummingbird requires, whose logger adds the correlation id to each log entry.
    public var coreContext: CoreRequestContextStorage
    /// The request's `client-request-id` in lower case, or a generated UUID if the request contains no valid one.
    public let correlationID: String
    /// Whether the request came directly from this machine, not through a proxy.
    public let isLocal: Bool
    /// Whether the request came through a Unix socket.
    public let isOnUnixSocket: Bool
    /// The two endpoints of the TCP connection, or `nil` if the request did not arrive over TCP.
    public let ends: ConnectionEnds?
    /// The client's side of the connection, which the client can close before the response is sent.
    public let client: ClientConnection
    /// The uid of the process at the other end of the Unix socket, or `nil` if the request did not arrive through one.
    public let peer: UInt32?
    /// The maximum length of a request body that a handler reads, in bytes.
    public let maxUploadSize: Int
    /// The memory reservation for the response, or `nil` if the memory for responses is not limited.
    public let room: AnswerRoom?

    /// Creates the context of one request.
    public init(
        logger: Logger,
        correlationID: String,
        isLocal: Bool,
        isOnUnixSocket: Bool = false,
        ends: ConnectionEnds? = nil,
        client: ClientConnection = ClientConnection(),
        peer: UInt32? = nil,
        bodyLimit: Int = HTTPLimits().body,
        room: AnswerRoom? = nil
    ) {
        coreContext = CoreRequestContextStorage(source: LoggerSource(logger: logger))
        self.correlationID = correlationID
        self.isLocal = isLocal
        self.isOnUnixSocket = isOnUnixSocket
        self.ends = ends
        self.client = client
        self.peer = peer
        maxUploadSize = bodyLimit
        self.room = room
    }

    /// Creates a context that is a copy of `source`.
    public init(source: HTTPContext) { self = source }

    private struct LoggerSource: RequestContextSource {
        let logger: Logger
    }

    /// The client's name for per-client limits, which contains a local client's uid or a remote client's network.
    public var peerName: String { peer.map { "uid \($0)" } ?? client.peerName(ends) }

    /// The origin of the connection, which is a proxy's origin if a proxy has forwarded the request.
    public var origin: Origin { client.origin(ends, peer) }

    /// Returns the decoded path segment that matches the route's parameter `name`.
    ///
    /// - Throws: `HTTPProblem` with status 400 if the segment is invalid or the route has no such parameter.
    public func segment(_ name: String) throws(HTTPProblem) -> String {
        guard let segment = parameters.get(name) else { throw HTTPProblem.of(.badRequest) }
        return try RequestPath.decoded(segment)
    }
}

extension HTTPFields {
    /// Returns the value of a header field, combined from all of its occurrences, or `nil` if it is missing.
    ///
    /// If the field occurs only once, its value is returned without being copied.
    public func value(_ name: HTTPField.Name) -> String? {
        let values = self[values: name]
        return values.count > 1 ? self[name] : values.first
    }
}
