public import HTTPTypes
public import Hummingbird
public import Logging

/// Facts about a request that are not in the request itself.
public struct HTTPContext: RequestContext, RequestContextSource, Sendable {
    /// A context is its own source, because it is already complete when it is created.
    public typealias Source = HTTPContext

    /// The part that Hummingbird requires.
    ///
    /// Its logger adds the request's correlation id.
    public var coreContext: CoreRequestContextStorage
    /// The request's `client-request-id`, or a generated UUID in lower case.
    public let correlationID: String
    /// Whether the request came from this machine without a proxy.
    public let isLocal: Bool
    /// Whether the request came through a Unix socket.
    public let isOnUnixSocket: Bool
    /// The ends of the TCP connection, or `nil` for another kind of connection.
    public let ends: ConnectionEnds?
    /// The client's end of the connection.
    ///
    /// The client can close the connection before it gets the response.
    public let client: ClientConnection
    /// The uid of the peer at the Unix socket, or `nil` for another kind of connection.
    public let peer: UInt32?
    /// The maximum length of a body that a handler reads, in bytes.
    public let maxUploadSize: Int
    /// The memory reservation of the response, or `nil` if it is not limited.
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

    /// Creates a context from its source, which is the context itself.
    public init(source: HTTPContext) { self = source }

    private struct LoggerSource: RequestContextSource {
        let logger: Logger
    }

    /// The name that per-caller limits use: the uid of a local process, or the network that the request came from.
    public var peerName: String { peer.map { "uid \($0)" } ?? client.peerName(ends) }

    /// Returns the decoded path segment that matches the route's parameter `name`.
    ///
    /// - Throws: `HTTPProblem` 400 if the segment is invalid or the route has no such parameter.
    public func segment(_ name: String) throws(HTTPProblem) -> String {
        guard let segment = parameters.get(name) else { throw HTTPProblem.of(.badRequest) }
        return try RequestPath.decoded(segment)
    }
}

extension HTTPFields {
    /// Returns a field's value.
    ///
    /// Unlike the subscript, this method copies nothing if there is only one value.
    public func value(_ name: HTTPField.Name) -> String? {
        let values = self[values: name]
        return values.count > 1 ? self[name] : values.first
    }
}
