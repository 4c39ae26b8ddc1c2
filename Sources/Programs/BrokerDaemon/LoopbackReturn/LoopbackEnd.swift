import OAuth

/// The criteria that identify a browser's return to a loopback address after a sign-in.
struct LoopbackEnd: Sendable {
    /// The accepted values of `Host` (RFC 9110 §7.2).
    let hosts: Set<String>
    /// The path of the loopback address, or `/` if the address has no path.
    let path: String
    /// The `state` of the sign-in (RFC 6749 §10.12), or `nil` if the port is only reserved for a sign-in.
    let state: Secret?

    init(_ address: LoopbackURI, port: UInt16, state: Secret?) {
        // A browser omits the default port of `http`.
        let usual: Set<String> = port == 80 ? [String(address.host)] : []
        hosts = usual.union(["\(address.host):\(port)"])
        path = address.path.isEmpty ? "/" : address.path
        self.state = state
    }
}
