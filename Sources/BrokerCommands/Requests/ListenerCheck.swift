import Glibc
import ProgramConfiguration
import Systemd
import Terminal

/// The look at who listens at an address of this machine, before a token goes there without TLS.
///
/// A port is anybody's who comes first: while a service is stopped, another user may sit at its port and wait for tokens.
enum ListenerCheck {
    /// Refuses an origin where another person of this machine listens.
    ///
    /// - Throws: A refusal that names the user.
    static func check(_ origin: WebOrigin) throws(CommandFailure) {
        guard origin.scheme == "http", let port = UInt16(exactly: origin.port) else { return }
        guard let stranger = TCPOwner.listeners(port: port).first(where: { !isTrusted($0) }) else { return }
        throw CommandFailure(
            .denied,
            "listener_refused",
            BrokerText.strangerListens("\(origin)", uid: stranger).text,
            hint: BrokerText.whoIsAtPort.text
        )
    }

    /// True for oneself, root, and users that are no people: services, also those that systemd makes for a time.
    private static func isTrusted(_ uid: UInt32) -> Bool {
        uid == geteuid() || uid < 1000 || (61_184...65_519).contains(uid)
    }
}
