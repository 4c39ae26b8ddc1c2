import ProgramConfiguration
import Systemd
import Terminal

/// The look at who listens at an address of this machine, before a token goes there without TLS.
///
/// A port is anybody's who comes first: while a service is stopped, another user may sit at its port and wait for tokens.
enum ListenerCheck {
    /// Refuses an origin where another person of this machine listens.
    ///
    /// It is for tokens that another program sends; what this one sends goes over a connection that is looked at itself.
    ///
    /// - Throws: ``refusal(_:uid:)``.
    static func check(_ origin: WebOrigin) throws(CommandFailure) {
        guard origin.scheme == "http", let port = UInt16(exactly: origin.port) else { return }
        if let stranger = TCPOwner.stranger(listeningAt: port) { throw refusal(origin.description, uid: stranger) }
    }

    /// The refusal of a place, which names the user who listens there.
    static func refusal(_ place: String, uid: UInt32) -> CommandFailure {
        CommandFailure(
            .denied,
            "listener_refused",
            BrokerText.strangerListens(place, uid: uid).text,
            hint: BrokerText.whoIsAtPort.text
        )
    }
}
