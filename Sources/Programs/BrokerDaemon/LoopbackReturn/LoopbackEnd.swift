import OAuth

/// The address on loopback at which one sign-in ends, and what tells its request from others.
struct LoopbackEnd: Sendable {
    /// The values of `Host` of its requests (RFC 9110 §7.2).
    let hosts: Set<String>
    /// The path; `/` for an address without one.
    let path: String
    /// The state of the sign-in, which only its own answer has (RFC 6749 §10.12); nil where nobody comes back.
    let state: Secret?

    /// The end of a sign-in at an address, at the port that is open.
    init(_ address: LoopbackURI, port: UInt16, state: Secret?) {
        // A browser leaves out the port that `http` has by itself.
        let usual: Set<String> = port == 80 ? [String(address.host)] : []
        hosts = usual.union(["\(address.host):\(port)"])
        path = address.path.isEmpty ? "/" : address.path
        self.state = state
    }
}
