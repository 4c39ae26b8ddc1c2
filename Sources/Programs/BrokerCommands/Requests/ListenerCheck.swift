import FlowModel
import OutgoingHTTP
import ProgramConfiguration
import Systemd
import Terminal

/// Checks the process that listens at a loopback address before a token is sent there without TLS.
///
/// While a service is stopped, any local user can listen on its port and wait for tokens.
enum ListenerCheck {
    /// Rejects an address that has an untrusted listener or no listener.
    ///
    /// If there is no listener, any local user could open the port and receive the token.
    ///
    /// Use this for tokens that another program sends. This program's own connections are checked separately.
    ///
    /// - Throws: The refusal, with a hint.
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

    /// Returns the refusal for a destination with an untrusted listener.
    ///
    /// It contains the user of the listening process, if known.
    static func refusal(_ origin: WebOrigin, _ server: UntrustedServer) -> CommandFailure {
        CommandFailure(
            .denied,
            "listener_refused",
            Text(server.said(at: origin.description)),
            hint: Text("cli.broker.whoIsAtPort")
        )
    }
}
