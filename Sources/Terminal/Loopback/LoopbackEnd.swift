import Foundation
import OAuth

/// The address on loopback at which a browser ends a sign-in, and what tells its request from others.
struct LoopbackEnd: Sendable {
    /// The redirect URI, letter by letter.
    let redirectURI: String
    /// The `Host` of its requests (RFC 9110 §7.2).
    let host: String
    /// The path; `/` for a URI without one.
    let path: String
    /// The state of this sign-in, which only its own answer has (RFC 6749 §10.12).
    let state: Secret

    /// Reads the redirect URI, an `http` address of this machine with a port, and the state that a sign-in begins with.
    init?(_ redirectURI: String, beginning: String) {
        guard let address = LoopbackURI(redirectURI), let port = address.port,
            let query = beginning.firstIndex(of: "?"),
            let form = try? Form(beginning[beginning.index(after: query)...].prefix { $0 != "#" }),
            let state = form["state"], !state.isEmpty
        else { return nil }
        self.redirectURI = redirectURI
        host = "\(address.host):\(port)"
        path = address.path.isEmpty ? "/" : address.path
        self.state = Secret(state)
    }
}
