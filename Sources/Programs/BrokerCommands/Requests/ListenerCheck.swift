import FlowModel
import OutgoingHTTP
import ProgramConfiguration
import Systemd
import Terminal

/// The look at which processes listen at an address of this machine, before a token goes there without TLS.
///
/// While a service is stopped, any local user can listen at its port and wait for tokens.
enum ListenerCheck {
    /// Refuses an address where an untrusted process listens, or none at all: any local user could take the port and the token.
    ///
    /// It is for tokens that another program sends. The connections of this program are checked themselves.
    ///
    /// - Throws: The refusal, which says what to do.
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

    /// The refusal of a place, which names the user whose process listens there, if it is known.
    static func refusal(_ origin: WebOrigin, _ server: UntrustedServer) -> CommandFailure {
        CommandFailure(
            .denied,
            "listener_refused",
            Text(server.said(at: origin.description)),
            hint: Text("cli.broker.whoIsAtPort")
        )
    }
}
