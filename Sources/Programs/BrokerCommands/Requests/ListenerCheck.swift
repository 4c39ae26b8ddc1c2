import FlowModel
import OutgoingHTTP
import ProgramConfiguration
import Systemd
import Terminal

/// Checks which user's process listens on a loopback port before another program sends a token to it without TLS.
///
/// While a service is stopped, any local user can listen on the service's port and wait for tokens.
enum ListenerCheck {
    /// Checks that a trusted process is listening at the origin of `place`.
    ///
    /// This program's own connections are checked separately.
    ///
    /// - Throws: A `CommandFailure` with a hint if no trusted process is listening.
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
