import FlowModel
import OAuth
import OutgoingHTTP
import Systemd
import Terminal

/// Checks which user's process listens on a loopback port that will receive a token.
///
/// While a service is stopped, any user's process can listen on its port to receive the service's tokens.
enum ListenerCheck {
    /// Throws a failure unless a trusted process listens at `place`, to which another program will send a token.
    static func check(_ place: Destination) throws(CommandFailure) {
        let origin = place.origin
        guard origin.scheme == "http", let port = UInt16(exactly: origin.port),
            !place.api.trustedLoopback.contains(port)
        else { return }
        switch TCPOwner.stranger(listeningAt: port) {
        case nil: return
        case .uid(let uid): throw refusal(origin, UntrustedServer(port: port, uid: uid))
        case .unknown: throw refusal(origin, UntrustedServer(port: port, uid: nil))
        case .noListener:
            throw CommandFailure(
                .denied,
                "listener_refused",
                Text("failure.noListener", ["origin": origin.description])
            )
        }
    }

    static func refusal(_ origin: WebOrigin, _ server: UntrustedServer) -> CommandFailure {
        CommandFailure(
            .denied,
            "listener_refused",
            Text(server.said(at: origin.description)),
            hint: Text("cli.broker.whoIsAtPort")
        )
    }
}
