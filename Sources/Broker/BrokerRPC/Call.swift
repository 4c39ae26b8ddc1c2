import BrokerAPI
import FlowModel
import OAuth

/// One call on its way to a handler.
struct Call: Sendable {
    /// The caller, by the connection.
    let caller: Caller
    /// The connection's last `broker.hello`.
    let hello: BrokerHello?
    /// The limits of the socket.
    let limits: SocketLimits
}
