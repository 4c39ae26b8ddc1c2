import FlowModel
import OAuth

/// One call on its way to a handler.
struct Call: Sendable {
    /// The caller, by the connection.
    let caller: Caller
    /// The client that the connection's `broker.hello` named.
    let client: String?
    /// The limits of the socket.
    let limits: SocketLimits
}
